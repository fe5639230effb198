//! The baseline of an operator: findings that are known, each bound to the content it was seen in and good for a while.
//!
//! It is read only where the operator names it, never from the input that is scanned. Whoever writes a skill must not be
//! able to excuse it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::score::Band;
use capdex_model::time::{AsOf, Timestamp};
use serde::{Deserialize, Serialize};

use capdex_dataset::finding::BaselineStatus;

use crate::advice;
use crate::exit::usage;
use crate::files;

/// The name of the form.
const SCHEMA: &str = "capdex.baseline/2";
/// The form of before: fingerprints over paths inside the input, and digests of files byte for byte. It is read and asked
/// as it was made; what is written has the form of now.
const FORMER_SCHEMA: &str = "capdex.baseline/1";

/// The manner in which a baseline binds findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineForm {
    /// To the path inside the input, and to the bytes of a file.
    Former,
    /// To the path below the repository or the working folder, and to the text of a file whatever its line ends.
    Present,
}
/// A larger file is no baseline.
const MAX_BYTES: u64 = 64 << 20;

/// A baseline as a file holds it. Both lists are sorted and hold each key once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    schema: String,
    /// When it was written, as ages were measured then.
    as_of: AsOf,
    findings: Vec<KnownFinding>,
    bands: Vec<KnownBand>,
}

/// One known finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// The part of a finding that stays when lines move.
    pub fingerprint: String,
    /// The digest of the file that it stands in, else of its capability; of texts without their line ends' kind.
    pub content: Digest,
    /// From when on it counts again.
    pub expires: Timestamp,
    /// Its severity; worse counts again.
    pub severity: Severity,
    /// The rule, for people.
    pub rule: String,
    /// The capability, for people.
    pub slug: String,
    /// The file, for people.
    pub file: String,
}

/// One known verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBand {
    /// The digest of the whole capability.
    pub content: Digest,
    /// From when on it counts again.
    pub expires: Timestamp,
    /// The band; a stricter one counts again.
    pub band: Band,
    /// The capability, for people.
    pub slug: String,
}

/// A finding as a baseline asks for it.
#[derive(Clone, Copy, Debug)]
pub struct BaselineQuery<'a> {
    /// Its fingerprint.
    pub fingerprint: &'a str,
    /// The digest of what it stands in.
    pub content: Digest,
    /// Its severity.
    pub severity: Severity,
}

