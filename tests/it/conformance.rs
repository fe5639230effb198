//! The mock servers of Agent Scan under the conformance suite of the protocol's own authors.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::agent_scan::SEED;
use crate::support::capdex::{Capdex, Run};
use crate::support::rig;

/// What every server must do. The suite calls tools of its own here too, and takes any answer that is well formed.
const HELD: &[&str] = &[
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "resources-list",
    "dns-rebinding-protection",
];

/// What only a server can do that has the suite's own tools, prompts and resources, or features that no mock announces: logging,
/// completion, prompts, subscriptions, streams over HTTP.
const OF_ITS_OWN: &[&str] = &[
    "logging-set-level",
    "completion-complete",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
];

/// Mock servers over HTTP. Dropping them kills them.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_mock_servers_pass_what_the_suite_of_the_protocols_authors_asks_of_every_server() {
    let Some(command) = rig::needed("CAPDEX_CONFORMANCE") else { return };
    let capdex = Capdex::offline();
    let names: String = OF_ITS_OWN.iter().map(|name| format!("  - {name}\n")).collect();
    capdex.write("expected.yml", format!("server:\n{names}"));
    let mut looked_at = 0;
    // One server, two that share a trial, and one whose tool links to a resource.
    for test in ["9", "13", "29"] {
        let options = ["agent-scan", "serve", "--out", test, "--seed", SEED, "--test", test, "--listen", "127.0.0.1:0"];
        let mut served = Served(capdex.command(&options).stdout(Stdio::piped()).spawn().expect("the binary starts"));
        let lines = BufReader::new(served.0.stdout.take().expect("piped")).lines();
        let count = if test == "13" { 2 } else { 1 };
        for url in lines.take(count).map(|line| line.expect("a line")) {
            let mut suite = Command::new(&command);
            suite.args(["server", "--url", &url, "--suite", "all", "--expected-failures", "expected.yml"]);
            let run = Run::of(&suite.current_dir(capdex.path()).output().expect("the suite starts"));
            // It ends with 1 where something else fails, and where something passes that is said to fail.
            assert_eq!(run.code, Some(0), "{url}: {}{}", run.stdout, run.stderr);
            for name in HELD {
                let passed = run.stdout.lines().find(|line| line.starts_with(&format!("✓ {name}: ")));
                assert!(
                    passed.is_some_and(|line| line.ends_with(" 0 failed") && !line.contains(" 0 passed")),
                    "{name}: {}",
                    run.stdout
                );
            }
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 4);
}
