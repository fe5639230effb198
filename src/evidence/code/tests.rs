//! Tests of source analysis: small files in, views out.

use proptest::prelude::*;

use super::*;

pub(super) fn read_text(path: &str, text: &str) -> (Option<SourceView>, Vec<Gap>) {
    let mut gaps = Vec::new();
    let document = Document::read(path, text.as_bytes(), &mut gaps);
    let view = read(&document, &mut gaps);
    (view, gaps)
}

pub(super) fn view_of(path: &str, text: &str) -> SourceView {
    let (view, gaps) = read_text(path, text);
    assert_eq!(gaps, [], "{text}");
    view.unwrap_or_default()
}

fn callees_of(path: &str, text: &str) -> Vec<String> {
    view_of(path, text).calls.into_iter().map(|call| call.callee).collect()
}

fn first_argument(path: &str, text: &str, callee: &str) -> Argument {
    let calls = view_of(path, text).calls;
    let call = calls.iter().find(|call| call.callee == callee).expect("the call is kept");
    call.arguments.first().cloned().expect("it has an argument")
}

pub(super) fn tool_of(path: &str, text: &str) -> Tool {
    let mut tools = view_of(path, text).tools;
    assert_eq!(tools.len(), 1, "{text}: {tools:?}");
    tools.remove(0)
}

#[test]
fn aliases_of_a_module_lead_to_one_name() {
    for text in [
        "const {exec} = require('child_process'); exec(cmd)",
        "const {exec: run} = require(\"node:child_process\"); run(cmd)",
        "import * as cp from 'child_process'; cp.exec(cmd)",
        "import {exec as r} from\"node:child_process\";r(cmd)",
        "import cp from 'child_process'; cp.exec(cmd)",
        "var import_cp = require('child_process'); (0, import_cp.exec)(cmd)",
        "var c = __toESM(require('child_process'), 1); c.exec(cmd)",
        "import {exec} from 'child_process'; import {promisify} from 'util'; const run = promisify(exec); await run(cmd)",
        "const cp = await import('child_process'); cp.exec(cmd)",
        "require('child_process').exec(cmd)",
    ] {
        assert_eq!(callees_of("a.mjs", text), ["child_process.exec"], "{text}");
    }
    for text in [
        "from subprocess import run as r\nr(x)",
        "import subprocess as s\ns.run(x)",
        "import subprocess\nsubprocess.run(x)",
        "__import__('subprocess').run(x)",
    ] {
        assert!(callees_of("a.py", text).contains(&"subprocess.run".to_owned()), "{text}");
    }
}

#[test]
fn a_short_name_that_is_bound_twice_is_no_alias() {
    let text = "import{exec as r}from\"child_process\";function f(r){r(1)}function g(r){return r(2)}";
    assert_eq!(callees_of("bundle.js", text), Vec::<String>::new());
}

#[test]
fn shapes_tell_literal_text_from_text_made_at_run_time() {
    let shape = |argument: &str| {
        first_argument("a.js", &format!("const base = 'ls'; function f(dir) {{ eval({argument}) }}"), "eval")
    };
    assert_eq!(shape("'ls'"), Argument::Literal("ls".to_owned()));
    assert_eq!(shape("`ls`"), Argument::Literal("ls".to_owned()));
    assert_eq!(shape("base + ' -l'"), Argument::Literal("ls -l".to_owned()));
    assert_eq!(shape("`${base} ${dir}`"), Argument::Composed("ls {}".to_owned()));
    assert_eq!(shape("'ls ' + dir + '/x'"), Argument::Composed("ls {}/x".to_owned()));
    assert_eq!(shape("dir"), Argument::Name("dir".to_owned()));
    assert_eq!(shape("atob(dir)"), Argument::Result("atob".to_owned()));
    assert_eq!(shape("{ shell: true }"), Argument::Named(vec![("shell".to_owned(), "true".to_owned())]));
    assert_eq!(shape("() => 1"), Argument::Other);
    let shape =
        |argument: &str| first_argument("a.py", &format!("base = 'ls'\ndef f(d):\n    eval({argument})\n"), "eval");
    assert_eq!(shape("'ls'"), Argument::Literal("ls".to_owned()));
    assert_eq!(shape("base + ' -l'"), Argument::Literal("ls -l".to_owned()));
    assert_eq!(shape("f'ls {d}'"), Argument::Composed("ls {}".to_owned()));
    assert_eq!(shape("'ls %s' % d"), Argument::Composed("ls %s".to_owned()));
    assert_eq!(shape("'ls {}'.format(d)"), Argument::Composed("ls {}".to_owned()));
    assert_eq!(shape("d"), Argument::Name("d".to_owned()));
    assert_eq!(shape("base64.b64decode(d).decode()"), Argument::Result("base64.b64decode".to_owned()));
}

