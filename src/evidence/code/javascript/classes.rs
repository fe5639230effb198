//! Classes in JavaScript: which method of the file a call means, and what the members of its objects hold.

use std::collections::BTreeMap;

use oxc_ast::ast::{Expression, StaticMemberExpression};

use super::super::known_calls;
use super::super::taint::TaintSources;
use super::{JavascriptMeaning, JavascriptReader};

/// The most classes of a file whose members are followed: bundles have more, with the same short names again and again.
const MAX_CLASSES: usize = 8;

/// The classes of one file.
#[derive(Default)]
pub(super) struct Classes {
    /// How many classes there are.
    pub(super) count: usize,
    /// How often a method of a class has a name.
    pub(super) methods: BTreeMap<String, usize>,
}

impl Classes {
    /// True where there are few enough for a name to say which member is meant.
    fn are_few(&self) -> bool {
        (1..=MAX_CLASSES).contains(&self.count)
    }
}

impl JavascriptReader<'_> {
    /// The name under which a method of the file is known, where a call surely means it.
    pub(super) fn method_meant(&self, name: &str, callee: &Expression<'_>) -> Option<String> {
        let Expression::StaticMemberExpression(member) = callee.get_inner_expression() else { return None };
        let method = member.property.name.as_str();
        // One method of that name in the file: whichever object it is called on, it is that one.
        if !self.classes.are_few()
            || self.classes.methods.get(method) != Some(&1)
            || known_calls::is_kept_javascript(name)
        {
            return None;
        }
        let local = match member.object.get_inner_expression() {
            Expression::ThisExpression(_) | Expression::NewExpression(_) => true,
            Expression::StaticMemberExpression(field) => matches!(field.object, Expression::ThisExpression(_)),
            // What was imported is another file's.
            Expression::Identifier(object) => {
                !matches!(self.meaning(object.name.as_str()), Some(JavascriptMeaning::Alias(_)))
            }
            _ => false,
        };
        local.then(|| format!("this.{method}"))
    }

    /// Notes what a member of `this` is given.
    pub(super) fn note_member(&mut self, member: &StaticMemberExpression<'_>, sources: TaintSources) {
        if self.classes.are_few() && matches!(member.object, Expression::ThisExpression(_)) && !sources.is_empty() {
            self.taint.assign_member(&member_key(member), sources & !TaintSources::COMPOSED);
        }
    }

    /// What a member of `this` may hold.
    pub(super) fn of_member(&self, member: &StaticMemberExpression<'_>) -> TaintSources {
        let known = self.classes.are_few() && matches!(member.object, Expression::ThisExpression(_));
        if known { self.taint.of(&member_key(member)) } else { TaintSources::NONE }
    }
}

/// No name of a variable has a full stop, so that members and variables keep apart.
fn member_key(member: &StaticMemberExpression<'_>) -> String {
    format!("this.{}", member.property.name)
}