impl Baseline {
    /// An empty one.
    pub fn new(as_of: AsOf) -> Self {
        Self { schema: SCHEMA.to_owned(), as_of, findings: Vec::new(), bands: Vec::new() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Wrong usage where it cannot be read or is no baseline; the text names the file and what is wrong.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let refused = |why: String| {
            usage(format!("{shown} is not a baseline: {why}; `capdex scan PATH --write-baseline FILE` writes one"))
        };
        let about = fs::metadata(path)
            .map_err(|error| usage(format!("cannot read the baseline {shown}: {}", advice::told(&error))))?;
        // A device or a pipe could be read for ever.
        if !about.is_file() {
            return Err(refused("it is no file".to_owned()));
        }
        // Asked before reading, so that a wrong path does not fill the memory.
        if about.len() > MAX_BYTES {
            return Err(refused(format!("it has {} bytes, more than {MAX_BYTES}", about.len())));
        }
        let bytes = fs::read(path)
            .map_err(|error| usage(format!("cannot read the baseline {shown}: {}", advice::told(&error))))?;
        let read: Self = serde_json::from_slice(&bytes).map_err(|error| refused(error.to_string()))?;
        // Another version may bind findings in another way, and excuse too much.
        if ![SCHEMA, FORMER_SCHEMA].contains(&read.schema.as_str()) {
            return Err(refused(format!("its schema is {:?}, not {SCHEMA:?}", read.schema)));
        }
        Ok(read)
    }

    /// Writes it, sorted, in the place of an earlier baseline.
    ///
    /// # Errors
    /// A file that is there and is no baseline, or one that cannot be written.
    pub fn write(mut self, path: &Path) -> anyhow::Result<()> {
        // Only one of ours is replaced: a wrong path must not destroy a file.
        if path.exists() {
            Self::read(path)?;
        }
        // Sorted and each once, so that the file can be reviewed like code.
        self.findings.sort();
        self.findings.dedup();
        self.bands.sort();
        self.bands.dedup();
        let mut text = serde_json::to_string_pretty(&self)?;
        text.push('\n');
        files::replace(path, text.as_bytes())
            .with_context(|| format!("failed to write the baseline {}", path.display()))
    }

    /// Takes a finding in.
    pub fn add(&mut self, known: KnownFinding) {
        self.findings.push(known);
    }

    /// Takes a verdict in.
    pub fn add_band(&mut self, known: KnownBand) {
        self.bands.push(known);
    }

    /// The same, ready to be asked at an instant.
    pub fn at(self, at: AsOf) -> BaselineIndex {
        let form = if self.schema == FORMER_SCHEMA { BaselineForm::Former } else { BaselineForm::Present };
        let mut held = BaselineIndex { form, at: at.0, findings: BTreeMap::new(), bands: self.bands };
        for known in self.findings {
            held.findings.entry(known.fingerprint.clone()).or_default().insert(known);
        }
        held
    }
}

/// A baseline that is asked.
#[derive(Clone, Debug)]
pub struct BaselineIndex {
    form: BaselineForm,
    at: Timestamp,
    findings: BTreeMap<String, BTreeSet<KnownFinding>>,
    bands: Vec<KnownBand>,
}

impl BaselineIndex {
    /// How it is to be asked.
    pub const fn form(&self) -> BaselineForm {
        self.form
    }

    /// The standing of a finding.
    pub fn status(&self, asked: BaselineQuery<'_>) -> BaselineStatus {
        let Some(known) = self.findings.get(asked.fingerprint) else { return BaselineStatus::New };
        let fitting =
            // Bound to the content: whoever changes the file has to be looked at again. Worse than before is new.
            || known.iter().filter(|known| known.content == asked.content && known.severity >= asked.severity);
        match (fitting().any(|known| known.expires > self.at), fitting().next()) {
            (true, _) => BaselineStatus::Known,
            (false, Some(_)) => BaselineStatus::Expired,
            (false, None) => BaselineStatus::Changed,
        }
    }

    /// Until when a finding that is held is known, also where that has passed: writing it again prolongs nothing.
    pub fn expiry(&self, asked: BaselineQuery<'_>) -> Option<Timestamp> {
        let known = self.findings.get(asked.fingerprint)?.iter();
        let fitting = known.filter(|known| known.content == asked.content && known.severity >= asked.severity);
        // The latest of several, so that writing again never shortens what somebody granted.
        fitting.map(|known| known.expires).max()
    }

    /// Until when a verdict of this band over this content is known, also where that has passed; none where it is not held.
    pub fn band_expiry(&self, content: &Digest, band: Band) -> Option<Timestamp> {
        // `unknown` sorts above all others and excuses none of them.
        let excuses = |known: &&KnownBand| known.band != Band::Unknown && known.band >= band;
        let fitting = self.bands.iter().filter(|known| known.content == *content).filter(excuses);
        fitting.map(|known| known.expires).max()
    }

