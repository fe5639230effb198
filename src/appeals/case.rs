//! A decided appeal as a labelled case: what was overturned must stay silent, what was upheld must fire.

use capdex_model::appeal::{Appeal, AppealState, Outcome};
use serde_json::{Value, json};

/// The case in the form that `capdex bench` reads: the lines around the finding, so that no whole file of a stranger's is copied.
/// None where nobody has decided, or the decision says nothing of the finding.
pub fn case(appeal: &Appeal, file: &str, lines: &str) -> Option<Value> {
    let label = match appeal.state() {
        AppealState::Decided(Outcome::Overturned) => "benign",
        AppealState::Decided(Outcome::Upheld) => "malicious",
        _ => return None,
    };
    let filing = appeal.filing();
    Some(json!({
        "case": appeal.id(),
        "label": label,
        "subset": "appeals",
        "category": filing.rule,
        "source": filing.subject,
        "files": { file: lines },
    }))
}
