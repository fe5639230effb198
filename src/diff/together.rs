//! What an agent could newly do with a version together with everything else that a configuration loads.
//!
//! A leak needs three parts: text of strangers that may hold orders, private data, and a way out. A mishap needs two: such text,
//! and a deed that cannot be undone. Each part may be of another server, so that no server alone shows it. The parts are facts
//! of the rules (`capability-*`) and the hosts that a program sends to. Hosts that a program puts together at run time are not
//! among them.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::drift::{EffectKind, Reach};
use capdex_dataset::scan_record::capability_tags;
use capdex_db::Scanned;
use serde::Serialize;

use super::Difference;

/// One part of a way in which harm is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowPart {
    /// What strangers write reaches the agent.
    Untrusted,
    /// Mail, messages, money, secrets or the user's files are read.
    Private,
    /// Something leaves.
    Outward,
    /// Something is changed for good.
    Destroys,
}

impl FlowPart {
    /// The words that people read.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Untrusted => "brings in text of strangers",
            Self::Private => "reads private data",
            Self::Outward => "can send it away",
            Self::Destroys => "changes things for good",
        }
    }
}

/// A way in which harm is done by several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// Text of strangers has private data sent away.
    Leak,
    /// Text of strangers has something destroyed.
    Destroy,
}

impl FlowKind {
    const ALL: [Self; 2] = [Self::Leak, Self::Destroy];

    /// The parts that it needs, in the order in which they are told.
    pub const fn parts(self) -> &'static [FlowPart] {
        match self {
            Self::Leak => &[FlowPart::Untrusted, FlowPart::Private, FlowPart::Outward],
            Self::Destroy => &[FlowPart::Untrusted, FlowPart::Destroys],
        }
    }

    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::Destroy => "destroy",
        }
    }
}

/// Something that the configuration loads beside what is compared.
#[derive(Clone, Debug)]
pub struct Companion {
    /// Its name, as it is shown.
    pub name: String,
    /// The parts that it has.
    pub parts: BTreeSet<FlowPart>,
}

/// A way that the version after opens, or adds a part to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewFlow {
    /// Which way.
    pub flow: FlowKind,
    /// True where no such way was open before.
    pub is_first: bool,
    /// Who has each part: names of companions, and of the version after where it has the part.
    pub parts: BTreeMap<FlowPart, Vec<String>>,
    /// The parts that the version before did not have.
    pub newly: BTreeSet<FlowPart>,
}

/// What stands together with the things that a configuration loads.
#[derive(Clone, Debug, Serialize)]
pub struct Together {
    /// The names of those that were looked at.
    pub with: Vec<String>,
    /// Those of which nothing is known, and why.
    pub not_known: BTreeMap<String, String>,
    /// What is newly open.
    pub flows: Vec<NewFlow>,
}

/// The parts that one thing has. Those of answers that came without the bytes lack [`FlowPart::Outward`] where only a host tells it.
pub fn parts(scanned: &[Scanned]) -> BTreeSet<FlowPart> {
    let mut parts = BTreeSet::new();
    for one in scanned {
        for tag in capability_tags(&one.facts) {
            parts.extend::<&[FlowPart]>(match tag.as_str() {
                "W015" | "W016" => &[FlowPart::Untrusted],
                "W017" | "W018" => &[FlowPart::Private],
                // What others see is a way out as well.
                "W019" => &[FlowPart::Outward, FlowPart::Destroys],
                "W020" => &[FlowPart::Destroys],
                _ => &[],
            });
        }
        if one.pins.reach.as_ref().is_some_and(Reach::is_sending) {
            parts.insert(FlowPart::Outward);
        }
    }
    parts
}

/// The ways that the second of two versions newly opens beside some companions. `name` stands for that version.
pub fn flows(difference: &Difference, name: &str, companions: &[Companion]) -> Vec<NewFlow> {
    let mut after = parts(&difference.after);
    // An address that is put together at run time is no host, and something is sent there all the same.
    let sends = |kind: EffectKind| {
        matches!(
            kind,
            EffectKind::NetworkSink | EffectKind::CredentialSend | EffectKind::Recipient | EffectKind::CopiedSend
        )
    };
    if difference.newly().iter().any(|(_, effect)| sends(effect.kind)) {
        after.insert(FlowPart::Outward);
    }
    new_flows(&parts(&difference.before), &after, name, companions)
}

fn new_flows(
    before: &BTreeSet<FlowPart>,
    after: &BTreeSet<FlowPart>,
    name: &str,
    companions: &[Companion],
) -> Vec<NewFlow> {
    let others: BTreeSet<FlowPart> = companions.iter().flat_map(|one| one.parts.iter().copied()).collect();
    let newly: BTreeSet<FlowPart> = after.difference(before).copied().collect();
    let found = FlowKind::ALL.into_iter().filter_map(|flow| {
        let is_open =
            |own: &BTreeSet<FlowPart>| flow.parts().iter().all(|part| own.contains(part) || others.contains(part));
        let new: BTreeSet<FlowPart> = flow.parts().iter().copied().filter(|part| newly.contains(part)).collect();
        // Whole by itself it is told by its own findings, and not by who stands beside it.
        let needs_others = !flow.parts().iter().all(|part| after.contains(part));
        if new.is_empty() || !needs_others || !is_open(after) {
            return None;
        }
        let holders = |part: FlowPart| {
            let own = after.contains(&part).then(|| name.to_owned());
            let theirs = companions.iter().filter(|one| one.parts.contains(&part)).map(|one| one.name.clone());
            own.into_iter().chain(theirs).collect::<Vec<_>>()
        };
        let parts = flow.parts().iter().map(|part| (*part, holders(*part))).collect();
        Some(NewFlow { flow, is_first: !is_open(before), parts, newly: new })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(parts: &[FlowPart]) -> BTreeSet<FlowPart> {
        parts.iter().copied().collect()
    }

    #[test]
    fn a_new_part_opens_what_others_hold_the_rest_of() {
        use FlowPart::{Destroys, Outward, Private, Untrusted};
        let companion = |name: &str, parts: &[FlowPart]| Companion { name: name.to_owned(), parts: set(parts) };
        let web_and_files = [companion("web", &[Untrusted]), companion("files", &[Private])];
        let found = new_flows(&set(&[]), &set(&[Outward]), "notes", &web_and_files);
        let [leak] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((leak.flow, leak.is_first), (FlowKind::Leak, true));
        assert_eq!(leak.parts[&Outward], ["notes"]);
        assert_eq!(leak.parts[&Private], ["files"]);
        assert_eq!(leak.newly, set(&[Outward]));

        assert_eq!(new_flows(&set(&[Outward]), &set(&[Outward]), "notes", &web_and_files), [], "it is not new");
        assert_eq!(new_flows(&set(&[]), &set(&[Outward]), "notes", &web_and_files[..1]), [], "a part is missing");
        assert_eq!(new_flows(&set(&[]), &set(&[]), "notes", &web_and_files), []);
        let alone = set(&[Untrusted, Private, Outward]);
        assert_eq!(new_flows(&set(&[]), &alone, "notes", &web_and_files), [], "it needs nobody");
        let mail = [companion("mail", &[Untrusted, Private, Outward])];
        let second = new_flows(&set(&[]), &set(&[Outward, Destroys]), "notes", &mail);
        let told: Vec<(FlowKind, bool)> = second.iter().map(|one| (one.flow, one.is_first)).collect();
        assert_eq!(told, [(FlowKind::Leak, false), (FlowKind::Destroy, true)]);
    }
}
