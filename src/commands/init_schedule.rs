//! `capdex init`: writes a schedule that runs as it stands and says what else may stand in one.
//!
//! A file that is there is its user's: it is never changed.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context as _;
use capdex_dataset::escape;

use crate::cli::InitArgs;
use crate::exit::{Exit, usage};
use crate::files;
use crate::output::{self, Out};

/// The schedule.
const TEXT: &str = include_str!("init_schedule.toml");
/// Where it goes, unless its user says otherwise: the folder that `capdex daemon` reads.
const FILE: &str = "schedules/mine.toml";

pub(super) fn run(options: &InitArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if options.print {
        out.raw(TEXT.as_bytes())?;
        return Ok(Exit::Done);
    }
    let path = options.file.clone().unwrap_or_else(|| PathBuf::from(FILE));
    let shown = escape::escape(&path.to_string_lossy()).into_owned();
    match std::fs::read(&path) {
        Ok(there) if there == TEXT.as_bytes() => output::say(format_args!("{shown} is as it would be written")),
        Ok(_) => {
            let other = "`capdex init --file OTHER.toml` writes beside it, `capdex init --print` prints";
            return Err(usage(format!("{shown} is there already and is left as it is; {other}")));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            files::replace_below(&path, TEXT.as_bytes()).with_context(|| format!("failed to write {shown}"))?;
            output::say(format_args!("wrote {shown}; next: capdex nightly --config {shown} --plan"));
        }
        Err(error) => return Err(anyhow::Error::new(error).context(format!("failed to read {shown}"))),
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::TEXT;
    use crate::config::Schedule;

    #[test]
    fn it_is_a_schedule_as_it_stands_and_with_every_line_that_is_off() {
        let schedule = Schedule::parse(TEXT, "mine").expect("a schedule");
        assert!(schedule.resolve(0).expect("resolves").skipped.is_empty());
        // A line of TEXT that is off begins like a table or like a key; all others are sentences.
        let on = |line: &str| {
            let rest = line.strip_prefix("# ")?;
            let is_key = rest
                .split_once(" = ")
                .is_some_and(|(key, _)| key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
            (rest.starts_with('[') || is_key).then(|| rest.to_owned())
        };
        let all: Vec<String> = TEXT.lines().map(|line| on(line).unwrap_or_else(|| line.to_owned())).collect();
        let all = all.join("\n");
        assert!(all.matches("[[alerts.sinks]]").count() == 1 && all.contains("\nkeep_days"), "{all}");
        let whole = Schedule::parse(&all, "mine").unwrap_or_else(|error| panic!("{error:#}\n{all}"));
        assert_eq!(whole.sources.len(), schedule.sources.len() + 2);
        whole.resolve(0).unwrap_or_else(|error| panic!("{error:#}"));
    }
}
