//! Taint propagation in Python: each form of expression and statement hands on the sources of its parts.
//!
//! The walk leaves in `taint.held` what the expression just walked may hold; whoever combines parts takes and joins.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use ast::visitor::{self, Visitor};
use ast::{Expr, Stmt};

use super::super::sources::{self, TaintedCall};
use super::super::taint::{TaintSources, TaintedArguments};
use super::super::{Argument, secrets, sinks};
use super::PythonReader;
use super::classes::is_static;
use super::written::{asked_root, root_of};

impl<'a> PythonReader<'a> {
    /// Walks a statement; what its expressions held is forgotten after it.
    pub(super) fn follow_statement(&mut self, statement: &'a Stmt) {
        // A statement has no value: what its expressions held must not reach the next statement.
        let outer = self.taint.take();
        self.note_alone(statement);
        match statement {
            Stmt::FunctionDef(function) => self.follow_function(function),
            Stmt::Try(tried) => self.follow_try(tried),
            Stmt::ClassDef(class) => {
                self.classes.push((class.name.as_str(), self.functions));
                visitor::walk_stmt(self, statement);
                self.classes.pop();
            }
            Stmt::Assign(assign) => {
                if let (Expr::Lambda(_), [Expr::Name(name)]) = (&*assign.value, assign.targets.as_slice()) {
                    // `run = lambda x: …` defines a function under the target's name.
                    self.taint.name = Some(name.id.to_string());
                }
                self.visit_expr(&assign.value);
                let sources = self.taint.take();
                for target in &assign.targets {
                    self.note_stream(target, &assign.value);
                    self.note_member(target, sources);
                    self.bind(target, sources);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                    let sources = self.taint.take();
                    self.note_member(&assign.target, sources);
                    self.bind(&assign.target, sources);
                }
            }
            Stmt::AugAssign(assign) => {
                self.visit_expr(&assign.value);
                let sources = self.taint.take();
                self.bind(&assign.target, sources);
            }
            Stmt::While(_) => {
                self.note_flood(statement);
                visitor::walk_stmt(self, statement);
            }
            Stmt::For(each) => {
                self.note_flood(statement);
                self.visit_expr(&each.iter);
                let sources = self.taint.take();
                self.bind(&each.target, sources);
                self.visit_body(&each.body);
                self.visit_body(&each.orelse);
            }
            Stmt::With(with) => {
                for item in &with.items {
                    self.visit_expr(&item.context_expr);
                    let sources = self.taint.take();
                    if let Some(target) = &item.optional_vars {
                        self.note_stream(target, &item.context_expr);
                        self.bind(target, sources);
                    }
                }
                let silent = self.suppresses(with);
                self.follow_passing_over(&with.body, silent);
            }
            Stmt::Return(back) => {
                visitor::walk_stmt(self, statement);
                let held = self.taint.take();
                self.taint.give_back(held);
                // Tool input alone is an echo; within other text it is content that the server made from it.
                if held.any(TaintSources::TOOL_INPUT) && held.any(TaintSources::COMPOSED) {
                    let taint = TaintedArguments { first: held, ..TaintedArguments::default() };
                    self.keep("return".to_owned(), Vec::new(), taint, back.range());
                }
            }
            Stmt::Raise(raise) => {
                visitor::walk_stmt(self, statement);
                let held = self.taint.take();
                if held.any(TaintSources::TOKEN | TaintSources::SECRET) {
                    let taint = TaintedArguments { first: held, ..TaintedArguments::default() };
                    self.keep("throw".to_owned(), Vec::new(), taint, raise.range());
                }
            }
            _ => visitor::walk_stmt(self, statement),
        }
        self.taint.held = outer;
    }