#[test]
fn the_body_of_an_answer_is_the_answer() {
    let result = |name: &str| Argument::Result(name.to_owned());
    let javascript = "const res = await fetch(u); const code = await res.text(); eval(code)";
    assert_eq!(first_argument("a.mjs", javascript, "eval"), result("fetch"));
    let javascript = "import axios from 'axios'; eval((await axios.get(u)).data)";
    assert_eq!(first_argument("a.mjs", javascript, "eval"), result("axios.get"));
    let python = "import requests\nr = requests.get(u)\nexec(r.text)\n";
    assert_eq!(first_argument("a.py", python, "exec"), result("requests.get"));
}

#[test]
fn paths_are_put_together() {
    let javascript = "const key = path.join(os.homedir(), '.ssh', 'id_rsa'); require('fs').readFileSync(key)";
    assert_eq!(first_argument("a.js", javascript, "fs.readFileSync"), Argument::Composed("{}/.ssh/id_rsa".to_owned()));
    let python = "from pathlib import Path\np = Path.home() / '.ssh' / 'id_rsa'\nopen(p)\n";
    assert_eq!(first_argument("a.py", python, "open"), Argument::Composed("{}/.ssh/id_rsa".to_owned()));
    let python = "import os\nopen(os.path.expanduser('~/.aws/credentials'))\n";
    assert_eq!(first_argument("a.py", python, "open"), Argument::Literal("~/.aws/credentials".to_owned()));
}

#[test]
fn a_path_that_reads_itself_is_kept_with_what_it_is() {
    let python = "import pathlib\n\ndef settings():\n    return (pathlib.Path.home() / '.netrc').read_text()\n";
    let calls = view_of("a.py", python).calls;
    let read = calls.iter().find(|call| call.callee == "*.read_text").expect("a call");
    assert!(read.taint.receiver.any(super::TaintSources::SECRET_PATH), "{calls:?}");
}

#[test]
fn the_environment_is_read_by_name_or_whole() {
    let calls = view_of("a.js", "f(process.env.HOME, {...process.env}); JSON.stringify(process.env)").calls;
    let shapes: Vec<&[Argument]> =
        calls.iter().filter(|call| call.callee == "process.env").map(|call| call.arguments.as_slice()).collect();
    assert!(shapes.contains(&[Argument::Literal("HOME".to_owned())].as_slice()));
    assert!(shapes.contains(&[Argument::Name("JSON.stringify".to_owned())].as_slice()));
    let calls =
        view_of("a.py", "import os, json\nos.environ['A']\nos.environ.get('B')\njson.dumps(dict(os.environ))\n").calls;
    let shapes: Vec<Option<&Argument>> = calls.iter().map(|call| call.arguments.first()).collect();
    assert_eq!(
        shapes,
        [
            Some(&Argument::Literal("A".to_owned())),
            Some(&Argument::Literal("B".to_owned())),
            Some(&Argument::Name("dict".to_owned()))
        ]
    );
}

#[test]
fn a_name_that_opens_an_enumeration_may_be_declared_again() {
    let text = "var K; (function (K) { K[\"A\"] = \"a\"; })(K || (K = {})); function f() { const K = 'x'; eval(K) }";
    assert_eq!(callees_of("a.js", text), ["eval"]);
}

#[test]
fn places_are_right_on_one_long_line() {
    let text = "é;eval(a);".repeat(20_000);
    let calls = view_of("a.js", &text).calls;
    let columns: Vec<u32> = calls.iter().take(3).map(|call| call.place.column).collect();
    assert_eq!(calls.len(), 20_000);
    assert_eq!(columns, vec![3, 13, 23]);
}

#[test]
fn dialects_are_tried_in_turn() {
    assert_eq!(callees_of("a.cjs", "return eval(x)"), ["eval"]);
    assert_eq!(callees_of("a.ts", "const a = <string>b; eval(a as string)"), ["eval"]);
    assert_eq!(callees_of("a.tsx", "const a = <b>it's {eval(c)}</b>"), ["eval"]);
    assert_eq!(view_of("a.d.ts", "declare function eval(a: string): void"), SourceView::default());
}

