//! `TyposquatCase`: a typosquat candidate with what is known beside the names; it gives severity and rank.
//!
//! A name alone is `info` or `low`, whatever it is. Above that it needs a second signal that has nothing to do with the
//! name. A list and a crawl are judged alike but for their [`CaseBasis`].

use serde::{Deserialize, Serialize};

use super::kinds::TyposquatKind;
use super::likeness::Likeness;
use capdex_model::fact::Severity;

/// A sign, beside the name, that a candidate is a typosquat on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TyposquatSignal {
    /// It describes itself in the target's words.
    CopiedDescription,
    /// It names the target's repository as its own.
    RepositoryClaim,
    /// The rules found something high or critical in it.
    HighFindings,
    /// It calls itself the official one.
    ClaimedBrand,
    /// It runs something when it is installed.
    InstallScript,
    /// It appeared years after the target.
    NewPublisher,
    /// A thousand times fewer people use it.
    PopularityGap,
    /// Both owners are known, and they are two.
    OtherOwner,
}

impl TyposquatSignal {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CopiedDescription => "copied_description",
            Self::RepositoryClaim => "repository_claim",
            Self::HighFindings => "high_findings",
            Self::ClaimedBrand => "claimed_brand",
            Self::InstallScript => "install_script",
            Self::NewPublisher => "new_publisher",
            Self::PopularityGap => "popularity_gap",
            Self::OtherOwner => "other_owner",
        }
    }

    /// True where it says by itself what the newcomer does, and not only that it is another and a newer thing.
    pub const fn is_conduct(self) -> bool {
        matches!(self, Self::CopiedDescription | Self::RepositoryClaim | Self::HighFindings | Self::ClaimedBrand)
    }

    const fn weight(self) -> u32 {
        match self {
            Self::CopiedDescription | Self::RepositoryClaim => 120,
            Self::HighFindings => 200,
            Self::ClaimedBrand => 80,
            Self::InstallScript | Self::OtherOwner => 60,
            Self::NewPublisher | Self::PopularityGap => 50,
        }
    }
}

/// A sign that a candidate is no typosquat. What does harm is excused by none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BenignMark {
    /// Another version, number or plural: a lead at most.
    Family,
    /// It is itself as established as those that it could be taken for.
    Established,
    /// It says of itself what the other says, with the same accounts and repository, in another registry.
    Mirror,
    /// The forge says that it is a fork of the target, or it has the target's name under a scope of its own, with the
    /// target's description or repository, as forks have it.
    Fork,
    /// It did not appear later than the other.
    NotNewer,
    /// No fewer people use it.
    NotLessUsed,
    /// Things of many owners bear its name, as they do a word of the language.
    OfManyOwners,
}

impl BenignMark {
    /// The sentence that a person is told.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Family => "the names differ as versions, numbers or plurals of one family do",
            Self::Established => "it is itself popular or long established",
            Self::Mirror => "it has the other's accounts, repository and words, as a mirror does",
            Self::Fork => "it is a fork, or looks like one under a scope of its own",
            Self::NotNewer => "it did not appear later than the other",
            Self::NotLessUsed => "no fewer people use it",
            Self::OfManyOwners => "things of many owners bear its name",
        }
    }

    /// True where it says that the name is itself known or old, and so rather the one that others are taken for.
    const fn is_of_name(self) -> bool {
        matches!(self, Self::Established | Self::NotNewer | Self::NotLessUsed | Self::OfManyOwners)
    }
}

/// The source of what is known about the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseBasis {
    /// A list that a person made: owners and numbers in it are taken as given.
    List,
    /// A crawl: nearly every newcomer has another owner and fewer users, so that neither says anything.
    Crawl,
}

/// A typosquat candidate with what is known beside the names.
#[derive(Clone, Debug)]
pub struct TyposquatCase {
    /// In what way the name is almost the other.
    pub kind: TyposquatKind,
    /// How much the likeness says by itself.
    pub likeness: Likeness,
    /// The signs that tell it apart.
    pub marks: Vec<BenignMark>,
    /// The signs that speak for it, sorted.
    pub signals: Vec<TyposquatSignal>,
    /// Powers of ten between the users of the two.
    pub gap: u32,
    /// The source that says so.
    pub basis: CaseBasis,
}

