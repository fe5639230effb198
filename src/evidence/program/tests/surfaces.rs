//! Prompts, resources and instructions that source registers.

use super::{gathered, unresolved};
use crate::Evidence;
use crate::surfaces::SurfaceKind;

const KIT: &str = "import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';\n";

/// `kind name [title] <address>: text (argument "its text")`, with `~` behind one that is not told to its end.
fn shown(evidence: &Evidence) -> Vec<String> {
    let others = evidence.surfaces().iter().filter(|surface| surface.tool.is_none());
    others
        .map(|surface| {
            let text = |field: &str| surface.texts.iter().find(|text| text.is(field)).map(|text| text.raw().to_owned());
            let kind = match surface.kind {
                SurfaceKind::Prompt => "prompt",
                SurfaceKind::Resource => "resource",
                SurfaceKind::Server => "server",
                SurfaceKind::Skill => "skill",
                SurfaceKind::Tool => "tool",
            };
            let mut shown = format!("{kind} {}", surface.name);
            let mut add = |before: &str, text: Option<String>, after: &str| {
                shown.extend(text.map(|text| format!("{before}{text}{after}")));
            };
            add(" [", text("/title"), "]");
            add(" <", text("/uri").or_else(|| text("/uriTemplate")), ">");
            add(": ", text("/description").or_else(|| text("/instructions")), "");
            let arguments = surface.texts.iter().filter(|text| surface.pointer_to(text).starts_with("/arguments/"));
            for argument in arguments {
                let is_name = surface.pointer_to(argument).ends_with("/name");
                let argument = argument.raw();
                shown.push_str(&if is_name { format!(" ({argument})") } else { format!(" {argument:?}") });
            }
            if surface.exhausted {
                shown.push('~');
            }
            shown
        })
        .collect()
}

/// What a module with the kit's import registers.
fn script(source: &str) -> Vec<String> {
    shown(&gathered(&[("index.mjs", &format!("{KIT}{source}"))]))
}

#[test]
fn prompts_by_the_kits_methods() {
    let found = script(
        "const server = new McpServer({ name: 'diary', version: '1' });\n\
         server.prompt('plan', 'Plans a day.', { day: z.string().describe('Which day.') }, ({ day }) => ask(day));\n\
         server.prompt('greet', () => ask('Good day'));\n\
         server.registerPrompt('sum', { title: 'Sum', description: TEXT, argsSchema: { week: z.number() } }, f);\n\
         const TEXT = 'Sums ' + 'up.';\n\
         server.addPrompt({ name: 'recall', description: 'Recalls.', arguments: [{ name: 'what', description: 'Of what.' }], load });\n",
    );
    let expected = [
        "prompt plan: Plans a day. (day) \"Which day.\"",
        "prompt greet",
        "prompt sum [Sum]: Sums up. (week)",
        "prompt recall: Recalls. (what) \"Of what.\"",
    ];
    assert_eq!(found, expected);
}

#[test]
fn resources_by_the_kits_methods() {
    let found = script(
        "server.resource('today', 'diary://today', async () => read());\n\
         server.registerResource('day', new ResourceTemplate('diary://{day}', { list: undefined }), { title: 'Day', description: 'A day.' }, f);\n\
         registerAppResource(server, 'month', 'ui://month.html', { description: 'A month.' }, f);\n\
         server.addResourceTemplate({ uriTemplate: 'diary://{year}/{week}', name: 'week', load });\n\
         for (const name of ['a', 'b']) server.resource(name, `diary://${name}`, { description: `Of ${name}` }, f);\n",
    );
    let expected = [
        "resource today <diary://today>",
        "resource day [Day] <diary://{day}>: A day.",
        "resource month <ui://month.html>: A month.",
        "resource week <diary://{year}/{week}>",
        "resource a <diary://a>: Of a",
        "resource b <diary://b>: Of b",
    ];
    assert_eq!(found, expected);
}

#[test]
fn lists_that_a_handler_gives() {
    let source = "const PROMPTS = [{ name: 'plan', description: 'Plans.', arguments: [{ name: 'day' }] }];\n\
        server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: PROMPTS }));\n\
        server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: 'diary://today', name: 'today' }] }));\n\
        server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [{ uriTemplate: 'diary://{day}', name: 'day' }] }));\n";
    let expected = ["prompt plan: Plans. (day)", "resource today <diary://today>", "resource day <diary://{day}>"];
    assert_eq!(script(source), expected);
}

