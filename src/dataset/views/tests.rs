//! Every view writes its keys in the order of the alphabet, and a status says what the ledger holds.

use capdex_corpus::collision::{self, Collision};
use capdex_corpus::drift::{Change, DriftClass, DriftKind, Effect, EffectKind, VersionChange};
use capdex_corpus::typosquat::{Space, TyposquatCandidate, TyposquatKind};
use capdex_db::{DriftEvent, RunStatus, Store, WalkMode, WalkOutcome};
use capdex_model::alert::{Alert, Raised, ScoreChange};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::rule::testing::NO_RULES;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::time::AsOf;
use serde_json::json;

use super::alerts::{AlertView, RaisedView};
use super::collisions::CollisionView;
use super::drift::DriftView;
use super::ledger::SourceReport;
use super::status::StatusView;
use super::typosquats::TyposquatView;
use super::{ListView, PageView, assert_sorted};

fn night() -> AsOf {
    "2026-11-22T01:00:00Z".parse().expect("an instant")
}

fn score() -> ScoreChange {
    ScoreChange { rubric: "a/seed".to_owned(), before: Some("5 C".to_owned()), after: None }
}

#[test]
fn a_drift_event_is_sorted_at_every_depth() {
    let event = DriftEvent {
        key: "key".to_owned(),
        capability: CapabilityId(Digest::of(b"a")),
        slug: "a".to_owned(),
        kind: DriftKind::Changed,
        from: Some(Digest::of(b"b")),
        to: None,
        from_version: Some("1.0.0".to_owned()),
        to_version: None,
        changes: vec![Change::new("changed", "file", "SKILL.md")],
        class: DriftClass::Editorial,
        severity: Severity::High,
        effects: vec![Effect::new(EffectKind::Text, Severity::Low, "SKILL.md", "")],
        moved: VersionChange::Yes,
        scores: vec![score()],
        diff: vec!["+a".to_owned()],
        at: night(),
    };
    let view = DriftView::of(&event);
    assert_sorted(&view);
    assert_sorted(&ListView { items: std::slice::from_ref(&view), schema: view.schema });
    assert_sorted(&PageView {
        as_of: night(),
        engine_version: "1",
        items: &[view],
        next: None,
        program_sha256: None,
        schema: "x",
        total: 1,
    });
}

#[test]
fn a_collision_and_a_lookalike_are_sorted() {
    let collision = Collision {
        key: "key".to_owned(),
        of: "tool".to_owned(),
        class: collision::CollisionClass::Brand,
        severity: Severity::Medium,
        name: "send".to_owned(),
        entity: None,
        holder: Some("a".to_owned()),
        target: None,
        parties: 2,
        reasons: vec!["because".to_owned()],
    };
    let row = (collision, night());
    assert_sorted(&CollisionView::of(&row));
    let candidate = TyposquatCandidate {
        space: Space::Name,
        name: "lodahs".to_owned(),
        target: "lodash".to_owned(),
        kind: TyposquatKind::Confusable,
        distance: 1,
        severity: Severity::Low,
        rank: 3,
        reasons: Vec::new(),
        signals: Vec::new(),
        listing: None,
        capability: None,
        target_listing: None,
        popularity: Some(1),
        target_popularity: None,
        owners: Vec::new(),
        target_owners: Vec::new(),
    };
    assert_sorted(&TyposquatView::of(&candidate, None));
}

#[test]
fn an_alert_is_sorted_and_says_its_state_only_in_lists() {
    let alert = Alert {
        key: "key".to_owned(),
        pass: "drift".to_owned(),
        class: "same_version".to_owned(),
        capability: None,
        subject: "a".to_owned(),
        severity: Severity::High,
        title: "changed".to_owned(),
        why: String::new(),
        fix: String::new(),
        content: Some(Digest::of(b"a")),
        details: vec!["a detail".to_owned()],
        evidence: Vec::new(),
        diff: Vec::new(),
        scores: vec![score()],
        members: Vec::new(),
        reproduce: String::new(),
        reach: 100,
    };
    let raised = Raised { alert, at: night() };
    let view = AlertView::of(&raised.alert, raised.at);
    assert_sorted(&view);
    let in_message = json!(view);
    assert_eq!(in_message.get("state"), None);
    assert_eq!(in_message.get("schema"), None);
    let in_list = json!(view.in_state("open"));
    assert_eq!(in_list["state"], "open");
    assert_eq!(in_list["schema"], "capdex.alerts/1");
    assert_sorted(&RaisedView::of(&raised));
}

#[test]
fn a_status_tells_of_walks_and_stages_and_keeps_what_is_the_operators_own_from_strangers() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("capdex.db"), &NO_RULES).expect("opens");
    let (at, clock) = (night(), night().0);
    store
        .write(move |writer| {
            let run = writer.start_run("nightly", at, clock, &json!({}))?;
            writer.begin_walk("npm", WalkMode::Full)?;
            let report = json!({ "mode": "full", "pages": 2, "error": "no answer" });
            writer.record_walk("npm", WalkOutcome::Failed, &report, at)?;
            writer.record_walk("pypi", WalkOutcome::Skipped, &json!({ "detail": "off" }), at)?;
            writer.record_gap("list", "npm", &Gap::new("npm", GapReason::Truncated, "short"), at)?;
            writer.notifier_failed("ops", "refused", clock)?;
            let stages = json!([{ "stage": "list", "began": clock, "seconds": 1.5 }]);
            writer.finish_run(run, RunStatus::Incomplete, clock, &json!({ "stages": stages }))
        })
        .expect("written");
    let status = StatusView::of(&store.reader().expect("opens")).expect("a status");
    assert_sorted(&status);
    let ids: Vec<&str> = status.sources.iter().map(super::status::SourceStatusView::id).collect();
    assert_eq!(ids, ["npm", "pypi"], "those that were asked come first");
    let reports: Vec<_> = status.sources.iter().map(|source| source.last().1).collect();
    assert!(matches!(reports[0], Some(SourceReport::Walked(walk)) if walk.pages == 2), "{reports:?}");
    assert!(matches!(reports[1], Some(SourceReport::Skipped { detail }) if detail == "off"), "{reports:?}");
    assert_eq!(status.runs[0].stages[0].stage, "list");
    assert_eq!(status.runs[0].command.as_deref(), Some("nightly"));
    let told = serde_json::to_string(&status.for_strangers()).expect("JSON");
    for own in ["sinks", "command", "summary"] {
        assert!(!told.contains(own), "{own} in {told}");
    }
}
