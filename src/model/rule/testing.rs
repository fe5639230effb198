//! Rules for tests of what only keeps, compares or shows facts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::digest::Digest;
use crate::fact::{Confidence, Severity};
use crate::ids::RuleId;
use crate::kind::Kind;

use super::{Examples, Lifecycle, RuleIndex, RuleMeta, RuleSource};

/// An index without a rule.
pub static NO_RULES: RuleIndex = index(Vec::new);

/// An index of some rules.
pub const fn index(metas: fn() -> Vec<&'static RuleMeta>) -> RuleIndex {
    RuleIndex::new(RuleSource {
        metas,
        digest: |metas| Digest::of_json(&metas),
        measured: BTreeMap::new,
        mask_line: |line| Cow::Borrowed(line),
    })
}

/// A stable rule of version 1 for every kind. It lives as long as the test.
pub fn meta(id: &str) -> &'static RuleMeta {
    Box::leak(Box::new(RuleMeta {
        id: RuleId::new(id),
        check: None,
        version: 1,
        title: String::new(),
        why: String::new(),
        fix: String::new(),
        cannot_see: String::new(),
        severity: Severity::High,
        confidence: Confidence::High,
        kinds: Kind::ALL.to_vec(),
        lifecycle: Lifecycle::Stable,
        cites: Vec::new(),
        codes: BTreeMap::new(),
        known_false_positive: Vec::new(),
        examples: Examples::default(),
    }))
}