    /// True where a verdict of this band over this content is known now.
    pub fn knows_band(&self, content: &Digest, band: Band) -> bool {
        self.band_expiry(content, band).is_some_and(|expires| expires > self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> AsOf {
        text.parse().expect("an instant")
    }

    fn known(content: &[u8], severity: Severity, expires: &str) -> KnownFinding {
        let (fingerprint, rule) = ("f".to_owned(), "pipe-to-shell".to_owned());
        let content = Digest::of(content);
        KnownFinding {
            fingerprint,
            content,
            expires: at(expires).0,
            severity,
            rule,
            slug: "s".into(),
            file: "x".into(),
        }
    }

    fn asked(content: &[u8], severity: Severity) -> BaselineQuery<'static> {
        BaselineQuery { fingerprint: "f", content: Digest::of(content), severity }
    }

    fn held(known: impl IntoIterator<Item = KnownFinding>) -> BaselineIndex {
        let now = at("2026-11-22T00:00:00Z");
        let mut baseline = Baseline::new(now);
        known.into_iter().for_each(|known| baseline.add(known));
        baseline.at(now)
    }

    #[test]
    fn a_finding_is_known_only_for_its_content_its_severity_and_its_time() {
        let one = held([known(b"a", Severity::Medium, "2026-11-22T00:00:01Z")]);
        assert_eq!(one.status(asked(b"a", Severity::Medium)), BaselineStatus::Known);
        assert_eq!(one.status(asked(b"a", Severity::Low)), BaselineStatus::Known);
        assert_eq!(one.status(asked(b"a", Severity::High)), BaselineStatus::Changed);
        assert_eq!(one.status(asked(b"b", Severity::Medium)), BaselineStatus::Changed);
        assert_eq!(one.status(BaselineQuery { fingerprint: "g", ..asked(b"a", Severity::Low) }), BaselineStatus::New);
        let over = held([known(b"a", Severity::Medium, "2026-11-22T00:00:00Z")]);
        assert_eq!(over.status(asked(b"a", Severity::Medium)), BaselineStatus::Expired, "the end itself is over");
    }

    #[test]
    fn the_same_finding_may_be_known_in_two_contents() {
        let ends = ["2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"];
        let both = held([known(b"a", Severity::High, ends[0]), known(b"b", Severity::High, ends[1])]);
        for (content, end) in [(b"a", ends[0]), (b"b", ends[1])] {
            assert_eq!(both.status(asked(content, Severity::High)), BaselineStatus::Known);
            assert_eq!(both.expiry(asked(content, Severity::High)), Some(at(end).0));
        }
        assert_eq!(both.expiry(asked(b"c", Severity::High)), None);
    }

    #[test]
    fn what_has_ended_keeps_its_end_and_is_not_known() {
        let (end, content) = ("2026-11-01T00:00:00Z", Digest::of(b"a"));
        let past = held([known(b"a", Severity::High, end)]);
        assert_eq!(past.status(asked(b"a", Severity::High)), BaselineStatus::Expired);
        assert_eq!(past.expiry(asked(b"a", Severity::High)), Some(at(end).0), "written again it has still ended");
        let mut bands = Baseline::new(at(end));
        bands.add_band(KnownBand { content, expires: at(end).0, band: Band::Block, slug: "s".into() });
        let bands = bands.at(at("2026-11-22T00:00:00Z"));
        assert_eq!(bands.band_expiry(&content, Band::Block), Some(at(end).0));
        assert!(!bands.knows_band(&content, Band::Block));
    }

    #[test]
    fn a_stricter_band_is_not_known() {
        let now = at("2026-11-22T00:00:00Z");
        let (content, expires) = (Digest::of(b"a"), at("2026-12-01T00:00:00Z").0);
        let mut baseline = Baseline::new(now);
        baseline.add_band(KnownBand { content, expires, band: Band::Watch, slug: "s".into() });
        let held = baseline.at(now);
        assert_eq!(held.band_expiry(&content, Band::Watch), Some(expires));
        assert_eq!(held.band_expiry(&content, Band::Caution), None);
        assert_eq!(held.band_expiry(&Digest::of(b"b"), Band::Watch), None);
        let mut odd = Baseline::new(now);
        odd.add_band(KnownBand { content, expires, band: Band::Unknown, slug: "s".into() });
        assert_eq!(odd.at(now).band_expiry(&content, Band::Block), None);
    }
}
