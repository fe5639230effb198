//! Assignments: to names, which bind, and to members, which are writes.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, Expression, MemberExpression, SimpleAssignmentTarget,
};
use oxc_span::GetSpan;

use super::super::outline::{Binding, Node, NodeId, Origin, Part};
use super::JavascriptOutliner;
use super::expressions::assigned_name;
use super::texts::literal_text;

/// A member that is written to.
pub(super) struct WrittenPlace {
    pub(super) object: NodeId,
    pub(super) part: Part,
    pub(super) offset: u32,
}

impl JavascriptOutliner {
    pub(super) fn assignment(&mut self, it: &AssignmentExpression<'_>) -> NodeId {
        let offset = it.span.start;
        if let Some(name) = assigned_name(&it.left) {
            let value = self.expression_of(&it.right, Some(name));
            let origin = match it.operator {
                AssignmentOperator::Addition => Origin::Added(value),
                operator if keeps(operator) => Origin::Expression(value),
                _ => Origin::Unknown,
            };
            self.assign(name, Binding { origin, path: Vec::new(), default: None });
            // The name stands for the value, so that what is written to the one is known of the other.
            return self.name(name, offset);
        }
        if it.left.as_assignment_target_pattern().is_some() {
            let value = self.expression(&it.right);
            let from = Binding { origin: Origin::Expression(value), path: Vec::new(), default: None };
            self.assign_pattern(&it.left, &from);
            return value;
        }
        if let Some(value) = self.export_assignment(it) {
            return value;
        }
        self.member_assignment(it)
    }

    fn member_assignment(&mut self, it: &AssignmentExpression<'_>) -> NodeId {
        let place = self.place(&it.left);
        let name = place.as_ref().and_then(|place| match &place.part {
            Part::Member(name) => Some(name.clone()),
            _ => None,
        });
        let value = self.expression_of(&it.right, name.as_deref());
        let Some(mut place) = place else { return value };
        place.offset = it.span.start;
        match it.operator {
            operator if keeps(operator) => self.write_to(place, value),
            AssignmentOperator::Addition => {
                let offset = place.offset;
                let object = match place.part {
                    Part::Member(name) => self.build.node(Node::Member(place.object, name.into()), offset),
                    Part::Keyed(key) => self.build.node(Node::Index(place.object, key), offset),
                    Part::Element | Part::Elements => return value,
                };
                self.build.write(object, Part::Elements, value, offset);
            }
            _ => {
                let changed = self.unknown(place.offset);
                self.write_to(place, changed);
            }
        }
        value
    }

    pub(super) fn write_to(&mut self, place: WrittenPlace, value: NodeId) {
        self.build.write(place.object, place.part, value, place.offset);
    }

    /// The member that a target names; none for names and patterns.
    pub(super) fn place(&mut self, target: &AssignmentTarget<'_>) -> Option<WrittenPlace> {
        self.simple_place(target.as_simple_assignment_target()?)
    }

    pub(super) fn simple_place(&mut self, target: &SimpleAssignmentTarget<'_>) -> Option<WrittenPlace> {
        if let Some(member) = target.as_member_expression() {
            return Some(self.member_place(member));
        }
        match target.get_expression()?.get_inner_expression() {
            Expression::Identifier(name) => {
                let changed = Binding { origin: Origin::Unknown, path: Vec::new(), default: None };
                self.assign(name.name.as_str(), changed);
                None
            }
            other => other.as_member_expression().map(|member| self.member_place(member)),
        }
    }

    fn member_place(&mut self, it: &MemberExpression<'_>) -> WrittenPlace {
        let object = self.expression(it.object());
        let part = match it {
            MemberExpression::StaticMemberExpression(it) => Part::Member(it.property.name.to_string()),
            MemberExpression::PrivateFieldExpression(it) => Part::Member(format!("#{}", it.field.name)),
            MemberExpression::ComputedMemberExpression(it) => match literal_text(&it.expression) {
                Some(key) => Part::Member(key.to_owned()),
                None => Part::Keyed(self.expression(&it.expression)),
            },
        };
        WrittenPlace { object, part, offset: it.span().start }
    }
}

/// True where the value on the right may be what stands on the left afterwards.
fn keeps(operator: AssignmentOperator) -> bool {
    matches!(
        operator,
        AssignmentOperator::Assign
            | AssignmentOperator::LogicalOr
            | AssignmentOperator::LogicalAnd
            | AssignmentOperator::LogicalNullish
    )
}
