//! Packages that are made to be slow, or to never end.
//!
//! Each must end within the budget of steps, with a gap where something was cut.

use std::fmt::Write as _;

use capdex_model::snapshot::GapReason;
use proptest::prelude::*;

use super::{gathered, show};
use crate::Evidence;

/// True where something was not followed to its end, and that is told.
fn is_cut(evidence: &Evidence) -> bool {
    evidence.gaps.iter().any(|gap| matches!(gap.reason, GapReason::BudgetExhausted | GapReason::Unresolved))
}

#[test]
fn circles_end() {
    let cases: &[&[(&str, &str)]] = &[
        &[
            ("a.js", "import { b } from './b.js'; export const a = b; server.tool(a, a, a, cb)"),
            ("b.js", "import { a } from './a.js'; export const b = a;"),
        ],
        &[
            ("a.js", "export * from './b.js'; import { x } from './b.js'; server.tool('f', x, {}, cb)"),
            ("b.js", "export * from './c.js'"),
            ("c.js", "export * from './a.js'; export * from './b.js'"),
        ],
        &[("a.js", "const a = b; const b = c; const c = a; server.tool('f', a + b, { x: c }, cb)")],
        &[("a.js", "let a = 'x'; a = a + a; a = `${a}${a}`; server.tool('f', a, {}, cb)")],
        &[(
            "a.js",
            "class A extends A { name = this.name; description = this.description } class B extends C {} class C extends B { schema = new C().schema } server.tool(new A().name, 'x', {}, cb)",
        )],
        &[("a.js", "function f() { return g() } function g() { return f() } server.tool('f', f(), g(), cb)")],
        &[("a.js", "const o = { get o() { return o.o } }; o.self = o; server.tool('f', o.self.self.o, o, cb)")],
        &[
            ("a/__init__.py", "from .b import *\nfrom . import b\n"),
            ("a/b.py", "from a import *\nfrom a import x\n@mcp.tool(description=x)\ndef f(): pass\n"),
        ],
        &[("a.py", "a = b\nb = a\nclass M(M):\n    m: 'M'\n@mcp.tool(description=a)\ndef f(m: M, n: list[M]): pass\n")],
        &[(
            "a.py",
            "class M(BaseModel):\n    m: N\nclass N(BaseModel):\n    m: M\n    n: N\n@mcp.tool()\ndef f(m: M): pass\n",
        )],
        // The object that a base class is handed, by star and by name.
        &[(
            "a.py",
            "class B:\n  def __init__(self, x):\n    self.s.add_tool(self.f, name=x)\n  def f(self): pass\nclass A(B):\n  def __init__(self):\n    B.__init__(*self)\n    B.__init__(x=self)\n",
        )],
        &[("a.py", "def a(x): return b(x)\ndef b(x): return a(x)\nmcp.add_tool(a(1), name='f')\n")],
    ];
    for files in cases {
        gathered(files);
    }
}

#[test]
fn functions_that_call_themselves_twice_end() {
    let files = [(
        "a.js",
        "function f(x) { if (x.a) return f(x.a) + g(x.b); return f(x.c) || g(x.d) } \
         function g(x) { if (x.a) return g(f(x.a)); return f(x.b) + f(x.c) } \
         server.tool('weigh', 'Weighs', { stone: z.string().describe(f(seen)) }, cb); server.tool('sum', 'Sums', {}, cb)",
    )];
    let evidence = gathered(&files);
    let names: Vec<&str> = evidence.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["sum", "weigh"]);
}

/// What stands beside a part that takes any number of steps is told.
#[test]
fn a_dear_schema_hides_no_text() {
    let mut library = String::from("const l0 = (x) => [x, x];\n");
    for at in 1..40 {
        let before = at - 1;
        _ = writeln!(library, "const l{at} = (x) => [l{before}(x), l{before}([x])];");
    }
    let tool = "server.registerTool('weigh', { inputSchema: l39(1), description: 'Weighs' }, cb)";
    let evidence = gathered(&[("a.js", &format!("{library}{tool}"))]);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["weigh: Weighs~"]);
    assert!(is_cut(&evidence));
}

