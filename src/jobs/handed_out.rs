//! What rows of directories hand out: the verdict over a package, or over an archive that a row pins, reaches the row.
//!
//! Runs after packages are judged, and reads what the store holds. Rows are scanned once more where something else is said of
//! their artifacts. Packages hand out nothing, so that this ends here.

use std::collections::{BTreeMap, BTreeSet};

use capdex_db::Reader;
use capdex_model::corpus_signal::{CorpusSignal, HANDED_OUT, NOT_LOOKED_AT};
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::listing::{Listing, Locator};
use capdex_model::score::Band;
use capdex_model::source_role::Ecosystem;

use super::JobContext;
use super::same_version::is_same_version;
use super::standing_verdicts::{StandingVerdict, StandingVerdicts};

/// Version of this judgement: with another one it runs again over what it has looked at.
const VERSION: u32 = 2;

/// Brings what is said of rows up to date; the number of rows of which something else is said now.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<u64> {
    let reader = context.store.reader()?;
    let state = state_of(&reader, context)?;
    // Nothing was listed, fetched or scanned since, and no verdict is a day older.
    if reader.pass_input(HANDED_OUT)?.as_ref() == Some(&state) {
        return Ok(0);
    }
    let mut judge = ArtifactJudge::new(&reader, context)?;
    let mut signals: BTreeSet<(String, CorpusSignal)> = BTreeSet::new();
    for listing in reader.handing_out()? {
        let said = judge.row(&listing)?;
        signals.extend(said.into_iter().map(|signal| (listing.key.to_string(), signal)));
    }
    for listing in reader.rows_of_servers()? {
        let said = judge.server(&listing)?;
        signals.extend(said.into_iter().map(|signal| (listing.key.to_string(), signal)));
    }
    Ok(context.store.write(move |writer| writer.replace_corpus_signals(HANDED_OUT, &signals))?)
}

/// Notes that everything is up to date with the present state of the store.
///
/// # Errors
/// Errors of the store.
pub(super) fn done(context: &JobContext) -> anyhow::Result<()> {
    let (state, at) = (state_of(&context.store.reader()?, context)?, context.as_of);
    Ok(context.store.write(move |writer| writer.pass_ran(HANDED_OUT, &state, at))?)
}

fn state_of(reader: &Reader, context: &JobContext) -> anyhow::Result<String> {
    Ok(format!("{VERSION}.{}.{}", reader.watched_state()?, context.as_of.day()))
}

/// Judges rows by what they hand out, each artifact once.
struct ArtifactJudge<'a> {
    reader: &'a Reader,
    artifacts: StandingVerdicts<'a>,
    known: BTreeMap<String, Option<StandingVerdict>>,
}

impl<'a> ArtifactJudge<'a> {
    fn new(reader: &'a Reader, context: &JobContext) -> anyhow::Result<Self> {
        let artifacts = StandingVerdicts::new(reader, context.as_of)?;
        Ok(Self { reader, artifacts, known: BTreeMap::new() })
    }

    /// Everything that is to be said of a row. Empty for a listing that carries no text of its own: it is its artifact.
    fn row(&mut self, listing: &Listing) -> anyhow::Result<Vec<CorpusSignal>> {
        let own = listing.locators.iter().find(|locator| matches!(locator, Locator::Inline { .. }));
        let Some(own) = own.map(|locator| locator.identity()) else { return Ok(Vec::new()) };
        let mut said = Vec::new();
        for reference in listing.references.iter().filter(|key| is_package(key)) {
            said.push(self.reference(reference, named_version(listing, reference))?);
        }
        for locator in listing.locators.iter().filter(|locator| locator.identity() != own) {
            said.push(self.locator(locator)?);
        }
        let said: Vec<Said> = said.into_iter().flatten().collect();
        // A verdict is said of each capability of the row, and not of those in an archive that the row pins.
        let capabilities = self.reader.capabilities_of(&own)?;
        Ok(said.into_iter().flat_map(|said| said.signals(&capabilities)).collect())
    }

    /// What is to be said of a row that describes a server, names no package and pins nothing: the endpoint or image that it
    /// names speaks for it where that was looked at. A row that lists the server's tools itself is judged by these.
    fn server(&mut self, listing: &Listing) -> anyhow::Result<Vec<CorpusSignal>> {
        let [own] = listing.locators.as_slice() else { return Ok(Vec::new()) };
        if listing.references.iter().any(is_package) {
            return Ok(Vec::new());
        }
        let capabilities = self.reader.capabilities_of(&own.identity())?;
        for capability in &capabilities {
            if self.reader.surfaces(capability)?.is_some_and(|listed| !listed.records.is_empty()) {
                return Ok(Vec::new());
            }
        }
        let mut unseen = None;
        for reference in listing.references.iter().filter(|key| serves(key)) {
            let seen = self.reader.referred(reference)?.and_then(|served| served.locators.first().cloned());
            match seen {
                Some(locator) if locator.identity() != own.identity() => {
                    let said = self.locator(&locator)?;
                    return Ok(said.into_iter().flat_map(|said| said.signals(&capabilities)).collect());
                }
                _ => unseen = unseen.or(Some(reference)),
            }
        }
        let detail = match unseen {
            Some(reference) => format!("names {reference}, which was not looked at"),
            None => "names no package and pins no archive: nothing of the server itself was looked at".to_owned(),
        };
        Ok(Said::not_looked_at(detail).signals(&capabilities))
    }

