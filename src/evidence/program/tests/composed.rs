//! Idioms of servers that are put together: mounts, plugins, factories, and libraries that a package carries along.

use super::{check, gathered, show, unresolved};

#[test]
fn servers_under_a_namespace() {
    check(&[
        (
            "a mount in either order of either age",
            &[
                (
                    "app/main.py",
                    "from fastmcp import FastMCP\nfrom .stones import stones_mcp\nfrom app import metals\nmain = FastMCP('m')\nmain.mount(stones_mcp, namespace='stones')\nmain.mount('metals', metals.server)\n",
                ),
                ("app/__init__.py", ""),
                (
                    "app/stones.py",
                    "from fastmcp import FastMCP\nstones_mcp = FastMCP('s')\n@stones_mcp.tool(tags={'a'})\n@checked\nasync def weigh(n: int):\n    'Weighs'\n",
                ),
                (
                    "app/metals.py",
                    "from fastmcp import FastMCP\nserver = FastMCP('s')\ndef melt(): 'Melts'\nserver.add_tool(melt)\nserver.tool(name='cast')(melt)\n",
                ),
            ],
            &["metals_melt: Melts {}", "metals_cast: Melts {}", "stones_weigh: Weighs {n: integer}"],
        ),
        (
            "a mount below another",
            &[(
                "s.py",
                "from fastmcp import FastMCP\na = FastMCP('a')\nb = FastMCP('b')\nc = FastMCP('c')\na.mount(b, prefix='b')\nb.mount(c, 'c')\n@c.tool\ndef f(): 'F'\n@a.tool\ndef g(): 'G'\n",
            )],
            &["b_c_f: F {}", "g: G {}"],
        ),
        (
            "no namespace, and one that is put together at run time",
            &[(
                "s.py",
                "from fastmcp import FastMCP\na = FastMCP('a')\nb = FastMCP('b')\nc = FastMCP('c')\na.mount(b)\na.mount(c, prefix=os.environ['P'])\n@b.tool\ndef f(): 'F'\n@c.tool\ndef g(): 'G'\n",
            )],
            &["f: F {}", "g: G {}"],
        ),
        (
            "servers that mount each other",
            &[(
                "s.py",
                "from fastmcp import FastMCP\na = FastMCP('a')\nb = FastMCP('b')\na.mount(b, prefix='b')\nb.mount(a, prefix='a')\n@a.tool\ndef f(): 'F'\n",
            )],
            &["b_a_b_a_b_a_f: F {}"],
        ),
    ]);
}

#[test]
fn loops_that_share_a_variable() {
    check(&[(
        "two lists",
        &[(
            "s.py",
            "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('m')\ndef f(): 'F'\ndef g(): 'G'\ndef add_read(s, t): s.add_tool(t)\ndef add_write(s, t): s.add_tool(t)\nfor _t in [f]:\n    add_read(mcp, _t)\nfor _t in [g]:\n    add_write(mcp, _t)\n",
        )],
        &["f: F {}", "g: G {}"],
    )]);
}

#[test]
fn plugins_that_are_handed_a_callback() {
    check(&[(
        "each plugin's own prefix and titles",
        &[
            (
                "server.js",
                "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; export class Hub extends McpServer { async add(plugin) { this.plugins.push(plugin); await plugin.registerTools((params, cb) => { const name = this.nameOf(plugin, params.title); return super.registerTool(name, { description: params.summary, inputSchema: params.input }, cb); }); } nameOf(plugin, title) { return `${plugin.prefix}_${title.replace(/\\s+/g, '_').toLowerCase()}`; } }",
            ),
            (
                "stones.js",
                "export class Stones { prefix = 'stones'; async registerTools(register) { register({ title: 'Weigh  One', summary: 'Weighs' }, cb); } }",
            ),
            (
                "metals.js",
                "export class Metals { prefix = 'metals'; async registerTools(register) { for (const t of [{ title: 'Melt', summary: 'Melts' }]) register(t, cb); } }",
            ),
            (
                "index.js",
                "import { Hub } from './server.js'; import { plugins } from './all.js'; const hub = new Hub({ name: 'h', version: '1' }); for (const p of plugins.enabled()) await hub.add(p);",
            ),
        ],
        &["metals_melt: Melts", "stones_weigh_one: Weighs"],
    )]);
}

