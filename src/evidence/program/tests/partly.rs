//! What is told in part: the parts that are written stand, the others are marked and noted as a gap.

use super::{check, gathered, show, unresolved};

#[test]
fn what_is_written_stands() {
    check(&[
        (
            "a call inside a text",
            &[("s.js", "server.tool('weigh', `Weighs on ${host()} now`, {}, cb)")],
            &["weigh: Weighs on … now~ any"],
        ),
        (
            "a variable of the environment",
            &[("s.py", "import os\n@mcp.tool(description=f'Weighs in {os.environ[\"UNIT\"]}')\ndef weigh(): pass\n")],
            &["weigh: Weighs in …~ {}"],
        ),
        (
            "a text of another package",
            &[(
                "s.js",
                "import { text } from 'elsewhere'; server.registerTool('weigh', { description: text, inputSchema: {} }, cb)",
            )],
            &["weigh~ any"],
        ),
        (
            "a schema of another package",
            &[(
                "s.js",
                "import { shape } from 'elsewhere'; server.registerTool('weigh', { description: 'Weighs', inputSchema: shape }, cb)",
            )],
            &["weigh: Weighs~"],
        ),
        (
            "a part of a schema",
            &[(
                "s.js",
                "import { extra } from 'elsewhere'; server.tool('weigh', 'Weighs', { stone: z.string(), more: extra }, cb)",
            )],
            &["weigh: Weighs {stone: string}~"],
        ),
        (
            "a text inside a schema",
            &[("s.js", "server.tool('weigh', 'Weighs', { stone: z.string().describe(`on ${host()}`) }, cb)")],
            &["weigh: Weighs {stone: string \"on …\"}~"],
        ),
    ]);
}

#[test]
fn what_has_no_name_is_a_gap() {
    for (path, text, told) in [
        (
            "s.js",
            "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; server.registerTool(await ask(), { description: 'Weighs' }, cb)",
            vec!["…~~"],
        ),
        (
            "s.js",
            "import { Server } from '@modelcontextprotocol/sdk/server/index.js'; s.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await fetchAll() }))",
            vec![],
        ),
        ("s.py", "from mcp import types\n@server.list_tools()\nasync def all():\n    return await load()\n", vec![]),
        ("s.py", "from mcp import types\nmcp.add_tool(load())\n", vec!["…~~"]),
    ] {
        let evidence = gathered(&[(path, text)]);
        assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), told, "{text}");
        assert_eq!(unresolved(&evidence).len(), 1, "{text}: {:?}", evidence.gaps);
    }
}

#[test]
fn a_name_from_elsewhere_hides_no_text() {
    let kit =
        "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; import { NAMES, all } from 'elsewhere'; ";
    for (source, expected) in [
        (
            "server.registerTool(NAMES.weigh, { description: 'Weighs each of the stones in turn' }, cb)",
            "…: Weighs each of the stones in turn",
        ),
        (
            "server.registerTool(`${NAMES.own}_weigh`, { description: 'Weighs each of the stones in turn' }, cb)",
            "…_weigh: Weighs each of the stones in turn",
        ),
        (
            "server.tool(NAMES.weigh, 'Weighs each of the stones in turn', {}, cb)",
            "…: Weighs each of the stones in turn any",
        ),
        (
            "const TEXTS = { [NAMES.weigh]: 'Weighs each of the stones in turn' }; \
             server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: all().map((tool) => ({ ...tool, description: TEXTS[tool.name] })) }))",
            "…: Weighs each of the stones in turn~",
        ),
    ] {
        let evidence = gathered(&[("s.js", &format!("{kit}{source}"))]);
        assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), [expected], "{source}");
        assert!(!unresolved(&evidence).is_empty(), "{source}");
    }
}

#[test]
fn two_texts_under_one_name_both_stand() {
    let evidence = gathered(&[
        ("a.js", "server.tool('weigh', 'Weighs', {}, cb)"),
        ("b.js", "server.tool('weigh', 'Sends the stones away', {}, cb)"),
    ]);
    let texts: Vec<String> = evidence.tools.iter().map(show).collect();
    assert_eq!(texts, ["weigh: Weighs any", "weigh: Sends the stones away any"]);
}

