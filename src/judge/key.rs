//! The key by which an answer is kept: whatever would make another answer makes another key.

use capdex_model::digest::Digest;
use serde_json::json;

use crate::prompt::{Ballot, PromptVersion};
use crate::unit::JudgeUnit;
use crate::wire::JudgeModel;

/// The key of a question about a unit to a model.
pub fn key(unit: &JudgeUnit, version: PromptVersion, ballot: Ballot, model: &JudgeModel) -> Digest {
    let prompt = version.digest(unit.kind);
    Digest::of_fields([
        version.number().to_le_bytes().as_slice(),
        prompt.as_bytes(),
        ballot.as_str().as_bytes(),
        model.kind.as_str().as_bytes(),
        model.name.as_bytes(),
        json!(model.parameters()).to_string().as_bytes(),
        unit.digest().as_bytes(),
    ])
}
