//! Classes in Python: which class of the file an object is of, so that its methods and members are told from others'.

use rustpython_ruff_python_ast as ast;

use ast::{Expr, Stmt};

use super::super::taint::TaintSources;
use super::PythonReader;

impl<'a> PythonReader<'a> {
    /// Learns the classes of the file, and the names of their objects.
    pub(super) fn learn_objects(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::ClassDef(class) => _ = self.class_names.insert(class.name.as_str()),
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.learn_object(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.learn_object(&assign.target, value);
                }
            }
            Stmt::With(with) => {
                for item in &with.items {
                    if let Some(target) = &item.optional_vars {
                        self.learn_object(target, &item.context_expr);
                    }
                }
            }
            _ => {}
        }
    }

    /// Learns the values that stand in the body of a class.
    pub(super) fn learn_members(&mut self, body: &'a [Stmt]) {
        for statement in body {
            if let Stmt::Assign(assign) = statement {
                for target in &assign.targets {
                    if let Expr::Name(name) = target {
                        self.learn_member(name.id.as_str(), &assign.value);
                    }
                }
            }
        }
    }

    fn learn_member(&mut self, member: &str, value: &'a Expr) {
        let Some(class) = self.learning.last() else { return };
        // What is bound twice stands for neither.
        self.member_values.entry(format!("{class}.{member}")).and_modify(|known| *known = None).or_insert(Some(value));
    }

    /// The expression that a member of a class is bound to, where that is one.
    pub(super) fn member_value(&self, member: &ast::ExprAttribute) -> Option<&'a Expr> {
        if self.member_values.is_empty() {
            return None;
        }
        self.member_values.get(&self.member_key(member)?).copied().flatten()
    }

    fn learn_object(&mut self, target: &'a Expr, value: &'a Expr) {
        let name = match target {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(member) => match &*member.value {
                Expr::Name(object) if object.id.as_str() == "self" => {
                    self.learn_member(member.attr.as_str(), value);
                    format!("self.{}", member.attr)
                }
                _ => return,
            },
            _ => return,
        };
        let Some(class) = constructed(value) else { return };
        // The same name for objects of two classes stands for neither.
        self.instances
            .entry(name)
            .and_modify(|known| *known = known.filter(|known| *known == class))
            .or_insert(Some(class));
    }

    /// The class of the file that an object is of, or that the expression names.
    pub(super) fn class_of(&self, object: &Expr) -> Option<&'a str> {
        if self.class_names.is_empty() {
            return None;
        }
        let known = |name: &str| self.class_names.get(name).copied();
        let instance = |name: &str| self.instances.get(name).copied().flatten().and_then(known);
        match object {
            Expr::Name(name) if matches!(name.id.as_str(), "self" | "cls") => self.class_outside(),
            Expr::Name(name) => known(name.id.as_str()).or_else(|| instance(name.id.as_str())),
            Expr::Attribute(member) => match &*member.value {
                Expr::Name(object) if object.id.as_str() == "self" => instance(&format!("self.{}", member.attr)),
                _ => None,
            },
            other => constructed(other).and_then(known),
        }
    }

    /// The class and the name of a member of it, as one name.
    pub(super) fn member_key(&self, member: &ast::ExprAttribute) -> Option<String> {
        self.class_of(&member.value).map(|class| format!("{class}.{}", member.attr))
    }

    /// What a name holds that is bound in the body of a class, and in no function, belongs to the class.
    pub(super) fn note_member(&mut self, target: &Expr, sources: TaintSources) {
        let (Expr::Name(name), Some((class, depth))) = (target, self.classes.last()) else { return };
        if *depth == self.functions && !sources.is_empty() {
            let key = format!("{class}.{}", name.id);
            self.taint.assign_member(&key, sources);
        }
    }

    /// The class whose method is being walked.
    fn class_outside(&self) -> Option<&'a str> {
        self.classes.last().map(|(class, _)| *class)
    }
}

/// The class that is called to make an object.
fn constructed(value: &Expr) -> Option<&str> {
    match value {
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => Some(name.id.as_str()),
            _ => None,
        },
        Expr::Await(waiting) => constructed(&waiting.value),
        _ => None,
    }
}

/// True for a function that is given no object of its class.
pub(super) fn is_static(function: &ast::StmtFunctionDef) -> bool {
    function
        .decorator_list
        .iter()
        .any(|decorator| matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "staticmethod"))
}
