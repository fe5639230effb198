//! tool-false-prerequisite: a description puts a call in front of somebody else's: its own, or one of a third tool.

use std::cell::OnceCell;

use crate::FactSink;
use capdex_evidence::lexicon::CONSEQUENCE;
use capdex_evidence::sentences::{Phrase, SegmentedText, Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_directives::gives_pressure;
use super::tool_orders::{Tie, ToolOrder, orders};
use super::tool_poison::keeps_silence;
use super::tool_secrets::{secret_file, taking};
use super::tool_texts::{SurfaceSpeaker, each_prose, name_words, place_of, quoted};
use super::tool_values::hands_value;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let orders = orders(&text.text, speaker);
        let whole = WholeText::of(&text.text);
        let judged = orders.iter().filter_map(|order| Some((judgement(order, &whole, speaker)?, order)));
        let Some((severity, order)) = judged.max_by_key(|(severity, _)| *severity) else { return };
        let confidence = if severity >= Severity::High { Confidence::Medium } else { Confidence::Low };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, order.sentence.as_str()));
    });
}

/// What the whole text says, whatever the order: asked once for all of them, since a long text has as many orders as sentences.
struct WholeText<'t> {
    text: &'t SegmentedText,
    silent: OnceCell<bool>,
    pressing: OnceCell<bool>,
    taking: OnceCell<bool>,
    /// Where each sentence begins, and whether it threatens.
    threats: OnceCell<Vec<(usize, bool)>>,
}

impl<'t> WholeText<'t> {
    fn of(text: &'t SegmentedText) -> Self {
        let (silent, pressing, taking) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { text, silent, pressing, taking, threats: OnceCell::new() }
    }

    /// True where it orders silence.
    fn keeps_silence(&self) -> bool {
        *self.silent.get_or_init(|| keeps_silence(self.text))
    }

    /// True where it threatens or gives pressure.
    fn presses(&self) -> bool {
        let presses = |sentence: Sentence<'_>| threatens(&sentence) || gives_pressure(&sentence);
        *self.pressing.get_or_init(|| self.text.sentences().any(presses))
    }

    /// True where it has a secret taken.
    fn takes(&self) -> bool {
        *self.taking.get_or_init(|| self.text.sentences().any(|sentence| taking(&sentence).is_some()))
    }

    /// True where the sentence of an order, or one of the two behind it, threatens.
    fn threatens_after(&self, order: &ToolOrder<'_>) -> bool {
        let each = |sentence: Sentence<'_>| (sentence.start(), threatens(&sentence));
        let threats = self.threats.get_or_init(|| self.text.sentences().map(each).collect());
        let from = threats.partition_point(|(start, _)| *start < order.sentence.start());
        threats.iter().skip(from).take(3).any(|(_, threatens)| *threatens)
    }
}

fn judgement(order: &ToolOrder<'_>, text: &WholeText<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<Severity> {
    let sentence = &order.sentence;
    let presses = || text.presses();
    if let Some(called) = order.foreign {
        let is_bound = order.binds || threatens(sentence);
        let grave = || secret_file(sentence).is_some() || taking(sentence).is_some() || text.keeps_silence();
        let handed = hands_value(sentence, called);
        let secret = secret_file(sentence).is_some();
        // "Must have been fetched with X": a state, and of a tool that is named after what this one is about.
        let is_state = sentence.find(&const { Phrase::of(&[&["have", "has"], &["been"]], 0) }).is_some();
        let mut named = name_words(sentence.raw(called)).into_iter().skip(1);
        if is_state && !secret && !grave() && named.any(|word| word.len() > 3 && speaker.is_about(&word)) {
            return None;
        }
        // "For large lists use X instead" offers a choice; "instead call X" takes one away.
        let offers = (called + 1..=called + 2).any(|index| sentence.fits(index, words!["instead"]));
        let insists = sentence.has(words!["must", "always", "never", "mandatory"]);
        if (offers && !insists) || sentence.has(words!["prefer", "alternatively"]) {
            return None;
        }
        return match order.tie {
            _ if secret && handed => Some(Severity::High),
            // Two strangers' tools are chained: no server needs that of another.
            Some(Tie::Foreign) if is_bound => Some(Severity::High),
            Some(Tie::Others | Tie::Operation) if is_bound && (grave() || handed) => Some(Severity::High),
            Some(Tie::Others | Tie::Operation) if is_bound => Some(Severity::Medium),
            Some(Tie::Sibling) => (is_bound && grave()).then_some(Severity::High),
            Some(Tie::Own) | None if is_bound && grave() => Some(Severity::High),
            Some(Tie::Own) | None if is_bound && (handed || acts(sentence, called)) && text.threatens_after(order) => {
                Some(Severity::High)
            }
            Some(Tie::Own) | None if order.obliges && (handed || (acts(sentence, called) && presses())) => {
                Some(Severity::High)
            }
            Some(Tie::Own) | None
                if order.obliges
                    && (destroys(sentence, called) || text.threatens_after(order) || (offers && insists)) =>
            {
                Some(Severity::High)
            }
            Some(Tie::Own) | None if order.obliges => Some(Severity::Low),
            _ => None,
        };
    }
    if !order.itself || forbids_itself(sentence) {
        return None;
    }
    let first = sentence.has(words![
        "before",
        "prior",
        "ahead",
        "first",
        "precede",
        "preceded",
        "preceding",
        "until",
        "without",
        "beforehand",
        "unless"
    ]);
    let strict = order.obliges || sentence.classes.any(CONSEQUENCE);
    if !first || !(order.binds || strict) {
        return None;
    }
    let grave = || text.keeps_silence() || text.takes();
    match order.tie {
        Some(Tie::Foreign) if strict && (presses() || grave()) => Some(Severity::High),
        Some(Tie::Foreign) if strict => Some(Severity::Medium),
        Some(Tie::Others | Tie::Operation) if grave() => Some(Severity::High),
        Some(Tie::Others | Tie::Operation) if strict && order.is_general() && (presses() || of_clients(sentence)) => {
            Some(Severity::High)
        }
        Some(Tie::Others | Tie::Operation) if strict => Some(Severity::Medium),
        _ if general(sentence) && grave() => Some(Severity::High),
        _ if general(sentence) && strict && presses() && speaker.stands_alone() => Some(Severity::Medium),
        _ => None,
    }
}

