//! Taint propagation in JavaScript and TypeScript: each form of expression hands on the sources of its parts.
//!
//! The walk leaves in `taint.held` what the expression just walked may hold; whoever combines parts takes and joins.

use oxc_ast::ast::{
    Argument as Node, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, BindingPattern, Expression,
    ForStatementLeft, FormalParameters, Function, ObjectExpression, ObjectPropertyKind, StaticMemberExpression,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;

use super::super::sources::{self, TaintedCall};
use super::super::taint::{TaintSources, TaintedArguments};
use super::super::{Argument, known_calls, sinks};
use super::names::{folded, is_sum};
use super::parts::{is_function, is_request, is_sign, literal, reverses_literal, root_of, stream_path};
use super::{JavascriptReader, method_of};

/// Properties that hold what a tool does.
const HANDLERS: [&str; 8] = ["execute", "handler", "run", "callback", "invoke", "cb", "func", "action"];

/// Methods whose callback is given what the object holds.
const HANDING: [&str; 13] = [
    "then",
    "map",
    "forEach",
    "flatMap",
    "filter",
    "reduce",
    "find",
    "some",
    "every",
    "on",
    "once",
    "addListener",
    "subscribe",
];

impl<'t> JavascriptReader<'t> {
    /// Walks a call or construction: what reaches it, what it gives, and whether it is kept.
    pub(super) fn follow_call<'a>(&mut self, callee: &Expression<'a>, arguments: &[Node<'a>], span: Span, new: bool) {
        let name = self.dotted(callee, 0).or_else(|| method_of(callee)).unwrap_or_default();
        let method = name.rsplit('.').next().unwrap_or_default();
        let outer = self.taint.take();
        let mut taint = TaintedArguments::default();
        // A function that is called where it stands leaves here what it returned; an earlier one must not.
        self.taint.returned = TaintSources::NONE;
        match callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => self.visit_expression(&member.object),
            other => self.visit_expression(other),
        }
        taint.receiver = self.taint.take();
        // `(() => {…})()`: the callee was walked just now, and what it returned is the call's value.
        let at_once = is_function(callee);
        let mut given_back = if at_once { self.taint.returned } else { TaintSources::NONE };
        let registers = registers_tool(method, arguments);
        let bounded = if registers { self.bounded_arguments(arguments) } else { Vec::new() };
        let literals = [literal(arguments.first()), literal(arguments.get(1))];
        let mut passed = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let function = argument.as_expression().is_some_and(is_function);
            if function {
                self.safe.clone_from(&bounded);
                self.taint.given = given(&name, method, taint, literals, registers);
            } else if let (true, Some(Expression::Identifier(handler))) =
                (registers && index > 0, argument.as_expression())
            {
                self.taint.pass(handler.name.as_str(), &[TaintSources::TOOL_INPUT]);
            }
            self.visit_argument(argument);
            let sources = self.taint.take();
            if function {
                given_back |= self.taint.returned;
            }
            if index == 0 {
                taint.first = sources;
            } else {
                taint.rest |= sources;
            }
            passed.push(sources);
        }
        if sinks::runs_text(&name) && !matches!(arguments.first(), Some(Node::StringLiteral(_)) | None) {
            self.taint.runs_text = true;
        }
        self.keep_hidden_name(&name, callee, arguments, span);
        self.note_questions(method, callee, arguments);
        self.note_growth(method, callee, taint);
        self.note_written(&name, method, taint, arguments);
        self.keep_flowing(&name, taint, arguments, span);
        let mut result =
            sources::javascript_call(&TaintedCall { callee: &name, taint, literals }) | self.taint.returns(&name);
        let meant = self.method_meant(&name, callee).filter(|meant| *meant != name);
        if let Some(meant) = &meant {
            result |= self.taint.returns(meant);
            self.taint.pass(meant, &passed);
        }
        // Text is spelt by letters: a quotation mark by its number is a way to write one.
        if name.starts_with("String.from") && is_sign(arguments) {
            result = result & !TaintSources::DECODED;
        }
        if method == "reverse" && reverses_literal(callee) {
            result |= TaintSources::DECODED;
        }
        if at_once || HANDING.contains(&method) {
            result |= given_back;
        }
        if name == "resolve" {
            self.taint.promised |= taint.first;
        } else if new && name == "Promise" {
            result |= std::mem::take(&mut self.taint.promised);
        }
        self.taint.pass(&name, &passed);
        self.taint.held = outer | result;
    }

    /// Keeps a call that is worth knowing by its name, or only by what reaches it.
    fn keep_flowing(&mut self, name: &str, taint: TaintedArguments, arguments: &[Node<'_>], span: Span) {
        if known_calls::is_kept_javascript(name) {
            return self.keep_call(name, arguments, taint, span);
        }
        // The name of a relative import: another file of the package, which is not followed from here.
        if name.starts_with('.') && taint.arguments().any(TaintSources::SECRET | TaintSources::ENVIRONMENT) {
            return self.keep(format!("handed:{name}"), Vec::new(), taint, span);
        }
        let method = name.rsplit('.').next().unwrap_or_default();
        let connected = TaintSources::CONNECTION;
        // `socket.pipe(shell.stdin)`: a connection that is joined to a process is a remote shell.
        let joins = method == "pipe" && taint.all().any(connected) && taint.all().any(TaintSources::PROCESS);
        if joins || (taint.receiver.any(connected) && known_calls::SENDING.contains(&method)) {
            return self.keep(format!("connection.{method}"), Vec::new(), taint, span);
        }
        // What a started program is fed.
        let fed = taint.arguments().any(TaintSources::ANSWER | TaintSources::DECODED);
        if fed && taint.receiver.any(TaintSources::PROCESS) && matches!(method, "write" | "end") {
            return self.keep("process.write".to_owned(), Vec::new(), taint, span);
        }
        let leaks = taint.arguments().any(TaintSources::TOKEN | TaintSources::SECRET);
        if leaks && (name.starts_with("console.") || matches!(method, "info" | "debug" | "warn" | "error" | "log")) {
            return self.keep("console.log".to_owned(), Vec::new(), taint, span);
        }
        // `.then(eval)` hands the evaluator over by name and never calls it, so that no call of it is met.
        if method == "then" && taint.receiver.any(TaintSources::ANSWER | TaintSources::DECODED) {
            let taker = arguments.first().and_then(Node::as_expression).and_then(|node| self.dotted(node, 0));
            if let Some(taker) = taker.filter(|taker| sinks::runs_text(taker)) {
                let handed = TaintedArguments { first: taint.receiver, ..TaintedArguments::default() };
                self.keep(taker, vec![Argument::Other], handed, span);
            }
        }
        // A merge by key lets `__proto__` in, which changes every object of the process.
        let merges = matches!(name, "Object.assign" | "lodash.merge" | "_.merge" | "lodash.defaultsDeep" | "deepmerge");
        if merges && taint.rest.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) {
            self.keep("merge".to_owned(), Vec::new(), taint, span);
        }
    }

    /// Keeps that a module or a function is named by text in pieces: `require("child_" + "process")`.
    fn keep_hidden_name(&mut self, name: &str, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        let hidden = match (name, callee.get_inner_expression()) {
            ("require" | "__require", _) => arguments.first().and_then(Node::as_expression),
            (_, Expression::ComputedMemberExpression(member)) => Some(&member.expression),
            _ => None,
        };
        // A plain literal hides nothing; only text in pieces does.
        if let Some(text) = hidden.filter(|hidden| is_sum(hidden)).and_then(|hidden| folded(hidden, 0)) {
            self.keep("hidden-name".to_owned(), vec![Argument::Literal(text)], TaintedArguments::default(), span);
        }
    }

    /// A value that is pushed into a list is in the list.
    fn note_growth(&mut self, method: &str, callee: &Expression<'_>, taint: TaintedArguments) {
        // An archive into which a secret's file is put holds the secret.
        let packs = matches!(method, "directory" | "file" | "addLocalFolder" | "addLocalFile" | "folder" | "glob");
        let packed = packs && taint.arguments().any(TaintSources::SECRET_PATH);
        if taint.arguments().is_empty() || !(sources::is_growth(method) || packed) {
            return;
        }
        let secret = if packed { TaintSources::SECRET } else { TaintSources::NONE };
        if let Expression::StaticMemberExpression(member) = callee.get_inner_expression()
            && let Expression::Identifier(list) = member.object.get_inner_expression()
        {
            let unique = self.is_unique(list.name.as_str());
            let held = (taint.arguments() & !TaintSources::COMPOSED) | secret;
            self.taint.assign(list.name.as_str(), held, unique);
        }
    }

    /// A value about which a question is asked counts as checked from here on.
    fn note_questions(&mut self, method: &str, callee: &Expression<'_>, arguments: &[Node<'_>]) {
        if !sources::is_question(method) {
            return;
        }
        let object = match callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => Some(&member.object),
            _ => None,
        };
        for asked in object.into_iter().chain(arguments.iter().filter_map(Node::as_expression)) {
            if let Some(name) = root_of(asked).filter(|name| !self.taint.of(name).is_empty()) {
                self.taint.assign(name, TaintSources::CHECKED, false);
            }
        }
    }

    /// A file to which something from the network is written.
    fn note_written(&mut self, name: &str, method: &str, taint: TaintedArguments, arguments: &[Node<'_>]) {
        let Some(first) = arguments.first().and_then(Node::as_expression) else { return };
        let writes =
            name.starts_with("fs") && matches!(method, "writeFile" | "writeFileSync" | "outputFile" | "appendFileSync");
        let path = literal(arguments.first()).filter(|_| writes);
        if let Some(path) = path {
            self.taint.write_to(path, taint.rest.in_file());
        }
        // The variable that names the file is marked, so that a later call that runs it is recognised.
        let target = if writes && taint.rest.any(TaintSources::ANSWER) {
            root_of(first).map(str::to_owned)
        } else if method == "pipe" && taint.receiver.any(TaintSources::ANSWER) {
            match first.get_inner_expression() {
                Expression::CallExpression(stream) => stream_path(stream).map(str::to_owned),
                Expression::Identifier(stream) => self.streams.get(stream.name.as_str()).cloned(),
                _ => None,
            }
        } else {
            None
        };
        if let Some(target) = target {
            let unique = self.is_unique(&target);
            self.taint.assign(&target, TaintSources::FETCHED_FILE, unique);
        }
    }

    /// True where a name is bound at most once in the file.
    pub(super) fn is_unique(&self, name: &str) -> bool {
        self.names.get(name).is_none_or(|binding| binding.declared <= 1)
    }

    pub(super) fn follow_declarator<'a>(&mut self, it: &VariableDeclarator<'a>) {
        let outer = self.taint.take();
        if let Some(init) = &it.init {
            if let (BindingPattern::BindingIdentifier(name), true) = (&it.id, is_function(init)) {
                // A name that is bound twice may be another function where it is called.
                self.taint.name = self.is_unique(name.name.as_str()).then(|| name.name.to_string());
            }
            if let (BindingPattern::BindingIdentifier(name), Expression::CallExpression(call)) =
                (&it.id, init.get_inner_expression())
                && let Some(path) = stream_path(call)
            {
                self.streams.insert(name.name.to_string(), path.to_owned());
            }
            // The callback of a connection uses the name that the connection is only being given.
            if let (BindingPattern::BindingIdentifier(name), Expression::CallExpression(call)) =
                (&it.id, init.get_inner_expression())
                && call.arguments.iter().filter_map(Node::as_expression).any(is_function)
                && self.dotted(&call.callee, 0).is_some_and(|callee| sources::is_javascript_client(&callee))
            {
                self.taint.declare(name.name.as_str(), TaintSources::CONNECTION);
            }
            self.visit_expression(init);
        }
        let sources = self.taint.take();
        self.visit_binding_pattern(&it.id);
        self.declare_pattern(&it.id, sources);
        self.declare_environment(it);
        self.taint.held = outer;
    }

    fn declare_pattern(&mut self, pattern: &BindingPattern<'_>, sources: TaintSources) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => self.taint.declare(name.name.as_str(), sources),
            BindingPattern::ObjectPattern(pattern) => {
                for property in &pattern.properties {
                    let key = property.key.static_name();
                    // An argument that the schema limits to a number or a choice cannot carry text of the caller's.
                    let safe = key.is_some_and(|key| self.safe.iter().any(|name| *name == key));
                    let part = if safe { TaintSources::NONE } else { sources & !TaintSources::ENVIRONMENT };
                    self.declare_pattern(&property.value, part);
                }
                if let Some(rest) = &pattern.rest {
                    self.declare_pattern(&rest.argument, sources);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                for element in pattern.elements.iter().flatten() {
                    self.declare_pattern(element, sources);
                }
            }
            BindingPattern::AssignmentPattern(with_default) => self.declare_pattern(&with_default.left, sources),
        }
    }

    pub(super) fn follow_assignment<'a>(&mut self, it: &AssignmentExpression<'a>) {
        let outer = self.taint.take();
        if let (AssignmentTarget::StaticMemberExpression(member), true) = (&it.left, is_function(&it.right)) {
            let this = matches!(member.object, Expression::ThisExpression(_));
            self.taint.name = this.then(|| format!("this.{}", member.property.name));
        }
        self.visit_expression(&it.right);
        let mut sources = self.taint.take();
        // `^=` over bytes is decryption written by hand.
        if it.operator.as_str() == "^=" {
            sources |= TaintSources::DECODED;
        }
        match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                let unique = self.is_unique(name.name.as_str());
                self.taint.assign(name.name.as_str(), sources, unique);
            }
            AssignmentTarget::StaticMemberExpression(member) => {
                self.note_member(member, sources);
                self.assign_root(&member.object, sources);
            }
            AssignmentTarget::ComputedMemberExpression(member) => {
                self.visit_expression(&member.expression);
                let key = self.taint.take();
                // `object[input] = …` with an unchecked key reaches `__proto__`.
                if key.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) && !key.any(TaintSources::CHECKED) {
                    let taint = TaintedArguments { receiver: TaintSources::NONE, first: key, rest: sources };
                    self.keep("merge".to_owned(), Vec::new(), taint, it.span);
                }
                self.assign_root(&member.object, sources | key);
            }
            other => self.visit_assignment_target(other),
        }
        self.taint.held = outer | sources;
    }

    fn assign_root(&mut self, object: &Expression<'_>, sources: TaintSources) {
        self.visit_expression(object);
        // What the object held before is not part of what is assigned.
        self.taint.take();
        if let Some(name) = root_of(object) {
            self.taint.assign(name, sources, false);
        }
    }

    pub(super) fn follow_loop<'a>(&mut self, left: &ForStatementLeft<'a>, right: &Expression<'a>) {
        let outer = self.taint.take();
        self.visit_expression(right);
        let sources = self.taint.take();
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                for declarator in &declaration.declarations {
                    self.declare_pattern(&declarator.id, sources);
                }
            }
            ForStatementLeft::AssignmentTargetIdentifier(name) => {
                let unique = self.is_unique(name.name.as_str());
                self.taint.assign(name.name.as_str(), sources, unique);
            }
            _ => {}
        }
        self.taint.held = outer;
    }

    /// Enters a function before its parameters and body are walked; `leave_function` ends what this begins.
    pub(super) fn enter_function(&mut self, it: &Function<'_>) {
        if let Some(id) = it.id.as_ref().filter(|id| self.is_unique(id.name.as_str())) {
            self.taint.name = Some(id.name.to_string());
        }
        self.enter(&it.params);
    }

    pub(super) fn leave_function(&mut self) {
        self.taint.leave();
    }

    pub(super) fn follow_arrow<'a>(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.enter(&it.params);
        self.asides.enter();
        self.visit_formal_parameters(&it.params);
        self.taint.take();
        self.visit_arrow_function_body(&it.body);
        let sources = self.taint.take();
        self.taint.give_back(sources);
        self.taint.leave();
        self.asides.leave();
    }

    fn enter(&mut self, parameters: &FormalParameters<'_>) {
        let (known, given) = self.taint.enter();
        for (index, parameter) in parameters.items.iter().enumerate() {
            // A handler's first parameter has the tool's arguments; the next is the context, which the server makes.
            let given = if index == 0 { given } else { given & !TaintSources::TOOL_INPUT };
            let passed = known.get(index).copied().unwrap_or_default();
            self.declare_pattern(&parameter.pattern, given | passed);
        }
        // The schema bounds the handler's own parameters, not those of functions inside it.
        self.safe.clear();
        if let Some(rest) = &parameters.rest {
            let passed = known.iter().skip(parameters.items.len()).fold(given, |all, sources| all | *sources);
            self.declare_pattern(&rest.rest.argument, passed);
        }
    }

    pub(super) fn follow_object<'a>(&mut self, it: &ObjectExpression<'a>) {
        let has = |wanted: &str| {
            it.properties.iter().any(|property| {
                matches!(property, ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(wanted))
            })
        };
        // A handler beside a name and a description is a tool's, wherever the object is registered.
        let tool = has("name") && has("description") && HANDLERS.iter().any(|handler| has(handler));
        for property in &it.properties {
            if let (true, ObjectPropertyKind::ObjectProperty(property)) = (tool, property)
                && HANDLERS.iter().any(|handler| property.key.is_specific_static_name(handler))
                && is_function(&property.value)
            {
                self.taint.given = TaintSources::TOOL_INPUT;
            }
            let outer = self.taint.take();
            self.visit_object_property_kind(property);
            let mut held = self.taint.take();
            // A token in a header is what it is there for.
            if let ObjectPropertyKind::ObjectProperty(property) = property
                && property.key.static_name().is_some_and(|key| sources::is_authorization(&key))
            {
                held = held & !TaintSources::TOKEN;
            }
            self.taint.held = outer | held;
        }
    }

    /// Follows the property of an object to the part that it may hold.
    pub(super) fn follow_member<'a>(&mut self, it: &StaticMemberExpression<'a>) {
        let outer = self.taint.take();
        walk::walk_static_member_expression(self, it);
        let held = self.taint.take();
        let name = it.property.name.as_str();
        let part = match name {
            // Sizes and states give nothing of the content away.
            "length" | "size" | "status" | "statusCode" | "ok" | "byteLength" | "statusText" | "pid" => {
                TaintSources::NONE
            }
            "query" | "body" | "params" if is_request(&it.object) => held | TaintSources::REQUEST,
            // A process stands for its pipes: joined to a connection they are a remote shell.
            "stdin" | "stdout" | "stderr" => held,
            "text" | "content" | "data" | "body" => held & !(TaintSources::ENVIRONMENT | TaintSources::CONNECTION),
            _ => held & !TaintSources::ENVIRONMENT,
        };
        self.taint.held = outer | part | self.of_member(it);
    }

    /// Keeps what is thrown where it holds a secret, and forgets what was held.
    pub(super) fn keep_leak(&mut self, callee: &str, wanted: TaintSources, span: Span) {
        let held = self.taint.take();
        if held.any(wanted) {
            self.keep(
                callee.to_owned(),
                Vec::new(),
                TaintedArguments { first: held, ..TaintedArguments::default() },
                span,
            );
        }
    }
}

