//! Targets: the names, members and elements that an assignment gives a value to.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::outline::{Binding, ClassId, Field, FunctionId, Node, NodeId, Origin, Part, Step};
use super::{PythonOutliner, start};

/// The most elements that are counted to find one; more are not taken apart by hand.
const MAX_ELEMENTS: usize = 64;

/// Where the value of a target comes from.
#[derive(Clone)]
pub(super) struct Source {
    origin: Origin,
    path: Vec<Step>,
}

impl Source {
    /// The origin itself.
    pub(super) fn plain(origin: Origin) -> Self {
        Self { origin, path: Vec::new() }
    }

    /// An element of it, or the rest.
    fn step(&self, step: Step) -> Self {
        let mut path = self.path.clone();
        path.push(step);
        Self { origin: self.origin.clone(), path }
    }

    fn binding(&self) -> Binding {
        Binding { origin: self.origin.clone(), path: self.path.clone(), default: None }
    }
}

impl From<Origin> for Binding {
    fn from(origin: Origin) -> Self {
        Self { origin, path: Vec::new(), default: None }
    }
}

impl PythonOutliner {
    /// Gives a target its value. A name in the body of a class becomes a field.
    pub(super) fn assign(&mut self, target: &Expr, source: &Source, offset: u32) {
        if let (Expr::Name(name), Some(class), Origin::Expression(_)) = (target, self.class_here(), &source.origin) {
            let value = self.value_of(source, offset);
            self.field(class, name.id.as_str(), Some(value), None);
        }
        self.rebind(target, source, offset);
    }

    /// The same without a field.
    pub(super) fn rebind(&mut self, target: &Expr, source: &Source, offset: u32) {
        match target {
            Expr::Name(name) => {
                if let (Origin::Expression(value), true) = (&source.origin, source.path.is_empty()) {
                    self.christen(*value, name.id.as_str());
                }
                self.bind(name.id.as_str(), source.binding());
            }
            Expr::Tuple(tuple) => self.assign_each(&tuple.elts, source, offset),
            Expr::List(list) => self.assign_each(&list.elts, source, offset),
            Expr::Starred(starred) => self.assign(&starred.value, &source.step(Step::Rest), offset),
            Expr::Attribute(member) => {
                let object = self.expression(&member.value);
                let value = self.value_of(source, offset);
                self.christen(value, member.attr.as_str());
                self.builder.write(object, Part::Member(member.attr.to_string()), value, offset);
            }
            Expr::Subscript(subscript) => {
                let object = self.expression(&subscript.value);
                let part = match &*subscript.slice {
                    Expr::StringLiteral(key) => Part::Member(key.value.to_str().to_owned()),
                    key => Part::Keyed(self.expression(key)),
                };
                let value = self.value_of(source, offset);
                if let Part::Member(name) = &part {
                    self.christen(value, name);
                }
                self.builder.write(object, part, value, offset);
            }
            // No target, but the parser recovers: `f(g()) = 1`.
            other => {
                self.expression(other);
            }
        }
    }

    fn assign_each(&mut self, targets: &[Expr], source: &Source, offset: u32) {
        let mut after_rest = false;
        for (index, target) in targets.iter().enumerate() {
            if after_rest {
                // How many elements the rest takes is not known, nor is the place of those behind it.
                self.assign(target, &Source::plain(Origin::Unknown), offset);
            } else if target.is_starred_expr() {
                self.assign(target, source, offset);
                after_rest = true;
            } else {
                self.assign(target, &source.step(Step::At(index)), offset);
            }
        }
    }

    /// The value of a source as an expression: the element itself where the list is written, `value[0]` otherwise.
    fn value_of(&mut self, source: &Source, offset: u32) -> NodeId {
        let Origin::Expression(mut value) = source.origin else { return self.unknown(offset) };
        for step in &source.path {
            let Step::At(index) = step else { return self.unknown(offset) };
            value = match self.element(value, *index) {
                Some(element) => element,
                None => {
                    let place = self.builder.node(Node::plain(*index), offset);
                    self.builder.node(Node::Index(value, place), offset)
                }
            };
        }
        value
    }

    /// An element of a list that is written out, among the first.
    fn element(&self, list: NodeId, index: usize) -> Option<NodeId> {
        let Node::List(elements) = self.builder.outline.node(list) else { return None };
        let before = elements.get(..=index).filter(|before| before.len() <= MAX_ELEMENTS)?;
        if before.iter().any(|element| element.spread) {
            return None;
        }
        before.last().map(|element| element.value)
    }

    /// `del x`: from here on the name stands for nothing.
    pub(super) fn delete(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), Binding::from(Origin::Unknown)),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.delete(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.delete(target)),
            other => {
                self.expression(other);
            }
        }
    }

    /// Names a lambda by what it is first bound to.
    pub(super) fn christen(&mut self, value: NodeId, name: &str) {
        let lambda: FunctionId = match self.builder.outline.node(value) {
            Node::Function(id) => *id,
            _ => return,
        };
        if let Some(function) = self.builder.function_mut(lambda) {
            function.name.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Adds a field to a class.
    pub(super) fn field(&mut self, class: ClassId, name: &str, value: Option<NodeId>, annotation: Option<NodeId>) {
        if let (Some(class), false) = (self.builder.class_mut(class), name.is_empty()) {
            class.fields.push(Field { name: name.to_owned(), value, annotation });
        }
    }

    /// `(name := value)`, which stands for its value.
    pub(super) fn walrus(&mut self, named: &ast::ExprNamed) -> NodeId {
        let value = self.expression(&named.value);
        if let Expr::Name(name) = &*named.target {
            self.christen(value, name.id.as_str());
            let scope = self.scope_past_comprehensions();
            self.bind_in(scope, name.id.as_str(), Binding::from(Origin::Expression(value)));
        } else {
            self.rebind(&named.target, &Source::plain(Origin::Expression(value)), start(named));
        }
        value
    }
}
