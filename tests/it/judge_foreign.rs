//! The judge against a server of both interfaces that others wrote (aimock), which says what ours said to the same requests.

use serde_json::{Value, json};

use crate::judge::{AT, ORDER, done, run, store};
use crate::support::judge::{JudgeManner, JudgeServer, answer};
use crate::support::rig::{Rig, needed};

/// The words of the user in a request of either interface.
fn user_words(body: &Value) -> &str {
    let last = body["messages"].as_array().and_then(|messages| messages.last()).expect("a message");
    last["content"].as_str().expect("a text")
}

#[test]
fn a_server_that_others_wrote_is_read_as_ours_is() {
    let Some(command) = needed("CAPDEX_AIMOCK") else { return };
    for kind in ["openai", "anthropic"] {
        // What is asked, and what a good model says to it.
        let server = JudgeServer::start(JudgeManner::Good);
        let own = store(&server, "", &[("mail", ORDER), ("plain", "Sends a mail.")]);
        let base = if kind == "openai" { server.url() } else { server.url().replace("/v1", "") };
        let schedule = std::fs::read_to_string(own.path().join("judge.toml")).expect("a schedule");
        let of = |base: &str| schedule.replace(&server.url(), base) + &format!("kind = {kind:?}\n");
        own.write("judge.toml", of(&base));
        let ask = ["judge", "run", "--config", "judge.toml"];
        let told = run(&own, AT, &ask);
        assert!(told.stdout.starts_with("2 requests; 2 answers count, with 1 finding"), "{told:?}");
        let fixtures: Vec<Value> = server
            .seen()
            .iter()
            .map(|(_, body)| {
                let tag = user_words(body).lines().next().expect("the tag");
                json!({ "match": { "userMessage": tag }, "response": { "content": answer(body) } })
            })
            .collect();
        assert_eq!(fixtures.len(), 2);

        // The same store asks a server of others, which knows nothing but these answers.
        let foreign = store(&server, "", &[("mail", ORDER), ("plain", "Sends a mail.")]);
        foreign.write("fixtures.json", json!({ "fixtures": fixtures }).to_string());
        let rig = Rig::start(&command, foreign.path(), |port| {
            ["--port", &port.to_string(), "--fixtures", "fixtures.json", "--strict"].map(str::to_owned).to_vec()
        });
        let base = if kind == "openai" { format!("{}/v1", rig.url()) } else { rig.url() };
        foreign.write("judge.toml", of(&base));
        let told = run(&foreign, AT, &ask);
        assert!(
            told.stdout.starts_with("2 requests; 2 answers count, with 1 finding"),
            "{kind}: {told:?} {}",
            rig.log()
        );
        let shown = |capdex| done(capdex, AT, &["judge", "show", "folder-mail-mcp-server"]);
        assert!(
            shown(&foreign).contains("judge says on 2026-11-20T01:00:00Z: judge:instruction-control"),
            "{}",
            shown(&foreign)
        );
        let findings = |text: String| -> Vec<String> {
            text.lines().filter(|line| line.contains("judge says")).map(str::to_owned).collect()
        };
        assert_eq!(findings(shown(&foreign)), findings(shown(&own)), "{kind}");
        let replayed = done(&foreign, AT, &["judge", "replay"]);
        assert!(replayed.contains("2 answers read again: no difference"), "{replayed}");
    }
}
