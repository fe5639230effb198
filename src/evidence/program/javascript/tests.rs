//! Tests of the outlines of JavaScript and TypeScript.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use proptest::prelude::*;

use super::super::outline::{
    Argument, Binding, FunctionKind, Key, Node, NodeId, Origin, Outline, ParameterKind, Part, Step,
};

fn outline_as(text: &str, kind: SourceType) -> Option<Outline> {
    let allocator = Allocator::default();
    let options =
        ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, text, kind).with_options(options).parse();
    (!parsed.panicked).then(|| super::outline(&parsed.program, "a.js"))
}

fn script(text: &str) -> Outline {
    outline_as(text, SourceType::unambiguous()).expect("it parses")
}

fn typescript(text: &str) -> Outline {
    outline_as(text, SourceType::ts()).expect("it parses")
}

/// An expression in short: `?` unknown, `'a'` text, `<m>` a module, `fn f`, `(a | b)` a choice, `` `…` `` joined text.
fn show(outline: &Outline, id: NodeId) -> String {
    let all = |ids: &[NodeId]| ids.iter().map(|id| show(outline, *id)).collect::<Vec<_>>();
    match outline.node(id) {
        Node::Unknown => "?".to_owned(),
        Node::Text(text) => format!("'{text}'"),
        Node::Plain(value) => value.to_string(),
        Node::Joined(pieces) => format!("`{}`", all(pieces).join(" ")),
        Node::Name(name, _) => name.clone(),
        Node::This => "this".to_owned(),
        Node::Super => "super".to_owned(),
        Node::Member(object, name) => format!("{}.{name}", show(outline, *object)),
        Node::Index(object, key) => format!("{}[{}]", show(outline, *object), show(outline, *key)),
        Node::Call { callee, arguments, constructs } => {
            let new = if *constructs { "new " } else { "" };
            format!("{new}{}({})", show(outline, *callee), show_arguments(outline, arguments))
        }
        Node::Object(entries) => {
            let entries = entries.iter().map(|entry| match &entry.key {
                Key::Named(name) => format!("{name}: {}", show(outline, entry.value)),
                Key::Computed(key) => format!("[{}]: {}", show(outline, *key), show(outline, entry.value)),
                Key::Spread => format!("...{}", show(outline, entry.value)),
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Node::List(elements) => {
            let dots = |spread: bool| if spread { "..." } else { "" };
            let elements =
                elements.iter().map(|element| format!("{}{}", dots(element.spread), show(outline, element.value)));
            format!("[{}]", elements.collect::<Vec<_>>().join(", "))
        }
        Node::Function(id) => format!("fn {}", outline.functions[*id as usize].name.as_deref().unwrap_or("")),
        Node::Class(id) => format!("class {}", outline.classes[*id as usize].name.as_deref().unwrap_or("")),
        Node::Choice(parts) => format!("({})", all(parts).join(" | ")),
        Node::Sum(left, right) => format!("({} + {})", show(outline, *left), show(outline, *right)),
        Node::Module(name) => format!("<{name}>"),
        Node::Each { .. } => "each".to_owned(),
    }
}

fn show_arguments(outline: &Outline, arguments: &[Argument]) -> String {
    let dots = |spread: bool| if spread { "..." } else { "" };
    let shown = arguments.iter().map(|argument| format!("{}{}", dots(argument.spread), show(outline, argument.value)));
    shown.collect::<Vec<_>>().join(", ")
}

fn show_binding(outline: &Outline, binding: &Binding) -> String {
    let mut text = match &binding.origin {
        Origin::Expression(id) => show(outline, *id),
        Origin::Added(id) => format!("+= {}", show(outline, *id)),
        Origin::Parameter(_, index) => format!("parameter {index}"),
        Origin::Import { module, name } => format!("import {} of {module}", name.as_deref().unwrap_or("*")),
        Origin::Function(id) => format!("fn {}", outline.functions[*id as usize].name.as_deref().unwrap_or("")),
        Origin::Class(id) => format!("class {}", outline.classes[*id as usize].name.as_deref().unwrap_or("")),
        Origin::Unknown => "?".to_owned(),
    };
    for step in &binding.path {
        text.push_str(&match step {
            Step::Key(key) => format!(".{key}"),
            Step::At(index) => format!("[{index}]"),
            Step::Rest => "...".to_owned(),
        });
    }
    if let Some(default) = binding.default {
        text.push_str(&format!(" = {}", show(outline, default)));
    }
    text
}

/// The bindings of a name in every scope, in the order of the scopes.
fn bound(outline: &Outline, name: &str) -> Vec<String> {
    let bindings = outline.scopes.iter().filter_map(|scope| scope.names.get(name)).flatten();
    bindings.map(|binding| show_binding(outline, binding)).collect()
}

/// The number of the scopes that declare a name.
fn scopes_of(outline: &Outline, name: &str) -> Vec<usize> {
    let scopes = outline.scopes.iter().enumerate();
    scopes.filter(|(_, scope)| scope.names.contains_key(name)).map(|(index, _)| index).collect()
}

fn exports(outline: &Outline) -> Vec<String> {
    outline.exports.iter().map(|(name, value)| format!("{name}: {}", show(outline, *value))).collect()
}

fn calls(outline: &Outline) -> Vec<String> {
    outline.calls.iter().map(|id| show(outline, *id)).collect()
}

fn writes(outline: &Outline) -> Vec<String> {
    let shown = outline.writes.iter().map(|write| {
        let part = match &write.part {
            Part::Member(name) => format!(".{name}"),
            Part::Keyed(key) => format!("[{}]", show(outline, *key)),
            Part::Element => " <-".to_owned(),
            Part::Elements => " <-...".to_owned(),
        };
        format!("{}{part} {}", show(outline, write.object), show(outline, write.value))
    });
    shown.collect()
}

/// Each function with what it returns, in the order of the text; loops as `loop`.
fn functions(outline: &Outline) -> Vec<String> {
    let shown = outline.functions.iter().map(|function| {
        let returns: Vec<_> = function.returns.iter().map(|id| show(outline, *id)).collect();
        match function.kind {
            FunctionKind::Loop { over, keys } => {
                format!("loop {} {}", if keys { "in" } else { "of" }, show(outline, over))
            }
            _ => format!("{} -> {}", function.name.as_deref().unwrap_or("?"), returns.join(", ")),
        }
    });
    shown.collect()
}

/// The value of `const x = …`.
fn value(text: &str) -> String {
    let outline = typescript(&format!("const x = {text};"));
    bound(&outline, "x").join("; ")
}

#[test]
fn names_bind_where_they_are_declared() {
    let outline = script(
        "let a = 1; function f(p) { var v = 2; if (p) { let a = 3; var w = 4; function g() {} a = 5; v = 6; } }
         f.x; a += 7; unheard = 8;",
    );
    assert_eq!(scopes_of(&outline, "a").len(), 2);
    assert_eq!(bound(&outline, "a"), ["1", "+= 7", "3", "5"]);
    assert_eq!(bound(&outline, "v"), ["2", "6"]);
    let scope = outline.functions[0].scope as usize;
    assert_eq!((scopes_of(&outline, "w"), scopes_of(&outline, "g")), (vec![scope], vec![scope]));
    assert_eq!(bound(&outline, "unheard"), ["8"]);
    assert_eq!(scopes_of(&outline, "unheard"), [0]);
}

#[test]
fn a_name_may_be_assigned_before_it_is_declared() {
    let outline = script("function set() { late = 1; } let late; late++; class late2 {}");
    assert_eq!((scopes_of(&outline, "late"), bound(&outline, "late")), (vec![0], vec!["1".to_owned(), "?".to_owned()]));
    assert_eq!(bound(&outline, "late2"), ["class late2"]);
}

#[test]
fn what_is_caught_is_unknown() {
    let outline = script("try { a() } catch ({ code }) { b(code) } finally { c() }");
    assert_eq!(bound(&outline, "code"), ["?.code"]);
    assert_eq!(calls(&outline), ["a()", "b(code)", "c()"]);
}

#[test]
fn destructuring_keeps_the_way_and_the_default() {
    let outline = script(
        "const { a: [, b = 1], 'c-d': c, [k()]: e, ...f } = x; [g, { h }] = y; ({ i, j: j2 = 2, ...o.p } = z);
         function q({ r = 3 }, [s] = [], ...t) {}",
    );
    let all: Vec<_> =
        ["b", "c", "e", "f", "g", "h", "i", "j2", "r", "s", "t"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(
        all,
        [
            "x.a[1] = 1",
            "x.c-d",
            "?",
            "x...",
            "y[0]",
            "y[1].h",
            "z.i",
            "z.j = 2",
            "parameter 0.r = 3",
            "parameter 1[0]",
            "parameter 2"
        ]
    );
    assert_eq!(calls(&outline), ["k()"]);
    let parameters = &outline.functions[0].parameters;
    assert_eq!(parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), ["", "", "t"]);
    assert_eq!(parameters[1].default.map(|id| show(&outline, id)).as_deref(), Some("[]"));
    assert_eq!(parameters[2].kind, ParameterKind::Rest);
}

#[test]
fn loops_stand_inside_as_functions() {
    let outline = script(
        "function f() { for (const { name, run } of tools()) { server.tool(name, run); return name; }
         for (key in map) { use(key) } for (let i = 0; i < n; i++) step(i); while (more()) { go(); break }
         do { last() } while (left()) }",
    );
    assert_eq!(functions(&outline), ["f -> name", "loop of tools()", "loop in map"]);
    assert_eq!(
        (bound(&outline, "run"), bound(&outline, "key")),
        (vec!["parameter 0.run".to_owned()], vec!["parameter 0".to_owned()])
    );
    assert_eq!(
        calls(&outline),
        ["tools()", "server.tool(name, run)", "use(key)", "step(i)", "more()", "go()", "last()", "left()"]
    );
    let around = |call: usize| outline.around(outline.calls[call]);
    assert_eq!((around(0), around(1), around(2), around(3)), (Some(0), Some(1), Some(2), Some(0)));
    assert_eq!(outline.functions[1].parent, Some(0));
}

#[test]
fn every_branch_is_walked() {
    let outline = script(
        "if (a()) b(); else if (c()) { d() } switch (e()) { case f(): g(); default: h() } l: { i() } throw j();",
    );
    assert_eq!(calls(&outline), ["a()", "b()", "c()", "d()", "e()", "f()", "g()", "h()", "i()", "j()"]);
}

#[test]
fn functions_are_named_by_what_they_are_bound_to() {
    let outline = script(
        "function a() { return 1; if (x) return 2 } const b = () => 3; const c = { d: function () {}, e() {}, get g() { return h() } };
         exports.i = async () => {}; j = function k() {}; m.n = () => 4; (() => 5)(); function* o() { yield 6; yield* p; }",
    );
    assert_eq!(
        functions(&outline),
        ["a -> 1, 2", "b -> 3", "d -> ", "e -> ", "g -> h()", "i -> ", "k -> ", "n -> 4", "? -> 5", "o -> 6"]
    );
    assert_eq!(bound(&outline, "c"), ["{d: fn d, e: fn e}"]);
    assert_eq!(outline.functions[4].kind, FunctionKind::Getter);
    // A function expression's own name is known inside of it alone.
    assert_eq!(scopes_of(&outline, "k"), [outline.functions[6].scope as usize]);
}

#[test]
fn classes_have_fields_methods_and_decorators() {
    let outline = typescript(
        "@Injectable() export abstract class A<T> extends mix(Base) {
           name = 'a'; static kind: string = 'b'; #secret = 1; open; run = async () => this.name;
           constructor(private readonly api: Api, plain: string) { super(api); this.#secret = plain; }
           get size() { return 2 } set size(x) {} static make() { return new A() }
           @Tool({ name: 'greet' }) async greet(@Arg() who) { return super.greet(who) } abstract later(): void;
           static { boot(A) } [Symbol.iterator]() {} }
         const B = class Inner { m() { return Inner } }; const C = class {};",
    );
    let class = &outline.classes[0];
    assert_eq!((class.name.as_deref(), class.is_abstract), (Some("A"), true));
    assert_eq!(class.bases.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["mix(Base)"]);
    let fields: Vec<_> = class
        .fields
        .iter()
        .map(|field| format!("{} {}", field.name, field.value.map_or(String::new(), |id| show(&outline, id))))
        .collect();
    assert_eq!(fields, ["name 'a'", "kind 'b'", "#secret 1", "open ", "run fn run"]);
    let kinds: Vec<_> = class
        .methods
        .iter()
        .map(|(name, id)| {
            let function = &outline.functions[*id as usize];
            (name.as_str(), function.kind, function.is_static, function.class)
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("constructor", FunctionKind::Constructor, false, Some(0)),
            ("greet", FunctionKind::Method, false, Some(0)),
            ("make", FunctionKind::Method, true, Some(0)),
            ("size", FunctionKind::Getter, false, Some(0)),
        ]
    );
    let greet = &outline.functions[class.methods["greet"] as usize];
    assert_eq!(greet.decorators.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["Tool({name: 'greet'})"]);
    assert_eq!(greet.returns.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["super.greet(who)"]);
    assert_eq!(writes(&outline), ["this.api api", "this.#secret plain"]);
    assert!(calls(&outline).contains(&"boot(A)".to_owned()));
    assert_eq!(exports(&outline), ["A: A"]);
    assert_eq!(
        (bound(&outline, "B"), bound(&outline, "C")),
        (vec!["class Inner".to_owned()], vec!["class C".to_owned()])
    );
    assert_ne!(scopes_of(&outline, "Inner"), [0]);
}

#[test]
fn imports_bind_names_of_modules() {
    let outline = typescript(
        "import a, { b as c, type T } from 'm'; import * as d from 'n'; import 'o'; import type { U } from 'p';
         import { type V } from 'q'; import e = require('r'); import g = d.h.i;",
    );
    let all: Vec<_> = ["a", "c", "d", "e", "g", "T", "U", "V"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(all, ["import default of m", "import b of m", "import * of n", "import * of r", "d.h.i", "", "", ""]);
    assert_eq!(outline.imports, ["m", "n", "o", "r"]);
}

#[test]
fn exports_stand_for_what_is_exported() {
    let outline = typescript(
        "export const a = 1, { b, c: [d] } = x; export function f() {} export { a as g, type T }; export class K {}
         export { h, default as i } from './m'; export * from './n'; export * as j from './o'; export default { l: 1 };
         export type { U }; export interface V {} export type { W } from './p'; export declare const y: string;
         export enum E { A }",
    );
    assert_eq!(
        exports(&outline),
        [
            "E: E",
            "K: K",
            "a: a",
            "b: b",
            "d: d",
            "default: {l: 1}",
            "f: f",
            "g: a",
            "h: <./m>.h",
            "i: <./m>.default",
            "j: <./o>"
        ]
    );
    assert_eq!(outline.exported_modules, ["./n"]);
    assert_eq!(outline.imports, ["./m", "./n", "./o"]);
    assert_eq!(exports(&script("export default function () { return 1 }")), ["default: fn "]);
    assert_eq!(exports(&script("export default class Named {}")), ["default: Named"]);
    assert_eq!(exports(&typescript("export = x")), ["=: x"]);
}

#[test]
fn commonjs_exports_the_last_value_that_says_something() {
    let outline = script(
        "Object.defineProperty(exports, '__esModule', { value: true }); exports.a = exports.b = void 0;
         exports.a = 1; exports.a = tools; exports['c'] = () => 2; module.exports.d = 3; exports.a.push(exports.d);
         Object.defineProperty(exports, 'e', { enumerable: true, get: function () { return m.e; } });
         __exportStar(require('./n'), exports); tslib_1.__exportStar(require('./o'), exports);",
    );
    assert_eq!(exports(&outline), ["a: tools", "c: fn c", "d: 3", "e: m.e"]);
    assert_eq!(outline.exported_modules, ["./n", "./o"]);
    assert_eq!(bound(&outline, "exports.a"), ["1", "tools"]);
    assert_eq!(writes(&outline), ["exports.a <- exports.d"]);
    assert_eq!(exports(&script("module.exports = { a, b: 1 }")), ["=: {a: a, b: 1}"]);
    assert_eq!(exports(&script("exports = module.exports = main")), ["=: main"]);
    assert_eq!(exports(&script("exports.a = void 0")), [""; 0]);
}

#[test]
fn a_bundled_module_exports_nothing_from_the_bundle() {
    let text = "var inner = __commonJS({ 'a.js'(exports, module) { exports.a = 1; module.exports = 2; } });";
    let outline = script(text);
    assert_eq!(exports(&outline), [""; 0]);
    assert_eq!(writes(&outline), ["exports.a 1", "module.exports 2"]);
    let factory =
        script("(function (factory) { factory(require, exports) })(function (require, exports) { exports.a = 1 })");
    assert_eq!(exports(&factory), ["a: 1"]);
}

#[test]
fn tables_of_exports_are_read() {
    let outline = script(
        "var src_exports = {}; __export(src_exports, { a: () => a, b: () => b2 });
         module.exports = __toCommonJS(src_exports); var other = {}; __export(other, { c: () => c });
         0 && (module.exports = { a, b });",
    );
    assert_eq!(exports(&outline), ["a: a", "b: b2"]);
    assert_eq!(writes(&outline), ["src_exports.a a", "src_exports.b b2", "other.c c"]);
    assert_eq!(exports(&script("_export(exports, { a: function () { return a1 } })")), ["a: a1"]);
}

#[test]
fn modules_are_loaded_in_many_ways() {
    let outline = script(
        "const a = require('a'), b = await import('b'), c = __importDefault(require('c')), d = __toESM(require(`d`)),
         e = (0, tslib.__importStar)(require('e')); const load = createRequire(import.meta.url);
         const f = load('f'), g = createRequire(import.meta.url)('g').h; import('i').then(use);",
    );
    let all: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(all, ["<a>", "<b>", "<c>", "<d>", "<e>", "<f>", "<g>.h"]);
    assert_eq!(outline.imports, ["a", "b", "c", "d", "e", "f", "g", "i"]);
    assert!(!outline.loads_unknown);
    for text in ["require(x)", "import(`./${x}.js`)", "require('./' + x)"] {
        let outline = script(text);
        assert!(outline.loads_unknown && outline.calls.len() == 1, "{text}");
    }
}

#[test]
fn enums_are_objects() {
    let outline = typescript("enum X { A = 'a', 'B-C' = 5, D } enum Y { A, B }");
    assert_eq!(bound(&outline, "X"), ["{A: 'a', B-C: 5, D: 6}"]);
    assert_eq!(bound(&outline, "Y"), ["{A: 0, B: 1}"]);
    let outline = typescript("namespace N { export const a = b(); const c = 1; export function d() {} } export { N }");
    assert_eq!(bound(&outline, "N"), ["{a: a, d: d}"]);
    assert_eq!(exports(&outline), ["N: N"]);
}

#[test]
fn compiled_enums_write_to_the_outer_name() {
    let plain = "var X; (function (X) { X['A'] = 'a'; X[X['B'] = 0] = 'B'; })(X || (X = {}));";
    let outline = script(plain);
    assert_eq!(bound(&outline, "X"), ["{}"]);
    assert_eq!(writes(&outline), ["X.A 'a'", "X[0] 'B'", "X.B 0"]);
    assert_eq!(scopes_of(&outline, "X"), [0]);
    let bundled =
        script("var X = (X2 => { X2['A'] = 'a'; return X2 })(X || {}); var Y; (e => { e.A = 'a' })(Y || (Y = {}));");
    assert_eq!((bound(&bundled, "X"), bound(&bundled, "Y")), (vec!["{}".to_owned()], vec!["{}".to_owned()]));
    assert_eq!(writes(&bundled), ["X.A 'a'", "Y.A 'a'"]);
    for export in ["X || (exports.X = X = {})", "X = exports.X || (exports.X = {})"] {
        let outline = script(&format!("var X; (function (X) {{ X.A = 'a'; }})({export});"));
        assert_eq!(exports(&outline), ["X: X"], "{export}");
        assert_eq!(writes(&outline), ["X.A 'a'"], "{export}");
    }
}

#[test]
fn members_and_additions_are_writes() {
    let outline = script(
        "a.b = 1; a['c'] = 2; a[k] = 3; a.push(4, ...l); a.unshift(5); s.add(6); m.set('n', 7); this.x = 8; a.t += 9;
         a.u ??= 10; a.v--; [a.w] = z; Object.assign(a, b); map.set(only); f(a.y = g());",
    );
    assert_eq!(
        writes(&outline),
        [
            "a.b 1",
            "a.c 2",
            "a[k] 3",
            "a <- 4",
            "a <-... l",
            "a <- 5",
            "s <- 6",
            "m['n'] 7",
            "this.x 8",
            "a.t <-... 9",
            "a.u 10",
            "a.v ?",
            "a.w ?",
            "a.y g()"
        ]
    );
    assert_eq!(outline.calls.len(), 8);
}

#[test]
fn expressions_have_their_forms() {
    let cases = [
        ("'a\\n' + b + 1", "(('a\n' + b) + 1)"),
        ("`a${b}c`", "`'a' b 'c'`"),
        ("`plain\\t`", "'plain\t'"),
        ("dedent`a`", "dedent(`'a'`)"),
        ("a && b", "b"),
        ("(a || b) ?? c", "((a | b) | c)"),
        ("a ? b : c", "(b | c)"),
        ("(a, b)", "b"),
        ("[!0, !1, -1.5, 2, void 0, undefined, null, true, 10n]", "[true, false, -1.5, 2, null, null, null, true, 10]"),
        ("a?.b?.[c]?.(...d)", "a.b[c](...d)"),
        ("a['b'][0]", "a.b[0]"),
        ("new X(a)", "new X(a)"),
        ("{ a, ...b, ['c']: 1, [d]: 2, 3: e, get f() { return 1 } }", "{a: a, ...b, c: 1, [d]: 2, 3: e}"),
        ("[...a, b]", "[...a, b]"),
        ("/x/", "?"),
        ("(<T>a!) as B satisfies C", "a"),
        ("await a", "a"),
        ("(y = z)", "y"),
        ("a - b", "?"),
        ("typeof f()", "?"),
        ("import.meta.url", "?.url"),
        ("1e999", "?"),
    ];
    for (text, wanted) in cases {
        assert_eq!(value(text), wanted, "{text}");
    }
    let outline = typescript("x(typeof f(), !g(), a - h(), { get y() { return i() } }, (j(), k))");
    assert_eq!(outline.calls.len(), 6);
}

#[test]
fn markup_is_walked() {
    let outline = outline_as("const x = <A b={f()} {...g()}>{h()}<B /><>{...i()}</></A>;", SourceType::jsx()).unwrap();
    assert_eq!(calls(&outline), ["f()", "g()", "h()", "i()"]);
    assert_eq!(bound(&outline, "x"), ["?"]);
}

#[test]
fn calls_and_objects_stand_in_the_order_of_the_text() {
    let outline = script("a({ n: 1, o: b({ n: 2 }) }).c({ n: 3 });");
    assert_eq!(calls(&outline)[0], "a({n: 1, o: b({n: 2})})");
    assert_eq!(calls(&outline)[2], "b({n: 2})");
    let objects: Vec<_> = outline.objects.iter().map(|id| show(&outline, *id)).collect();
    assert_eq!(objects, ["{n: 1, o: b({n: 2})}", "{n: 2}", "{n: 3}"]);
}

#[test]
fn long_sums_need_no_deep_stack() {
    let outline = script(&format!("const x = 'a'{};", " + 'a'".repeat(2000)));
    assert_eq!(outline.nodes.iter().filter(|node| matches!(node.node, Node::Sum(..))).count(), 2000);
}

/// Every number of an expression, function, class or scope that an outline holds, as far as it is out of range.
fn strays(outline: &Outline) -> Vec<String> {
    let mut strays = Vec::new();
    let mut check = |id: NodeId, what: &str| {
        if id as usize >= outline.nodes.len() && id != NodeId::MAX {
            strays.push(format!("{what} {id}"));
        }
    };
    for expression in &outline.nodes {
        match &expression.node {
            Node::Joined(ids) | Node::Choice(ids) => ids.iter().for_each(|id| check(*id, "part")),
            Node::Member(id, _) => check(*id, "object"),
            Node::Index(one, two) | Node::Sum(one, two) => [one, two].into_iter().for_each(|id| check(*id, "side")),
            Node::Call { callee, arguments, .. } => {
                check(*callee, "callee");
                arguments.iter().for_each(|argument| check(argument.value, "argument"));
            }
            Node::Object(entries) => entries.iter().for_each(|entry| check(entry.value, "entry")),
            Node::List(elements) => elements.iter().for_each(|element| check(element.value, "element")),
            Node::Function(id) => assert!(outline.function(*id).is_some()),
            Node::Class(id) => assert!(outline.class(*id).is_some()),
            Node::Name(_, scope) => assert!(outline.scopes.len() > *scope as usize),
            _ => {}
        }
        assert!(expression.function.is_none_or(|id| outline.function(id).is_some()));
    }
    for binding in outline.scopes.iter().flat_map(|scope| scope.names.values()).flatten() {
        match &binding.origin {
            Origin::Expression(id) | Origin::Added(id) => check(*id, "origin"),
            Origin::Parameter(id, index) => assert!(outline.functions[*id as usize].parameters.len() > *index),
            Origin::Function(id) => assert!(outline.function(*id).is_some()),
            Origin::Class(id) => assert!(outline.class(*id).is_some()),
            Origin::Import { .. } | Origin::Unknown => {}
        }
        binding.default.into_iter().for_each(|id| check(id, "default"));
    }
    for function in &outline.functions {
        function.returns.iter().chain(&function.decorators).for_each(|id| check(*id, "return"));
        assert!(outline.scopes.len() > function.scope as usize);
    }
    for class in &outline.classes {
        class.bases.iter().for_each(|id| check(*id, "base"));
        class.fields.iter().filter_map(|field| field.value).for_each(|id| check(id, "field"));
    }
    outline.writes.iter().for_each(|write| {
        check(write.object, "written");
        check(write.value, "value");
    });
    outline.exports.values().chain(&outline.calls).chain(&outline.objects).for_each(|id| check(*id, "listed"));
    strays
}

/// Statements and expressions that fit into each other, so that most of what comes out parses.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "'s'",
        "1",
        "this",
        "void 0",
        "require('m')",
        "import(a)",
        "exports.a",
        "module.exports",
        "/r/",
        "null",
        "`t${a}`",
        "super.x",
        "[, a]",
        "() => a",
        "class {}",
        "function a() { return b }",
    ]);
    let expression = leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let form = prop::sample::select(vec![
            "(@, @)",
            "@(...@)",
            "(@).a(@)",
            "[@, ...@]",
            "{ a: @, [@]: @, ...@, b() { return @ }, get c() { return @ } }",
            "@ + @",
            "@ && @",
            "a = @",
            "({ a, b: [a = @] } = @)",
            "(@)?.[@]",
            "new (@)(@)",
            "exports.a = @",
            "(function (X) { X[@] = @ })(X || (X = @))",
            "a.push(@, ...@)",
            "(@) => { for (const a of @) return @ }",
            "__export(exports, { a: () => @ })",
            "class A extends (@) { a = @; static #b = @; constructor() { super(@) } }",
            "Object.defineProperty(exports, 'a', { get: function () { return @ } })",
            "a.b += @",
            "tag`a${@}`",
        ]);
        (form, prop::collection::vec(inner, 5)).prop_map(|(form, parts)| fill(form, &parts))
    });
    let form = prop::sample::select(vec![
        "@;",
        "const a = @;",
        "let { a, ...b } = @;",
        "function a(b = @, { c }, ...d) { return @ }",
        "if (@) @; else @;",
        "for (var a in @) { @; }",
        "for (let i = @; @; i++) @;",
        "try { @; } catch (a) { @; }",
        "export default (@);",
        "export const a = @;",
        "switch (@) { case @: @; }",
        "module.exports = @;",
        "while (@) { @; }",
        "class a { @(){} }",
        "function* a() { yield @; yield* @; }",
        "export { a } from 'm';",
        "import a, { b } from 'm';",
        "@ @",
        "{ @",
    ]);
    (form, prop::collection::vec(expression, 5)).prop_map(|(form, parts)| fill(form, &parts))
}

fn fill(form: &str, parts: &[String]) -> String {
    let mut pieces = form.split('@');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, part) in pieces.zip(parts) {
        text.push_str(&format!("({part}){piece}"));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_text_leads_out_of_its_outline(statements in prop::collection::vec(statement(), 0..8)) {
        // One by one as well, since a single fault makes the parser refuse the whole.
        for text in statements.iter().cloned().chain([statements.join("\n")]) {
            for kind in [SourceType::unambiguous(), SourceType::tsx(), SourceType::cjs()] {
                let outline = outline_as(&text, kind);
                prop_assert_eq!(outline.map(|outline| strays(&outline)).unwrap_or_default(), Vec::<String>::new());
            }
        }
    }
}
