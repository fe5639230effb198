//! The manual in `docs/` is what `capdex docs` writes today.

use crate::support::capdex::Capdex;

#[test]
fn the_manual_is_fresh() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let run = Capdex::offline().run(&["docs", docs, "--check"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
}

#[test]
fn a_stale_or_missing_page_is_told() {
    let capdex = Capdex::offline();
    assert_eq!(capdex.run(&["docs", "manual"]).code, Some(0));
    assert_eq!(capdex.run(&["docs", "manual", "--check"]).code, Some(0));
    capdex.write("manual/rules.md", "old");
    let run = capdex.run(&["docs", "manual", "--check"]);
    assert!(run.code == Some(1) && run.stdout.contains("stale: manual/rules.md"), "{}", run.stdout);
}

#[test]
fn help_and_version_answer() {
    let capdex = Capdex::offline();
    for arguments in [&["--version"][..], &["--help"], &["nightly", "--help"], &["help", "scan"]] {
        let run = capdex.run(arguments);
        assert!(run.code == Some(0) && !run.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn every_command_has_a_man_page_and_every_shell_its_completions() {
    let capdex = Capdex::offline();
    assert_eq!(capdex.run(&["man", "man1"]).code, Some(0));
    let page = |name: &str| std::fs::read_to_string(capdex.path().join("man1").join(name)).expect("a page");
    assert!(page("capdex.1").contains(".TH CAPDEX 1") && page("capdex-alerts-ack.1").contains("\\-\\-expires"));
    let help = capdex.run(&["--help"]).stdout;
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
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
