//! Alerts for what is bad, whatever changed: a watched name that stands at block or caution, a package that a list of abuse
//! reports.
//!
//! Runs once every verdict of a night stands. Nothing is judged here.

use std::collections::{BTreeMap, BTreeSet};

use capdex_dataset::export::ranked_capability;
use capdex_db::{ListingState, Reader};
use capdex_model::abuse::Report;
use capdex_model::alert::{Alert, AlertEvidence, Raised, reach_of};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey, pypi_name, slug_of};
use capdex_model::listing::Listing;
use capdex_model::score::Band;
use capdex_rubrics::Rubric as _;
use capdex_rubrics::verdict::OwnVerdict;

use super::JobContext;
use super::standing_verdicts::{StandingVerdict, StandingVerdicts};
use crate::config::{SourceRun, ToldVerdicts};

/// Version of this judgement: with another one it looks at everything again.
const VERSION: u32 = 2;
/// The word of alerts about verdicts, as a pass has one.
const VERDICTS: &str = "verdicts";
/// The rules about what a registry took down.
const TAKEDOWNS: [&str; 2] = ["sighted-takedown", "sighted-removal"];
/// The classes of alerts about what is gone from its registry.
const DEPARTED: [&str; 2] = ["taken_down", "withdrawn"];
/// The word of alerts about reports of abuse.
const ABUSE: &str = "abuse";

/// Raises each such thing once; the number of alerts that are new.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<u64> {
    let reader = context.store.reader()?;
    let state = state_of(&reader, context)?;
    // Nothing was scanned or reported since, and the schedule asks for the same.
    if reader.pass_input(VERDICTS)?.as_ref() == Some(&state) {
        return Ok(0);
    }
    let mut alerts: Vec<Alert> =
        reader.reported()?.iter().map(|(listing, report)| of_report(listing, report)).collect();
    // Reports first: the verdict that follows from one is no second thing to tell.
    alerts.extend(of_verdicts(context, &reader, &alerts)?);
    let (at, is_cut_short) = (context.as_of, context.stop.is_asked());
    Ok(context.store.write(move |writer| {
        let mut new = 0;
        for alert in &alerts {
            new += u64::from(writer.raise(alert, at)?);
        }
        // A night that was cut short has not judged everything.
        if !is_cut_short {
            writer.pass_ran(VERDICTS, &state, at)?;
        }
        Ok::<_, capdex_db::StoreError>(new)
    })?)
}

/// Everything that these alerts depend on: what stands in the store, how it is judged, and whom the schedule names.
fn state_of(reader: &Reader, context: &JobContext) -> anyhow::Result<String> {
    let named: BTreeMap<&String, (ToldVerdicts, &Vec<String>)> =
        context.sources.iter().map(|(source, run)| (source, (run.told_verdicts, &run.settings.watchlist))).collect();
    let judged = &OwnVerdict.meta().rubric.text;
    Ok(format!("{VERSION}.{}.{judged}.{}", reader.watched_state()?, Digest::of_json(&named)))
}

fn of_verdicts(context: &JobContext, reader: &Reader, reports: &[Alert]) -> anyhow::Result<Vec<Alert>> {
    let verdicts = StandingVerdicts::new(reader, context.as_of)?;
    let mut told: BTreeMap<CapabilityId, Vec<Raised>> = BTreeMap::new();
    let new = reports.iter().map(|alert| Raised { alert: alert.clone(), at: context.as_of });
    for raised in reader.raised()?.into_iter().chain(new).filter(|raised| raised.alert.pass != VERDICTS) {
        if let Some(capability) = raised.alert.capability {
            told.entry(capability).or_default().push(raised);
        }
    }
    let mut alerts = Vec::new();
    for (source, run) in &context.sources {
        for (listing, is_named) in watched(reader, source, run)? {
            // A row that names several artifacts has the verdict of each.
            for locator in &listing.locators {
                let identity = locator.identity();
                let Some(judged) = verdicts.of(&identity)? else { continue };
                let Some(alert) = of_verdict(reader, (&listing, is_named), &identity, &judged, &told)? else {
                    continue;
                };
                alerts.push(alert);
            }
        }
    }
    Ok(alerts)
}

/// The listings of a source whose verdicts are told, each with whether the schedule names it.
fn watched(reader: &Reader, source: &str, run: &SourceRun) -> anyhow::Result<Vec<(Listing, bool)>> {
    // Schedules spell names as people do, and sources have a form of their own.
    let forms = |name: &String| [name.clone(), name.to_ascii_lowercase(), pypi_name(name)];
    let stored = match run.told_verdicts {
        ToldVerdicts::None => Vec::new(),
        ToldVerdicts::All => reader.listings(Some(source))?,
        ToldVerdicts::Named => {
            let mut found = Vec::new();
            for name in &run.settings.watchlist {
                for form in forms(name) {
                    if let Some(stored) = reader.listing(&ListingKey::new(source, form))? {
                        found.push(stored);
                        break;
                    }
                }
            }
            found
        }
    };
    let active = stored.into_iter().filter(|stored| stored.state == ListingState::Active);
    let named: BTreeSet<String> = run.settings.watchlist.iter().flat_map(forms).collect();
    let with_mark = |listing: Listing| {
        let is_named = named.contains(&listing.key.name);
        (listing, is_named)
    };
    Ok(active.filter_map(|stored| stored.listing).map(with_mark).collect())
}