#[test]
fn expressions_change_names() {
    check(&[
        (
            "JavaScript, once and everywhere",
            &[(
                "s.js",
                "for (const n of ['Get A B']) { server.tool(n.replace(/\\s/, '-'), 'One', {}, cb); server.tool(n.replace(/[^a-z]+/gi, ''), 'All', {}, cb) }",
            )],
            &["Get-A B: One any", "GetAB: All any"],
        ),
        (
            "Python",
            &[(
                "s.py",
                "import re\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('m')\n@mcp.tool(name=re.sub(r'\\W+', '_', 'get a-b'))\ndef f(): 'F'\n",
            )],
            &["get_a_b: F {}"],
        ),
    ]);
}

#[test]
fn what_a_library_inside_registers_is_no_tool_of_the_package() {
    let library = "from .server import Kit\nmcp = Kit('example')\n@mcp.tool\ndef greet(): 'Greets'\n";
    let own = "from mcp.server import FastMCP\nfrom ._vendor.kit import server\nmcp = FastMCP('m')\n@mcp.tool\ndef f(): 'F'\n";
    let kit = ("app/_vendor/kit/server.py", "class Kit: pass\n");
    let files =
        [("app/main.py", own), kit, ("app/_vendor/kit/example.py", library), ("app/_vendor/kit/__init__.py", "")];
    let evidence = gathered(&files);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["f: F {}"]);
    assert!(unresolved(&evidence).is_empty());
    // Loaded by the library's own modules it is said, and named by the package it is a tool as any other.
    let entry = ("app/__main__.py", "from . import main\n");
    let loading = ("app/_vendor/kit/server.py", "from . import example\nclass Kit: pass\n");
    let evidence = gathered(&[files[0], loading, files[2], files[3], entry]);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["f: F {}"]);
    assert_eq!(unresolved(&evidence).len(), 1);
    let named = own.replace("import server", "import server, example");
    let evidence = gathered(&[("app/main.py", &named), kit, files[2], files[3]]);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["greet: Greets {}", "f: F {}"]);
}

#[test]
fn hints_in_the_spelling_of_the_second_python_kit() {
    check(&[(
        "a constant and a function",
        &[(
            "s.py",
            "from mcp.server import MCPServer\nfrom mcp.types import ToolAnnotations\nREAD = ToolAnnotations(read_only_hint=True, open_world_hint=False)\ndef writes(*, destructive: bool):\n    return ToolAnnotations(read_only_hint=False, destructive_hint=destructive)\nserver = MCPServer('m')\n@server.tool(name='f', description='F', annotations=READ)\ndef a(): pass\n@server.tool(name='g', description='G', annotations=writes(destructive=True))\ndef b(): pass\n",
        )],
        &[
            "f: F {} {\"openWorldHint\":false,\"readOnlyHint\":true}",
            "g: G {} {\"destructiveHint\":true,\"readOnlyHint\":false}",
        ],
    )]);
}

#[test]
fn a_method_of_the_kit_that_is_written_anew_registers_nothing_itself() {
    check(&[(
        "a decorator that hands on to the kit's",
        &[
            (
                "s.py",
                "from fastmcp import FastMCP\nfrom kit import Kit\nmain = FastMCP('m')\nstones = Kit('s')\nmain.mount(stones, namespace='stones')\n@stones.tool(tags={'a'})\ndef weigh(n: int): 'Weighs'\n@stones.tool\ndef melt(): 'Melts'\n",
            ),
            (
                "kit.py",
                "from fastmcp import FastMCP\nclass Kit(FastMCP):\n    def tool(self, name=None, **kwargs):\n        if callable(name):\n            return super().tool(checked(name), **kwargs)\n        def decorator(fn):\n            return super(Kit, self).tool(checked(fn), **kwargs)\n        return decorator\ndef checked(fn): return fn\n",
            ),
        ],
        &["stones_weigh: Weighs {n: integer}", "stones_melt: Melts {}"],
    )]);
}

