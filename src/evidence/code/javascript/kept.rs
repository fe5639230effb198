//! Kept calls in JavaScript: how a call that is worth keeping is kept, and a name that holds the environment.

use oxc_ast::ast::{Argument as Node, BindingPattern, Expression, VariableDeclarator};
use oxc_span::Span;

use super::super::taint::{TaintSources, TaintedArguments};
use super::super::{Argument, Call, excerpt};
use super::JavascriptReader;

impl JavascriptReader<'_> {
    pub(super) fn keep(&mut self, callee: String, arguments: Vec<Argument>, taint: TaintedArguments, span: Span) {
        let text = excerpt(self.text, span.start as usize, span.end as usize);
        let (is_aside, is_unused) = (self.asides.holds(span), self.asides.is_alone(span));
        let call =
            Call { callee, arguments, taint, place: capdex_model::fact::Place::default(), text, is_aside, is_unused };
        self.findings.keep_call(span.start as usize, call);
    }

    pub(super) fn keep_call(&mut self, name: &str, arguments: &[Node<'_>], taint: TaintedArguments, span: Span) {
        let mut shapes = Vec::new();
        // Generated calls may have thousands of arguments; each costs a walk of its own.
        for argument in arguments.iter().take(16) {
            shapes.push(argument.as_expression().map_or(Argument::Other, |argument| self.shape(argument, 0)));
        }
        // A plain `require("x")` is recorded as an import already.
        let written = taint.first.any(TaintSources::FETCHED_FILE);
        if name == "require" && matches!(shapes.as_slice(), [Argument::Literal(_)]) && !written {
            return;
        }
        self.keep(name.to_owned(), shapes, taint, span);
    }

    /// Records that variables of the environment are read by names from a list: any of those that the file lists.
    pub(super) fn keep_listed(&mut self, span: Span) {
        for name in self.mentions.listed.clone() {
            self.keep("process.env".to_owned(), vec![Argument::Literal(name)], TaintedArguments::default(), span);
        }
    }

    /// Records that a call takes the whole environment.
    pub(super) fn keep_environment(&mut self, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        // Saves the names of all arguments in a file that never says `process`.
        if !self.mentions.environment {
            return;
        }
        let whole = |argument: &Node<'_>| {
            argument.as_expression().and_then(|node| self.dotted(node, 0)).as_deref() == Some("process.env")
        };
        if arguments.iter().any(whole) {
            let taker = self.dotted(callee, 0).unwrap_or_else(|| "*".to_owned());
            self.keep("process.env".to_owned(), vec![Argument::Name(taker)], TaintedArguments::default(), span);
        }
    }

    /// `const { env } = process` gives the whole environment a name.
    pub(super) fn declare_environment(&mut self, it: &VariableDeclarator<'_>) {
        let (BindingPattern::ObjectPattern(pattern), Some(init)) = (&it.id, &it.init) else { return };
        if !self.mentions.environment || self.dotted(init, 0).as_deref() != Some("process") {
            return;
        }
        for property in &pattern.properties {
            if let (true, BindingPattern::BindingIdentifier(name)) =
                (property.key.is_specific_static_name("env"), &property.value)
            {
                self.taint.declare(name.name.as_str(), TaintSources::ENVIRONMENT);
            }
        }
    }
}
