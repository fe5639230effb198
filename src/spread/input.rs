//! The input pack: the bundles of a job with all their bytes, as a worker reads them that has no store.
//!
//! It is named by the keys of what it holds, and a worker believes none of it: each bundle has to have the key that its job names.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::listing::Claims;
use capdex_model::snapshot::Gap;
use serde::{Deserialize, Serialize};

use crate::packed::{PackError, Packer, Unpacked};
use crate::{Job, Key};

/// The schema of an input pack.
const SCHEMA: &str = "capdex.input/1";
/// The most bytes that the inputs of one job hold: one of the largest that the unpacker gives, with room.
pub const MAX_BYTES: u64 = 2 << 30;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    bundles: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleHead<'a> {
    identity: std::borrow::Cow<'a, str>,
    claims: std::borrow::Cow<'a, Claims>,
    gaps: std::borrow::Cow<'a, [Gap]>,
    paths: Vec<std::borrow::Cow<'a, str>>,
}

/// An input pack that is being made.
pub struct InputPacker(Packer);

impl InputPacker {
    /// One of so many bundles.
    ///
    /// # Errors
    /// A compressor that cannot be made.
    pub fn new(bundles: usize) -> Result<Self, PackError> {
        let mut packer = Packer::new()?;
        packer.add(&json(&Head { schema: SCHEMA.to_owned(), bundles })?)?;
        Ok(Self(packer))
    }

    /// Adds a bundle.
    ///
    /// # Errors
    /// A file of more than 4 GiB.
    pub fn add(&mut self, bundle: &Bundle) -> Result<(), PackError> {
        let head = BundleHead {
            identity: (&bundle.identity).into(),
            claims: std::borrow::Cow::Borrowed(&bundle.claims),
            gaps: (&bundle.gaps).into(),
            paths: bundle.files.keys().map(Into::into).collect(),
        };
        self.0.add(&json(&head)?)?;
        bundle.files.values().try_for_each(|file| self.0.add(&file.bytes))
    }

    /// The pack.
    ///
    /// # Errors
    /// A compressor that failed.
    pub fn finish(self) -> Result<Vec<u8>, PackError> {
        self.0.finish().map(|(pack, _)| pack)
    }
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, PackError> {
    serde_json::to_vec(value).map_err(|error| PackError(error.to_string()))
}

/// The bundles of a job out of its pack, in the order of its keys. Others that lie there are passed over.
///
/// # Errors
/// A pack that is none, and one that lacks a bundle of the job or has it with another key.
pub fn read(pack: &[u8], job: &Job) -> Result<Vec<Bundle>, PackError> {
    let unpacked = Unpacked::read(pack, MAX_BYTES)?;
    let mut records = unpacked.records();
    let head: Head = records.json()?;
    if head.schema != SCHEMA {
        return Err(PackError("no input pack of this version".to_owned()));
    }
    let wanted: BTreeSet<&str> = job.keys.iter().map(|key| key.subject.as_str()).collect();
    let mut found: BTreeMap<String, Bundle> = BTreeMap::new();
    for _ in 0..head.bundles {
        let head: BundleHead<'_> = records.json()?;
        let is_wanted = wanted.contains(&*head.identity);
        let mut files = BTreeMap::new();
        for path in head.paths {
            let bytes = records.record()?;
            // Only what is asked for is hashed and kept.
            if is_wanted {
                files.insert(path.into_owned(), BundleFile::new(bytes));
            }
        }
        if is_wanted {
            let (claims, gaps) = (head.claims.into_owned(), head.gaps.into_owned());
            let identity = head.identity.into_owned();
            let bundle = Bundle { identity: identity.clone(), files, gaps, claims, named: None };
            found.insert(identity, bundle);
        }
    }
    records.end()?;
    let bundle_of = |key: &Key| match found.remove(&key.subject) {
        Some(bundle) if Key::of(&bundle) == *key => Ok(bundle),
        Some(_) => Err(PackError(format!("{:?} is another one than its key says", key.subject))),
        None => Err(PackError(format!("{:?} is missing", key.subject))),
    };
    job.keys.iter().map(bundle_of).collect()
}
