//! What a registry says of a package that it took away, or that it warns of: words of malice, and removal without such.
//!
//! They look at nothing themselves: they read the signals of the takedowns and the deprecation or yank of the listed
//! version. Silence is no finding: most of what is not taken down was not looked at by its registry.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::corpus_signal::CorpusSignal;
use capdex_model::fact::{Place, Severity};
use capdex_model::takedown::{PASS, TAKEN_DOWN, speaks_of_malice};

/// Packages and versions that their registry calls malicious, quarantines, or holds with a placeholder.
pub(super) fn malicious(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // The words themselves are not asked here: they begin with a name, which may be any word.
    let taken = signals(subject).filter(|signal| signal.severity >= Severity::High).map(|signal| signal.detail.clone());
    let listed = subject.claims.deprecated.known().filter(|words| speaks_of_malice(words));
    let listed = listed.map(|words| format!("its registry says of this version: {words}"));
    report(taken.chain(listed), facts);
}

/// Packages and rows that their registry took away, and of which it says nothing worse.
pub(super) fn removed(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let taken = signals(subject).filter(|signal| signal.severity < Severity::High).map(|signal| signal.detail.clone());
    report(taken, facts);
}

/// The signals of takedowns. What vanished without a word is not among them.
fn signals<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a CorpusSignal> {
    let all = subject.claims.repository_signals.corpus_signals.known().into_iter().flatten();
    all.filter(|signal| signal.pass == PASS && signal.class == TAKEN_DOWN)
}

/// Says it of every capability in the package, also of what is left beside them: none of it is to be had.
fn report(said: impl Iterator<Item = String>, facts: &mut FactSink<'_>) {
    let mut is_silent = true;
    for words in said {
        is_silent = false;
        facts.found(Place::default(), &words);
    }
    // Not "absent": that would read as a registry's word that it looked and found it honest.
    if is_silent {
        facts.not_applicable();
    }
}
