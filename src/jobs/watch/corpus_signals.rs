//! Corpus signals: what the passes raised and what still holds of it, back to the rules by what it is about.
//!
//! Nothing is looked for here: alerts of medium severity and above, campaigns and departures are all that it reads.

use std::collections::{BTreeMap, BTreeSet};

use capdex_db::Reader;
use capdex_model::alert::Alert;
use capdex_model::capability::Kind;
use capdex_model::corpus_signal::{CAMPAIGNS, CorpusSignal};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::takedown;

use super::super::{JobContext, StageReport};
use super::campaigns::SAME_LURE;
use super::drift::takedowns;
use super::{collisions, typosquats};

/// Days for which an event is told that nothing takes back: who has changed hands is somebody else from then on.
const TOLD_DAYS: i64 = 90;

/// Brings the corpus signals of every pass up to date. It looks at nothing of its own, and so reports nothing.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    let standing = OpenSubjects::of(&reader)?;
    let mut of_pass: BTreeMap<&str, BTreeSet<(String, CorpusSignal)>> =
        ["drift", "identity", "lookalikes", "collisions"].into_iter().map(|pass| (pass, BTreeSet::new())).collect();
    for raised in reader.raised()?.iter().filter(|raised| raised.alert.severity >= Severity::Medium) {
        // Leads and collisions end by themselves; events have no end, and so get one here.
        if takedowns::is_told_apart(&raised.alert.class) {
            continue;
        }
        let is_told = raised.at.0.days_until(context.as_of.0) < TOLD_DAYS;
        if let (Some(seen), Some(subject)) =
            (of_pass.get_mut(raised.alert.pass.as_str()), standing.subject(&raised.alert, is_told))
        {
            seen.insert((subject, standing.corpus_signal(&raised.alert)));
        }
    }
    // By what each item is part of now and not by alerts: one alert speaks of many items, and a campaign dissolves.
    of_pass.insert(CAMPAIGNS, standing.of_campaigns(&reader)?);
    // By what is away now and not by alerts: it holds until the listing is back.
    of_pass.insert(takedown::PASS, takedowns::corpus_signals(context)?);
    // Replaced as a whole, so that what no longer holds disappears from the facts.
    for (pass, seen) in of_pass {
        context.store.write(move |writer| writer.replace_corpus_signals(pass, &seen))?;
    }
    Ok(StageReport::default())
}

/// The present state of the store, as far as it tells whether something still holds.
struct OpenSubjects {
    /// The identity and the content of every capability.
    capabilities: BTreeMap<CapabilityId, (String, Digest)>,
    /// The identity of every package, by the id that its rest has or would have: events of a whole package name that.
    packages: BTreeMap<CapabilityId, String>,
    /// The identity of every capability, by its slug.
    slugs: BTreeMap<String, String>,
    /// The keys of the leads and the collisions that stand at medium or above.
    keys: BTreeSet<String>,
}

impl OpenSubjects {
    fn of(reader: &Reader) -> anyhow::Result<Self> {
        let (mut capabilities, mut packages, mut slugs) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for now in reader.current()? {
            packages.insert(CapabilityId::of(&now.identity, Kind::Package, ""), now.identity.clone());
            slugs.insert(now.capability.slug, now.identity.clone());
            capabilities.insert(now.capability.id, (now.identity, now.capability.content));
        }
        let leads =
            reader.typosquats()?.into_iter().map(|(lead, _)| lead).filter(|lead| lead.severity >= Severity::Medium);
        let leads = leads.map(|lead| typosquats::key_of(&lead));
        let collisions = reader.collisions()?.into_iter().map(|(collision, _)| collision);
        let collisions = collisions.filter(|collision| collision.severity >= Severity::Medium);
        let collisions = collisions.filter_map(|collision| collisions::key_of(&collision));
        Ok(Self { capabilities, packages, slugs, keys: leads.chain(collisions).collect() })
    }

    /// What is said of each item of the campaigns that are more than a lead, at its present content.
    fn of_campaigns(&self, reader: &Reader) -> anyhow::Result<BTreeSet<(String, CorpusSignal)>> {
        let mut signals = BTreeSet::new();
        for (row, _) in reader.campaigns()? {
            let campaign = &row.campaign;
            let Some(mark) = campaign.shared.first().filter(|_| campaign.severity >= Severity::Medium) else {
                continue;
            };
            // Neither how many items nor how many publishers: their number changes with each that joins, and every item
            // would be judged anew for it.
            let detail = format!("Other items share its {} ({}): campaign {}", mark.what, mark.value, campaign.key);
            for member in &campaign.members {
                let Some((identity, content)) = self.capabilities.get(member) else { continue };
                let signal = CorpusSignal {
                    pass: CAMPAIGNS.to_owned(),
                    class: SAME_LURE.to_owned(),
                    severity: campaign.severity,
                    capability: Some(*member),
                    content: Some(*content),
                    detail: detail.clone(),
                };
                signals.insert((identity.clone(), signal));
            }
        }
        Ok(signals)
    }

    /// What is said of the capability, or of the whole package where no row stands for its rest.
    fn corpus_signal(&self, alert: &Alert) -> CorpusSignal {
        CorpusSignal {
            pass: alert.pass.clone(),
            class: alert.class.clone(),
            severity: alert.severity,
            capability: alert.capability.filter(|capability| {
                self.capabilities.contains_key(capability) || !self.packages.contains_key(capability)
            }),
            content: alert.content,
            detail: alert.title.clone(),
        }
    }

    /// The identity or the listing of which it is still seen; none where it does not hold any more.
    fn subject(&self, alert: &Alert, is_told: bool) -> Option<String> {
        match alert.pass.as_str() {
            "drift" => {
                let capability = alert.capability?;
                let Some((identity, content)) = self.capabilities.get(&capability) else {
                    // A package without a row for its rest is there as long as anything of it is.
                    return self.packages.get(&capability).filter(|_| alert.content.is_none() && is_told).cloned();
                };
                // Bound to the content: the next release is judged for itself.
                alert.content.map_or(is_told, |of| of == *content).then(|| identity.clone())
            }
            // Who stands behind a name is not in any table of now, so only time ends it.
            "identity" => is_told.then(|| alert.subject.clone()),
            // The lead or collision was dropped or has lost its weight.
            _ if !self.keys.contains(&alert.key) => None,
            // An alert names a capability by its slug, or a listing as it is.
            _ => Some(self.slugs.get(&alert.subject).unwrap_or(&alert.subject).clone()),
        }
    }
}
