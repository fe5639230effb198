//! tool-steering: several cues in neighbouring sentences of a tool, each honest by itself, that together steer a model.
//!
//! Each cue has a weight, and only their sum is judged, so that an attack in new words is found by what it cannot do
//! without: silence, somebody else's tool, a place to send to. Must not look at one cue alone.

use crate::FactSink;
use capdex_evidence::sentences::{SegmentedText, Sentence};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::tool_steering_cues::{SteeringCues, costly_cues, cues_of_words, is_loud, weight};
use super::tool_texts::{SurfaceSpeaker, each_prose, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let Some((severity, sentence)) = judgement(&text.text, speaker) else { return };
        let confidence = if severity == Severity::High { Confidence::Medium } else { Confidence::Low };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
    });
}

/// How many sentences are read together.
const TOGETHER: usize = 3;
/// The sums from which on cues are judged, and how.
const HIGH: u32 = 7;
const MEDIUM: u32 = 5;

/// How bad the worst passage of a text is, and the sentence of it that holds most.
fn judgement<'a>(text: &'a SegmentedText, speaker: &SurfaceSpeaker<'_>) -> Option<(Severity, Sentence<'a>)> {
    // Nearly no text has a cue that matters, and what is not judged without one need not be asked for.
    if text.sentences().all(|sentence| cues_of_words(&sentence, speaker).is_empty()) {
        return None;
    }
    let mut cues: Vec<(Sentence<'a>, SteeringCues)> =
        text.sentences().map(|sentence| (sentence, cues_of_words(&sentence, speaker))).collect();
    let is_loud = |(sentence, cues): &(Sentence<'a>, SteeringCues)| cues.are_loud() || is_loud(sentence, speaker);
    if !cues.iter().any(is_loud) {
        return None;
    }
    for (sentence, cues) in &mut cues {
        *cues = cues.with(costly_cues(sentence, speaker));
    }
    let passages = cues.windows(TOGETHER.min(cues.len()));
    let judged = passages.filter_map(|passage| {
        let all = passage.iter().fold(SteeringCues::default(), |all, (_, cues)| all.with(*cues));
        let sum = weight(all);
        (all.is_joint() && sum >= MEDIUM).then_some((sum, passage))
    });
    let (sum, passage) = judged.max_by_key(|(sum, _)| *sum)?;
    let (sentence, _) = passage.iter().max_by_key(|(_, cues)| weight(*cues))?;
    Some((if sum >= HIGH { Severity::High } else { Severity::Medium }, *sentence))
}