    /// What is to be said of a package that a row names.
    fn reference(&mut self, reference: &ListingKey, named: Option<&str>) -> anyhow::Result<Option<Said>> {
        let Some(listing) = self.reader.referred(reference)? else {
            return Ok(Some(Said::not_looked_at(format!("names {reference}, which was not looked at"))));
        };
        let Some(locator) = listing.locators.first() else {
            return Ok(Some(Said::not_looked_at(format!("names {reference}, which has no artifact"))));
        };
        if let (Some(named), Some(version)) = (named, locator.version())
            && !is_same_version(&reference.source, named, version)
        {
            let detail = format!("names version {named} of {reference}; looked at {version}");
            return Ok(Some(Said::not_looked_at(detail)));
        }
        self.locator(locator)
    }

    fn locator(&mut self, locator: &Locator) -> anyhow::Result<Option<Said>> {
        let identity = locator.identity();
        let Some(verdict) = self.verdict(&identity)? else {
            return Ok(Some(Said::not_looked_at(format!("hands out {identity}, which was not looked at"))));
        };
        let is_seen = match (verdict.version.as_deref(), locator.version()) {
            (Some(saw), Some(names)) => is_same_version(&locator.ecosystem(), saw, names),
            (saw, names) => saw == names,
        };
        if !is_seen {
            let text = |version: Option<&str>| version.unwrap_or("another version").to_owned();
            let (names, saw) = (text(locator.version()), text(verdict.version.as_deref()));
            return Ok(Some(Said::not_looked_at(format!("hands out {names} of {identity}; looked at {saw}"))));
        }
        let version = locator.version().map(|version| format!(" {version}")).unwrap_or_default();
        Ok(match verdict.worst.verdict.band {
            Band::Block => Some(Said::dangerous(Severity::Critical, &identity, &version, Band::Block)),
            Band::Caution => Some(Said::dangerous(Severity::High, &identity, &version, Band::Caution)),
            _ if !verdict.is_whole => {
                Some(Said::not_looked_at(format!("hands out {identity}{version}, of which not all was looked at")))
            }
            _ => None,
        })
    }

    /// The verdict over an artifact: the strictest over its capabilities. None where none of them was ever looked at.
    fn verdict(&mut self, identity: &str) -> anyhow::Result<Option<StandingVerdict>> {
        if let Some(known) = self.known.get(identity) {
            return Ok(known.clone());
        }
        let judged = self.artifacts.of(identity)?;
        self.known.insert(identity.to_owned(), judged.clone());
        Ok(judged)
    }
}

/// What is to be said of a row because of one artifact.
struct Said {
    class: String,
    severity: Severity,
    detail: String,
}

impl Said {
    fn not_looked_at(detail: String) -> Self {
        Self { class: NOT_LOOKED_AT.to_owned(), severity: Severity::Info, detail }
    }

    fn dangerous(severity: Severity, identity: &str, version: &str, band: Band) -> Self {
        let band = band.as_str();
        let detail = format!("{identity}{version}, which it hands out, is {band}");
        Self { class: band.to_owned(), severity, detail }
    }

    fn signals(self, capabilities: &[CapabilityId]) -> Vec<CorpusSignal> {
        let signal = |capability: Option<CapabilityId>| CorpusSignal {
            pass: HANDED_OUT.to_owned(),
            class: self.class.clone(),
            severity: self.severity,
            capability,
            content: None,
            detail: self.detail.clone(),
        };
        if self.class == NOT_LOOKED_AT {
            return vec![signal(None)];
        }
        capabilities.iter().map(|capability| signal(Some(*capability))).collect()
    }
}

/// True for the packages that an installer gets from a row. Images, endpoints and repositories are rows of their own.
fn is_package(reference: &ListingKey) -> bool {
    [Ecosystem::Npm, Ecosystem::Pypi].iter().any(|ecosystem| reference.source == ecosystem.as_str())
}

/// True for what serves a row's tools without a package: an endpoint, an image.
fn serves(reference: &ListingKey) -> bool {
    [Ecosystem::Mcp, Ecosystem::Oci].iter().any(|ecosystem| reference.source == ecosystem.as_str())
}

/// The version that a row names of what it refers to, where the reference cannot say it.
fn named_version<'a>(listing: &'a Listing, reference: &ListingKey) -> Option<&'a str> {
    let named = listing.claims.named_versions.iter().find(|(key, _)| key == reference);
    named.map(|(_, version)| version.as_str())
}
