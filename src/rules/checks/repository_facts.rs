//! Rules over what the world says of a package: its repository, its account, other lists.
//!
//! Quality, not danger. A number that nobody states is unavailable. Marks as SaferSkills publishes them; no source
//! gives all of these facts, and a rule without its fact costs coverage and nothing else.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::{Claim, Claims};
use capdex_model::repository_signals::RepositorySignals;

use super::package_subject::describes_no_package;

/// Slower than a month is slow.
const SLOW_HOURS: u64 = 720;
/// A younger account is young.
const YOUNG_DAYS: i64 = 90;
/// Fewer issues than this tell nothing.
const ENOUGH_ISSUES: u64 = 5;
/// Fewer installs than this are few.
const FEW_INSTALLS: u64 = 5;

/// No commit for a year.
pub(super) fn stale(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    count(
        subject,
        facts,
        |signals| &signals.commits_year,
        "nobody states commits of the last year",
        |commits| (commits == 0).then(|| "no commit in the last year".to_owned()),
    );
}

/// Hardly any commits in 90 days.
pub(super) fn quiet(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let missing = "nobody states commits of the last 90 days";
    count(
        subject,
        facts,
        |signals| &signals.commits_quarter,
        missing,
        |commits| (commits < 3).then(|| format!("{commits} commits in 90 days")),
    );
}

/// Issues wait a month for a first answer.
pub(super) fn slow_answers(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    count(
        subject,
        facts,
        |signals| &signals.response_hours,
        "nobody states the time to a first answer",
        |hours| (hours > SLOW_HOURS).then(|| format!("{hours} hours to a first answer")),
    );
}

/// Hardly anybody has starred it.
pub(super) fn few_stars(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    count(
        subject,
        facts,
        |signals| &signals.stars,
        "nobody states the repository's stars",
        |stars| (stars < 10).then(|| format!("{stars} stars")),
    );
}

/// One person has written all of it.
pub(super) fn one_contributor(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let missing = "nobody states the repository's contributors";
    count(
        subject,
        facts,
        |signals| &signals.contributors,
        missing,
        |people| (people == 1).then(|| "one contributor".to_owned()),
    );
}

/// Hardly anybody has forked it.
pub(super) fn few_forks(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    count(
        subject,
        facts,
        |signals| &signals.forks,
        "nobody states the repository's forks",
        |forks| (forks < 3).then(|| format!("{forks} forks")),
    );
}

/// Several directories list it.
pub(super) fn listed_widely(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    count(
        subject,
        facts,
        |signals| &signals.registries,
        "nobody states how many directories list it",
        |lists| (lists > 1).then(|| format!("{lists} directories")),
    );
}

/// The official registry does not list it.
pub(super) fn unlisted(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let missing = "nobody speaks of the official registry";
    flag(subject, facts, |signals| &signals.official, missing, "not in the official registry");
}

/// Asks one number; `missing` is said where nobody states it, and `bad` gives the words where it is a finding.
fn number(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    claim: &Claim<u64>,
    missing: &str,
    bad: fn(u64) -> Option<String>,
) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match claim {
        Claim::Known(number) => {
            if let Some(words) = bad(*number) {
                facts.found(Place::default(), &words);
            }
        }
        Claim::Absent | Claim::Unknown => facts.unavailable(missing),
    }
}

fn count(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    claim: fn(&RepositorySignals) -> &Claim<u64>,
    missing: &str,
    bad: fn(u64) -> Option<String>,
) {
    number(subject, facts, claim(&subject.claims.repository_signals), missing, bad);
}

/// Hardly anybody installs it.
pub(super) fn few_installs(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Where nobody counts months, installs since ever have to do: too few of them are too few in any month.
    type Words = fn(u64) -> Option<String>;
    let (claim, words): (&Claim<u64>, Words) = match &subject.claims.downloads_monthly {
        Claim::Unknown => (&subject.claims.repository_signals.installs, |installs| {
            (installs < FEW_INSTALLS).then(|| format!("{installs} installs"))
        }),
        known => (known, |downloads| (downloads < FEW_INSTALLS).then(|| format!("{downloads} downloads in a month"))),
    };
    number(subject, facts, claim, "nobody states its downloads or installs", words);
}

/// Asks a statement that should hold; `missing` is said where nobody makes it, and `words` where it does not hold.
fn flag(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    claim: fn(&RepositorySignals) -> &Claim<bool>,
    missing: &str,
    words: &'static str,
) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match claim(&subject.claims.repository_signals) {
        Claim::Known(true) => {}
        Claim::Known(false) => facts.found_in_whole(words),
        Claim::Absent | Claim::Unknown => facts.unavailable(missing),
    }
}

/// No signature beside the release.
pub(super) fn unsigned(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // An attestation of the registry is a signature: it is asked first, and answers for both.
    if subject.claims.provenance != Claim::Known(true) {
        flag(subject, facts, |signals| &signals.signed, "nobody speaks of signatures", "no signature");
    }
}

/// Workflows run on a branch that nobody protects.
pub(super) fn unprotected(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Without workflows an unprotected branch runs nothing.
    if subject.claims.repository_signals.workflows != Claim::Known(false) {
        // Where nobody speaks of workflows the answer must be "unavailable", whatever is known of branches.
        let both_known = subject.claims.repository_signals.workflows == Claim::Known(true);
        let protected: fn(&RepositorySignals) -> &Claim<bool> =
            if both_known { |signals| &signals.branch_protected } else { |signals| &signals.workflows };
        flag(
            subject,
            facts,
            protected,
            "nobody speaks of workflows and protected branches",
            "workflows run on an unprotected branch",
        );
    }
}

/// Most issues of the last year are open.
pub(super) fn open_issues(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let signals = &subject.claims.repository_signals;
    let (Some(open), Some(closed)) = (signals.issues_open.known(), signals.issues_closed.known()) else {
        return facts.unavailable("nobody states how many issues are open and closed");
    };
    let all = open.saturating_add(*closed);
    // More than four fifths, in whole numbers.
    if all >= ENOUGH_ISSUES && open.saturating_mul(5) > all.saturating_mul(4) {
        facts.found(Place::default(), &format!("{open} of {all} issues are open"));
    }
}

/// Published within 90 days of making the account.
pub(super) fn young_account(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let Claims { published, repository_signals: signals, .. } = subject.claims;
    let (Some(created), Some(published)) = (signals.account_created.known(), published.known()) else {
        return facts.unavailable("nobody states when the account was made and the version published");
    };
    let days = created.days_until(*published);
    // A package from before its account was handed over: its age says nothing.
    if (0..YOUNG_DAYS).contains(&days) {
        facts.found(Place::default(), &format!("the account was {days} days old"));
    }
}
