//! Which voices a rule hears, and what a find in each of them is worth at most.
//!
//! An attack is an order to an agent or something that a program does. The same words to people are advice; in data, in a
//! comment and in a deny list they do nothing.

use capdex_evidence::document::{Document, is_test_path};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::voice::Voice;
use capdex_model::fact::Severity;

/// The pack of every rule by its id, in the order of the ids.
const PACKS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The voices that a rule hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeardVoices(Vec<Voice>);

impl HeardVoices {
    /// What a card says, or the default of its pack.
    pub(crate) fn of(id: &str, said: Option<Vec<Voice>>) -> Self {
        Self(said.unwrap_or_else(|| {
            let pack = PACKS.binary_search_by_key(&id, |(id, _)| id).ok().and_then(|at| PACKS.get(at));
            default_of(pack.map_or("", |(_, pack)| pack)).to_vec()
        }))
    }

    /// The severity of a find at an offset; none where it is no find there.
    pub(crate) fn weigh(&self, document: &Document, offset: usize, severity: Severity) -> Option<Severity> {
        let voice = document.voice_at(offset);
        let is_sample = || document.role == FileRole::Test || is_test_path(&document.path);
        match voice {
            Voice::Human if self.0.contains(&voice) => Some(severity.min(Severity::Medium)),
            // A manual's example is none of the package's own.
            Voice::Data if self.0.contains(&voice) && document.role == FileRole::Data && !is_sample() => Some(severity),
            _ if self.0.contains(&voice) && voice != Voice::Data => Some(severity),
            // What stands in a program is no order, whether it runs or is a remark.
            Voice::Agent | Voice::Program => None,
            Voice::Data if document.voice == Voice::Program && !self.0.contains(&Voice::Program) => None,
            Voice::Human | Voice::Data => Some(Severity::Info),
        }
    }
}

/// The voices that the rules of a pack hear unless their cards say otherwise.
fn default_of(pack: &str) -> &'static [Voice] {
    match pack {
        // Orders in words.
        "injection" => &[Voice::Agent],
        // Deeds, which people are not asked for in a README.
        "exfiltration" | "tampering" => &[Voice::Agent, Voice::Program],
        // Installs and remote runs, which they are.
        "execution" | "supply" => &[Voice::Agent, Voice::Program, Voice::Human],
        // A key is one wherever it lies, and facts about a package speak to nobody.
        _ => &[Voice::Agent, Voice::Program, Voice::Human, Voice::Data],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_has_a_pack() {
        assert!(PACKS.is_sorted());
        for id in ["pipe-to-shell", "instruction-override", "secret-private-key", "hook-remote-command"] {
            assert!(PACKS.binary_search_by_key(&id, |(id, _)| id).is_ok(), "{id}");
        }
    }

    #[test]
    fn words_in_a_program_are_no_orders_and_advice_to_people_is_medium() {
        let read = |path: &str, text: &str| Document::read(path, text.as_bytes(), &mut Vec::new());
        let (orders, deeds) = (HeardVoices::of("instruction-override", None), HeardVoices::of("pipe-to-shell", None));
        let weigh = |heard: &HeardVoices, path: &str, text: &str| {
            heard.weigh(&read(path, text), text.len().saturating_sub(2), Severity::High)
        };
        assert_eq!(weigh(&orders, "SKILL.md", "an order"), Some(Severity::High));
        assert_eq!(weigh(&orders, "index.js", "order()"), None);
        assert_eq!(weigh(&orders, "index.js", "// an order"), None);
        assert_eq!(weigh(&orders, "README.md", "an order"), Some(Severity::Info));
        assert_eq!(weigh(&deeds, "README.md", "a deed"), Some(Severity::Medium));
        assert_eq!(weigh(&deeds, "run.sh", "a deed"), Some(Severity::High));
        assert_eq!(weigh(&deeds, "run.sh", "# a deed"), Some(Severity::Info));
        assert_eq!(weigh(&deeds, "tests/run.sh", "a deed"), Some(Severity::Info));
    }
}
