//! The observations of the passes, found by capability and by listing.
//!
//! Only heads of drift are kept: an event with its diff is read when it is shown. Nothing is judged here.

use std::collections::BTreeMap;

use capdex_corpus::collision::Collision;
use capdex_corpus::drift::{DriftClass, DriftKind, EffectKind};
use capdex_corpus::typosquat::TyposquatCandidate;
use capdex_db::{CampaignRow, DriftEvent, Reader};
use capdex_model::alert::{Raised, by_rank};
use capdex_model::appeal::ALERT_PASS;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use crate::report::dated::{self, DatedPart};
use crate::report::{alerts, drift};
use capdex_dataset::escape::shorten;

/// Letters of a text that a head keeps.
const KEPT: usize = 200;

/// An event of drift in one line.
#[derive(Clone, Debug)]
pub(crate) struct DriftHead {
    /// Its key.
    pub(crate) key: String,
    /// Which capability.
    pub(crate) capability: CapabilityId,
    /// Its readable name; untrusted.
    pub(crate) slug: String,
    /// The kind of change.
    pub(crate) kind: DriftKind,
    /// The class, by depth.
    pub(crate) class: DriftClass,
    /// The severity.
    pub(crate) severity: Severity,
    /// The version before; untrusted.
    pub(crate) from: Option<String>,
    /// The version after; untrusted.
    pub(crate) to: Option<String>,
    /// The gravest effect, with its subject; untrusted.
    pub(crate) effect: Option<(EffectKind, String)>,
    /// The other effects, and what else changed.
    pub(crate) more: usize,
    /// When it was found.
    pub(crate) at: AsOf,
}

impl DriftHead {
    fn of(event: &DriftEvent) -> Self {
        // Heads are kept for every event that ever was, so their texts are bounded.
        let cut = |text: &Option<String>| text.as_deref().map(|text| shorten(text, KEPT));
        Self {
            key: event.key.clone(),
            capability: event.capability,
            slug: shorten(&event.slug, KEPT),
            kind: event.kind,
            class: event.class,
            severity: event.severity,
            from: cut(&event.from_version),
            to: cut(&event.to_version),
            effect: event.effects.first().map(|effect| (effect.kind, effect.subject.clone())),
            more: event.effects.len().saturating_sub(1) + event.changes.len(),
            at: event.at,
        }
    }
}

/// A member of a family of near-equal content, in one line.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    /// The member.
    pub(crate) capability: CapabilityId,
    /// Its readable name; untrusted.
    pub(crate) slug: String,
    /// The family's first.
    pub(crate) original: CapabilityId,
    /// Its readable name; untrusted.
    pub(crate) original_slug: String,
    /// Their likeness, in thousandths.
    pub(crate) likeness: u32,
    /// True where one publisher answers for both.
    pub(crate) same_publisher: bool,
    /// The severity of what it added; none where nothing speaks against it.
    pub(crate) severity: Option<Severity>,
    /// The basis for the order, as a word.
    pub(crate) basis: &'static str,
}

impl Copied {
    /// True where the others were made from it.
    pub(crate) fn is_original(&self) -> bool {
        self.capability == self.original
    }
}

/// The observations of the passes.
#[derive(Default)]
pub(crate) struct Watch {
    /// Events of drift, the newest first.
    pub(crate) drift: Vec<DriftHead>,
    /// Alerts as they are ranked.
    pub(crate) alerts: Vec<Raised>,
    /// Look-alikes, the worst first.
    pub(crate) typosquats: Vec<(TyposquatCandidate, AsOf)>,
    /// Shared names that weigh something, the worst first.
    pub(crate) collisions: Vec<(Collision, AsOf)>,
    /// Members of families, family by family.
    pub(crate) copies: Vec<Copied>,
    /// Campaigns, the worst first.
    pub(crate) campaigns: Vec<(CampaignRow, AsOf)>,
    /// The pages of drift and of alerts, a day each at least, the newest first.
    pub(crate) drift_pages: Vec<DatedPart>,
    pub(crate) alert_pages: Vec<DatedPart>,
    drift_of: BTreeMap<CapabilityId, Vec<usize>>,
    alerts_of: BTreeMap<CapabilityId, Vec<usize>>,
    alert_page: BTreeMap<String, usize>,
    typosquats_of: BTreeMap<String, Vec<usize>>,
    copies_of: BTreeMap<CapabilityId, Vec<usize>>,
    family_of: BTreeMap<CapabilityId, CapabilityId>,
    campaigns_of: BTreeMap<CapabilityId, Vec<usize>>,
    collisions_of: BTreeMap<String, Vec<usize>>,
}

