//! tool-argument-hijack: a description orders what the recipient, path, amount or flag of a call must be, or has something sent elsewhere.

use crate::FactSink;
use capdex_evidence::lexicon::{CALL, ORDER, USER};
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_directives::{
    Decided, Whose, commands, decided, gives_pressure, inserts_content, moves, obliges, overrules_user, puts_into_all,
    whose,
};
use super::tool_poison::keeps_silence;
use super::tool_secrets::secret_file;
use super::tool_texts::{SurfaceSpeaker, each_prose, place_of, quoted};
use super::tool_values::{WrittenValue, literal, names_receiver};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let found = text.text.sentences().find_map(|sentence| Some((sentence, judgement(&sentence, speaker)?)));
        let Some((sentence, (severity, confidence))) = found else { return };
        let (severity, confidence) = match severity {
            Severity::High if keeps_silence(&text.text) => (Severity::Critical, Confidence::High),
            _ => (severity, confidence),
        };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
    });
}

/// How bad a sentence is that decides about other calls; the plainest reading of it counts.
fn judgement(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<(Severity, Confidence)> {
    const HIGH: Option<(Severity, Confidence)> = Some((Severity::High, Confidence::Medium));
    const MEDIUM: Option<(Severity, Confidence)> = Some((Severity::Medium, Confidence::Low));
    let duty = obliges(sentence);
    if !duty && !commands(sentence) {
        return None;
    }
    let decided = decided(sentence);
    let moved = || moves(sentence);
    let calls = sentence.classes.any(CALL) || sentence.has(words!["with", "via", "through"]);
    if decided.is_none() && !calls && !moved() && !puts_into_all(sentence) {
        return None;
    }
    let value = literal(sentence);
    if duty && value == Some(WrittenValue::Place) && moved() && names_receiver(sentence) {
        return HIGH;
    }
    if decided.is_some() && duty && overrules_user(sentence) && sentence.classes.any(USER) {
        return HIGH;
    }
    let (whose, _) = whose(sentence, speaker)?;
    let named = matches!(whose, Whose::Tool | Whose::Others);
    let own_use = sentence.has(words!["before", "prior"])
        && sentence.find(&const { Phrase::of(&[&["using", "calling", "use"], &["this"]], 0) }).is_some();
    let unlisted = whose == Whose::Tool && !own_use;
    let tied = sentence.has(words!["when", "whenever", "if", "before", "after", "while", "once", "upon"]);
    match (decided, value) {
        (Some(Decided::Changed), _) if (duty || tied) && (named || whose == Whose::Operation) => HIGH,
        (Some(Decided::Changed), Some(_)) if duty => HIGH,
        (Some(_), _) if overrules_user(sentence) => HIGH,
        (Some(_), Some(WrittenValue::Place))
            if (whose.is_foreign() && (duty || tied)) || (duty && gives_pressure(sentence)) =>
        {
            HIGH
        }
        (_, Some(_)) if puts_into_all(sentence) && duty && whose.is_foreign() => HIGH,
        (_, Some(_)) if inserts_content(sentence) && (duty || tied) && unlisted => HIGH,
        (_, Some(WrittenValue::Place)) if calls && unlisted && (duty || tied) => HIGH,
        _ if calls && whose.is_foreign() && sentence.classes.any(ORDER) && secret_file(sentence).is_some() => HIGH,
        (Some(Decided::Set), Some(WrittenValue::Plain)) if (duty || tied) && unlisted => HIGH,
        (Some(Decided::Set), Some(WrittenValue::Plain)) if duty && named => MEDIUM,
        (Some(_), _) if duty && whose == Whose::Operation && gives_rights(sentence) => HIGH,
        (Some(_), Some(_)) if duty && whose == Whose::Operation => MEDIUM,
        (Some(Decided::Changed), _) if duty => MEDIUM,
        _ if calls && (duty || tied) && unlisted && acts_by_name(sentence) => HIGH,
        _ if calls
            && duty
            && unlisted
            && sentence.has(words!["also", "every", "whenever", "succeeds", "responding"]) =>
        {
            MEDIUM
        }
        _ => None,
    }
}

/// Rights that are given away.
fn gives_rights(sentence: &Sentence<'_>) -> bool {
    sentence.has(words![
        "administrator",
        "admin",
        "root",
        "superuser",
        "owner",
        "public",
        "everyone",
        "unrestricted",
        "sudo"
    ]) && sentence.has(words![
        "privileges",
        "privilege",
        "permissions",
        "permission",
        "access",
        "role",
        "rights",
        "visibility",
        "scope"
    ])
}

/// Whether a tool is named that sends, pays, runs or destroys, and every call or word of the user is to start it.
fn acts_by_name(sentence: &Sentence<'_>) -> bool {
    const ACTS: [&str; 12] = [
        "send", "delete", "remove", "transfer", "pay", "execute", "forward", "upload", "drop", "post", "purchase",
        "buy",
    ];
    let acts = |index: usize| {
        let word = sentence.word(index);
        word.contains('_') && word.split('_').next().is_some_and(|verb| ACTS.contains(&verb))
    };
    let started = sentence.has(words!["user", "every", "whenever", "responding", "succeeds"]);
    started && (0..sentence.words.len()).any(acts)
}
