//! `cargo bench --bench appeals`: a store with a hundred thousand appeals in every state: how long their list takes, and the site.
//!
//! They come in by `capdex appeal import`. Then each list is the whole program from start to exit, the best of five. It fails where the list of the
//! newest, of one state or of what is overdue takes longer than 200 ms, with and without a match, or where a page of the site's list holds more than a hundred.
//!
//! `cargo bench --bench appeals -- 2000` takes another number. A debug build may miss the bound.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use capdex_db::Store;
use capdex_model::appeal::{
    Actor, Appeal, AppealClocks, AppealDeed, AppealRecord, ClaimKind, Filing, Outcome, ProofMethod,
};
use capdex_model::digest::Digest;
use capdex_model::time::{AsOf, Timestamp};
use serde_json::{Value, json};

mod child;

/// The longest that a list may take.
const LONGEST: Duration = Duration::from_millis(200);
/// Appeals of one page of the site at most.
const OF_A_PAGE: usize = 100;
const ROUNDS: u32 = 5;
/// When the first was filed.
const BEGINS: i64 = 1_763_600_000;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to time appeals: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An appeal that has come as far as its number says.
fn appeal(number: usize) -> Result<Appeal, Box<dyn Error>> {
    let instant = |hours: i64| AsOf(Timestamp::from_unix_seconds(BEGINS + number as i64 + hours * 3600));
    let content = Digest::of(number.to_string().as_bytes());
    let filing = Filing {
        subject: format!("npm:package-{number}#skill:").parse()?,
        scope: "rule:pipe-to-shell".parse()?,
        content,
        rule: Some("pipe-to-shell".into()),
        rule_version: Some(1),
        claim: ClaimKind::ALL[number % ClaimKind::ALL.len()],
        version: None,
        text: format!("This is the document number {number}, which nobody runs."),
    };
    let reason = format!("pipe-to-shell fires on line {number}, which an agent would run as it stands there.");
    let decided = |outcome| AppealDeed::Decided { outcome, reason: reason.clone() };
    let deeds = [
        AppealDeed::Challenged { expires: instant(24 * 400).0, key: "k".into() },
        AppealDeed::Proven { method: ProofMethod::Package, locator: "x".into(), content, subject: None },
        AppealDeed::Answered {
            answer: json!({ "checks": [{ "claim": "other", "holds": null, "words": "a person looks at it" }] }),
        },
        AppealDeed::Taken,
        decided(if (number / 6).is_multiple_of(2) { Outcome::Upheld } else { Outcome::Overturned }),
    ];
    let mut appeal = Appeal::begin(filing, instant(0), Actor::Vendor, "");
    for (hour, deed) in (1..).zip(deeds.into_iter().take(number % 6)) {
        let event = appeal.next(instant(hour), Actor::Operator, "ann", deed)?;
        appeal.add(event)?;
    }
    Ok(appeal)
}

/// Prints the figures; whether they are within their bounds.
fn run() -> Result<bool, Box<dyn Error>> {
    let asked = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let count = asked.map_or(Ok(100_000), |word| word.parse::<usize>())?;
    let folder = tempfile::tempdir()?;
    let at: AsOf = "2026-11-21T00:00:00Z".parse()?;
    let store = Store::open(&folder.path().join("capdex.db"), &capdex_rules::INDEX)?;
    store.write(move |writer| {
        let run = writer.start_run("nightly", at, at.0, &Value::Null)?;
        writer.finish_run(run, capdex_db::RunStatus::Done, at.0, &Value::Null)
    })?;
    drop(store);
    let mut lines = String::new();
    for number in 0..count {
        let record = AppealRecord::of(&appeal(number)?, &AppealClocks::default(), |_| None, true);
        writeln!(lines, "{}", serde_json::to_string(&record)?)?;
    }
    std::fs::write(folder.path().join("appeals.jsonl"), lines)?;
    let took = child::timed(command(folder.path(), at, &["appeal", "import", "appeals.jsonl"]).stdout(Stdio::null()))?;
    println!("{count} appeals taken in {took}");
    // Before the first was filed nothing is late.
    let early: AsOf = AsOf(Timestamp::from_unix_seconds(BEGINS));
    let mut slowest = Duration::ZERO;
    for (words, line, at) in [
        ("the newest", &["appeal", "list"][..], at),
        ("of one state", &["appeal", "list", "--state", "upheld"], at),
        ("of a state that none is in", &["appeal", "list", "--state", "withdrawn"], at),
        ("overdue", &["appeal", "list", "--overdue"], at),
        ("overdue when nothing is", &["appeal", "list", "--overdue"], early),
        ("overdue and of a state that waits for nobody", &["appeal", "list", "--overdue", "--state", "upheld"], at),
    ] {
        let took = best(folder.path(), at, line)?;
        println!("{words}: {:.0} ms", took.as_secs_f64() * 1000.0);
        slowest = slowest.max(took);
    }
    let by_rule = best(folder.path(), at, &["appeal", "rules"])?;
    println!("by rule: {:.0} ms", by_rule.as_secs_f64() * 1000.0);
    let took = child::timed(command(folder.path(), at, &["report", "site"]).stdout(Stdio::null()))?;
    let (pages, most) = pages(&folder.path().join("site"))?;
    println!("the site in {took}: {pages} pages of the list, {most} appeals on the fullest");
    Ok(slowest <= LONGEST && most <= OF_A_PAGE && pages >= count.div_ceil(OF_A_PAGE))
}

fn command(folder: &Path, at: AsOf, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capdex"));
    command.args(arguments).arg("--as-of").arg(at.to_string()).current_dir(folder).stderr(Stdio::null());
    command
}

/// The best of some rounds. A list of what is overdue ends with 1 where there is any.
fn best(folder: &Path, at: AsOf, arguments: &[&str]) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let status = command(folder, at, arguments).stdout(Stdio::null()).status()?;
        best = best.min(begun.elapsed());
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("{arguments:?} ended with {status}").into());
        }
    }
    Ok(best)
}

/// The pages of the site's list of appeals, and the most appeals on one.
fn pages(site: &Path) -> Result<(usize, usize), Box<dyn Error>> {
    let (mut pages, mut most, mut folders) = (0, 0, vec![site.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                // A page for each appeal is no list.
                folders.extend((name != "appeal").then(|| path.clone()));
            } else if name.starts_with("appeals") && name.ends_with(".html") {
                pages += 1;
                most = most.max(std::fs::read_to_string(&path)?.matches("appeal/A-").count());
            }
        }
    }
    Ok((pages, most))
}
