//! Patterns: the names that destructuring binds, in declarations and in assignments.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern, PropertyKey,
};

use super::super::outline::{Binding, NodeId, Origin, ScopeId, Step};
use super::{FoundBinding, JavascriptOutliner};

impl JavascriptOutliner {
    /// Declares a name that has no value yet.
    pub(super) fn declare_alone(&mut self, scope: ScopeId, name: &str) {
        self.bindings.push(FoundBinding { scope, name: name.to_owned(), binding: None, declares: true });
    }

    /// Declares the names of a pattern. `from` says what is taken apart.
    pub(super) fn bind_pattern(&mut self, pattern: &BindingPattern<'_>, scope: ScopeId, from: &Binding) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let (name, binding) = (name.name.to_string(), Some(from.clone()));
                self.bindings.push(FoundBinding { scope, name, binding, declares: true });
            }
            BindingPattern::ObjectPattern(it) => {
                for property in &it.properties {
                    let part = self.keyed(from, &property.key);
                    self.bind_pattern(&property.value, scope, &part);
                }
                if let Some(rest) = &it.rest {
                    self.bind_pattern(&rest.argument, scope, &step(from, Step::Rest));
                }
            }
            BindingPattern::ArrayPattern(it) => {
                for (index, element) in it.elements.iter().enumerate() {
                    if let Some(element) = element {
                        self.bind_pattern(element, scope, &step(from, Step::At(index)));
                    }
                }
                if let Some(rest) = &it.rest {
                    self.bind_pattern(&rest.argument, scope, &step(from, Step::Rest));
                }
            }
            BindingPattern::AssignmentPattern(it) => {
                let name = it.left.get_identifier_name();
                let default = self.expression_of(&it.right, name.as_ref().map(|name| name.as_str()));
                self.bind_pattern(&it.left, scope, &with_default(from, default));
            }
        }
    }

    /// Assigns to the names of a pattern.
    pub(super) fn assign_pattern(&mut self, target: &AssignmentTarget<'_>, from: &Binding) {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => self.assign(name.name.as_str(), from.clone()),
            AssignmentTarget::ObjectAssignmentTarget(it) => {
                for property in &it.properties {
                    self.assign_property(property, from);
                }
                if let Some(rest) = &it.rest {
                    self.assign_pattern(&rest.target, &step(from, Step::Rest));
                }
            }
            AssignmentTarget::ArrayAssignmentTarget(it) => {
                for (index, element) in it.elements.iter().enumerate() {
                    if let Some(element) = element {
                        self.assign_part(element, &step(from, Step::At(index)));
                    }
                }
                if let Some(rest) = &it.rest {
                    self.assign_pattern(&rest.target, &step(from, Step::Rest));
                }
            }
            other => {
                // A member that destructuring writes to: what it is given is not told.
                if let Some(place) = self.place(other) {
                    let value = self.unknown(place.offset);
                    self.write_to(place, value);
                }
            }
        }
    }

    fn assign_property(&mut self, property: &AssignmentTargetProperty<'_>, from: &Binding) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                let name = it.binding.name.as_str();
                let mut part = step(from, Step::Key(name.to_owned()));
                if let Some(init) = &it.init {
                    part = with_default(&part, self.expression_of(init, Some(name)));
                }
                self.assign(name, part);
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                let part = self.keyed(from, &it.name);
                self.assign_part(&it.binding, &part);
            }
        }
    }

    fn assign_part(&mut self, target: &AssignmentTargetMaybeDefault<'_>, from: &Binding) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(it) => {
                let default = self.expression(&it.init);
                self.assign_pattern(&it.binding, &with_default(from, default));
            }
            other => {
                if let Some(target) = other.as_assignment_target() {
                    self.assign_pattern(target, from);
                }
            }
        }
    }

    /// The part of a value under a key; unknown where the key is worked out at run time.
    fn keyed(&mut self, from: &Binding, key: &PropertyKey<'_>) -> Binding {
        if let Some(name) = key.static_name() {
            return step(from, Step::Key(name.into_owned()));
        }
        if let Some(key) = key.as_expression() {
            self.expression(key);
        }
        Binding { origin: Origin::Unknown, path: Vec::new(), default: None }
    }
}

fn step(from: &Binding, step: Step) -> Binding {
    let mut path = from.path.clone();
    path.push(step);
    // A default before the end of the path belongs to a part that is taken apart, not to what is bound.
    Binding { origin: from.origin.clone(), path, default: None }
}

fn with_default(from: &Binding, default: NodeId) -> Binding {
    Binding { default: Some(default), ..from.clone() }
}
