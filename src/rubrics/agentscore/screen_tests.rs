//! Screening of an agent: each gate from one request, what is missing stays missing, and no answer that is left out pays.

use serde_json::{Value, json};

use super::super::super::tests::{fact, reported};
use super::*;
use capdex_model::capability::Kind;
use capdex_model::fact::{Outcome, Severity};

/// A request in which every question has its best answer.
fn whole() -> Value {
    json!({
        "schema": REQUEST_SCHEMA, "agent": "forecaster", "purpose": "answers questions about the weather", "deployer": "acme",
        "model": { "name": "claude-sonnet-4-5", "provider": "anthropic" }, "code": "github:acme/forecaster",
        "tools": ["get_forecast"],
        "deployment": {
            "transport": "stdio", "origin": "local", "human_in_loop": true, "orchestration": false, "persistence": false,
        },
    })
}

/// The facts of code in which nothing is found, with its owner's profile.
fn clean() -> SparseFacts {
    let account = json!({
        "owner": true, "account_created": "2020-01-01T00:00:00Z", "pushed": "2026-01-01T00:00:00Z", "stars": 500,
        "account_repositories": 40, "account_followers": 90,
    });
    reported(Kind::Package, &[(checks::METADATA, account)], Outcome::False)
}

/// The same with what fires of a rule.
fn with(rule: &str, severity: Severity) -> SparseFacts {
    let mut facts: Vec<_> = clean().all().cloned().collect();
    facts.retain(|fact| fact.rule.as_str() != rule);
    facts.push(fact(rule, Outcome::True, severity, Value::Null));
    SparseFacts::new(&capdex_rules::INDEX, Kind::Package, facts)
}

/// A rule of ours that gives a finding with this code.
fn rule_of(wanted: impl Fn(&str) -> bool, at: Severity) -> &'static str {
    let gives = |meta: &&capdex_model::rule::RuleMeta| {
        let check = OfCode::of(&[&with(meta.id.as_str(), at)]).expect("reported");
        meta.severity >= at
            && meta.codes.get("agentscore").into_iter().flatten().any(|code| wanted(code))
            && (check.is_reported || check.code.risk() >= Some(super::super::numbers::CheckRisk::High))
    };
    super::super::findings::coded_rules(&capdex_rules::INDEX, "agentscore").find(gives).expect("a rule").id.as_str()
}

fn screened(request: &Value, code: &[&SparseFacts]) -> Screening {
    let request = ScreenRequest::parse(&request.to_string()).expect("a request");
    let tools: Option<BTreeSet<&str>> = request.tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
    let permitted = tools.map(|tools| {
        capdex_rules::permissions_of_agent(&tools, &request.agent, request.purpose.as_deref().unwrap_or_default())
    });
    screen(&request, code, permitted.as_ref())
}

fn part(screening: &Screening, name: &str) -> Option<Points> {
    screening.score.parts.iter().find(|part| part.name == name).expect("a check").value
}

#[test]
fn one_request_leads_to_each_decision_in_the_published_order() {
    let clean = clean();
    let allowed = screened(&whole(), &[&clean]);
    assert_eq!(allowed.decision, ScreenDecision::Allow, "{:?}", allowed.score);
    assert!(allowed.score.adds_up());
    assert_eq!(part(&allowed, "deployer"), Some(Points::whole(100)));
    // Abuse is never completed by silence.
    assert_eq!(part(&allowed, "abuse"), None);

    let abuse =
        with(rule_of(|code| code == "known_malicious" || code == "abuse_report", Severity::High), Severity::High);
    let blocked = screened(&whole(), &[&clean, &abuse]);
    assert_eq!((blocked.decision, part(&blocked, "abuse")), (ScreenDecision::Block, Some(Points::ZERO)));

    let mut request = whole();
    request["tools"] = json!(["get_forecast", "exec_shell"]);
    let blocked = screened(&request, &[&clean]);
    assert_eq!(blocked.decision, ScreenDecision::Block);
    assert!(blocked.score.value >= Some(Points::whole(70)), "a 70 blocks all the same: {:?}", blocked.score.value);
    assert_eq!(blocked.score.caps.first().map(|cap| &**cap), Some("permissions risk CRITICAL: BLOCK"));

    let bad = with(rule_of(|code| code == "command_injection", Severity::High), Severity::High);
    let caution = screened(&whole(), &[&clean, &bad]);
    assert_eq!(caution.decision, ScreenDecision::Caution, "one bad part of several is enough");

    let mut request = whole();
    request["deployment"] = json!({
        "transport": "http", "origin": "remote", "human_in_loop": false, "orchestration": true, "persistence": true,
    });
    let caution = screened(&request, &[&clean]);
    assert_eq!((caution.decision, part(&caution, "deployment")), (ScreenDecision::Caution, Some(Points::ZERO)));

    // The same without code: two of six are no basis, however good they are.
    let mut request = whole();
    for key in ["deployer", "code", "tools"] {
        request[key] = Value::Null;
    }
    let open = screened(&request, &[]);
    assert_eq!(open.decision, ScreenDecision::InsufficientData);
    let said = open.score.caps.join(" ");
    for missing in ["deployer lacks", "code lacks", "permissions lacks"] {
        assert!(said.contains(missing), "{said}");
    }
    let nothing = screened(&json!({ "schema": REQUEST_SCHEMA, "agent": "x" }), &[]);
    assert_eq!((nothing.decision, nothing.score.value), (ScreenDecision::InsufficientData, None));
}

