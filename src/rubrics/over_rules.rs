//! `OverRules`: what a rubric works out from the rules once, for all capabilities.

use std::sync::OnceLock;

use capdex_model::rule::RuleIndex;

/// A table over the rules that number the facts.
pub(super) struct OverRules<T> {
    make: fn(&'static RuleIndex) -> T,
    made: OnceLock<(&'static RuleIndex, T)>,
}

impl<T> OverRules<T> {
    /// Nothing is made yet.
    pub(super) const fn new(make: fn(&'static RuleIndex) -> T) -> Self {
        Self { make, made: OnceLock::new() }
    }

    /// The table. A program has one index of rules: it is made for the first.
    pub(super) fn of(&self, rules: &'static RuleIndex) -> &T {
        let (over, table) = self.made.get_or_init(|| (rules, (self.make)(rules)));
        debug_assert!(std::ptr::eq(*over, rules), "facts of two programs are scored by one");
        table
    }
}
