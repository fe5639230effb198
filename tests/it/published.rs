//! SpiderRating's published rows, computed again from their own layers by `spiderrating/live-2026-03`.
//!
//! Reads real data where `CAPDEX_DATA` names it: 1,278 results that the publisher gave away (CC0).

use capdex_rubrics::spiderrating::live::{Composed, compose};
use serde_json::Value;

/// How many rows must come out as printed, scores to within a hundredth. The others have layers of another day than their score, or are synthetic.
const ROWS: usize = 1278;
const SCORES: usize = 1275;
const GRADES: usize = 1272;

#[test]
fn published_rows_are_composed_and_graded_as_printed() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let file = format!("{data}/spiderrating-servers-2026-03.cc0.json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let rows: Vec<Value> = serde_json::from_str(&text).expect("a list of rows");
    let again: Vec<(&Value, Composed)> = rows.iter().map(|row| (row, composed(row))).collect();
    let other_scores = slugs(&again, |row, again| (again.value.as_f64() - number(row, "/score")).abs() > 0.011);
    let other_grades = slugs(&again, |row, again| row["grade"] != *again.grade);
    let equal = (rows.len(), rows.len() - other_scores.len(), rows.len() - other_grades.len());
    assert_eq!(equal, (ROWS, SCORES, GRADES), "scores differ for {other_scores:?}, grades for {other_grades:?}");
}

fn composed(row: &Value) -> Composed {
    let criticals = row["issues"]["critical"].as_u64().and_then(|count| usize::try_from(count).ok()).expect("a count");
    let layer = |name: &str| number(row, &format!("/scores/{name}"));
    compose(layer("description"), layer("security"), layer("metadata"), criticals)
}

fn number(row: &Value, pointer: &str) -> f64 {
    row.pointer(pointer).and_then(Value::as_f64).expect("a number")
}

/// The servers of which something holds.
fn slugs<'a>(rows: &[(&'a Value, Composed)], holds: impl Fn(&Value, &Composed) -> bool) -> Vec<&'a str> {
    rows.iter().filter(|(row, again)| holds(row, again)).filter_map(|(row, _)| row["slug"].as_str()).collect()
}
