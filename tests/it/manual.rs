//! The manual in `docs/` is what `capdex docs` writes today.

use crate::support::capdex::Capdex;

/// The stages of a run in their order, as its code names them, each once.
fn stages(code: &str) -> Vec<&str> {
    let whole = code.split("\nfn stages(").nth(1).expect("the function that runs the stages");
    let mut names: Vec<&str> = Vec::new();
    for call in whole.split("times.").skip(1) {
        let name = call.strip_prefix("time(\"").or_else(|| call.strip_prefix("wait(\""));
        names.extend(name.and_then(|name| name.split('"').next()).filter(|name| !names.contains(name)));
    }
    names
}

#[test]
fn the_picture_of_a_night_has_the_stages_of_the_code_in_their_order() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("reads");
    let (picture, code) = (read("docs/night.svg"), read("src/jobs/run/mod.rs"));
    let shown = picture.split("<text class=\"stage\"").skip(1);
    let shown = shown.filter_map(|rest| rest.split('>').nth(1)?.split('<').next());
    let shown: Vec<&str> = shown.filter(|name| !["the store", "read by"].contains(name)).collect();
    assert_eq!(shown, stages(&code));
    assert_eq!(shown.len(), 11, "{shown:?}");
}

#[test]
fn the_manual_is_fresh() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let run = Capdex::offline().run(&["docs", docs, "--check"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
}

#[test]
fn a_stale_or_missing_page_is_told() {
    let capdex = Capdex::offline();
    assert_eq!(capdex.run(&["docs", "manual"]).code, Some(0));
    assert_eq!(capdex.run(&["docs", "manual", "--check"]).code, Some(0));
    capdex.write("manual/rules.md", "old");
    let run = capdex.run(&["docs", "manual", "--check"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("stale: manual/rules.md"), "{}", run.stdout);
}

#[test]
fn help_and_version_answer() {
    let capdex = Capdex::offline();
    for arguments in [&["--version"][..], &["--help"], &["nightly", "--help"], &["help", "scan"]] {
        let run = capdex.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}");
        assert!(!run.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn every_command_has_a_man_page_and_every_shell_its_completions() {
    let capdex = Capdex::offline();
    assert_eq!(capdex.run(&["man", "man1"]).code, Some(0));
    let page = |name: &str| std::fs::read_to_string(capdex.path().join("man1").join(name)).expect("a page");
    assert!(page("capdex.1").contains(".TH CAPDEX 1"));
    assert!(page("capdex-alerts-ack.1").contains("\\-\\-expires"));
    let help = capdex.run(&["--help"]).stdout;
    let commands = help.lines().skip_while(|line| !line.starts_with("Usage:"));
    let commands: Vec<&str> = commands
        .take_while(|line| !line.starts_with("Options:"))
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    let shells =
        ["bash", "elvish", "fish", "powershell", "zsh"].map(|shell| capdex.run(&["completions", shell]).stdout);
    for command in commands {
        assert!(!page(&format!("capdex-{command}.1")).is_empty());
        assert!(shells.iter().all(|script| script.contains(command)), "{command}");
    }
}

#[test]
fn bash_completes_a_command_and_an_option() {
    let capdex = Capdex::offline();
    capdex.write("complete.bash", capdex.run(&["completions", "bash"]).stdout);
    let complete = |words: &str, at: usize| {
        let script = format!(
            "source complete.bash; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _capdex capdex \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{at}-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(capdex.path()).output();
        String::from_utf8(output.expect("bash starts").stdout).expect("text")
    };
    assert!(complete("capdex nigh", 1).contains("nightly"));
    assert!(complete("capdex scan --fo", 2).contains("--format"));
}

/// The block of commands below "First steps", run as it stands but for the alert that the reader picks.
#[test]
fn the_first_steps_of_the_readme_lead_to_an_alert() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the README");
    let steps = readme.split("## First steps").nth(1).expect("the section");
    let steps = steps.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of commands");
    let picked = "$(capdex alerts list | awk 'NR == 2 { print $1 }')";
    assert_eq!(steps.matches(" ALERT").count(), 1, "{steps}");
    let capdex = Capdex::offline();
    capdex.write("steps.sh", format!("set -e\n{}", steps.replace(" ALERT", &format!(" {picked}"))));
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_capdex")).parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").expect("a path");
    let mut command = std::process::Command::new("sh");
    command.arg("steps.sh").current_dir(capdex.path()).env("PATH", format!("{program}:{path}"));
    command.env("CAPDEX_DB", capdex.path().join("capdex.db"));
    let output = command.output().expect("starts");
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{told}");
    for step in ["ok  skill notes", "1 alert raised", "its code does what known attacks do", "curl -fsSL", "What to do"]
    {
        assert!(said.contains(step), "{step}: {said}");
    }
}
