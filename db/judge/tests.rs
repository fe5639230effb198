//! The store of the judge: units once, requests before their answers, and which answer counts.

use capdex_judge::unit::{UnitField, UnitTool};
use capdex_judge::wire::{AnswerFormat, WireKind};
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

use super::*;
use crate::fixtures::{Folder, claims_digest, day, record, scan, scanned, snapshot};
use crate::{Scanned, Store};

fn unit(text: &str) -> JudgeUnit {
    let fields = vec![UnitField { pointer: "/description".into(), text: text.into() }];
    JudgeUnit {
        kind: Kind::McpServer,
        server: "s".into(),
        host: String::new(),
        tools: vec![UnitTool { name: "t".into(), fields }],
    }
}

fn judge() -> JudgeUse {
    let model =
        JudgeModel { kind: WireKind::OpenAi, name: "m".into(), format: AnswerFormat::JsonSchema, any_name: false };
    JudgeUse { model, votes: 1, kinds: vec![Kind::McpServer] }
}

fn call(id: UnitId, unit: &JudgeUnit, night: i64) -> JudgeCall {
    let model = judge().model;
    JudgeCall {
        unit: id,
        key: key::key(unit, PromptVersion::CURRENT, Ballot::Questions, &model),
        at: day(night),
        prompt: PromptVersion::CURRENT,
        ballot: Ballot::Questions,
        model,
        request: Digest::of(b"request"),
        reserved_in: 100,
        reserved_out: 50,
    }
}

fn answer(outcome: Result<Reading, Unanswered>) -> JudgeAnswer {
    JudgeAnswer {
        outcome,
        body: Some("{\"a\":\"\u{e000} words\"}".repeat(40)),
        answered_by: "m-1".into(),
        fingerprint: "f".into(),
        latency_ms: 9,
        tokens_in: 30,
        tokens_out: 4,
    }
}

fn server(store: &Store, name: &str) {
    let id = record(store, name, &snapshot(name, "1", &[("tools.json", "1")]), 1);
    let mut one = scanned(name, "", "1", name);
    one.capability.kind = Kind::McpServer;
    one.capability.id = capdex_model::ids::CapabilityId::of(&format!("npm:{name}"), Kind::McpServer, "");
    scan(store, id, "rules", &claims_digest(name, "1"), &[Scanned { ..one }], 1);
}

#[test]
fn servers_are_taken_apart_once_and_equal_units_stand_once() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["a", "b", "c"] {
        server(&store, name);
    }
    let unprepared = store.reader().expect("opens").unprepared(&[Kind::McpServer]).expect("reads");
    assert_eq!(
        unprepared.iter().map(|server| server.identity.as_str()).collect::<Vec<_>>(),
        ["npm:a", "npm:b", "npm:c"]
    );
    let place = Place { file: "tools.json".into(), ..Place::default() };
    let parts = [
        vec![JudgePart::Unit(unit("same"), vec![place.clone()]), JudgePart::TooLong(place.clone())],
        vec![JudgePart::Unit(unit("same"), vec![place])],
        Vec::new(),
    ];
    for (server, parts) in unprepared.iter().cloned().zip(parts) {
        store.write(move |writer| writer.put_judge_parts(&server, &parts)).expect("kept");
    }
    let reader = store.reader().expect("opens");
    assert_eq!(reader.unprepared(&[Kind::McpServer]).expect("reads"), []);
    let units = reader.standing_units(&[Kind::McpServer]).expect("reads");
    assert_eq!(
        units.iter().map(|unit| (unit.digest, unit.is_new)).collect::<Vec<_>>(),
        [(unit("same").digest(), true)]
    );
    let of = |at: usize| reader.judge_parts(&unprepared[at].id).expect("reads");
    assert_eq!(of(0).iter().map(|part| part.unit.is_some()).collect::<Vec<_>>(), [true, false]);
    assert_eq!(of(1)[0].unit.as_ref().map(|(_, unit)| unit.clone()), Some(unit("same")));
    assert!(of(2)[0].unit.is_none() && of(2)[0].places.is_empty());
    assert_eq!(reader.judge_unit(units[0].id).expect("reads"), unit("same"));
}

#[test]
fn a_request_stands_before_its_answer_and_each_has_one_answer() {
    let folder = Folder::new();
    let store = folder.store();
    server(&store, "a");
    let server = store.reader().expect("opens").unprepared(&[Kind::McpServer]).expect("reads").remove(0);
    store
        .write(move |writer| writer.put_judge_parts(&server, &[JudgePart::Unit(unit("x"), vec![Place::default()])]))
        .expect("kept");
    let id = store.reader().expect("opens").standing_units(&[Kind::McpServer]).expect("reads")[0].id;
    let begin =
        |night: i64| store.write(move |writer| writer.begin_judge_call(&call(id, &unit("x"), night))).expect("kept");
    let first = begin(1);
    let reader = store.reader().expect("opens");
    let open = reader.judgement(&call(id, &unit("x"), 1).key).expect("reads").expect("stands");
    assert_eq!((open.answer, open.unit), (None, unit("x")));
    let spent = |night: i64| store.reader().expect("opens").judge_spent(day(night)).expect("reads");
    // Nobody knows what it cost: the most that it may have cost counts.
    assert_eq!(spent(1), JudgeSpent { calls: 1, tokens_in: 100, tokens_out: 50 });
    let reading = Reading { marks: vec!["nnnnn".into()], ..Reading::default() };
    let used = answer(Ok(reading));
    let kept = used.clone();
    store.write(move |writer| writer.end_judge_call(first, &kept)).expect("kept");
    assert_eq!(spent(1), JudgeSpent { calls: 1, tokens_in: 30, tokens_out: 4 });
    let again = used.clone();
    assert!(matches!(store.write(move |writer| writer.end_judge_call(first, &again)), Err(StoreError::Refused { .. })));
    let second = begin(2);
    let failed = answer(Err(Unanswered::Controls));
    let kept = failed.clone();
    store.write(move |writer| writer.end_judge_call(second, &kept)).expect("kept");
    let reader = store.reader().expect("opens");
    let newest = reader.judgements_of(&unit("x"), &judge()).expect("reads");
    // The first answer that counts stays; whoever asks again only adds.
    assert_eq!(newest.into_iter().map(|of| of.and_then(|of| of.answer)).collect::<Vec<_>>(), [Some(used.clone())]);
    let mut all = Vec::new();
    let each = reader.each_judgement(|of| {
        all.push(of.answer);
        Ok::<(), StoreError>(())
    });
    each.expect("reads");
    assert_eq!(all, [Some(used), Some(failed)]);
    assert_eq!(spent(2).calls, 1);
    assert!(!reader.standing_units(&[Kind::McpServer]).expect("reads")[0].is_new);
}

#[test]
fn whose_answers_count_is_what_was_said_last() {
    let folder = Folder::new();
    let store = folder.store();
    assert_eq!(store.reader().expect("opens").judge_use().expect("reads"), None);
    for votes in [1, 2] {
        store.write(move |writer| writer.set_judge_use(&JudgeUse { votes, ..judge() })).expect("kept");
    }
    let kept = store.reader().expect("opens").judge_use().expect("reads").expect("stands");
    assert_eq!((kept.votes, kept.ballots().len()), (2, 2));
}