    fn follow_function(&mut self, function: &'a ast::StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_decorator(decorator);
        }
        let given = self.given_to(function);
        // A function directly in the class's body is a method; one inside a method is not.
        let method = self.classes.last().filter(|(_, depth)| *depth == self.functions);
        let method = method.map(|(class, _)| format!("{class}.{}", function.name));
        // Callers do not pass `self`, so the parameters count from the one behind it.
        let skipped = usize::from(method.is_some() && !is_static(function));
        let key = method.unwrap_or_else(|| function.name.to_string());
        self.taint.name = Some(key.clone());
        self.taint.given = given;
        let (known, given) = self.taint.enter();
        self.visit_parameters(&function.parameters);
        self.taint.take();
        for (index, parameter) in function.parameters.iter_non_variadic_params().enumerate() {
            let name = parameter.name().as_str();
            // The framework gives these, never the model.
            let plain = matches!(name, "self" | "cls" | "ctx" | "context")
                || parameter.annotation().is_some_and(|annotation| self.is_bounded(annotation));
            let passed = index.checked_sub(skipped).and_then(|index| known.get(index)).copied().unwrap_or_default()
                | self.taint.named(&key, name);
            let bounded = plain && !matches!(name, "self" | "cls" | "ctx" | "context");
            let number = if bounded && (given | passed).any(TaintSources::TOOL_INPUT | TaintSources::TOOL_NUMBER) {
                TaintSources::TOOL_NUMBER
            } else {
                TaintSources::NONE
            };
            self.taint.declare(name, if plain { number } else { given | passed });
        }
        self.note_spread(function);
        self.functions += 1;
        let outside = self.asides.enter();
        self.visit_body(&function.body);
        self.asides.leave(outside);
        self.functions -= 1;
        self.taint.leave();
    }

    /// The taint sources that a caller from outside gives to a function's parameters.
    fn given_to(&self, function: &ast::StmtFunctionDef) -> TaintSources {
        for decorator in &function.decorator_list {
            let callee = match &decorator.expression {
                Expr::Call(call) => &*call.func,
                other => other,
            };
            let path = self.dotted(callee, 0).unwrap_or_default();
            let (owner, last) = path.rsplit_once('.').unwrap_or(("", &path));
            if matches!(last, "tool" | "mcp_tool" | "call_tool") {
                return TaintSources::TOOL_INPUT;
            }
            // `get` and `post` are methods of many things, so the owner must be named like a router as well.
            let routes = matches!(last, "route" | "get" | "post" | "put" | "patch" | "delete" | "websocket");
            if routes && matches!(owner, "app" | "router" | "api" | "bp" | "blueprint") {
                return TaintSources::REQUEST;
            }
        }
        TaintSources::NONE
    }

    /// True where an annotation leaves no room for text of the caller's choice.
    fn is_bounded(&self, annotation: &Expr) -> bool {
        let name = match annotation {
            Expr::Subscript(subscript) => self.dotted(&subscript.value, 0),
            other => self.dotted(other, 0),
        };
        let name = name.unwrap_or_default();
        matches!(name.rsplit('.').next(), Some("int" | "float" | "bool" | "Literal" | "Context" | "datetime" | "UUID"))
    }

    /// Gives what a value holds to a target of an assignment.
    fn bind(&mut self, target: &'a Expr, sources: TaintSources) {
        match target {
            Expr::Name(name) => self.taint.declare(name.id.as_str(), sources),
            Expr::Tuple(items) => items.elts.iter().for_each(|item| self.bind(item, sources)),
            Expr::List(items) => items.elts.iter().for_each(|item| self.bind(item, sources)),
            Expr::Starred(starred) => self.bind(&starred.value, sources),
            Expr::Attribute(_) | Expr::Subscript(_) => {
                if let Some(name) = root_of(target) {
                    // The parts of an object are not told apart, so that all of it holds what one was given.
                    self.taint.assign(name, sources & !TaintSources::COMPOSED, false);
                }
                if let Expr::Attribute(member) = target
                    && !sources.is_empty()
                    && let Some(key) = self.member_key(member)
                {
                    self.taint.assign_member(&key, sources & !TaintSources::COMPOSED);
                }
                if let (Expr::Attribute(member), true) = (target, sources.any(TaintSources::TOOL_INPUT)) {
                    self.visit_expr(&member.value);
                    self.taint.take();
                }
            }
            _ => {}
        }
    }

    /// Walks an expression; `false` where its parts are to be walked as they come.
    pub(super) fn follow_expression(&mut self, expression: &'a Expr) -> bool {
        match expression {
            Expr::Call(call) => self.follow_call(call),
            Expr::Name(name) => {
                let sources = self.taint.of(name.id.as_str());
                self.taint.held |= sources;
            }
            Expr::Attribute(member) => self.follow_attribute(expression, member),
            Expr::Subscript(subscript) => self.follow_subscript(subscript),
            Expr::BinOp(_) | Expr::FString(_) => {
                let outer = self.taint.take();
                visitor::walk_expr(self, expression);
                let held = self.taint.take();
                // Without a followed value it stays empty, so that the mark alone never counts as an origin.
                let mut joined = if held.is_empty() { held } else { held | TaintSources::COMPOSED };
                // XOR over bytes is decryption written by hand.
                if matches!(expression, Expr::BinOp(sum) if sum.op == ast::Operator::BitXor) {
                    joined |= TaintSources::DECODED;
                }
                self.taint.held = outer | joined;
            }
            Expr::Compare(compare) => self.follow_comparison(compare),
            Expr::UnaryOp(_) => {
                let outer = self.taint.take();
                visitor::walk_expr(self, expression);
                self.taint.held = outer;
            }
            Expr::If(choice) => {
                let outer = self.taint.take();
                // The test chooses a branch, but its value is in neither.
                self.visit_expr(&choice.test);
                self.taint.held = outer;
                self.visit_expr(&choice.body);
                self.visit_expr(&choice.orelse);
            }
            Expr::Lambda(lambda) => {
                let (known, given) = self.taint.enter();
                for (index, parameter) in
                    lambda.parameters.iter().flat_map(|all| all.iter_non_variadic_params()).enumerate()
                {
                    let passed = known.get(index).copied().unwrap_or_default();
                    self.taint.declare(parameter.name().as_str(), given | passed);
                }
                self.visit_expr(&lambda.body);
                let held = self.taint.take();
                self.taint.give_back(held);
                self.taint.leave();
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                let held = self.taint.held;
                self.bind(&named.target, held);
            }
            Expr::StringLiteral(text) => {
                self.taint.held |= self.taint.at_path(text.value.to_str());
                // The pattern for paths is costly, so literals are asked only in files that mention such a path at all.
                if self.mentions.secret_paths {
                    self.taint.held |= secrets::of_path(text.value.to_str());
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn follow_comprehension(&mut self, each: &'a ast::Comprehension) {
        let outer = self.taint.take();
        self.visit_expr(&each.iter);
        let sources = self.taint.take();
        self.bind(&each.target, sources);
        for condition in &each.ifs {
            self.visit_expr(condition);
        }
        self.taint.held = outer;
    }

    fn follow_attribute(&mut self, expression: &'a Expr, member: &'a ast::ExprAttribute) {
        let outer = self.taint.take();
        self.visit_expr(&member.value);
        let held = self.taint.take();
        let name = member.attr.as_str();
        // Flask's request is a global, which is known by its name alone.
        let request = matches!(&*member.value, Expr::Name(object) if object.id.as_str() == "request");
        let part = match name {
            "environ" if self.dotted(expression, 0).as_deref() == Some("os.environ") => TaintSources::ENVIRONMENT,
            "args" | "form" | "json" | "values" | "data" | "files" | "query_params" if request => {
                held | TaintSources::REQUEST
            }
            "text" | "content" | "data" | "body" => held & !(TaintSources::ENVIRONMENT | TaintSources::CONNECTION),
            // What `env` printed is the environment as a whole.
            "stdout" | "stderr" if held.any(TaintSources::PROCESS) => held,
            // States and sizes give nothing of the content away.
            "status_code" | "ok" | "reason" | "returncode" | "pid" | "size" => TaintSources::NONE,
            _ => held & !TaintSources::ENVIRONMENT,
        };
        let of_class = self.member_key(member).map_or(TaintSources::NONE, |key| self.taint.of(&key));
        self.taint.held = outer | part | of_class;
    }

    fn follow_subscript(&mut self, subscript: &'a ast::ExprSubscript) {
        let outer = self.taint.take();
        if self.mentions.environment && self.dotted(&subscript.value, 0).as_deref() == Some("os.environ") {
            self.visit_expr(&subscript.slice);
            let of_key = self.taint.take();
            let key = self.shape(&subscript.slice, 0);
            let secret = match &key {
                Argument::Literal(name) => secrets::is_secret_name(name),
                _ => self.reads_listed(subscript.range()),
            };
            self.keep("os.environ".to_owned(), vec![key], TaintedArguments::default(), subscript.range());
            let token = if secret { TaintSources::TOKEN } else { TaintSources::NONE };
            // `os.environ[name]` for each name of the environment takes all of it.
            self.taint.held = outer | token | (of_key & TaintSources::ENVIRONMENT);
            return;
        }
        self.visit_expr(&subscript.value);
        let mut held = self.taint.take() & !TaintSources::ENVIRONMENT;
        self.visit_expr(&subscript.slice);
        self.taint.take();
        let literal = matches!(&*subscript.value, Expr::StringLiteral(_) | Expr::BytesLiteral(_));
        // Only literal text is reversed to hide it; reversing data is ordinary.
        if literal && super::fold::reverses(&subscript.slice) {
            held |= TaintSources::DECODED;
        }
        self.taint.held = outer | held;
    }

    fn follow_call(&mut self, call: &'a ast::ExprCall) {
        let name = self.dotted(&call.func, 0).unwrap_or_default();
        let outer = self.taint.take();
        match &*call.func {
            Expr::Attribute(member) => self.visit_expr(&member.value),
            other => self.visit_expr(other),
        }
        let mut taint = TaintedArguments { receiver: self.taint.take(), ..TaintedArguments::default() };
        let mut passed = Vec::new();
        for (index, argument) in call.arguments.args.iter().enumerate() {
            // The lambda is given what its receiver holds, and must know it before its body is walked.
            if matches!(argument, Expr::Lambda(_)) {
                self.taint.given = taint.receiver;
            }
            self.visit_expr(argument);
            let sources = self.taint.take();
            if index == 0 {
                taint.first = sources;
            } else {
                taint.rest |= sources;
            }
            passed.push(sources);
        }
        // Methods go by their class, since two classes may both have a `run`.
        let local = match &*call.func {
            Expr::Attribute(member) => self.member_key(member),
            // A class that is called gives its arguments to the method that makes the object.
            Expr::Name(class) if self.class_names.contains(class.id.as_str()) => Some(format!("{}.__init__", class.id)),
            _ => None,
        };
        let local = local.as_deref().unwrap_or(&name);
        for keyword in &call.arguments.keywords {
            self.visit_expr(&keyword.value);
            let mut sources = self.taint.take();
            let parameter = keyword.arg.as_ref().map(ast::Identifier::as_str);
            if parameter.is_some_and(sources::is_authorization) && !names_no_caller(&keyword.value) {
                // A token in a header is what it is there for.
                sources = sources & !TaintSources::TOKEN;
            }
            taint.rest |= sources;
            if let Some(parameter) = parameter {
                self.taint.pass_named(local, parameter, sources);
            }
        }
        let method = name.rsplit('.').next().unwrap_or_default();
        let literals = [literal(call.arguments.args.first()), literal(call.arguments.args.get(1))];
        let member = if let Expr::Attribute(member) = &*call.func { Some(member) } else { None };
        // By the name of the method alone: what it is called on may be made just there.
        if sources::is_question(member.map_or(method, |member| member.attr.as_str())) {
            let object = member.map(|member| &*member.value);
            object.into_iter().chain(&*call.arguments.args).for_each(|asked| self.question_about(asked_root(asked)));
        }
        if let (Expr::Attribute(member), true) = (&*call.func, sources::is_growth(method))
            && let Expr::Name(list) = &*member.value
        {
            self.taint.assign(list.id.as_str(), taint.arguments() & !TaintSources::COMPOSED, false);
        }
        // `parser.read(path)` fills the parser with what stands there.
        if let (Expr::Attribute(member), "read" | "read_file", true) =
            (&*call.func, method, taint.first.any(TaintSources::SECRET_PATH))
            && let Expr::Name(parser) = &*member.value
        {
            self.taint.assign(parser.id.as_str(), TaintSources::SECRET, false);
        }
        if sinks::runs_text(&name) && !matches!(call.arguments.args.first(), Some(Expr::StringLiteral(_)) | None) {
            self.taint.runs_text = true;
        }
        self.note_written(&name, method, taint, call);
        self.keep_stored(&name, method, taint, call);
        self.keep_flowing(&name, method, taint, call);
        let mut result =
            sources::python_call(&TaintedCall { callee: &name, taint, literals }) | self.taint.returns(local);
        // A command in a list tells by all of its words, of which `literals` has the first alone.
        if let (true, Some(list @ Expr::List(_))) = (name.starts_with("subprocess."), call.arguments.args.first())
            && let Argument::Literal(command) | Argument::Composed(command) = self.shape(list, 0)
        {
            result |= secrets::told_by_command(&command, taint.first);
        }
        // `bytes([104, 116, …])` is text that was written as numbers.
        if matches!(name.as_str(), "bytes" | "bytearray")
            && call.arguments.args.first().is_some_and(super::fold::is_numbers)
        {
            result |= TaintSources::DECODED;
        }
        // One variable is not the environment: it matters where its name is that of a secret.
        if matches!(name.as_str(), "os.getenv" | "os.environ.get") {
            let secret = match literals[0] {
                Some(name) => secrets::is_secret_name(name),
                None => self.reads_listed(call.range()),
            };
            let token = if secret { TaintSources::TOKEN } else { TaintSources::NONE };
            result = token | (taint.first & TaintSources::ENVIRONMENT);
        }
        self.taint.pass(local, &passed);
        if let ("add_tool", Some(Expr::Name(handler))) = (method, call.arguments.args.first()) {
            self.taint.pass(handler.id.as_str(), &[TaintSources::TOOL_INPUT; 8]);
        }
        self.taint.held = outer | result;
    }
}

fn literal(argument: Option<&Expr>) -> Option<&str> {
    match argument? {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        // In `["git", "status"]` the first word is the program.
        Expr::List(list) => literal(list.elts.first()),
        _ => None,
    }
}

/// True for headers that are written out, of which none is where a caller names itself.
fn names_no_caller(headers: &Expr) -> bool {
    let Expr::Dict(dict) = headers else { return false };
    let names = |key: &Expr| match key {
        Expr::StringLiteral(text) => {
            let lower = text.value.to_str().to_ascii_lowercase();
            ["auth", "key", "token", "cookie", "secret", "bearer", "credential", "session"]
                .iter()
                .any(|word| lower.contains(word))
        }
        _ => true,
    };
    !dict.items.iter().any(|item| item.key.as_ref().is_none_or(names))
}