impl TyposquatCase {
    /// The marks that hold: none for what does harm, whatever it looks like.
    pub fn holding(&self) -> impl Iterator<Item = BenignMark> {
        // Anybody can choose a plural and copy what forks and mirrors have; what does harm is none of them.
        let is_harmful = self.signals.contains(&TyposquatSignal::HighFindings);
        self.marks.iter().copied().filter(move |_| !is_harmful)
    }

    /// The severity. `medium` and above need signals beside the name.
    pub fn severity(&self) -> Severity {
        // A mark that holds ends the matter: forks are no typosquats.
        if self.holding().any(|mark| mark != BenignMark::Family) {
            return Severity::Info;
        }
        // Families are named so by honest people and by others: they are told, and raise no alert.
        let is_family = self.holding().next().is_some();
        // Two names that are both known are alike by accident more often than not, and rules are wrong at times: where one of
        // them does harm, a name that is not close is told and raises no alert.
        let is_known = self.marks.iter().any(|mark| mark.is_of_name()) && self.likeness < Likeness::Close;
        if is_family || is_known { self.by_signals().min(Severity::Low) } else { self.by_signals() }
    }

    /// The severity by likeness and signals, before marks.
    fn by_signals(&self) -> Severity {
        let is_weak = self.likeness < Likeness::Close;
        // Signals that only say "newer and smaller" hold for nearly every newcomer: conduct is counted apart.
        let has = |signal: TyposquatSignal| self.signals.contains(&signal);
        let conduct = self.signals.iter().filter(|signal| signal.is_conduct()).count();
        let by_name = if self.likeness == Likeness::Accidental { Severity::Info } else { Severity::Low };
        let is_close = !matches!(
            self.kind,
            TyposquatKind::Edits
                | TyposquatKind::Affix
                | TyposquatKind::Combosquat
                | TyposquatKind::Scope
                | TyposquatKind::HostSuffix
                | TyposquatKind::HostSubdomain
        );
        match (conduct, self.basis) {
            // On a list that a person made, another owner and a wide gap are facts enough for a close name.
            (0, CaseBasis::List)
                if has(TyposquatSignal::OtherOwner) && has(TyposquatSignal::PopularityGap) && is_close && !is_weak =>
            {
                Severity::Medium
            }
            // In a crawl nearly everybody is another owner: a deceptive name needs a script that runs by itself.
            (0, CaseBasis::Crawl)
                if has(TyposquatSignal::InstallScript)
                    && has(TyposquatSignal::NewPublisher)
                    && self.kind.is_deceptive() =>
            {
                Severity::Medium
            }
            (0, _) => by_name,
            // A likeness by accident with one signal is mostly an honest neighbour.
            (1, _) if is_weak && !has(TyposquatSignal::HighFindings) => Severity::Low,
            (1, _) if self.kind.is_deceptive() && !is_weak => Severity::High,
            (1, _) => Severity::Medium,
            _ if is_close || has(TyposquatSignal::HighFindings) => Severity::High,
            _ => Severity::Medium,
        }
    }

    /// The order in which candidates of one severity deserve to be looked at, 0 to 1000.
    pub fn rank(&self) -> u32 {
        let of_kind = match self.kind {
            kind if kind.is_deceptive() => 250,
            TyposquatKind::Affix
            | TyposquatKind::Combosquat
            | TyposquatKind::HostSuffix
            | TyposquatKind::HostSubdomain => 50,
            _ => 150,
        };
        let of_signals: u32 = self.signals.iter().map(|signal| signal.weight()).sum();
        let sum = of_kind + of_signals + 30 * self.gap.min(8);
        // Names that are alike by accident are far more, and would crowd out the others.
        let sum = if self.likeness < Likeness::Close { sum / 2 } else { sum };
        (if self.holding().next().is_none() { sum } else { sum / 4 }).min(1_000)
    }
}

/// Powers of ten between two counts; none where one is unknown.
pub fn gap_of(newcomer: Option<u64>, target: Option<u64>) -> Option<u32> {
    let digits = |count: u64| count.max(1).ilog10();
    Some(digits(target? / newcomer?.max(1)))
}

