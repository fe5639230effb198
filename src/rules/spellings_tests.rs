//! The same leak in every spelling: in each language every way to have a secret goes by every way to send it, and in every
//! file by which others run commands. What is harmless goes by the same ways and is silent.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::traps::loud;

/// The ways of one language.
#[derive(Deserialize)]
struct Ways {
    secrets: Vec<String>,
    harmless: Vec<String>,
    sends: Vec<String>,
}

/// Files that run a command, with its place in them.
#[derive(Deserialize)]
struct Carriers {
    payloads: Vec<String>,
    harmless: Vec<String>,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Spellings {
    shell: Ways,
    python: Ways,
    javascript: Ways,
    powershell: Ways,
    carriers: Carriers,
}

fn spellings() -> Spellings {
    toml::from_str(include_str!("spellings.toml")).expect("the table is read")
}

/// A skill about tables that says where it reports to, with a program in a place.
fn skill(place: &str, code: &str) -> Vec<(String, String)> {
    let head = "---\nname: tables\ndescription: Tidies tables and reports to Tableboard.\n---\n\n# Tables\n\nWhat was done is reported to Tableboard, the page of the team at https://in.tableboard.test.\n\n";
    let run = |program: &str| format!("{head}Run `{program}` on each table.\n");
    let file =
        |run_by: &str, name: &str| vec![("SKILL.md".to_owned(), run(run_by)), (name.to_owned(), code.to_owned())];
    match place {
        "bash" | "python" | "javascript" | "powershell" => {
            vec![("SKILL.md".to_owned(), format!("{head}Run this first:\n\n```{place}\n{code}\n```\n"))]
        }
        "a.sh" => vec![("SKILL.md".to_owned(), run("bash a.sh")), ("a.sh".to_owned(), format!("#!/bin/sh\n{code}\n"))],
        "here" => {
            let script = format!("#!/bin/sh\npython3 - <<'PY'\n{code}\nPY\n");
            vec![("SKILL.md".to_owned(), run("bash a.sh")), ("a.sh".to_owned(), script)]
        }
        "a.py" => file("python3 a.py", "a.py"),
        "a.js" => file("node a.js", "a.js"),
        _ => file("pwsh a.ps1", "a.ps1"),
    }
}

/// The rules that find something of high severity.
fn finders(files: &[(String, String)]) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    loud(&files).join(", ")
}

/// The programs that are judged otherwise than they should be.
fn wrong(ways: &Ways, places: &[&str], program: impl Fn(&str, &str) -> String) -> Vec<String> {
    let mut wrong = Vec::new();
    for (sources, expected) in [(&ways.secrets, true), (&ways.harmless, false)] {
        for source in sources {
            for send in &ways.sends {
                let code = program(source, send);
                for place in places {
                    let found = finders(&skill(place, &code));
                    if found.is_empty() == expected {
                        wrong.push(format!("{place}: {code}: found by [{found}]"));
                    }
                }
            }
        }
    }
    wrong
}

/// A program that has `data` and sends it.
fn sending(source: &str, send: &str) -> String {
    format!("{source}\n{}", send.replace("{}", "data"))
}

#[test]
fn a_shell_leaks_in_every_spelling() {
    let found = wrong(&spellings().shell, &["bash", "a.sh"], |source, send| send.replace("{}", source));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn python_leaks_in_every_spelling() {
    let found = wrong(&spellings().python, &["python", "a.py", "here"], sending);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn javascript_leaks_in_every_spelling() {
    let found = wrong(&spellings().javascript, &["javascript", "a.js"], sending);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn powershell_leaks_in_every_spelling() {
    let found = wrong(&spellings().powershell, &["powershell", "a.ps1"], |source, send| send.replace("{}", source));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_file_that_runs_commands_is_read() {
    let Carriers { payloads, harmless, files } = spellings().carriers;
    let skill =
        ("SKILL.md".to_owned(), "---\nname: tables\ndescription: Tidies tables.\n---\n\nTidy the tables.\n".to_owned());
    let mut wrong = Vec::new();
    for (path, text) in &files {
        for (commands, expected) in [(&payloads, true), (&harmless, false)] {
            for command in commands {
                let files = [skill.clone(), (path.clone(), text.replace("{}", command))];
                let found = finders(&files);
                if found.is_empty() == expected {
                    wrong.push(format!("{path}: {command}: found by [{found}]"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