#[test]
fn names_that_are_assigned_from_themselves() {
    check(&[
        (
            "a list that grows before its tools are registered",
            &[(
                "s.js",
                "import { McpServer } from '@modelcontextprotocol/sdk';\nconst sets = { a: ['x'], b: ['y'] };\nclass Kit {\n  constructor(options) { this.all = TOOLS.filter(t => options.names.includes(t.name)); }\n  register(server, options) { for (const t of this.all) server.tool(cased(t.name, options.case), t.description, t.schema, async p => t.run(p)); }\n}\nconst TOOLS = [{ name: 'weigh', description: 'Weighs' }, { name: 'melt', description: 'Melts' }];\nfunction cased(n, c) { if (c === 'snake') return n.replace(/-/g, '_'); return n }\nfunction start(options) {\n  let names = options.tools || [];\n  for (const [key, set] of Object.entries(sets)) { if (names.includes(key)) { names = [...set, ...names]; } }\n  names = Array.from(new Set(names));\n  const kit = new Kit({ names });\n  kit.register(new McpServer({ name: 's' }), { case: options.case });\n}\nstart({ case: 'snake' });\nstart({ case: process.env.C });\n",
            )],
            &["melt: Melts", "weigh: Weighs"],
        ),
        (
            "what the turns of a loop put together is there behind it",
            &[(
                "s.js",
                "import { McpServer } from '@modelcontextprotocol/sdk';\nconst sets = [[{ name: 'weigh', description: 'Weighs' }], [{ name: 'melt', description: 'Melts' }]];\nfunction start() {\n  let all = [];\n  for (const set of sets) { all = [...all, ...set]; }\n  const server = new McpServer({ name: 's' });\n  for (const t of all) server.registerTool(t.name, { description: t.description }, cb);\n}\nstart();\n",
            )],
            &["melt: Melts", "weigh: Weighs"],
        ),
    ]);
}

#[test]
fn a_table_of_thousands_is_read_from_many_callers() {
    let tools: String = (0..2_600).map(|at| format!("{{ name: 't{at}', description: 'D {at}' }},")).collect();
    let calls: String = (0..40).map(|at| format!("function f{at}(s) {{ add(s, 'c') }} f{at}(server);\n")).collect();
    let script = format!(
        "import {{ McpServer }} from '@modelcontextprotocol/sdk';\nconst all = [{tools}];\nfunction add(s, c) {{ for (const t of all) s.tool(t.name, t.description, {{}}, run(c)) }}\nconst server = new McpServer({{ name: 's' }});\n{calls}"
    );
    let evidence = gathered(&[("s.js", &script)]);
    assert_eq!((evidence.tools.len(), evidence.gaps.as_slice()), (2_600, [].as_slice()));
}

#[test]
fn what_lies_beyond_the_most_turns_is_a_gap() {
    let tools: String = (0..5_001).map(|at| format!("{{ name: 't{at}', description: 'D {at}' }},")).collect();
    for register in [
        "for (const t of all) server.tool(t.name, t.description, {}, cb);",
        "server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: all.map(t => ({ name: t.name, description: t.description })) }));",
    ] {
        let script = format!(
            "import {{ McpServer }} from '@modelcontextprotocol/sdk';\nconst all = [{tools}];\nconst server = new McpServer({{ name: 's' }});\n{register}\n"
        );
        let evidence = gathered(&[("s.js", &script)]);
        assert_eq!(evidence.tools.len(), 5_000, "{register}");
        assert!(!evidence.gaps.is_empty(), "{register}");
    }
}
