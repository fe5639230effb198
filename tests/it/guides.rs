//! The guides, run as they stand: every block of shell in its order, by the real binary, against a registry on loopback.

use std::path::Path;
use std::process::Command;

use crate::packages::WEATHER;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

/// The blocks of a guide that are marked with a language.
pub(crate) fn blocks(guide: &str, language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides").join(guide);
    let text = std::fs::read_to_string(path).expect("a guide");
    let fenced = text.split("```").skip(1).step_by(2);
    let of_language = fenced.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'));
    of_language.map(str::to_owned).collect()
}

/// What one bash says that runs some blocks one after the other.
fn run(capdex: &Capdex, blocks: &[String]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_capdex")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let of_capdex = capdex.command(&[]);
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", &blocks.concat()]).current_dir(capdex.path()).env_clear();
    for (name, value) in of_capdex.get_envs() {
        command.env(name, value.expect("a value"));
    }
    let output = command.env("PATH", path).output().expect("bash starts");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{said}\n{errors}", output.status);
    said.into_owned()
}

#[test]
fn the_guide_for_ci_does_what_it_says() {
    let registry = Registry::start();
    let mut files = WEATHER.to_vec();
    let manifest =
        br#"{"name":"@acme/notes-mcp","version":"1.2.0","description":"Notes","bin":{"notes-mcp":"dist/index.js"}}"#;
    files.retain(|(path, _)| *path != "package.json");
    files.push(("package.json", manifest.as_slice()));
    registry.npm_package("@acme/notes-mcp", "1.2.0", &files);
    let capdex = Capdex::with(&registry);
    let blocks = blocks("ci.md", "sh");
    assert_eq!(blocks.len(), 5, "{blocks:?}");
    let said = run(&capdex, &blocks);
    assert!(said.contains("ok  skill notes") && said.contains("block  skill setup"), "{said}");
    // Once for the skill, where a line was drawn. The baseline lets it pass, and the server is judged.
    assert_eq!(said.matches("exit code 1\n").count(), 1, "{said}");
    assert!(said.contains("npm:@acme/notes-mcp@1.2.0"), "{said}");
    for file in [".github/workflows/capdex.yml", ".gitlab-ci.yml", ".pre-commit-config.yaml"] {
        assert!(capdex.path().join("demo").join(file).is_file(), "{file}");
    }
    // A second skill is new, so that the same line stops it.
    let more = "cd demo\nmkdir skills/more\ncp skills/setup/SKILL.md skills/more/\n\
                capdex scan . --baseline .github/capdex-baseline.json --fail-on caution --quiet > told || echo \"exit code $?\"\n";
    assert_eq!(run(&capdex, &[more.to_owned()]), "exit code 1\n");
}