#[test]
fn what_is_left_out_is_never_filled_in_and_never_pays() {
    let clean = clean();
    for (key, name) in
        [("deployer", "deployer"), ("model", "model"), ("tools", "permissions"), ("deployment", "deployment")]
    {
        let mut request = whole();
        request.as_object_mut().expect("an object").remove(key);
        let without = screened(&request, &[&clean]);
        assert_eq!(part(&without, name), None, "{key}");
        assert!(without.score.coverage < screened(&whole(), &[&clean]).score.coverage, "{key}");
    }
    for key in ["transport", "origin", "human_in_loop", "orchestration", "persistence"] {
        let mut request = whole();
        request["deployment"].as_object_mut().expect("an object").remove(key);
        assert_eq!(part(&screened(&request, &[&clean]), "deployment"), None, "{key}");
    }
    assert_eq!(part(&screened(&whole(), &[]), "code"), None, "code that nobody saw is not clean");
}

#[test]
fn each_answer_about_the_deployment_costs_what_its_row_says() {
    let of = |change: Value| {
        let mut request = whole();
        let stated = request["deployment"].as_object_mut().expect("an object");
        stated.extend(change.as_object().expect("an object").clone());
        part(&screened(&request, &[]), "deployment").expect("completed")
    };
    for (change, score) in [
        (json!({}), 100),
        (json!({ "transport": "https" }), 90),
        (json!({ "transport": "http" }), 90),
        (json!({ "transport": "http", "origin": "remote" }), 40),
        (json!({ "origin": "remote" }), 85),
        (json!({ "human_in_loop": false }), 75),
        (json!({ "orchestration": true }), 90),
        (json!({ "persistence": true }), 90),
    ] {
        assert_eq!(of(change.clone()), Points::whole(score), "{change}");
    }
}

#[test]
fn a_model_or_an_account_of_somebody_else_is_not_believed() {
    let clean = clean();
    let of = |name: &str, provider: Value| {
        let mut request = whole();
        request["model"] = json!({ "name": name, "provider": provider });
        part(&screened(&request, &[&clean]), "model")
    };
    assert_eq!(of("anthropic/claude-sonnet-4-5", Value::Null), Some(Points::whole(100)));
    assert_eq!(of("claude-sonnet-4-5", json!("openai")), Some(Points::whole(40)));
    assert_eq!(of("home-made", json!("anthropic")), Some(Points::whole(40)));
    assert_eq!(of("inherit", Value::Null), None);
    let mut request = whole();
    request["deployer"] = json!("microsoft");
    let other = screened(&request, &[&clean]);
    assert_eq!(part(&other, "deployer"), None);
    let told = other.score.parts.iter().find(|part| part.name == "deployer").expect("a check");
    assert!(told.note.contains("does not own the repository"), "{}", told.note);
}

#[test]
fn a_tool_is_held_against_what_the_agent_says_it_is_for() {
    let of = |purpose: &str, tools: Value| {
        let mut request = whole();
        (request["purpose"], request["tools"]) = (json!(purpose), tools);
        screened(&request, &[])
    };
    let plain = of("answers questions about the weather", json!(["get_forecast"]));
    let odd = of("answers questions about the weather", json!(["get_forecast", "delete_files"]));
    let note = |one: &Screening| {
        one.score.parts.iter().find(|part| part.name == "permissions").expect("a check").note.to_string()
    };
    assert!(note(&odd).contains("anomaly: delete_files"), "{}", note(&odd));
    assert!(part(&odd, "permissions") < part(&plain, "permissions"));
    assert_eq!(part(&of("", json!([])), "permissions"), Some(Points::whole(100)), "it says that it asks for none");
}

#[test]
fn what_is_no_request_is_refused_with_its_place() {
    let with = |change: Value| {
        let mut request = whole();
        request.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        ScreenRequest::parse(&request.to_string()).expect_err("refused")
    };
    for (change, why) in [
        (json!({ "schema": "capdex.agent-screen/2" }), "schema"),
        (json!({ "trusted": true }), "unknown field `trusted`"),
        (json!({ "deployment": { "transport": "carrier pigeon" } }), "carrier pigeon"),
        (json!({ "tools": ["a", "a"] }), "twice"),
        (json!({ "tools": [" "] }), "no name"),
        (json!({ "tools": (0..1001).map(|number| format!("t{number}")).collect::<Vec<_>>() }), "at most 1000"),
        (json!({ "purpose": "x".repeat(2001) }), "2000 letters"),
        (json!({ "agent": "" }), "agent"),
    ] {
        let said = with(change.clone());
        assert!(said.contains(why), "{change}: {said}");
    }
    let twice = whole().to_string().replacen("{", "{\"agent\":\"other\",", 1);
    assert!(ScreenRequest::parse(&twice).is_err(), "a key that stands twice has two meanings");
}
