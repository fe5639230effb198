//! What only looks like a registration.

use super::{gathered, show, unresolved};

#[test]
fn nothing_is_registered() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("tests", &[("tests/a.test.js", "server.tool('weigh', 'Weighs', {}, cb)")]),
        ("Python tests", &[("test_a.py", "@mcp.tool()\ndef weigh(): 'Weighs'\n")]),
        (
            "examples",
            &[("examples/s.py", "@mcp.tool()\ndef weigh(): 'Weighs'\n"), ("lib.py", "from mcp.server import Server\n")],
        ),
        (
            "a call of a tool",
            &[(
                "a.js",
                "import { Client } from '@modelcontextprotocol/sdk/client/index.js'; await client.callTool('weigh', { stone: 'x' }); await client.callTool({ name: 'weigh', arguments: { stone: 'x' } })",
            )],
        ),
        (
            "a call of a tool in Python",
            &[("a.py", "from mcp import ClientSession\nawait session.call_tool('weigh', {'stone': 'x'})\n")],
        ),
        (
            "a generated client",
            &[(
                "a.ts",
                "export const mcpServer = 1; export class StonesApi { weigh(body: any) { return this.request({ path: '/weigh', method: 'POST', name: 'weigh', body }) } }",
            )],
        ),
        (
            "a helper that takes the server",
            &[(
                "a.js",
                "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; import { registerTools } from 'elsewhere'; const s = new McpServer({ name: 'stones', version: '1' }); registerTools(s, new Api())",
            )],
        ),
        (
            "a tool of another kit",
            &[(
                "a.js",
                "import { tool } from 'ai'; import '@modelcontextprotocol/sdk/server/mcp.js'; export const weigh = tool({ description: 'Weighs each of the stones in turn', execute: f })",
            )],
        ),
        (
            "a base class of the package's own",
            &[(
                "a.py",
                "from abc import ABC\nfrom mcp.server import Server\nclass BaseTool(ABC):\n    async def execute(self): ...\nclass WeighTool(BaseTool):\n    'Weighs'\n    async def execute(self, stone: str): ...\n",
            )],
        ),
        (
            "a list of people",
            &[("a.js", "const people = [{ name: 'ada', description: 'a person' }]; register(people); // mcpServer")],
        ),
        (
            "a dictionary of people",
            &[(
                "a.py",
                "from mcp import types\nPEOPLE = [{'name': 'ada', 'description': 'a person'}]\nKINDS = {'ada': {'description': 'a person'}}\n",
            )],
        ),
        (
            "properties of a schema",
            &[(
                "a.js",
                "const s = { type: 'object', properties: { name: { type: 'string', description: 'n' }, parameters: { type: 'object' }, inputSchema: { type: 'object' } } }; fetch(s)",
            )],
        ),
        (
            "other classes",
            &[(
                "a.js",
                "class ToolbarButton { label = 'x' } class ToolShed { open() {} } class Toolkit { constructor() { this.size = 3 } } // mcpServer",
            )],
        ),
        (
            "other classes in Python",
            &[(
                "a.py",
                "from mcp import types\nclass Toolbox:\n    def run(self): pass\nclass ToolError(Exception):\n    description = 'failed'\n",
            )],
        ),
        ("another kit's option", &[("a.js", "import mcp from 'mcp'; editor.tool('pen'); pens.addTool(pen)")]),
        (
            "comments",
            &[(
                "a.js",
                "// server.tool('weigh', 'Weighs', {}, cb)\nexport const text = \"server.tool('weigh', 'Weighs', {}, cb)\"",
            )],
        ),
        (
            "types",
            &[("a.d.ts", "declare const t: { name: 'weigh'; inputSchema: { type: 'object' } }; // registerTool")],
        ),
    ];
    for (what, files) in cases {
        let evidence = gathered(files);
        assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), Vec::<String>::new(), "{what}");
        if !what.contains("another kit") {
            assert_eq!(unresolved(&evidence), Vec::<&capdex_model::snapshot::Gap>::new(), "{what}");
        }
    }
}

#[test]
fn an_example_that_the_package_loads_counts() {
    let evidence = gathered(&[
        ("package.json", "{\"name\": \"scale\", \"main\": \"index.js\"}"),
        ("index.js", "import './examples/s.js'; // mcpServer"),
        ("examples/s.js", "server.tool('weigh', 'Weighs', {}, cb)"),
    ]);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["weigh: Weighs any"]);
}

#[test]
fn the_kits_own_list_in_a_bundle_registers_nothing() {
    const KIT: &str = "class McpServer { constructor() { this._registeredTools = {}; this._toolHandlersInitialized = false }
        setToolHandlers() { this.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Object.entries(this._registeredTools)
            .map(([name, tool]) => ({ name, title: tool.title, description: tool.description, inputSchema: toJson(tool.inputSchema) })) })) }
        registerTool(name, config, cb) { this._registeredTools[name] = { ...config, cb }; this.setToolHandlers() } }\n";
    let own = "const s = new McpServer(); s.registerTool('weigh', { description: 'Weighs', inputSchema: { type: 'object', properties: {} } }, cb);";
    let read = |text: &str| {
        gathered(&[
            ("dist/bundle.js", text),
            (
                "package.json",
                r#"{"name": "s", "bin": "dist/bundle.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}"#,
            ),
        ])
    };
    let evidence = read(&format!("{KIT}{own}"));
    let tools: Vec<&str> = evidence.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((tools, unresolved(&evidence).len()), (vec!["weigh"], 0));
    // Whoever fills the kit's field himself is followed as ever.
    let filled = KIT.replace(
        "_registeredTools = {};",
        "_registeredTools = { hidden: { description: 'Hidden', inputSchema: {} } };",
    );
    let evidence = read(&format!("{filled}{own}"));
    let is_told = evidence.tools.iter().any(|tool| tool.name == "hidden") || !unresolved(&evidence).is_empty();
    assert!(is_told);
}