#[test]
fn names_that_double_each_other_are_cut() {
    let mut script = "const a0 = 'xxxxxxxx';".to_owned();
    let mut python = "a0 = 'xxxxxxxx'\n".to_owned();
    for level in 1..60 {
        let before = level - 1;
        _ = write!(script, "const a{level} = a{before} + a{before};");
        _ = writeln!(python, "a{level} = a{before} + a{before}");
    }
    script.push_str("server.tool('f', a59, {}, cb)");
    python.push_str("@mcp.tool(description=a59)\ndef f(): pass\n");
    for (path, text) in [("a.js", &script), ("a.py", &python)] {
        let evidence = gathered(&[(path, text)]);
        assert!(is_cut(&evidence), "{path}");
        let [tool] = evidence.tools.as_slice() else { panic!("{path}: {:?}", evidence.tools.len()) };
        assert!(tool.description.as_ref().is_none_or(|text| text.len() <= 2 << 20), "{path}");
    }
    // Inside of a function nothing is kept, and each name asks twice.
    let inside = format!("function f() {{ {script} }} f()");
    gathered(&[("a.js", &inside)]);
    let calls: String =
        (1..40).map(|level| format!("function f{level}() {{ return f{}() + f{}() }}", level - 1, level - 1)).collect();
    let evidence =
        gathered(&[("a.js", &format!("function f0() {{ return 'x' }} {calls} server.tool('f', f39(), {{}}, cb)"))]);
    assert!(is_cut(&evidence));
}

#[test]
fn lists_that_double_each_other_are_cut() {
    let mut script = "const a0 = [{ name: 'f', inputSchema: {} }];".to_owned();
    for level in 1..40 {
        let before = level - 1;
        _ = write!(script, "const a{level} = [...a{before}, ...a{before}];");
    }
    script.push_str("s.setRequestHandler(ListToolsRequestSchema, () => ({ tools: a39 }))");
    gathered(&[("a.js", &script)]);
}

#[test]
fn deep_and_wide_packages_end() {
    let nested = format!("server.tool('f', 'F', {}{}, cb)", "[".repeat(10_000), "]".repeat(10_000));
    assert!(is_cut(&gathered(&[("a.js", &nested)])), "nesting beyond what is parsed is a gap");
    let wide = format!("server.tool('f', 'F', [{}], cb)", "[],".repeat(10_000));
    gathered(&[("a.js", &wide)]);
    let chain: String = (1..50).map(|at| format!("function f{at}(n, t) {{ f{}(n, t) }}", at - 1)).collect();
    let chain = format!(
        "import {{ McpServer }} from '@modelcontextprotocol/sdk'; function f0(n, t) {{ server.tool(n, t, {{}}, cb) }} {chain} f49('weigh', 'Weighs')"
    );
    let evidence = gathered(&[("a.js", &chain)]);
    let told = evidence.tools.iter().map(show).any(|tool| tool.starts_with("weigh: Weighs"));
    assert!(told || is_cut(&evidence), "{:?}", evidence.gaps);
    let star: Vec<(String, String)> = (0..200)
        .map(|at| (format!("m{at}.js"), (0..200).map(|other| format!("export * from './m{other}.js';")).collect()))
        .collect();
    let mut files: Vec<(&str, &str)> = star.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("s.js", "import { missing } from './m0.js'; server.tool('f', missing, {}, cb)"));
    files.push(("m199.js", "export const last = 'Found'; export * from './m0.js';"));
    files.push(("t.js", "import { last } from './m0.js'; server.tool('g', last, {}, cb)"));
    let evidence = gathered(&files);
    assert!(evidence.tools.iter().map(show).any(|tool| tool.starts_with("g: Found")));
    assert!(!is_cut(&evidence), "each module is asked once: {:?}", evidence.gaps);
}