/// True where a call registers a tool's handler.
fn registers_tool(method: &str, arguments: &[Node<'_>]) -> bool {
    match method {
        "tool" | "registerTool" | "addTool" | "registerAppTool" => arguments.len() > 1,
        // The low-level server registers by schema; that of tool calls is `CallToolRequestSchema`.
        "setRequestHandler" => arguments.first().and_then(Node::as_expression).is_some_and(|first| {
            matches!(first.get_inner_expression(), Expression::Identifier(name) if name.name.as_str().contains("CallTool"))
        }),
        _ => false,
    }
}

/// The taint sources that a callback's parameters are given.
fn given(
    name: &str,
    method: &str,
    taint: TaintedArguments,
    literals: [Option<&str>; 2],
    registers: bool,
) -> TaintSources {
    if registers {
        return TaintSources::TOOL_INPUT;
    }
    if HANDING.contains(&method) {
        let answer =
            if taint.receiver.any(TaintSources::CONNECTION) { TaintSources::ANSWER } else { TaintSources::NONE };
        return (taint.receiver & !TaintSources::COMPOSED) | answer;
    }
    // These callbacks are given requests or a pair of functions, never what the call itself gives.
    if method == "createServer" || method == "Promise" {
        return TaintSources::NONE;
    }
    sources::javascript_call(&TaintedCall { callee: name, taint, literals })
}