#[test]
fn instructions_where_a_server_is_made() {
    let own = "new McpServer({ name: 'diary', version: '1' }, { instructions: 'Ask before you write.' });\n";
    assert_eq!(script(own), ["server server: Ask before you write."]);
    let bundled = "var Qx = class {}; const s = new Qx({ name: 'diary', version: '1' }, { capabilities: {}, instructions: `Ask.` });\n";
    assert_eq!(script(bundled), ["server server: Ask."]);
    let options =
        "const o = { instructions: TEXT }; const TEXT = 'Ask.'; new Server({ name: 'a', version: '1' }, o);\n";
    assert_eq!(script(options), ["server server: Ask."]);
    let first = "new FastMCP({ name: 'diary', version: '1.0.0', instructions: 'Ask.' });\n";
    assert_eq!(script(first), ["server server: Ask."]);
    for none in [
        "new McpServer({ name: 'diary', version: '1' }, { instructions: undefined });\n",
        "new Recipe({ title: 'Bread' }, { instructions: 'Knead.' });\n",
        "export function make(o) { return new Server({ name: 'a', version: '1' }, { instructions: o.instructions }); }\n",
    ] {
        assert_eq!(script(none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn the_idioms_of_python() {
    let source = "from fastmcp import FastMCP\n\
        mcp = FastMCP('diary', instructions='Ask before you write.')\n\
        @mcp.prompt()\n\
        def plan(day: str) -> str:\n    \"\"\"Plans a day.\"\"\"\n    return day\n\
        @mcp.prompt(name='sum', description='Sums up.')\n\
        def other(): pass\n\
        @mcp.resource('diary://today')\n\
        def today() -> str:\n    'The events of today.'\n    return ''\n\
        @mcp.resource('diary://{day}', name='day', description='A day.')\n\
        def of_a_day(day: str): pass\n\
        mcp.add_resource(TextResource(uri='diary://help', name='help', description='Helps.', text=HELP))\n";
    let expected = [
        "server server: Ask before you write.",
        "prompt plan: Plans a day. (day)",
        "prompt sum: Sums up.",
        "resource today <diary://today>: The events of today.",
        "resource day <diary://{day}>: A day.",
        "resource help <diary://help>: Helps.",
    ];
    assert_eq!(shown(&gathered(&[("server.py", source)])), expected);

    let lists = "from mcp.server import Server\n\
        app = Server('diary', instructions=HELLO)\nHELLO = 'Ask.'\n\
        @app.list_prompts()\n\
        async def prompts():\n    return [types.Prompt(name='plan', description='Plans.', arguments=[types.PromptArgument(name='day', description='Which.')])]\n\
        @app.list_resources()\n\
        async def resources():\n    return [types.Resource(uri=AnyUrl('diary://today'), name='today', description='Today.')]\n";
    let expected =
        ["server server: Ask.", "prompt plan: Plans. (day) \"Which.\"", "resource today <diary://today>: Today."];
    assert_eq!(shown(&gathered(&[("server.py", lists)])), expected);
}

#[test]
fn words_of_other_programs_register_nothing() {
    let none = "import inquirer from 'inquirer';\nconst name = await inquirer.prompt([{ name: 'a', message: 'What?' }]);\n\
        rl.prompt(); io.prompt('Which one?', answer => use(answer)); api.resource('users'); \n\
        app.resource('users', 'UserController', handler);\n// registerTool\n";
    assert_eq!(shown(&gathered(&[("index.mjs", none)])), Vec::<String>::new());
    let none = "import click\n# @mcp.tool\n@prompt()\ndef a(): pass\n@api.resource('users')\ndef b(): pass\n@app.list_users()\ndef c(): pass\n";
    assert_eq!(shown(&gathered(&[("a.py", none)])), Vec::<String>::new());
}

#[test]
fn a_part_that_is_put_together_at_run_time_is_a_gap() {
    let source = "server.registerPrompt('plan', { description: 'Plans ' + process.env.TOWN }, f);\n\
        new McpServer({ name: 'diary', version: '1' }, { instructions: await load() });\n";
    let evidence = gathered(&[("index.mjs", &format!("{KIT}{source}"))]);
    assert_eq!(shown(&evidence), ["prompt plan: Plans …~", "server server: …~"]);
    let gaps: Vec<&str> = unresolved(&evidence).iter().map(|gap| gap.detail.as_str()).collect();
    let said = "registers 2 prompts, resources and instructions; 2 could not be told to their end (plan:2, server:3)";
    assert_eq!(gaps, [said]);

    let list = "server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: await load() }));\n";
    let evidence = gathered(&[("index.mjs", &format!("{KIT}{list}"))]);
    let gaps: Vec<&str> = unresolved(&evidence).iter().map(|gap| gap.detail.as_str()).collect();
    assert_eq!(gaps, ["registers a list of prompts that could not be told (line 2)"]);
}

#[test]
fn copies_of_one_surface_stand_once_and_differing_texts_both() {
    let one = format!(
        "{KIT}new McpServer({{ name: 'd', version: '1' }}, {{ instructions: 'Ask.' }});\nserver.prompt('plan', 'Plans.', f);\n"
    );
    let other = format!("{KIT}server.prompt('plan', 'Overrules.', f);\n");
    let package = r#"{"name": "d", "main": "dist/index.mjs"}"#;
    let copies = [("dist/index.mjs", one.as_str()), ("package.json", package), ("src/index.mjs", one.as_str())];
    assert_eq!(shown(&gathered(&copies)), ["server server: Ask.", "prompt plan: Plans."]);
    let differing = [("index.mjs", one.as_str()), ("other.mjs", other.as_str())];
    assert_eq!(shown(&gathered(&differing)), ["server server: Ask.", "prompt plan: Plans.", "prompt plan: Overrules."]);
}

#[test]
fn a_proxy_gives_instructions() {
    let files = [(
        "proxy.py",
        "from fastmcp.server.proxy import FastMCPProxy\nproxy = FastMCPProxy(client_factory=f, instructions=('Ask here ' 'first.'))\n",
    )];
    // The tools are behind it.
    assert_eq!(unresolved(&gathered(&files)).len(), 1);
    assert_eq!(shown(&gathered(&files)).len(), 1);
    assert!(shown(&gathered(&files))[0].ends_with(": Ask here first."), "{:?}", shown(&gathered(&files)));
}