#[test]
fn a_flood_of_registrations_is_cut() {
    let calls: String = (0..100_000).map(|at| format!("s.registerTool('t{at}',{{description:'d'}},f);")).collect();
    let evidence = gathered(&[("a.js", &calls)]);
    assert!(evidence.tools.len() <= 5_000 && is_cut(&evidence), "{}", evidence.tools.len());
    // Each of many callers asks for every other.
    let callers: String =
        (0..3_000).map(|at| format!("function g{at}(n) {{ add(n); add('t{at}') }} g{at}('u{at}');")).collect();
    gathered(&[("a.js", &format!("function add(n) {{ server.tool(n, n, {{}}, cb) }} {callers}"))]);
}

/// A piece of a module. `{n}` are names that other pieces bind.
const SCRIPT: [&str; 18] = [
    "import { a, b } from './m1.js';",
    "import * as c from './m2.js';",
    "export * from './m0.js';",
    "export { a as b } from './m2.js';",
    "export const a = b + c;",
    "export const b = [...a, a, { name: 'x', inputSchema: a }];",
    "export function c(x) { return a(x) + b(c) }",
    "export default class A extends A { name = a; description = b.c; schema = { x: z.string() } };",
    "const [d, e] = a, { f = d, ...g } = b;",
    "for (const h of a) { server.tool(h.name, h[b], h, c) }",
    "server.registerTool(a, { description: `${b}${c(b)}`, inputSchema: a.b }, c);",
    "s.setRequestHandler(ListToolsRequestSchema, () => ({ tools: a.map(c).filter(Boolean) }));",
    "new Map(Object.entries(a)).forEach((x, y) => server.tool(y, x, {}, c));",
    "a.b = a; b.push(b); c.a.b.c = c;",
    "module.exports = { ...module.exports, a, b: require('./m1') };",
    "class B extends a { constructor() { super({ name: b, description: this.a }); this.a = this } }",
    "const i = a ? b : c || a;",
    "function add(n, t) { server.tool(n, t, {}, add); add(t, n) } add(a, b);",
];
const PYTHON: [&str; 14] = [
    "from .p1 import a, b\n",
    "from .p2 import *\n",
    "from . import p0 as c\n",
    "a = b + c\n",
    "b = [*a, {'name': 'x', 'inputSchema': a}]\n",
    "def c(x=a, *y, **z) -> a:\n    return b(x)\n",
    "class A(A, a):\n    name = a\n    x: A = Field(description=b)\n    def run(self, x: A): return self.run(x)\n",
    "@mcp.tool(name=a, description=f'{b}{c(b)}')\ndef d(x: A, y: list[a]): pass\n",
    "for e, f in a.items():\n    mcp.add_tool(f, name=e)\n",
    "@server.list_tools()\nasync def g():\n    return [Tool(name=x, description=y, inputSchema=a) for x, y in b]\n",
    "def deco(n):\n    def wrap(f):\n        return mcp.tool(n)(deco(f))\n    return wrap\n@deco(a)\ndef h(): pass\n",
    "a.b = a\nb.append(b)\nb += b\n",
    "a, (b, *c) = c, (a, b)\n",
    "TOOLS = {'t': {'description': a, 'inputSchema': b}}\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_package_ends_and_reads_the_same_again(
        scripts in prop::collection::vec(prop::collection::vec(prop::sample::select(&SCRIPT[..]), 0..12), 3),
        modules in prop::collection::vec(prop::collection::vec(prop::sample::select(&PYTHON[..]), 0..12), 3),
    ) {
        let mut files: Vec<(String, String)> = vec![("p/__init__.py".to_owned(), "from .p0 import *\n".to_owned())];
        for (at, pieces) in scripts.iter().enumerate() {
            files.push((format!("m{at}.js"), pieces.join("\n")));
        }
        for (at, pieces) in modules.iter().enumerate() {
            files.push((format!("p/p{at}.py"), pieces.concat()));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (once, again) = (gathered(&files), gathered(&files));
        prop_assert_eq!(once.tools, again.tools);
        prop_assert_eq!(once.gaps, again.gaps);
    }
}