#[test]
fn what_cannot_be_parsed_is_a_gap_and_what_cannot_matter_is_none() {
    let (view, gaps) = read_text("a.js", "eval(((");
    assert_eq!(view, None);
    assert_eq!(gaps.first().map(|gap| gap.reason), Some(GapReason::Malformed));
    let (view, gaps) = read_text("a.py", "import os\nos.system(x)\nprint 'old'\n");
    assert!(view.is_some_and(|view| view.calls.len() == 1));
    assert_eq!(gaps.first().map(|gap| gap.reason), Some(GapReason::Malformed));
    assert_eq!(read_text("a.js", "var x = ((("), (None, Vec::new()));
}

#[test]
fn the_size_limit_holds_to_the_byte() {
    let text = |bytes: usize| format!("eval(a);{}", " ".repeat(bytes - 8));
    assert_eq!(read_text("a.js", &text(MAX_BYTES)).1, []);
    let (view, gaps) = read_text("a.js", &text(MAX_BYTES + 1));
    assert_eq!(view, None);
    assert_eq!(gaps.first().map(|gap| gap.reason), Some(GapReason::BudgetExhausted));
}

#[test]
fn deep_nesting_is_refused_or_survived() {
    let scripts = [
        "(",
        "[",
        "{",
        "!",
        "-",
        "a=>",
        "a?b:",
        "a.b",
        "a+",
        "typeof ",
        "if(a)",
        "else if(a)",
        "new ",
        "`${",
        "a()",
        "a**",
        "x=",
        "class extends ",
        "async()=>",
        "(a,",
        "<T>",
        "function(){",
        "if(a)\n",
        "await ",
        "{a:",
        "[a,",
        "a<b<",
        "a||",
        "yield ",
    ];
    for piece in scripts {
        for count in [100, 290, 3_900, 200_000] {
            for path in ["a.js", "a.ts", "a.tsx"] {
                let _ = read_text(path, &format!("eval(x);{}", piece.repeat(count)));
            }
        }
    }
    let texts = [
        "(",
        "[",
        "{",
        "-",
        "not ",
        "a+",
        "a.b",
        "lambda:",
        "a if b else ",
        "f'{",
        "f\"{'}'+f\"{",
        "a()",
        "await ",
        "a**",
        "x=",
        "a[",
        "a and ",
        "a<",
        "*",
        "@a",
        "a,",
    ];
    for piece in texts {
        for count in [100, 290, 3_900, 200_000] {
            let _ = read_text("a.py", &format!("eval(x)\n{}", piece.repeat(count)));
        }
    }
    let mut blocks = "eval(x)\n".to_owned();
    for depth in 0..2_000 {
        blocks.push_str(&" ".repeat(depth));
        blocks.push_str("if a:\n");
    }
    let _ = read_text("a.py", &blocks);
}

#[test]
fn constants_that_repeat_each_other_stay_small() {
    let mut text = "const a0 = ['x','x','x','x','x','x','x','x','x','x'];".to_owned();
    let mut python = "a0 = ['x','x','x','x','x','x','x','x','x','x']\n".to_owned();
    for level in 1..40 {
        let previous = format!("a{},", level - 1).repeat(10);
        text.push_str(&format!("const a{level} = [{previous}];"));
        python.push_str(&format!("a{level} = [{previous}]\n"));
    }
    let (view, gaps) = read_text("a.js", &format!("{text} eval(a39)"));
    assert!(view.is_some_and(|view| view.calls.len() == 1));
    assert_eq!(gaps.first().map(|gap| gap.reason), Some(GapReason::BudgetExhausted));
    let (view, _) = read_text("a.py", &format!("{python}x = Tool(name='t', description='d', inputSchema=a39)\n"));
    assert!(view.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "eval(", ")", "{", "}", "'", "\"", "`", "${", "tool", "server.tool('a',", "=>", "/", "*/", "//", "\\", "\n", "if ", "else ",
        "é", "\u{2028}", "def f(", ":", "f'", "@tool", "class A", "const x=", "[", "]", ".describe(", "<a>", "async ", "#", "    "]), 0..60)) {
        let text = format!("eval(a)\n{}", pieces.concat());
        for path in ["a.js", "a.ts", "a.tsx", "a.py"] {
            let _ = read_text(path, &text);
        }
    }
}
