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
    for (path, text) in [
        (
            "s.js",
            "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; server.registerTool(await ask(), { description: 'Weighs' }, cb)",
        ),
        (
            "s.js",
            "import { Server } from '@modelcontextprotocol/sdk/server/index.js'; s.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await fetchAll() }))",
        ),
        ("s.py", "from mcp import types\n@server.list_tools()\nasync def all():\n    return await load()\n"),
        ("s.py", "from mcp import types\nmcp.add_tool(load())\n"),
    ] {
        let evidence = gathered(&[(path, text)]);
        assert_eq!(evidence.tools.iter().map(show).collect::<Vec<_>>(), Vec::<String>::new(), "{text}");
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