/// The gap from which on it is a signal: a thousand times.
pub const WIDE_GAP: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn case(kind: TyposquatKind, basis: CaseBasis, signals: &[TyposquatSignal]) -> TyposquatCase {
        TyposquatCase { kind, likeness: Likeness::Close, marks: Vec::new(), signals: signals.to_vec(), gap: 0, basis }
    }

    #[test]
    fn a_name_alone_is_never_medium() {
        let hints = [TyposquatSignal::PopularityGap, TyposquatSignal::OtherOwner, TyposquatSignal::NewPublisher];
        for kind in TyposquatKind::ALL {
            assert!(case(kind, CaseBasis::Crawl, &hints).severity() < Severity::Medium, "{kind:?}");
            assert!(case(kind, CaseBasis::List, &hints[..1]).severity() < Severity::Medium, "{kind:?}");
        }
    }

    #[test]
    fn a_second_signal_raises_and_what_tells_apart_lowers() {
        use TyposquatSignal::*;
        let severity = |kind, basis, signals: &[TyposquatSignal]| case(kind, basis, signals).severity();
        assert_eq!(
            severity(TyposquatKind::Transposition, CaseBasis::List, &[PopularityGap, OtherOwner]),
            Severity::Medium
        );
        assert_eq!(severity(TyposquatKind::Combosquat, CaseBasis::List, &[PopularityGap, OtherOwner]), Severity::Low);
        assert_eq!(severity(TyposquatKind::Omission, CaseBasis::Crawl, &[CopiedDescription]), Severity::Medium);
        assert_eq!(severity(TyposquatKind::Confusable, CaseBasis::Crawl, &[RepositoryClaim]), Severity::High);
        assert_eq!(
            severity(TyposquatKind::Omission, CaseBasis::Crawl, &[CopiedDescription, HighFindings]),
            Severity::High
        );
    }

    #[test]
    fn a_mark_excuses_what_does_no_harm_and_nothing_else() {
        use TyposquatSignal::*;
        let marked = |mark, signals: &[TyposquatSignal]| {
            let case = case(TyposquatKind::Confusable, CaseBasis::Crawl, signals);
            TyposquatCase { marks: vec![mark], ..case }.severity()
        };
        for mark in [BenignMark::Family, BenignMark::Established, BenignMark::Mirror, BenignMark::Fork] {
            let most = if mark == BenignMark::Family { Severity::Low } else { Severity::Info };
            assert_eq!(marked(mark, &[CopiedDescription]), most, "{mark:?}");
            assert_eq!(marked(mark, &[HighFindings, CopiedDescription]), Severity::High, "{mark:?}");
        }
        for mark in [BenignMark::NotNewer, BenignMark::NotLessUsed, BenignMark::OfManyOwners] {
            assert_eq!(marked(mark, &[CopiedDescription]), Severity::Info, "{mark:?}");
            assert_eq!(marked(mark, &[HighFindings]), Severity::High, "{mark:?}");
        }
    }

    #[test]
    fn what_is_known_itself_and_does_harm_is_told_and_raised_where_the_name_is_close() {
        let of = |likeness, signals: &[TyposquatSignal]| {
            let case = case(TyposquatKind::Affix, CaseBasis::Crawl, signals);
            TyposquatCase { marks: vec![BenignMark::Established], likeness, ..case }.severity()
        };
        assert_eq!(of(Likeness::Close, &[]), Severity::Info);
        assert_eq!(of(Likeness::Loose, &[TyposquatSignal::HighFindings]), Severity::Low);
        assert_eq!(of(Likeness::Close, &[TyposquatSignal::HighFindings]), Severity::Medium);
    }

    #[test]
    fn a_fork_that_does_harm_is_judged_like_any_other() {
        let case = |signals: &[TyposquatSignal]| TyposquatCase {
            marks: vec![BenignMark::Fork],
            ..case(TyposquatKind::Scope, CaseBasis::Crawl, signals)
        };
        assert_eq!(case(&[TyposquatSignal::CopiedDescription]).severity(), Severity::Info);
        assert_eq!(
            case(&[TyposquatSignal::CopiedDescription, TyposquatSignal::HighFindings]).severity(),
            Severity::High
        );
    }

    #[test]
    fn gaps_are_powers_of_ten() {
        assert_eq!(gap_of(Some(0), Some(1_000)), Some(3));
        assert_eq!(gap_of(Some(5), Some(4_999)), Some(2));
        assert_eq!(gap_of(Some(9), Some(3)), Some(0));
        assert_eq!(gap_of(None, Some(1)), None);
    }
}
