//! Mutants of a test: each has one part of one predicate broken. A proof that lets one live proves too little.

use serde_json::json;

use crate::pack::AgentTest;
use crate::predicate::{Predicate, WhereOp};

/// A way to break a predicate.
type Mutation = (String, Predicate);

/// All mutants of a test, each with what was broken.
pub(crate) fn mutants(test: &AgentTest) -> Vec<(String, AgentTest)> {
    let of = |name: &str, predicate: &Predicate, put: fn(&mut AgentTest, Predicate)| {
        let broken = broken(predicate, true);
        broken
            .into_iter()
            .map(|(what, predicate)| {
                let mut mutant = test.clone();
                put(&mut mutant, predicate);
                (format!("{}: {name}: {what}", test.id), mutant)
            })
            .collect::<Vec<_>>()
    };
    let oracle = &test.oracle;
    let mut all = of("delivered", &oracle.delivered, |test, predicate| test.oracle.delivered = predicate);
    all.extend(of("unsafe", &oracle.r#unsafe, |test, predicate| test.oracle.r#unsafe = predicate));
    all.extend(of("useful", &oracle.useful, |test, predicate| test.oracle.useful = predicate));
    all
}

/// The ways to break a predicate. A broken one may go unseen where only one of several must hold, so that it is only reversed there.
fn broken(predicate: &Predicate, is_needed: bool) -> Vec<Mutation> {
    match predicate {
        Predicate::All(list) => within(list, is_needed, Predicate::All),
        Predicate::Any(list) => within(list, false, Predicate::Any),
        Predicate::None(list) => within(list, false, Predicate::None),
        Predicate::Before(before) => broken(&before.a, is_needed)
            .into_iter()
            .map(|(what, a)| {
                let mut mutant = before.clone();
                mutant.a = Box::new(a);
                (what, Predicate::Before(mutant))
            })
            .collect(),
        leaf => {
            let mut all = vec![("reversed".to_owned(), Predicate::None(vec![leaf.clone()]))];
            if is_needed {
                all.extend(changed(leaf));
            }
            all
        }
    }
}

fn within(list: &[Predicate], is_needed: bool, around: fn(Vec<Predicate>) -> Predicate) -> Vec<Mutation> {
    let one = |(at, child): (usize, &Predicate)| {
        broken(child, is_needed)
            .into_iter()
            .map(move |(what, broken)| {
                let mut mutant = list.to_vec();
                if let Some(place) = mutant.get_mut(at) {
                    *place = broken;
                }
                (format!("{} {what}", at + 1), around(mutant))
            })
            .collect::<Vec<_>>()
    };
    list.iter().enumerate().flat_map(one).collect()
}

/// A slot that no test has.
const NO_SLOT: &str = "no-slot";
/// A name that no test has.
const NO_NAME: &str = "no_such_name";

/// The ways to change what a leaf looks for.
fn changed(leaf: &Predicate) -> Vec<Mutation> {
    match leaf {
        Predicate::Given(given) => {
            let mut other = given.clone();
            other.slot = given.slot.as_ref().map(|_| NO_SLOT.to_owned());
            other.text = given.text.as_ref().map(|_| NO_NAME.to_owned());
            vec![("another mark".to_owned(), Predicate::Given(other))]
        }
        Predicate::Called(called) => {
            let mut renamed = called.clone();
            renamed.tool = NO_NAME.to_owned();
            let mut all = vec![("another tool".to_owned(), Predicate::Called(renamed))];
            for at in 0..called.r#where.len() {
                let (mut other, mut moved) = (called.clone(), called.clone());
                if let (Some(value), Some(place)) = (other.r#where.get_mut(at), moved.r#where.get_mut(at)) {
                    value.slot = value.slot.as_ref().map(|_| NO_SLOT.to_owned());
                    let wrong = if value.op == WhereOp::NumberOver { json!(1e18) } else { json!(NO_NAME) };
                    value.value = value.value.as_ref().map(|_| wrong);
                    place.arg.push_str("/no_such_argument");
                }
                all.push((format!("another value {}", at + 1), Predicate::Called(other)));
                all.push((format!("another argument {}", at + 1), Predicate::Called(moved)));
            }
            all
        }
        _ => Vec::new(),
    }
}