/// "Failure to do so will corrupt the data", "otherwise the call fails".
fn threatens(sentence: &Sentence<'_>) -> bool {
    const IF_NOT: Words = Words::of(&["failure", "failing", "skipping", "omitting", "ignoring", "otherwise", "fail"]);
    const HARM: Words = Words::of(&[
        "fail",
        "fails",
        "failure",
        "failures",
        "crash",
        "corrupt",
        "corruption",
        "error",
        "errors",
        "break",
        "disrupt",
        "lost",
        "loss",
        "denied",
        "blocked",
        "instability",
        "rejected",
    ]);
    let harm = (0..sentence.words.len()).rev().find(|index| sentence.fits(*index, &HARM));
    harm.is_some_and(|harm| (0..sentence.words.len()).any(|index| index != harm && sentence.fits(index, &IF_NOT)))
        || (sentence.fits(harm.unwrap_or(0), words!["fail"]) && sentence.has(words!["unless", "until"]))
}

/// True where the name of a tool says that it changes something: a stranger's state is not a description's to change.
fn acts(sentence: &Sentence<'_>, called: usize) -> bool {
    const ACTS: [&str; 40] = [
        "send",
        "delete",
        "remove",
        "transfer",
        "pay",
        "execute",
        "forward",
        "upload",
        "drop",
        "post",
        "purchase",
        "buy",
        "reset",
        "wipe",
        "clear",
        "void",
        "mark",
        "put",
        "write",
        "overwrite",
        "set",
        "update",
        "create",
        "cancel",
        "close",
        "deactivate",
        "activate",
        "disable",
        "enable",
        "move",
        "publish",
        "share",
        "invite",
        "grant",
        "merge",
        "evaluate",
        "run",
        "import",
        "print",
        "export",
    ];
    let parts = name_words(sentence.raw(called));
    parts.iter().any(|part| ACTS.contains(&part.as_str()))
}

/// True where the name of a tool says that it destroys.
fn destroys(sentence: &Sentence<'_>, called: usize) -> bool {
    const DESTROYS: [&str; 8] = ["delete", "drop", "reset", "wipe", "purge", "void", "destroy", "erase"];
    name_words(sentence.raw(called)).iter().any(|part| DESTROYS.contains(&part.as_str()))
}

/// Kinds of operation that belong to the client or to other servers; of others a tool may well be the first step.
fn of_clients(sentence: &Sentence<'_>) -> bool {
    sentence.has(words![
        "file",
        "files",
        "filesystem",
        "shell",
        "terminal",
        "git",
        "email",
        "emails",
        "mail",
        "message",
        "messages",
        "network",
        "payment",
        "payments",
        "transfer",
        "transfers",
        "purchase",
        "purchases",
        "money"
    ])
}

/// Any action at all comes after.
fn general(sentence: &Sentence<'_>) -> bool {
    const BEFORE: Phrase = Phrase::of(
        &[
            &["before", "prior", "ahead", "preceding"],
            &["any", "all", "every", "each", "other", "responding", "answering", "anything"],
        ],
        3,
    );
    sentence.find(&BEFORE).is_some()
}

/// "Do not call this tool until": the demand is the other way round.
fn forbids_itself(sentence: &Sentence<'_>) -> bool {
    const FORBIDS: Phrase = Phrase::of(
        &[
            &["not", "never", "don't", "avoid", "only"],
            &["call", "use", "run", "invoke", "calling", "using", "execute"],
            &["this", "it"],
        ],
        1,
    );
    const OWN_USE: Phrase = Phrase::of(
        &[
            &["before", "prior", "until", "unless"],
            &["using", "calling", "invoking", "running", "use"],
            &["this", "these", "it"],
        ],
        2,
    );
    sentence.find(&FORBIDS).is_some() || sentence.find(&OWN_USE).is_some()
}