impl Watch {
    /// Reads the observations of the passes.
    pub(super) fn load(reader: &Reader) -> anyhow::Result<Self> {
        let mut watch = Self::default();
        reader.each_drift_event(|event| -> anyhow::Result<()> {
            watch.drift.push(DriftHead::of(&event));
            Ok(())
        })?;
        // The store gives the oldest first.
        watch.drift.reverse();
        watch.alerts = reader.raised()?;
        // What the operator owes to vendors stands on the pages of appeals.
        watch.alerts.retain(|raised| raised.alert.pass != ALERT_PASS);
        watch.alerts.sort_by(by_rank);
        watch.typosquats = reader.typosquats()?;
        watch.typosquats.sort_by(|(one, _), (other, _)| one.order(other));
        watch.collisions = reader.collisions()?;
        // Generic names are by far the most, and no page shows them.
        watch.collisions.retain(|(collision, _)| collision.severity > Severity::Info);
        watch.collisions.sort_by_key(|(collision, _)| std::cmp::Reverse(collision.severity));
        watch.copies = reader.family_members()?.into_iter().map(|(member, _)| Copied::of(member)).collect();
        watch
            .copies
            .sort_by_cached_key(|of| (of.original_slug.clone(), of.original, !of.is_original(), of.slug.clone()));
        watch.campaigns = reader.campaigns()?;
        watch
            .campaigns
            .sort_by_cached_key(|(row, _)| (std::cmp::Reverse(row.campaign.severity), row.campaign.key.clone()));
        // Indexes hold places in the sorted lists, and so come last.
        watch.index();
        Ok(watch)
    }

    fn index(&mut self) {
        for (at, head) in self.drift.iter().enumerate() {
            self.drift_of.entry(head.capability).or_default().push(at);
        }
        for (at, raised) in self.alerts.iter().enumerate() {
            if let Some(capability) = raised.alert.capability {
                self.alerts_of.entry(capability).or_default().push(at);
            }
        }
        self.drift_pages = dated::parts(self.drift.iter().map(|head| head.at), drift::EACH);
        self.alert_pages = dated::parts(self.alerts.iter().map(|raised| raised.at), alerts::EACH);
        for (at, part) in self.alert_pages.iter().enumerate() {
            let keys = part.places.iter().filter_map(|place| Some(self.alerts.get(*place)?.alert.key.clone()));
            self.alert_page.extend(keys.map(|key| (key, at)));
        }
        for (at, (lead, _)) in self.typosquats.iter().enumerate() {
            // Both sides: the page of the target warns as well.
            for listing in lead.listing.iter().chain(&lead.target_listing) {
                self.typosquats_of.entry(listing.clone()).or_default().push(at);
            }
        }
        for (at, of) in self.copies.iter().enumerate() {
            self.copies_of.entry(of.original).or_default().push(at);
            self.family_of.insert(of.capability, of.original);
        }
        for (at, (row, _)) in self.campaigns.iter().enumerate() {
            for member in &row.campaign.members {
                self.campaigns_of.entry(*member).or_default().push(at);
            }
        }
        for (at, (collision, _)) in self.collisions.iter().enumerate() {
            if let Some(holder) = &collision.holder {
                self.collisions_of.entry(holder.clone()).or_default().push(at);
            }
        }
    }

    /// The events of one capability, the newest first.
    pub(crate) fn drift_of(&self, capability: &CapabilityId) -> impl Iterator<Item = &DriftHead> {
        picked(&self.drift, self.drift_of.get(capability))
    }

    /// The page of an alert, by its key; none for one that is not in the list.
    pub(crate) fn alert_page(&self, key: &str) -> Option<&DatedPart> {
        self.alert_page.get(key).and_then(|at| self.alert_pages.get(*at))
    }

    /// The alerts about one capability.
    pub(crate) fn alerts_of(&self, capability: &CapabilityId) -> impl Iterator<Item = &Raised> {
        picked(&self.alerts, self.alerts_of.get(capability))
    }

    /// The leads in which a listing is one of the two.
    pub(crate) fn typosquats_of(&self, listing: &str) -> impl Iterator<Item = &(TyposquatCandidate, AsOf)> {
        picked(&self.typosquats, self.typosquats_of.get(listing))
    }

    /// The family of a capability, itself among it.
    pub(crate) fn family_of(&self, capability: &CapabilityId) -> impl Iterator<Item = &Copied> {
        let family = self.family_of.get(capability).and_then(|original| self.copies_of.get(original));
        picked(&self.copies, family)
    }

    /// The campaigns that a capability is part of.
    pub(crate) fn campaigns_of(&self, capability: &CapabilityId) -> impl Iterator<Item = &(CampaignRow, AsOf)> {
        picked(&self.campaigns, self.campaigns_of.get(capability))
    }

    /// The shared names of which one of these holds one: a slug, a listing.
    pub(crate) fn collisions_of(&self, holder: &str) -> impl Iterator<Item = &(Collision, AsOf)> {
        picked(&self.collisions, self.collisions_of.get(holder))
    }
}

fn picked<'a, T>(all: &'a [T], places: Option<&'a Vec<usize>>) -> impl Iterator<Item = &'a T> {
    places.into_iter().flatten().filter_map(|at| all.get(*at))
}

impl Copied {
    fn of(member: capdex_db::FamilyMember) -> Self {
        Self {
            capability: member.capability,
            slug: shorten(&member.slug, KEPT),
            original: member.original,
            original_slug: shorten(&member.original_slug, KEPT),
            likeness: member.difference.likeness,
            same_publisher: member.same_publisher,
            severity: member.severity,
            basis: member.basis.as_str(),
        }
    }
}
