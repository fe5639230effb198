//! Kept calls in Python: which calls are worth keeping, by their name or by what reaches them.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::{Ranged, TextRange};

use ast::Expr;

use super::super::taint::{TaintSources, TaintedArguments};
use super::super::{Argument, known_calls};
use super::PythonReader;
use super::fold::folded;

impl<'a> PythonReader<'a> {
    /// Keeps a call that is worth knowing by its name, or only by what reaches it.
    pub(super) fn keep_flowing(&mut self, name: &str, method: &str, taint: TaintedArguments, call: &'a ast::ExprCall) {
        self.keep_call(name, taint, call);
        let known = known_calls::is_kept_python(name);
        // A store has a word of its own for taking something; a secret goes into none by mistake.
        let secret = taint.arguments().any(TaintSources::SECRET | TaintSources::ENVIRONMENT);
        let takes = known_calls::SENDING.contains(&method) || (secret && name.contains('.'));
        if taint.receiver.any(TaintSources::CONNECTION) && takes && !known {
            self.keep(format!("connection.{method}"), Vec::new(), taint, call.range());
        }
        let module = name.split('.').next().unwrap_or_default();
        // These format or copy within the program, and the value is followed through them.
        // A file's own system calls are kept where they touch what is the system's.
        if taint.arguments().any(TaintSources::SYSTEM_PATH)
            && !known
            && matches!(
                name,
                "os.symlink"
                    | "os.link"
                    | "os.rename"
                    | "os.replace"
                    | "os.chown"
                    | "os.truncate"
                    | "os.lchown"
                    | "shutil.chown"
            )
        {
            self.keep(name.to_owned(), Vec::new(), taint, call.range());
        }
        let foreign = !matches!(module, "json" | "os" | "copy" | "pprint" | "yaml" | "self" | "dict" | "str");
        let carries = taint.arguments().any(TaintSources::SECRET | TaintSources::ENVIRONMENT);
        if !known && foreign && carries && name.contains('.') {
            self.keep(format!("handed:{name}"), Vec::new(), taint, call.range());
        }
        // Any logger is kept under one name, so that rules ask for one callee.
        let logs =
            name == "print" || name.starts_with("logging.") || name.starts_with("logger.") || name.starts_with("log.");
        if logs && taint.arguments().any(TaintSources::TOKEN | TaintSources::SECRET) {
            self.keep("console.log".to_owned(), Vec::new(), taint, call.range());
        }
        let hides = match name {
            "getattr" => call.arguments.args.get(1),
            "__import__" | "importlib.import_module" => call.arguments.args.first(),
            _ => None,
        };
        if let Some(text) =
            hides.filter(|hidden| !matches!(hidden, Expr::StringLiteral(_))).and_then(|hidden| folded(hidden, 0))
        {
            self.keep("hidden-name".to_owned(), vec![Argument::Literal(text)], taint, call.range());
        }
    }

    /// Keeps a variable of the environment that is read by a name from a list: any of those that the file lists. True
    /// where it lists names of secrets.
    pub(super) fn reads_listed(&mut self, range: TextRange) -> bool {
        for name in self.mentions.listed.clone() {
            self.keep("os.environ".to_owned(), vec![Argument::Literal(name)], TaintedArguments::default(), range);
        }
        !self.mentions.listed.is_empty()
    }

    pub(super) fn keep_call(&mut self, name: &str, taint: TaintedArguments, call: &'a ast::ExprCall) {
        if self.mentions.environment {
            for argument in &call.arguments.args {
                if self.dotted(argument, 0).as_deref() == Some("os.environ") {
                    let taker = vec![Argument::Name(name.to_owned())];
                    self.keep("os.environ".to_owned(), taker, TaintedArguments::default(), argument.range());
                }
            }
        }
        if !known_calls::is_kept_python(name) {
            return;
        }
        self.resolved = 0;
        let mut shapes = Vec::new();
        // Generated calls may have thousands of arguments; each costs a walk of its own.
        for argument in call.arguments.args.iter().take(16) {
            shapes.push(self.shape(argument, 0));
        }
        let mut named = Vec::new();
        for keyword in call.arguments.keywords.iter() {
            if let (Some(name), Some(value)) = (&keyword.arg, super::shapes::plain(&keyword.value)) {
                named.push((name.to_string(), value));
            }
        }
        if !named.is_empty() {
            shapes.push(Argument::Named(named));
        }
        // Both ways to read a variable are one callee to the rules.
        let name = if name == "os.environ.get" { "os.environ" } else { name };
        self.keep(name.to_owned(), shapes, taint, call.range());
    }

    pub(super) fn keep(&mut self, callee: String, arguments: Vec<Argument>, taint: TaintedArguments, range: TextRange) {
        let (start, end) = (range.start().to_usize(), range.end().to_usize());
        let text = super::excerpt(self.text, start, end);
        let (is_aside, is_unused) = (self.asides.holds(range), self.asides.is_alone(range));
        let call = super::Call {
            callee,
            arguments,
            taint,
            place: capdex_model::fact::Place::default(),
            text,
            is_aside,
            is_unused,
        };
        self.findings.keep_call(start, call);
    }
}
