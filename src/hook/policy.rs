//! `HookPolicy`: which verdict lets a call pass, has a person asked, or stops it.

use capdex_model::listing::Claim;
use capdex_model::score::Band;
use capdex_rubrics::rank::place;
use clap::ValueEnum;

/// The decision about a call, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum HookDecision {
    /// The client goes on as if there were no hook: its own questions stay.
    Pass,
    /// A person is asked. A client that cannot ask stops the call and says what to do.
    Ask,
    /// The call is stopped.
    Deny,
}

impl HookDecision {
    /// The word that names it on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Which verdict leads to which decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookPolicy {
    /// The mildest of the bands watch, caution and block at which a person is asked.
    pub ask_from: Band,
    /// The mildest of them at which the call is stopped.
    pub deny_from: Band,
    /// The decision about names that nobody knows.
    pub unknown: HookDecision,
    /// The decision about what the operator's own list does not name.
    pub not_approved: HookDecision,
    /// The decision where the call or the store cannot be read.
    pub on_failure: HookDecision,
}

impl Default for HookPolicy {
    fn default() -> Self {
        Self {
            ask_from: Band::Watch,
            deny_from: Band::Block,
            unknown: HookDecision::Ask,
            not_approved: HookDecision::Ask,
            on_failure: HookDecision::Ask,
        }
    }
}

impl HookPolicy {
    /// The decision about something of this band that the operator's own list says this of: the stricter of both.
    pub fn decide_on(&self, band: Band, approved: &Claim<bool>) -> HookDecision {
        let by_list = if *approved == Claim::Known(false) { self.not_approved } else { HookDecision::Pass };
        self.decide(band).max(by_list)
    }

    /// The decision about a band.
    pub fn decide(&self, band: Band) -> HookDecision {
        match band {
            Band::Unknown => self.unknown,
            // Nothing was found.
            Band::Ok => HookDecision::Pass,
            band if place(band) >= place(self.deny_from) => HookDecision::Deny,
            band if place(band) >= place(self.ask_from) => HookDecision::Ask,
            _ => HookDecision::Pass,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_leads_to_the_decision_that_is_asked_for() {
        let all = [Band::Ok, Band::Watch, Band::Unknown, Band::Caution, Band::Block];
        let decide = |policy: HookPolicy| all.map(|band| policy.decide(band));
        use HookDecision::{Ask, Deny, Pass};
        assert_eq!(decide(HookPolicy::default()), [Pass, Ask, Ask, Ask, Deny]);
        let strict = HookPolicy { deny_from: Band::Watch, unknown: Deny, ..HookPolicy::default() };
        assert_eq!(decide(strict), [Pass, Deny, Deny, Deny, Deny]);
        let mild = HookPolicy { ask_from: Band::Caution, unknown: Pass, ..HookPolicy::default() };
        assert_eq!(decide(mild), [Pass, Pass, Pass, Ask, Deny]);
    }

    #[test]
    fn what_the_list_does_not_name_is_decided_by_the_stricter_of_both() {
        use HookDecision::{Ask, Deny, Pass};
        let bands = [Band::Ok, Band::Watch, Band::Block];
        let decide = |not_approved: HookDecision, approved: Claim<bool>| {
            let policy = HookPolicy { not_approved, ..HookPolicy::default() };
            bands.map(|band| policy.decide_on(band, &approved))
        };
        for on_list in [Claim::Known(true), Claim::Unknown] {
            assert_eq!(decide(Deny, on_list), [Pass, Ask, Deny], "a list clears nothing");
        }
        assert_eq!(decide(Pass, Claim::Known(false)), [Pass, Ask, Deny]);
        assert_eq!(decide(Ask, Claim::Known(false)), [Ask, Ask, Deny]);
        assert_eq!(decide(Deny, Claim::Known(false)), [Deny, Deny, Deny]);
    }
}
