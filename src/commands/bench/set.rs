//! A labelled set: its cases read into memory, so that no reading is timed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_crawlers::unpack;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::digest::Digest;
use serde::Deserialize;
use serde_json::Value;

use crate::advice;
use crate::exit::usage;

/// One labelled case as the file holds it; other keys are ignored.
#[derive(Debug, Deserialize)]
struct CaseRecord {
    case: String,
    label: String,
    #[serde(default)]
    subset: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    doc: Value,
}

/// One labelled case, ready to scan.
pub(super) struct BenchCase {
    pub(super) id: String,
    /// `malicious` or `benign`; anything else is scanned and not counted.
    pub(super) label: String,
    pub(super) subset: String,
    pub(super) category: String,
    /// Who published it.
    pub(super) source: String,
    pub(super) bundle: Bundle,
}

/// One file of labelled cases.
pub(super) struct BenchSet {
    /// The file's name up to its first dot: `skills` for `skills.jsonl.gz`.
    pub(super) name: String,
    /// The digest of the file's bytes.
    pub(super) digest: Digest,
    pub(super) cases: Vec<BenchCase>,
}

impl BenchSet {
    /// Reads a file of labelled cases, gzip allowed.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path)
            .map_err(|error| usage(format!("cannot read {}: {}", path.display(), advice::told(&error))))?;
        let is_gzip = path.extension().is_some_and(|extension| extension == "gz");
        // By the ending, since a set is our own file and no hostile archive.
        let cases = if is_gzip {
            parse(path, std::io::BufReader::new(unpack::gunzip_lines(bytes.as_slice())))?
        } else {
            parse(path, bytes.as_slice())?
        };
        if cases.is_empty() {
            return Err(usage(format!("{} holds no case", path.display())));
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.split('.').next().unwrap_or_default().to_owned();
        Ok(Self { name, digest: Digest::of(&bytes), cases })
    }

    /// The number of cases that carry a label.
    pub(super) fn labelled(&self, label: &str) -> u64 {
        self.cases.iter().filter(|case| case.label == label).count() as u64
    }

    /// The bytes of all cases together.
    pub(super) fn bytes(&self) -> u64 {
        self.cases.iter().map(|case| case.bundle.size()).sum()
    }
}

fn parse(path: &Path, reader: impl std::io::BufRead) -> anyhow::Result<Vec<BenchCase>> {
    let parse = |(index, line): (usize, std::io::Result<String>)| {
        let line = line.with_context(|| format!("failed to read {}", path.display()))?;
        let line: CaseRecord = serde_json::from_str(&line)
            .map_err(|error| usage(format!("{} line {}: {error}", path.display(), index + 1)))?;
        Ok(case(line))
    };
    reader.lines().enumerate().map(parse).collect()
}

fn case(line: CaseRecord) -> BenchCase {
    let mut files: BTreeMap<String, BundleFile> =
        line.files.into_iter().map(|(path, text)| (path, BundleFile::new(text.into_bytes()))).collect();
    // A document of tools is scanned as the file that it would be in a package.
    if !line.doc.is_null() {
        files.insert("tools.json".into(), BundleFile::new(line.doc.to_string().into_bytes()));
    }
    // Without listing claims: a case has no directory that speaks for it.
    let bundle = Bundle::local(format!("folder:{}", line.case), files);
    BenchCase {
        id: line.case,
        label: line.label,
        subset: line.subset,
        category: line.category,
        source: line.source,
        bundle,
    }
}
