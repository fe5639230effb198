//! Transcripts of the judge in a dataset: only where they are asked for, since the planted tools stand in them.

use serde_json::{Value, json};

use crate::judge::{AT, KEY, ORDER, done, run, store};
use crate::rows::{bytes_of, rows, text};
use crate::support::judge::{JudgeManner, JudgeServer};

#[test]
fn a_dataset_has_transcripts_where_its_maker_asks_for_them_and_no_other_table_changes() {
    let server = JudgeServer::start(JudgeManner::Good);
    let capdex = store(&server, "", &[("mail", ORDER), ("plain", "Sends a mail.")]);
    let told = run(&capdex, AT, &["judge", "run", "--config", "judge.toml"]);
    assert!(told.stdout.starts_with("2 requests; 2 answers count"), "{told:?}");
    // One request that nobody answers as it should.
    server.behave(JudgeManner::Text(|text| text.replace('y', "n")));
    let schedule = std::fs::read_to_string(capdex.path().join("judge.toml")).expect("a schedule");
    capdex.write("other.toml", schedule.replace("model = \"m\"", "model = \"m2\""));
    run(&capdex, AT, &["judge", "run", "--config", "other.toml", "--max-calls", "1"]);
    done(&capdex, AT, &["export", "without", "--format", "jsonl"]);
    assert_eq!(rows(&capdex.path().join("without"), "judge_transcripts"), Vec::<Value>::new());
    done(&capdex, AT, &["export", "transcripts", "--format", "jsonl", "--judge-transcripts"]);
    let folder = capdex.path().join("transcripts");
    let transcripts = rows(&folder, "judge_transcripts");
    let outcomes: Vec<(&str, &str)> =
        transcripts.iter().map(|row| (text(row, "model"), text(row, "outcome"))).collect();
    assert_eq!(outcomes, [("m", "used"), ("m", "used"), ("m2", "controls")]);
    for row in &transcripts {
        assert_eq!((&row["number"], text(row, "ballot")), (&json!(1), "questions"));
        let digest = capdex_model::digest::Digest::of(text(row, "request").as_bytes());
        assert_eq!(digest.hex(), text(row, "request_sha256"));
        // Two tools of the server and two that were planted.
        assert!(text(row, "request").contains("t4") && text(row, "answer").contains("verdicts"), "{row}");
        assert!(!row.to_string().contains(KEY), "{row}");
    }
    assert!(done(&capdex, AT, &["verify", "transcripts"]).contains("no difference"));
    let without = bytes_of(&capdex.path().join("without"));
    for (name, bytes) in bytes_of(&folder).iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        assert_eq!(without.get(name) == Some(bytes), name != "judge_transcripts.jsonl", "{name}");
    }
    // A night writes them where its schedule says so.
    capdex.write("night.toml", schedule.replace("[export]\n", "[export]\njudge_transcripts = true\n"));
    done(&capdex, AT, &["nightly", "--config", "night.toml", "--out", "night"]);
    assert_eq!(rows(&capdex.path().join("night"), "judge_transcripts").len(), 3);
}
