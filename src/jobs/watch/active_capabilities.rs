//! The capabilities that stand now, as the passes see them that compare contents: each with its publishers and since when.
//!
//! Nothing is compared here.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::campaign::{TRAITS_VERSION, Traits, UNPROVEN};
use capdex_corpus::clone::{CloneMember, Files, SKETCH_VERSION, Sketch};
use capdex_corpus::corpus::{Corpus, CorpusMember};
use capdex_db::{CurrentCapability, ListingState, Reader, Sketched};
use capdex_model::bundle::BundleFile;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::release_line;
use capdex_model::time::Timestamp;

use super::JobContext;
use capdex_dataset::bulk;

/// Contents sketched between two transactions: bounds memory and what a kill costs.
const BATCH: usize = 256;

/// One capability that stands now.
#[derive(Clone, Debug)]
pub(super) struct ActiveCapability {
    pub(super) current: CurrentCapability,
    /// The owners that prove to answer for it; the thing itself where nobody does.
    pub(super) publishers: BTreeSet<String>,
    /// The thing that it is part of, whichever directory lists it.
    pub(super) entity: String,
    pub(super) popularity: Option<u64>,
    pub(super) created: Option<Timestamp>,
    pub(super) published: Option<Timestamp>,
    names: Vec<String>,
    upstream: Vec<String>,
}

impl ActiveCapability {
    /// The facts that tell when its text came, which nights of ours first saw at `text_since`.
    pub(super) fn seen(&self, text_since: Timestamp) -> CloneMember<'_> {
        CloneMember {
            first_seen: text_since,
            created: self.created,
            published: self.published,
            popularity: self.popularity,
            names: &self.names,
            upstream: &self.upstream,
        }
    }

    /// True where one publisher answers for both, or both are one thing.
    pub(super) fn same_publisher(&self, other: &Self) -> bool {
        self.entity == other.entity || !self.publishers.is_disjoint(&other.publishers)
    }
}

/// Every capability whose listing is there, sorted by (slug, id).
pub(super) fn active_capabilities(reader: &Reader) -> anyhow::Result<Vec<ActiveCapability>> {
    let corpus = reader.corpus(&capdex_crawlers::roles())?;
    let mut by_identity: BTreeMap<&str, Vec<&CorpusMember>> = BTreeMap::new();
    let mut by_entity: BTreeMap<&str, u64> = BTreeMap::new();
    for member in corpus.members() {
        // A package that several directories list is counted with all of its listings.
        for identity in &member.identities {
            by_identity.entry(identity).or_default().push(member);
        }
        let popularity = by_entity.entry(&member.entity).or_default();
        *popularity = (*popularity).max(member.popularity.unwrap_or(0));
    }
    // What is gone neither copies nor is copied any more, though its facts stay.
    let current = reader.current()?.into_iter().filter(|current| current.listing_state != ListingState::Gone);
    // A release line is like its package by nature, and no copy of it.
    let current = current.filter(|current| release_line::package_of_identity(&current.identity) == current.identity);
    Ok(current.map(|current| active_capability(current, &corpus, &by_identity, &by_entity)).collect())
}

fn active_capability(
    current: CurrentCapability,
    corpus: &Corpus,
    by_identity: &BTreeMap<&str, Vec<&CorpusMember>>,
    by_entity: &BTreeMap<&str, u64>,
) -> ActiveCapability {
    let speaks = corpus.member(&current.listing);
    let mut members = by_identity.get(current.identity.as_str()).cloned().unwrap_or_default();
    // No listing names the identity: then the one that it was fetched for speaks.
    if members.is_empty() {
        members.extend(speaks);
    }
    let entity = speaks.map_or_else(|| current.listing.to_string(), |member| member.entity.clone());
    let mut publishers: BTreeSet<String> =
        members.iter().flat_map(|member| member.publishers.iter().cloned()).collect();
    if publishers.is_empty() {
        // Marked as unproven, so that two things without an owner are never taken for one publisher's.
        publishers.insert(format!("{UNPROVEN}{entity}"));
    }
    let mut names: Vec<String> = members.iter().map(|member| member.key.to_string()).collect();
    names.push(current.identity.clone());
    let upstream = members.iter().flat_map(|member| member.references.iter().map(ToString::to_string));
    ActiveCapability {
        publishers,
        // Zero means that no source counts its users, which is not the same as having none.
        popularity: by_entity.get(entity.as_str()).copied().filter(|count| *count > 0),
        created: members.iter().filter_map(|member| member.created).min(),
        published: speaks.and_then(|member| member.published),
        // A thing that names itself as its source is no copy of anything.
        upstream: upstream.filter(|name| !names.contains(name)).collect(),
        names,
        entity,
        current,
    }
}

/// Sketches every content that has no sketch of this version, from its blobs.
///
/// This is done here and not while scanning, because stores of before hold contents that are never scanned again. Besides,
/// one way is less to keep right than two: reading a blob costs a tenth of what judging it did.
pub(super) fn sketch_unseen(context: &JobContext) -> anyhow::Result<u64> {
    // A new version of either makes every content unsketched.
    let version = i64::from(SKETCH_VERSION) * 1000 + i64::from(TRAITS_VERSION);
    let reader = context.store.reader()?;
    let waiting = reader.unsketched(version)?;
    let mut done = 0;
    for batch in waiting.chunks(BATCH) {
        if context.stop.is_asked() {
            break;
        }
        let read = batch
            .iter()
            .map(|(snapshot, capability)| Ok((capability.clone(), reader.capability_files(*snapshot, capability)?)));
        // Read before the pool starts, since a reader belongs to one thread.
        let read: Vec<_> = read.collect::<anyhow::Result<_>>()?;
        let work = |(capability, files): &(capdex_model::capability::Capability, BTreeMap<String, BundleFile>)| {
            let files = files_of(&capability.path, files);
            // A package's text repeats that of its capabilities and would make a family with each of them.
            let sketch = (capability.kind != Kind::Package).then(|| Sketch::of(&files));
            Sketched { content: capability.content, sketch, traits: Traits::of(&files, capdex_rules::mask_secrets) }
        };
        let store = &context.store;
        bulk::ordered(&context.pool, &read, BATCH, work, |_, made| {
            done += made.len() as u64;
            store.write(move |writer| made.iter().try_for_each(|sketched| writer.put_sketch(sketched, version)))?;
            Ok(())
        })?;
    }
    Ok(done)
}

/// The files of a capability by their paths below its folder.
pub(super) fn files_of<'a>(folder: &str, files: &'a BTreeMap<String, BundleFile>) -> Files<'a> {
    let below = |path: &'a str| match folder {
        "" => path,
        folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path),
    };
    // A zero byte means a binary, of which lines cannot be compared.
    let text = |file: &'a BundleFile| std::str::from_utf8(&file.bytes).ok().filter(|text| !text.contains('\0'));
    files.iter().map(|(path, file)| (below(path), (file.digest, text(file)))).collect()
}

/// A short name for a list of digests in any order.
pub(super) fn digest_of<'a>(parts: impl IntoIterator<Item = &'a Digest>) -> Digest {
    let mut parts: Vec<&Digest> = parts.into_iter().collect();
    // Sorted first: a set of members has one name whatever order they come in.
    parts.sort();
    Digest::of_fields(parts.into_iter().map(|part| &part.as_bytes()[..]))
}
