//! Tests of voices, apart from any rule.

use capdex_model::bundle::{Bundle, BundleFile};

use super::Voice;
use crate::Evidence;

fn evidence(files: &[(&str, &str)]) -> Evidence {
    let held = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes().to_vec())));
    Evidence::gather(&Bundle::local("folder:voices", held.collect()))
}

fn voice(files: &[(&str, &str)], path: &str) -> Voice {
    evidence(files).documents[path].voice
}

/// The voice at a word of a file.
fn voice_at(files: &[(&str, &str)], path: &str, word: &str) -> Voice {
    let evidence = evidence(files);
    let document = &evidence.documents[path];
    document.voice_at(document.text.find(word).expect("the word is there"))
}

const SKILL: (&str, &str) = ("kit/SKILL.md", "---\nname: kit\ndescription: Counts.\n---\nCount them.\n");
const PACKAGE: (&str, &str) = ("package.json", r#"{"name": "kit", "version": "1.0.0", "main": "index.js"}"#);

#[test]
fn files_speak_by_their_role_and_place() {
    let files = [
        SKILL,
        ("kit/references/more.md", "More.\n"),
        ("kit/README.md", "For people.\n"),
        ("kit/count.py", "print(1)\n"),
        ("kit/docs/manual.md", "A manual.\n"),
        ("notes.md", "Notes.\n"),
        ("data/page.md", "A page.\n"),
        ("locales/en.json", r#"{"title": "Approve"}"#),
        ("tests/test_count.py", "assert True\n"),
        ("style.css", "body {}\n"),
        ("dist/index.js.map", "{}"),
        (".github/workflows/build.yml", "on: push\n"),
        ("Taskfile.yml", "tasks: {}\n"),
        (".devcontainer/devcontainer.json", "{}"),
        ("kit/count.ipynb", r#"{"cells": []}"#),
        ("more/count.ipynb", r#"{"cells": []}"#),
        ("kit/hosts.yml", "- hosts: all\n"),
    ];
    let evidence = evidence(&files);
    for (path, voice) in [
        ("kit/SKILL.md", Voice::Agent),
        ("kit/references/more.md", Voice::Agent),
        ("kit/README.md", Voice::Human),
        ("kit/count.py", Voice::Program),
        ("kit/docs/manual.md", Voice::Human),
        ("notes.md", Voice::Human),
        ("data/page.md", Voice::Data),
        ("locales/en.json", Voice::Data),
        ("tests/test_count.py", Voice::Data),
        ("style.css", Voice::Data),
        ("dist/index.js.map", Voice::Data),
        (".github/workflows/build.yml", Voice::Program),
        ("Taskfile.yml", Voice::Program),
        (".devcontainer/devcontainer.json", Voice::Program),
        ("kit/count.ipynb", Voice::Program),
        ("more/count.ipynb", Voice::Data),
        ("kit/hosts.yml", Voice::Program),
    ] {
        assert_eq!(evidence.documents[path].voice, voice, "{path}");
    }
}

#[test]
fn one_text_has_one_voice_wherever_its_copies_stand() {
    let text = "# Kit\n\nAdd this to your settings.\n";
    let headers = format!("Metadata-Version: 2.1\nName: kit\nVersion: 1.0\n\n{text}");
    let files = [
        ("README.md", text),
        ("PKG-INFO", headers.as_str()),
        ("kit.egg-info/PKG-INFO", headers.as_str()),
        ("kit-1.0.dist-info/METADATA", headers.as_str()),
        ("CHANGELOG.md", text),
    ];
    let evidence = evidence(&files);
    assert!(evidence.documents.values().all(|document| document.voice == Voice::Human));
}

#[test]
fn what_an_agent_is_told_to_read_speaks_to_it_wherever_it_lies() {
    let order = |sentence: &str| format!("---\nname: kit\ndescription: Counts.\n---\n{sentence}\n");
    for (sentence, path) in [
        ("First read docs/steps.md and do what it says.", "docs/steps.md"),
        ("Follow the instructions in [the notes](../notes/setup.md).", "notes/setup.md"),
        ("@README.md", "README.md"),
        ("Read README.md and follow it.", "README.md"),
        ("Load `data/rules.json` before each task.", "data/rules.json"),
    ] {
        let text = order(sentence);
        let files = [("kit/SKILL.md", text.as_str()), (path, "Do it.")];
        assert_eq!(voice(&files, path), Voice::Agent, "{sentence}");
    }
    let text = order("People find more in README.md, and rows in data/rows.csv.");
    let files = [("kit/SKILL.md", text.as_str()), ("README.md", "More."), ("data/rows.csv", "a,b\n")];
    assert_eq!(voice(&files, "README.md"), Voice::Human);
    assert_eq!(voice(&files, "data/rows.csv"), Voice::Data);
}

#[test]
fn what_is_ordered_orders_in_turn() {
    let skill = "---\nname: kit\ndescription: Counts.\n---\nRead docs/a.md first.\n";
    let files = [("kit/SKILL.md", skill), ("docs/a.md", "Then follow docs/b.md.\n"), ("docs/b.md", "Do it.\n")];
    assert_eq!(voice(&files, "docs/b.md"), Voice::Agent);
}

#[test]
fn code_that_live_code_loads_is_live_whatever_its_folder() {
    let backend = "[build-system]\nrequires = []\nbuild-backend = \"helper\"\nbackend-path = [\"tests\"]\n";
    let script = "[project]\nname = \"kit\"\n[project.scripts]\nkit = \"tests.run:main\"\n";
    for (files, path) in [
        (vec![("package.json", r#"{"name": "kit", "version": "1.0.0", "main": "test/index.js"}"#)], "test/index.js"),
        (vec![PACKAGE, ("index.js", "require('./test/setup');\n")], "test/setup.js"),
        (vec![PACKAGE, ("index.js", "import { go } from './spec/go.mjs';\n")], "spec/go.mjs"),
        (vec![PACKAGE, ("index.js", "fork(path.join(__dirname, 'test/run.js'));\n")], "test/run.js"),
        (vec![("kit/__init__.py", "from tests import helper\n")], "tests/helper.py"),
        (vec![("kit/__init__.py", "import kit.tests.helper\n")], "kit/tests/helper.py"),
        (vec![("pyproject.toml", backend)], "tests/helper.py"),
        (vec![("pyproject.toml", script)], "tests/run.py"),
    ] {
        let mut files = files;
        files.push((path, "run()\n"));
        assert_eq!(voice(&files, path), Voice::Program, "{path}: {:?}", files.first());
    }
}

#[test]
fn tests_that_nothing_live_loads_are_data() {
    let package = r#"{"name": "kit", "version": "1.0.0", "main": "index.js", "scripts": {"test": "node test/run.js"}}"#;
    let files = [
        ("package.json", package),
        ("index.js", "run();\n"),
        ("jest.config.js", "module.exports = { setupFiles: ['./test/setup.js'] };\n"),
        ("test/setup.js", "run();\n"),
        ("test/run.js", "require('./setup');\n"),
    ];
    assert_eq!(voice(&files, "test/setup.js"), Voice::Data);
    assert_eq!(voice(&files, "test/run.js"), Voice::Data);
}

#[test]
fn remarks_in_a_program_are_data_and_surfaces_speak_to_the_model() {
    let server = "\"\"\"About this module.\"\"\"\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('kit')\n\n\
                  @mcp.tool()\ndef count(rows: int) -> int:\n    \"\"\"Counts all the rows of a table.\"\"\"\n    \
                  # A remark.\n    text = 'a literal'\n    return rows\n";
    let files = [("server.py", server)];
    for (word, voice) in [
        ("About", Voice::Data),
        ("Counts", Voice::Agent),
        ("A remark", Voice::Data),
        ("a literal", Voice::Program),
        ("return", Voice::Program),
    ] {
        assert_eq!(voice_at(&files, "server.py", word), voice, "{word}");
    }
}

#[test]
fn what_is_matched_against_is_data() {
    let code = "const BAD = /curl.*\\|(bash|sh)/i;\nconst MORE = new RegExp('wget one');\nexec('curl two');\n";
    let files = [("guard.js", code)];
    assert_eq!(voice_at(&files, "guard.js", "curl."), Voice::Data);
    assert_eq!(voice_at(&files, "guard.js", "wget"), Voice::Data);
    assert_eq!(voice_at(&files, "guard.js", "curl two"), Voice::Program);
    let python = [("guard.py", "import re, os\nBAD = re.compile(r'rm one')\nos.system('rm two')\n")];
    assert_eq!(voice_at(&python, "guard.py", "rm one"), Voice::Data);
    assert_eq!(voice_at(&python, "guard.py", "rm two"), Voice::Program);
}

#[test]
fn a_deny_list_is_data_and_a_list_of_commands_is_not() {
    let settings = r#"{"permissions": {"deny": ["Bash(rm one)", "Bash(curl [one])"], "allow": ["Bash(rm two)"]}}"#;
    let files = [(".claude/settings.json", settings)];
    assert_eq!(voice_at(&files, ".claude/settings.json", "rm one"), Voice::Data);
    assert_eq!(voice_at(&files, ".claude/settings.json", "curl [one"), Voice::Data);
    assert_eq!(voice_at(&files, ".claude/settings.json", "rm two"), Voice::Agent);
}

#[test]
fn scripts_of_a_package_speak_where_an_install_or_an_agent_runs_them() {
    let package = r#"{"name": "kit", "version": "1.0.0", "scripts": {"postinstall": "npm run fetch", "fetch": "curl one",
        "lint": "curl two", "setup": "curl three"}}"#;
    let skill = "---\nname: kit\ndescription: Counts.\n---\nRun `npm run setup` first.\n";
    let files = [("package.json", package), ("SKILL.md", skill)];
    assert_eq!(voice_at(&files, "package.json", "curl one"), Voice::Agent);
    assert_eq!(voice_at(&files, "package.json", "curl two"), Voice::Data);
    assert_eq!(voice_at(&files, "package.json", "curl three"), Voice::Agent);
}

#[test]
fn settings_that_a_text_has_copied_run_where_they_are_put() {
    let playbook = "- name: base\n  package: {name: vim}\n";
    let skill = |order: &'static str| ("kit/SKILL.md", order);
    let of = |order: &'static str, path: &'static str| voice(&[skill(order), (path, playbook)], path);
    assert_eq!(of("Copy `assets/site.yml` to the project.\n", "kit/assets/site.yml"), Voice::Program);
    assert_eq!(of("Put the folder `assets/base/` into it.\n", "kit/assets/base/tasks/main.yml"), Voice::Program);
    assert_eq!(of("The rows of `assets/site.yml` are samples.\n", "kit/assets/site.yml"), Voice::Data);
    assert_eq!(of("Copy `assets/other/` to the project.\n", "kit/assets/base/main.yml"), Voice::Data);
    let settings = "{\"theme\": \"dark\"}";
    let of = |order: &'static str| voice(&[skill(order), ("kit/defaults/a.json", settings)], "kit/defaults/a.json");
    assert_eq!(of("Copy `defaults/a.json` over the user's settings.\n"), Voice::Program);
    assert_eq!(of("Look the theme up in `defaults/a.json`.\n"), Voice::Data);
}

#[test]
fn a_template_that_other_programs_run_is_a_program() {
    let of = |path: &'static str, text: &'static str| voice(&[SKILL, (path, text)], path);
    assert_eq!(of("kit/templates/ci.yml", "jobs:\n  a:\n    runs-on: ubuntu-latest\n"), Voice::Program);
    assert_eq!(of("kit/modules/main.tf", "resource \"a\" \"b\" {}\n"), Voice::Program);
    assert_eq!(of("kit/data/rows.yml", "- 1\n- 2\n"), Voice::Data);
    // Outside of a skill nobody puts it anywhere.
    assert_eq!(of("other/templates/ci.yml", "jobs:\n  a:\n    runs-on: ubuntu-latest\n"), Voice::Data);
}

#[test]
fn what_is_appended_to_a_shells_own_file_is_a_program() {
    let skill = ("kit/SKILL.md", "---\nname: kit\ndescription: Shell.\n---\n```\ncat dot/rc >> ~/.zshrc\n```\n");
    let files = [skill, ("kit/dot/rc", "alias ll='ls -l'\n"), ("kit/dot/other", "alias ll='ls -l'\n")];
    assert_eq!(voice(&files, "kit/dot/rc"), Voice::Program);
    assert_eq!(voice(&files, "kit/dot/other"), Voice::Data);
}
