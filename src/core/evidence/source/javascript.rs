//! JavaScript and TypeScript: what oxc's parser sees, in two walks: first what names stand for, then what is done.
//!
//! Must not judge. A name counts as a constant or an alias only where the file binds it once, or always to the same
//! thing: bundlers use the same short names again and again.

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument as Node, ArrayExpression, ArrayExpressionElement, AssignmentExpression, AssignmentTarget, BinaryOperator,
    BindingIdentifier, BindingPattern, CallExpression, ChainElement, Class, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, NewExpression, ObjectExpression, ObjectPropertyKind, SpreadElement,
    StaticMemberExpression, TSEnumDeclaration, TSEnumMemberName, TemplateLiteral, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};
use serde_json::{Map, Value};

use super::literal::{Budget, join};
use super::{Argument, Call, Dialect, Findings, Parsed, callees, excerpt, script_tools, zod};

/// How deep the shape of an expression is followed.
const MAX_DEPTH: usize = 32;

/// Parses a file in the dialects that its name allows, the likeliest first.
pub(super) fn parse(text: &str, path: &str, dialect: Dialect) -> Parsed {
    let kinds: &[SourceType] = match dialect {
        Dialect::TypeScript => &[SourceType::ts(), SourceType::tsx()],
        Dialect::Tsx => &[SourceType::tsx(), SourceType::ts()],
        Dialect::Jsx => &[SourceType::jsx()],
        Dialect::Script | Dialect::Python => &[SourceType::unambiguous(), SourceType::cjs()],
    };
    let mut message = String::new();
    for kind in kinds {
        let allocator = Allocator::default();
        let options =
            ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, text, *kind).with_options(options).parse();
        if !parsed.panicked {
            let mut reader = Reader::new(text, path);
            reader.visit_program(&parsed.program);
            reader.naming = false;
            reader.visit_program(&parsed.program);
            reader.findings.exhausted = reader.budget.exhausted;
            return Parsed::Read(reader.findings);
        }
        message = parsed.diagnostics.iter().next().map_or_else(String::new, ToString::to_string);
    }
    Parsed::Refused(message)
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    /// A module or a member of one, or a global.
    Alias(String),
    /// A literal value.
    Value(Value),
    /// What has only a shape.
    Shape(Argument),
}

#[derive(Default)]
struct Binding {
    declared: u32,
    explained: u32,
    meaning: Option<Meaning>,
    /// Whether two declarations differ or it is assigned again.
    doubtful: bool,
}

