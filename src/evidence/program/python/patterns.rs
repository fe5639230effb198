//! Patterns: the names that `case` binds, whose values are not followed.

use rustpython_ruff_python_ast as ast;

use ast::{Identifier, Pattern};

use super::super::outline::{Binding, Origin};
use super::PythonOutliner;

impl PythonOutliner {
    pub(super) fn matches(&mut self, choice: &ast::StmtMatch) {
        self.expression(&choice.subject);
        for case in &choice.cases {
            self.pattern(&case.pattern);
            self.each_dropped(case.guard.as_deref());
            self.body(&case.body);
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::MatchValue(value) => {
                self.expression(&value.value);
            }
            Pattern::MatchSingleton(_) => {}
            Pattern::MatchSequence(sequence) => self.patterns(&sequence.patterns),
            Pattern::MatchMapping(mapping) => {
                self.each_dropped(&mapping.keys);
                self.patterns(&mapping.patterns);
                self.captured(mapping.rest.as_ref());
            }
            Pattern::MatchClass(class) => {
                self.expression(&class.cls);
                self.patterns(&class.arguments.patterns);
                for keyword in &class.arguments.keywords {
                    self.pattern(&keyword.pattern);
                }
            }
            Pattern::MatchStar(star) => self.captured(star.name.as_ref()),
            Pattern::MatchAs(named) => {
                self.patterns(named.pattern.as_deref());
                self.captured(named.name.as_ref());
            }
            Pattern::MatchOr(choice) => self.patterns(&choice.patterns),
        }
    }

    fn patterns<'a>(&mut self, patterns: impl IntoIterator<Item = &'a Pattern>) {
        for pattern in patterns {
            self.pattern(pattern);
        }
    }

    fn captured(&mut self, name: Option<&Identifier>) {
        if let Some(name) = name {
            self.bind(name.as_str(), Binding::from(Origin::Unknown));
        }
    }
}