#[test]
fn a_flag_under_a_condition_is_no_promise() {
    let kit =
        "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; import { quiet } from 'elsewhere'; ";
    for annotations in [
        "{ ...(quiet.has('weigh') ? { readOnlyHint: true } : {}), openWorldHint: true }",
        "{ readOnlyHint: quiet.has('weigh') ? true : false, openWorldHint: true }",
    ] {
        let call = format!("server.registerTool('weigh', {{ description: 'Weighs', annotations: {annotations} }}, cb)");
        let evidence = gathered(&[("s.js", &format!("{kit}{call}"))]);
        let told = evidence.tools.first().and_then(|tool| tool.annotations.as_ref()).expect("annotations are read");
        assert_eq!(told.to_string(), r#"{"openWorldHint":true}"#, "{annotations}");
    }
}

#[test]
fn of_a_server_of_which_no_tool_is_told_their_number_and_places_are() {
    let lib = "const { make } = require('elsewhere'); const { register } = require('./register'); const kit = make();\n\
               register(server, kit.first); register(server, kit.second);";
    let register = "exports.register = (server, tool) => {\n\
                    server.registerTool(tool.name, { description: tool.text, inputSchema: tool.shape }, tool.run); };";
    let package = r#"{"name": "a", "dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}"#;
    let files = [("package.json", package), ("s.js", lib), ("register.js", register)];
    let evidence = gathered(&files);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["…~~"]);
    assert_eq!(evidence.tools.first().map(|tool| tool.place.line), Some(2));
    let gaps: Vec<&str> = unresolved(&evidence).iter().map(|gap| gap.detail.as_str()).collect();
    assert_eq!(gaps, ["registers a tool that could not be told (line 2)"]);
    // Beside a tool that is told, such a place is a gap alone.
    let told = ("t.js", "server.tool('weigh', 'Weighs', {}, cb)");
    let evidence = gathered(&[files[0], files[1], files[2], told]);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["weigh: Weighs any"]);
}

#[test]
fn a_class_that_registers_its_objects_is_no_gap_where_they_are_told() {
    let base = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
                export class BaseTool { installTo(server) { server.registerTool(this.name, this.config(), cb); } }";
    let weigh = "import { BaseTool } from './base.js';\n\
                 export class WeighTool extends BaseTool { name = 'weigh'; description = 'Weighs'; \
                 inputSchema = { stone: z.string() }; async execute() {} }";
    let copies = [("dist/esm/base.js", base), ("dist/esm/weigh.js", weigh)];
    let evidence = gathered(&copies);
    assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), ["weigh: Weighs {stone: string}"]);
    assert!(unresolved(&evidence).is_empty(), "{:?}", evidence.gaps);
    // Nothing of it is told without its objects.
    let evidence = gathered(&[("dist/esm/base.js", base)]);
    assert_eq!(unresolved(&evidence).len(), 1, "{:?}", evidence.gaps);
}

#[test]
fn what_clients_keep_for_themselves_is_read_from_source() {
    let source = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
        server.registerTool('draw', { description: 'Draws', icons: [{ src: 'https://a.test/i.png' }],\n\
          _meta: { ui: { resourceUri: 'ui://chart', csp: { connectDomains: ['*'] }, permissions: { camera: {} } } } }, cb);\n\
        server.registerResource('chart', 'ui://chart', { _meta: { 'openai/widgetCSP': { connect_domains: ['*'] } } }, cb);";
    let evidence = gathered(&[("s.js", source)]);
    let kept: Vec<String> = evidence
        .surfaces()
        .iter()
        .flat_map(|surface| {
            let meta = surface.texts.iter().filter(|text| text.part == crate::surfaces::SurfacePart::Meta);
            meta.map(|text| format!("{} {}={}", surface.name, surface.pointer_to(text), text.raw()))
        })
        .collect();
    let expected = [
        "draw /icons/0/src=https://a.test/i.png",
        "draw /_meta/ui/resourceUri=ui://chart",
        "draw /_meta/ui/csp/connectDomains/0=*",
        "draw /_meta/ui/permissions/camera=camera",
        "chart /_meta/openai~1widgetCSP/connect_domains/0=*",
    ];
    let (kept, expected) = (kept.into_iter().collect::<std::collections::BTreeSet<_>>(), expected.map(str::to_owned));
    assert_eq!(kept, expected.into_iter().collect());
}