/// Walks a program twice: while `naming`, it learns what names stand for; then it collects.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) path: &'t str,
    names: BTreeMap<String, Binding>,
    pub(super) findings: Findings,
    budget: Budget,
    naming: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, path: &'t str) -> Self {
        let (names, findings) = (BTreeMap::new(), Findings::default());
        Self { text, path, names, findings, budget: Budget::new(), naming: true }
    }

    fn explain(&mut self, name: &str, meaning: Meaning) {
        let binding = self.names.entry(name.to_owned()).or_default();
        binding.explained += 1;
        match &binding.meaning {
            Some(known) if *known != meaning => binding.doubtful = true,
            Some(_) => {}
            None => binding.meaning = Some(meaning),
        }
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        let binding = self.names.get(name)?;
        let sure = !binding.doubtful && binding.explained >= binding.declared;
        if sure { binding.meaning.as_ref() } else { None }
    }

    /// The value of a constant of this file.
    pub(super) fn constant(&mut self, name: &str) -> Option<Value> {
        match self.meaning(name)? {
            Meaning::Value(value) => {
                let value = value.clone();
                self.budget.take(value)
            }
            _ => None,
        }
    }

    /// The dotted name of an expression, aliases resolved; `None` where it has none.
    pub(super) fn dotted(&self, expression: &Expression<'_>, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        match expression.get_inner_expression() {
            Expression::Identifier(name) => Some(match self.meaning(name.name.as_str()) {
                Some(Meaning::Alias(path)) => path.clone(),
                _ => name.name.to_string(),
            }),
            Expression::ThisExpression(_) => Some("this".to_owned()),
            Expression::StaticMemberExpression(member) => {
                let object = self.dotted(&member.object, depth + 1);
                Some(member_of(object, member.property.name.as_str()))
            }
            Expression::ComputedMemberExpression(member) => match member.expression.get_inner_expression() {
                Expression::StringLiteral(key) => {
                    Some(member_of(self.dotted(&member.object, depth + 1), key.value.as_str()))
                }
                _ => None,
            },
            Expression::SequenceExpression(sequence) => self.dotted(sequence.expressions.last()?, depth + 1),
            Expression::AwaitExpression(waiting) => self.dotted(&waiting.argument, depth + 1),
            Expression::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => Some(callees::script_module(source.value.as_str()).to_owned()),
                _ => None,
            },
            Expression::CallExpression(call) => self.through_call(call, depth),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::StaticMemberExpression(member) => {
                    let object = self.dotted(&member.object, depth + 1);
                    Some(member_of(object, member.property.name.as_str()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Calls whose result stands for one of their arguments: `require("x")`, `promisify(exec)`, a bundler's wrappers.
    fn through_call(&self, call: &CallExpression<'_>, depth: usize) -> Option<String> {
        let first = call.arguments.first()?.as_expression()?;
        let callee = self.dotted(&call.callee, depth + 1)?;
        let last = callee.rsplit('.').next().unwrap_or_default();
        match (last, first) {
            ("require" | "__require" | "requireModule", Expression::StringLiteral(module)) => {
                Some(callees::script_module(module.value.as_str()).to_owned())
            }
            (
                "promisify"
                | "__toESM"
                | "__importStar"
                | "__importDefault"
                | "_interopRequireDefault"
                | "_interopRequireWildcard"
                | "_interopNamespace",
                _,
            ) => self.dotted(first, depth + 1),
            (_, Expression::CallExpression(inner)) if call.arguments.len() <= 2 => {
                match inner.callee.get_inner_expression() {
                    Expression::Identifier(name) if matches!(name.name.as_str(), "require" | "__require") => {
                        self.through_call(inner, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The shape of an expression as an argument.
    fn shape(&mut self, expression: &Expression<'_>, depth: usize) -> Argument {
        if depth > MAX_DEPTH {
            return Argument::Other;
        }
        match expression.get_inner_expression() {
            Expression::StringLiteral(text) => Argument::Literal(text.value.to_string()),
            Expression::TemplateLiteral(template) => self.template(template, depth),
            Expression::BinaryExpression(_) => self.sum(expression.get_inner_expression(), depth),
            Expression::Identifier(name) => match self.meaning(name.name.as_str()) {
                Some(Meaning::Alias(path)) => Argument::Name(path.clone()),
                Some(Meaning::Value(Value::String(text))) => Argument::Literal(text.clone()),
                Some(Meaning::Shape(shape)) => shape.clone(),
                _ => Argument::Name(name.name.to_string()),
            },
            Expression::AwaitExpression(waiting) => self.shape(&waiting.argument, depth + 1),
            Expression::ArrayExpression(list) => self.list(list, depth),
            Expression::ObjectExpression(object) => Argument::Named(self.named(object)),
            Expression::CallExpression(call) => self.result(call, depth),
            Expression::ConditionalExpression(choice) => {
                let (first, second) =
                    (self.shape(&choice.consequent, depth + 1), self.shape(&choice.alternate, depth + 1));
                either(first, second)
            }
            Expression::LogicalExpression(choice) => {
                let (first, second) = (self.shape(&choice.left, depth + 1), self.shape(&choice.right, depth + 1));
                either(first, second)
            }
            other => match self.value(other, depth + 1) {
                Some(Value::String(text)) => Argument::Literal(text),
                _ => self.dotted(other, depth + 1).map_or(Argument::Other, Argument::Name),
            },
        }
    }

    fn template(&mut self, template: &TemplateLiteral<'_>, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().map_or(quasi.value.raw.as_str(), |cooked| cooked.as_str());
            pieces.push(Argument::Literal(text.to_owned()));
            if let Some(expression) = template.expressions.get(index) {
                pieces.push(self.shape(expression, depth + 1));
            }
        }
        join(&pieces, "").unwrap_or(Argument::Other)
    }

    /// A sum, taken apart without recursion on its left side: long concatenations are common.
    fn sum(&mut self, expression: &Expression<'_>, depth: usize) -> Argument {
        let mut operands = Vec::new();
        let mut rest = expression;
        while let Expression::BinaryExpression(binary) = rest {
            if binary.operator != BinaryOperator::Addition {
                break;
            }
            operands.push(&binary.right);
            rest = binary.left.get_inner_expression();
        }
        if operands.is_empty() {
            return Argument::Other;
        }
        operands.push(rest);
        let mut pieces = Vec::new();
        for operand in operands.into_iter().rev() {
            pieces.push(match operand.get_inner_expression() {
                Expression::BinaryExpression(_) => Argument::Other,
                operand => self.shape(operand, depth + 1),
            });
        }
        join(&pieces, "").unwrap_or(Argument::Other)
    }

    fn list(&mut self, list: &ArrayExpression<'_>, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        for element in list.elements.iter().take(64) {
            pieces.push(element.as_expression().map_or(Argument::Other, |element| self.shape(element, depth + 1)));
        }
        join(&pieces, " ").unwrap_or(Argument::Other)
    }

    fn named(&mut self, object: &ObjectExpression<'_>) -> Vec<(String, String)> {
        let mut named = Vec::new();
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let Some(key) = property.key.static_name() else { continue };
            let value = match property.value.get_inner_expression() {
                Expression::BooleanLiteral(value) => Some(value.value.to_string()),
                Expression::NumericLiteral(value) => Some(value.value.to_string()),
                Expression::StringLiteral(value) => Some(value.value.to_string()),
                Expression::TemplateLiteral(_) | Expression::Identifier(_) => {
                    match self.shape(&property.value, MAX_DEPTH - 2) {
                        Argument::Literal(text) => Some(text),
                        _ => None,
                    }
                }
                _ => None,
            };
            named.extend(value.map(|value| (key.to_string(), value)));
        }
        named
    }

    /// The shape of a call's result: paths are joined, conversions looked through, the rest named by its callee.
    fn result(&mut self, call: &CallExpression<'_>, depth: usize) -> Argument {
        if let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() {
            let method = member.property.name.as_str();
            if matches!(
                method,
                "toString" | "trim" | "trimEnd" | "replace" | "toLowerCase" | "slice" | "concat" | "normalize"
            ) && !matches!(member.object.get_inner_expression(), Expression::Identifier(_))
            {
                return self.shape(&member.object, depth + 1);
            }
        }
        if let Some(Value::String(text)) = self.value_of_call(call, depth + 1) {
            return Argument::Literal(text);
        }
        let Some(callee) = self.dotted(&call.callee, depth + 1) else { return Argument::Other };
        if matches!(callee.as_str(), "path.join" | "path.resolve" | "path.posix.join" | "path.win32.join") {
            let mut pieces = Vec::new();
            for argument in call.arguments.iter().take(32) {
                pieces.push(argument.as_expression().map_or(Argument::Other, |node| self.shape(node, depth + 1)));
            }
            return join(&pieces, "/").unwrap_or(Argument::Other);
        }
        Argument::Result(callee)
    }

    /// The literal value of an expression; parts of objects and lists that are none are left out.
    pub(super) fn value(&mut self, expression: &Expression<'_>, depth: usize) -> Option<Value> {
        if depth > 2 * MAX_DEPTH {
            return None;
        }
        match expression.get_inner_expression() {
            Expression::StringLiteral(text) => Some(Value::String(text.value.to_string())),
            Expression::BooleanLiteral(value) => Some(Value::Bool(value.value)),
            Expression::NullLiteral(_) => Some(Value::Null),
            Expression::NumericLiteral(number) => Some(number_value(number.value)),
            Expression::TemplateLiteral(template) => match self.template(template, depth.min(MAX_DEPTH - 4)) {
                Argument::Literal(text) => Some(Value::String(text)),
                _ => None,
            },
            Expression::TaggedTemplateExpression(tagged) => {
                match self.template(&tagged.quasi, depth.min(MAX_DEPTH - 4)) {
                    Argument::Literal(text) => Some(Value::String(text)),
                    _ => None,
                }
            }
            sum @ Expression::BinaryExpression(_) => match self.sum(sum, depth.min(MAX_DEPTH - 4)) {
                Argument::Literal(text) => Some(Value::String(text)),
                _ => None,
            },
            Expression::UnaryExpression(unary) if unary.operator.as_str() == "!" => match &unary.argument {
                Expression::NumericLiteral(number) => Some(Value::Bool(number.value == 0.0)),
                _ => None,
            },
            Expression::Identifier(name) => self.constant(name.name.as_str()),
            Expression::StaticMemberExpression(member) => self.member_value(member, depth),
            Expression::ArrayExpression(list) => {
                let mut items = Vec::new();
                for element in &list.elements {
                    items.extend(element.as_expression().and_then(|element| self.value(element, depth + 1)));
                }
                Some(Value::Array(items))
            }
            Expression::ObjectExpression(object) => Some(Value::Object(self.object_value(object, depth))),
            Expression::CallExpression(call) => self.value_of_call(call, depth),
            _ => None,
        }
    }

    fn member_value(&mut self, member: &StaticMemberExpression<'_>, depth: usize) -> Option<Value> {
        let object = self.value(&member.object, depth + 1)?;
        let key = member.property.name.as_str();
        match object.get(key) {
            Some(value) => Some(value.clone()),
            None if key == "shape" => super::literal::properties_of(&object).map(Value::Object),
            None => None,
        }
    }

    pub(super) fn object_value(&mut self, object: &ObjectExpression<'_>, depth: usize) -> Map<String, Value> {
        let mut map = Map::new();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = property.key.static_name().map(|key| key.to_string());
                    if let (Some(key), Some(value)) = (key, self.value(&property.value, depth + 1)) {
                        map.insert(key, value);
                    }
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    if let Some(Value::Object(more)) = self.value(&spread.argument, depth + 1) {
                        map.extend(more);
                    }
                }
            }
        }
        map
    }

    fn value_of_call(&mut self, call: &CallExpression<'_>, depth: usize) -> Option<Value> {
        if let Some(schema) = zod::schema(self, call, depth) {
            return Some(schema);
        }
        let first = call.arguments.first().and_then(Node::as_expression);
        let callee = self.dotted(&call.callee, depth + 1).unwrap_or_default();
        if let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() {
            if member.property.name.as_str() == "join" {
                return self.joined(&member.object, first, depth);
            }
            if matches!(member.property.name.as_str(), "trim" | "trimEnd") {
                let text = self.value(&member.object, depth + 1)?;
                return Some(Value::String(text.as_str()?.trim().to_owned()));
            }
        }
        match callee.rsplit('.').next().unwrap_or_default() {
            "zodToJsonSchema" | "toJSONSchema" | "toJsonSchema" | "freeze" | "dedent" => self.value(first?, depth + 1),
            _ => None,
        }
    }

    /// `["a", "b"].join(" ")`.
    fn joined(&mut self, list: &Expression<'_>, between: Option<&Expression<'_>>, depth: usize) -> Option<Value> {
        let between = match between {
            Some(between) => self.value(between, depth + 1)?,
            None => Value::String(",".to_owned()),
        };
        let Expression::ArrayExpression(array) = list.get_inner_expression() else { return None };
        let Some(Value::Array(items)) = self.value(list, depth + 1) else { return None };
        let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        (texts.len() == array.elements.len()).then(|| Value::String(texts.join(between.as_str().unwrap_or_default())))
    }

    fn keep(&mut self, callee: String, arguments: Vec<Argument>, span: Span) {
        let text = excerpt(self.text, span.start as usize, span.end as usize);
        let call = Call { callee, arguments, place: crate::fact::Place::default(), text };
        self.findings.calls.push((span.start as usize, call));
    }

    fn keep_call(&mut self, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        let name = self.dotted(callee, 0).or_else(|| method_of(callee));
        let Some(name) = name.filter(|name| callees::script(name)) else { return };
        let mut shapes = Vec::new();
        for argument in arguments.iter().take(16) {
            shapes.push(argument.as_expression().map_or(Argument::Other, |argument| self.shape(argument, 0)));
        }
        if name == "require" && matches!(shapes.as_slice(), [Argument::Literal(_)]) {
            return;
        }
        self.keep(name, shapes, span);
    }

    /// Records that a call takes the whole environment.
    fn keep_environment(&mut self, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        let whole = |argument: &Node<'_>| {
            argument.as_expression().and_then(|node| self.dotted(node, 0)).as_deref() == Some("process.env")
        };
        if arguments.iter().any(whole) {
            let taker = self.dotted(callee, 0).unwrap_or_else(|| "*".to_owned());
            self.keep("process.env".to_owned(), vec![Argument::Name(taker)], span);
        }
    }

    fn learn(&mut self, declarator: &VariableDeclarator<'_>) {
        let Some(init) = &declarator.init else { return };
        match &declarator.id {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(meaning) = self.understand(init) {
                    self.explain(name.name.as_str(), meaning);
                }
            }
            BindingPattern::ObjectPattern(pattern) => {
                let Some(object) = self.dotted(init, 0) else { return };
                for property in &pattern.properties {
                    let inner = match &property.value {
                        BindingPattern::AssignmentPattern(with_default) => &with_default.left,
                        other => other,
                    };
                    if let (Some(key), BindingPattern::BindingIdentifier(name)) = (property.key.static_name(), inner) {
                        self.explain(name.name.as_str(), Meaning::Alias(member_of(Some(object.clone()), &key)));
                    }
                }
            }
            _ => {}
        }
    }

    fn understand(&mut self, init: &Expression<'_>) -> Option<Meaning> {
        match init.get_inner_expression() {
            Expression::StaticMemberExpression(_)
            | Expression::SequenceExpression(_)
            | Expression::AwaitExpression(_)
            | Expression::ImportExpression(_) => {
                if let Some(value) = self.value(init, 0) {
                    return self.budget.take(value).map(Meaning::Value);
                }
                return match self.dotted(init, 0) {
                    Some(path) if !path.starts_with("*.") => Some(Meaning::Alias(path)),
                    _ => Some(Meaning::Shape(self.shape(init, 0)))
                        .filter(|meaning| *meaning != Meaning::Shape(Argument::Other)),
                };
            }
            Expression::CallExpression(call) => {
                if let Some(path) = self.through_call(call, 0) {
                    return Some(Meaning::Alias(path));
                }
            }
            _ => {}
        }
        if let Some(value) = self.value(init, 0) {
            return self.budget.take(value).map(Meaning::Value);
        }
        match self.shape(init, 0) {
            Argument::Other | Argument::Named(_) | Argument::Name(_) => None,
            shape => Some(Meaning::Shape(shape)),
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        if self.naming {
            self.names.entry(it.name.to_string()).or_default().declared += 1;
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        walk::walk_variable_declarator(self, it);
        if self.naming {
            self.learn(it);
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let source = it.source.value.as_str();
        if !self.naming {
            self.findings.imports.push(source.to_owned());
            return;
        }
        let module = callees::script_module(source);
        for specifier in it.specifiers.iter().flatten() {
            let (local, path) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, member_of(Some(module.to_owned()), named.imported.name().as_str()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => (&default.local, module.to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => (&all.local, module.to_owned()),
            };
            self.visit_binding_identifier(local);
            self.explain(local.name.as_str(), Meaning::Alias(path));
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.naming {
            match &it.left {
                // `Name = {}` opens a compiled enumeration or namespace.
                AssignmentTarget::AssignmentTargetIdentifier(name) if !is_empty_object(&it.right) => {
                    self.names.entry(name.name.to_string()).or_default().doubtful = true;
                }
                AssignmentTarget::ComputedMemberExpression(member) => {
                    // A compiled enumeration: `Name["ADD"] = "add"`.
                    if let (
                        Expression::Identifier(object),
                        Expression::StringLiteral(key),
                        Expression::StringLiteral(value),
                    ) = (&member.object, &member.expression, &it.right)
                    {
                        self.explain_member(object.name.as_str(), key.value.as_str(), value.value.as_str());
                    }
                }
                _ => {}
            }
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if self.naming {
            for member in &it.body.members {
                let key = match &member.id {
                    TSEnumMemberName::Identifier(name) => name.name.to_string(),
                    TSEnumMemberName::String(name) => name.value.to_string(),
                    _ => continue,
                };
                if let Some(Expression::StringLiteral(value)) = &member.initializer {
                    self.explain_member(it.id.name.as_str(), &key, value.value.as_str());
                }
            }
        }
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if self.naming {
            return walk::walk_static_member_expression(self, it);
        }
        let object = self.dotted(&it.object, 0);
        let name = it.property.name.as_str();
        match object.as_deref() {
            Some("process.env") => {
                self.keep("process.env".to_owned(), vec![Argument::Literal(name.to_owned())], it.span)
            }
            Some("process") if name == "env" => self.keep("process.env".to_owned(), Vec::new(), it.span),
            _ => walk::walk_static_member_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !self.naming {
            self.keep_call(&it.callee, &it.arguments, it.span);
            self.keep_environment(&it.callee, &it.arguments, it.span);
            if let Some(module) = self.through_call(it, 0).filter(|_| is_require(it)) {
                self.findings.imports.push(module);
            }
            script_tools::from_call(self, it);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if !self.naming {
            self.keep_call(&it.callee, &it.arguments, it.span);
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if !self.naming {
            match self.shape(&it.source, 0) {
                Argument::Literal(module) => self.findings.imports.push(module),
                shape => self.keep("import".to_owned(), vec![shape], it.span),
            }
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        if !self.naming {
            script_tools::from_object(self, it);
        }
        walk::walk_object_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if !self.naming {
            script_tools::from_class(self, it);
        }
        walk::walk_class(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        walk::walk_spread_element(self, it);
    }

    fn visit_array_expression_element(&mut self, it: &ArrayExpressionElement<'a>) {
        walk::walk_array_expression_element(self, it);
    }
}

impl Reader<'_> {
    fn explain_member(&mut self, object: &str, key: &str, value: &str) {
        let binding = self.names.entry(object.to_owned()).or_default();
        let meaning = binding.meaning.get_or_insert_with(|| Meaning::Value(Value::Object(Map::new())));
        if let Meaning::Value(Value::Object(map)) = meaning {
            map.insert(key.to_owned(), Value::String(value.to_owned()));
            // The function around a compiled enumeration binds and assigns the same name again.
            binding.explained = u32::MAX;
            binding.doubtful = false;
        }
    }
}

fn is_require(call: &CallExpression<'_>) -> bool {
    matches!(call.callee.get_inner_expression(), Expression::Identifier(name) if matches!(name.name.as_str(), "require" | "__require"))
}

/// The dotted name of a member; `default` and `promises` are the module itself.
fn member_of(object: Option<String>, name: &str) -> String {
    let object = object.unwrap_or_else(|| "*".to_owned());
    match name {
        "default" => object,
        "promises" if object == "fs" => object,
        _ => {
            let object = object.strip_prefix("globalThis.").unwrap_or(&object);
            format!("{object}.{name}")
        }
    }
}

/// `*.name` for a method of an object that has no name.
fn method_of(callee: &Expression<'_>) -> Option<String> {
    match callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) => Some(format!("*.{}", member.property.name.as_str())),
        _ => None,
    }
}

fn is_empty_object(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::ObjectExpression(object) if object.properties.is_empty())
}

fn either(first: Argument, second: Argument) -> Argument {
    match (first, second) {
        (Argument::Literal(first), Argument::Literal(_)) => Argument::Literal(first),
        (composed @ Argument::Composed(_), _) | (_, composed @ Argument::Composed(_)) => composed,
        _ => Argument::Other,
    }
}

fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { Value::from(number as i64) } else { Value::from(number) }
}

/// The start of an expression, as a byte offset.
pub(super) fn start_of(span: &impl GetSpan) -> usize {
    span.span().start as usize
}
