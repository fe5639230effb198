//! A decided appeal as a labelled case: what was overturned must stay silent, what was upheld must fire.

use capdex_model::appeal::{Appeal, AppealState, Outcome};
use serde_json::{Value, json};

/// The label that a decided appeal gives its finding; none where nobody has decided, or the decision says nothing of the finding.
pub fn label(appeal: &Appeal) -> Option<&'static str> {
    match appeal.state() {
        AppealState::Decided(Outcome::Overturned) => Some("benign"),
        AppealState::Decided(Outcome::Upheld) => Some("malicious"),
        _ => None,
    }
}

/// The case in the form that `capdex bench` reads, all in one set: the lines around the finding, so that no whole file of a
/// stranger's is copied.
pub fn case(appeal: &Appeal, label: &str, file: &str, lines: &str) -> Value {
    let filing = appeal.filing();
    json!({
        "case": appeal.id(),
        "label": label,
        "subset": "appeals",
        "category": filing.rule,
        "source": filing.subject,
        "files": { file: lines },
    })
}
