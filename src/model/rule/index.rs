//! `RuleIndex`: the rules of one program by id and by number, for all who read facts and may not know the rules.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use crate::digest::Digest;
use crate::facts::RuleDefaults;

use super::RuleMeta;
use super::measured::MeasuredSet;

/// The functions by which the rules tell of themselves. Each is asked once, and only when somebody wants to know: most
/// commands need no rule.
#[derive(Clone, Copy)]
pub struct RuleSource {
    /// The descriptions of all rules, in any order.
    pub metas: fn() -> Vec<&'static RuleMeta>,
    /// The digest over every rule's id, version and text, of the descriptions in the order of their ids.
    pub digest: fn(&[&'static RuleMeta]) -> Digest,
    /// The measured counts, by the name of the set.
    pub measured: fn() -> BTreeMap<String, MeasuredSet>,
    /// A quoted line with every secret masked.
    pub mask_line: fn(&str) -> Cow<'_, str>,
}

/// The rules of one program. It is handed to the store and travels with facts, so that rubrics, dataset and site are not
/// built anew for a changed rule.
pub struct RuleIndex {
    source: RuleSource,
    /// Sorted by id: the place of a rule is its number.
    metas: OnceLock<Vec<&'static RuleMeta>>,
    defaults: OnceLock<RuleDefaults>,
    digest: OnceLock<Digest>,
    measured: OnceLock<BTreeMap<String, MeasuredSet>>,
}

impl fmt::Debug for RuleIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Facts point to it: their debug text must not hold every rule.
        f.write_str("RuleIndex")
    }
}

impl RuleIndex {
    /// The rules of a source. Nothing is asked yet.
    pub const fn new(source: RuleSource) -> Self {
        Self {
            source,
            metas: OnceLock::new(),
            defaults: OnceLock::new(),
            digest: OnceLock::new(),
            measured: OnceLock::new(),
        }
    }

    /// The descriptions of all rules, sorted by id.
    pub fn all(&self) -> &[&'static RuleMeta] {
        self.metas.get_or_init(|| {
            let mut metas = (self.source.metas)();
            metas.sort_by(|a, b| a.id.cmp(&b.id));
            metas
        })
    }

    /// The default facts of all rules.
    pub fn defaults(&self) -> &RuleDefaults {
        self.defaults.get_or_init(|| RuleDefaults::new(self.all()))
    }

    /// The number of a rule: its place among all, in the order of their ids.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.defaults().number(id)
    }

    /// The description of one rule.
    pub fn find(&self, id: &str) -> Option<&'static RuleMeta> {
        self.all().get(self.number(id)?).copied()
    }

    /// The names of a rule in one method's own catalogue; empty where the method has none for it, or no rule is so called.
    pub fn codes(&self, rule: &str, family: &str) -> &'static [String] {
        self.find(rule).and_then(|meta| meta.codes.get(family)).map_or(&[], Vec::as_slice)
    }

    /// The digest over every rule's id, version and text: facts are kept under it.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| (self.source.digest)(self.all()))
    }

    /// The measured counts of the rules, by the name of the labelled set.
    pub fn measured(&self) -> &BTreeMap<String, MeasuredSet> {
        self.measured.get_or_init(self.source.measured)
    }

    /// A quoted line with every secret masked: those that a rule knows, and runs of letters that are a word of no language.
    pub fn mask_line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        (self.source.mask_line)(line)
    }
}
