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