/// The alert about an artifact that stands at block or caution; none for another band, and none where an alert as grave has
/// told of this very content before.
///
/// What its registry took down is told of by the pass `drift` where a night of ours had seen it before. One that was down when it
/// was first met is told of here, if the schedule names it: whoever names it has it or means to have it, and no pass will ever
/// see it change. In a directory it is one row of many that are gone, which nobody here has.
fn of_verdict(
    reader: &Reader,
    (listing, is_named): (&Listing, bool),
    identity: &str,
    judged: &StandingVerdict,
    told: &BTreeMap<CapabilityId, Vec<Raised>>,
) -> anyhow::Result<Option<Alert>> {
    let (severity, fix) = match judged.worst.verdict.band {
        Band::Block => (Severity::Critical, "Do not install it; take it out where it runs, and read what was found."),
        Band::Caution => (Severity::High, "Read what was found before it is installed or updated."),
        _ => return Ok(None),
    };
    let mut takedowns = TAKEDOWNS.iter().filter_map(|rule| capdex_rules::INDEX.find(rule));
    let is_takedown = takedowns.any(|rule| judged.worst.verdict.reason.starts_with(rule.title.as_str()));
    if is_takedown && !is_named {
        return Ok(None);
    }
    let Some(current) = reader.current_of(&judged.worst.id)? else { return Ok(None) };
    let package = CapabilityId::of(identity, Kind::Package, "");
    // The pass calls a takedown less grave than its verdict, and it is one thing all the same.
    let is_departure = |raised: &Raised| is_takedown && DEPARTED.contains(&raised.alert.class.as_str());
    let is_as_grave = |raised: &Raised| raised.alert.severity >= severity && raised.at >= current.revision_as_of;
    let is_told = |raised: &Raised| is_as_grave(raised) || is_departure(raised);
    let mut earlier = [judged.worst.id, package].into_iter().filter_map(|id| told.get(&id)).flatten();
    if earlier.any(is_told) {
        return Ok(None);
    }
    let band = judged.worst.verdict.band.as_str();
    // Milder findings make no such band.
    let evidence = AlertEvidence::of_findings(ranked_capability::facts(reader, &current)?.findings(), Severity::High);
    let slug = current.capability.slug;
    let version = judged.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    Ok(Some(Alert {
        key: format!("{VERDICTS}:{band}:{identity}"),
        pass: VERDICTS.to_owned(),
        class: band.to_owned(),
        capability: Some(judged.worst.id),
        title: format!("{slug}{version} stands at {band}: {}", judged.worst.verdict.reason),
        why: "The schedule names it, and whoever installs it gets this.".to_owned(),
        fix: fix.to_owned(),
        content: Some(current.capability.content),
        details: vec![format!("listed as {}", listing.key)],
        reproduce: format!("capdex explain {slug}"),
        reach: reach_of(listing.claims.popularity),
        subject: slug,
        severity,
        evidence,
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
    }))
}

/// The alert about a listing that a list of abuse reports. A later version of the list that says the same is no news.
fn of_report(listing: &Listing, report: &Report) -> Alert {
    let identity = listing.locators.first().map(|locator| locator.identity());
    let package = identity.as_deref().map(|identity| CapabilityId::of(identity, Kind::Package, ""));
    let subject = identity.map_or_else(|| listing.key.to_string(), |identity| slug_of(&identity, Kind::Package, ""));
    let mut details = vec![report.to_string()];
    let evidence = vec![AlertEvidence {
        severity: Some(Severity::High),
        ..AlertEvidence::about("reported", &listing.key.to_string(), &report.reason)
    }];
    details.extend(report.reference.as_ref().map(|reference| format!("more at {reference}")));
    Alert {
        key: format!("{ABUSE}:{}:{}", report.list, listing.key),
        pass: ABUSE.to_owned(),
        class: "reported".to_owned(),
        capability: package,
        title: format!("{} is reported by the list {}: {}", listing.key, report.list, report.reason),
        why: "Somebody whose list was imported here reports the package. It may be wrong, or about another version."
            .to_owned(),
        fix: "Read the report before the package is used. If it does not hold, have the list's keeper take the entry out."
            .to_owned(),
        content: None,
        details,
        reproduce: "capdex abuse list".to_owned(),
        reach: reach_of(listing.claims.popularity),
        subject,
        severity: Severity::High,
        evidence,
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
    }
}
