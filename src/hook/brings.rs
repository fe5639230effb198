//! Things that a call would bring: packages that it starts or installs, and files that an agent obeys.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use capdex_evidence::shell::CommandLine;

use super::event::{Content, HookAction, HookEvent};
use super::guarded::{self, Guarded};
use super::installs;
use crate::check::named_file;
use crate::check::target::CheckTarget;

/// The most bytes of a file that is about to be changed.
const MAX_BYTES: u64 = 1 << 20;
/// The most targets of one call that are asked about.
const MAX_TARGETS: usize = 50;

/// One thing that a call would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The command or write that brings it, in our words: `npx`, `a write into a skill`.
    pub what: String,
    /// The subject of the verdict.
    pub brings: Brings,
}

/// The subject of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brings {
    /// Packages, repositories and servers.
    Targets(Vec<CheckTarget>),
    /// A file as it will be.
    File {
        /// Its path as the agent names it.
        path: String,
        /// Its text.
        content: String,
        /// True where the packages that it names are judged by themselves, so that it need not be known what they do.
        names_targets: bool,
    },
    /// Something that nobody can judge from here, and why, in our words.
    Unknown(&'static str),
}

/// All that a call would bring; empty for most calls.
pub fn of(event: &HookEvent) -> Vec<Brought> {
    let mut found = Vec::new();
    for action in &event.actions {
        match action {
            HookAction::Shell(text) => of_line(&CommandLine::of(text), event.folder.as_deref(), &mut found),
            HookAction::Program(words) => {
                // A shell with a script among the words is followed as one.
                let line = words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
                of_line(&CommandLine::of(&line), event.folder.as_deref(), &mut found);
            }
            HookAction::Write { path, content } => {
                if let Some(what) = guarded::of(path) {
                    found.extend(of_write(path, content, what, event.folder.as_deref()));
                }
            }
        }
    }
    let targets: usize = found
        .iter()
        .map(|one| match &one.brings {
            Brings::Targets(targets) => targets.len(),
            _ => 1,
        })
        .sum();
    if targets > MAX_TARGETS {
        return vec![unknown("a command", "it brings more than can be asked about at once")];
    }
    found
}

/// A word as a shell reads it back.
pub fn shell_word(word: &str) -> String {
    let is_plain =
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+:@,".contains(&byte));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn unknown(what: &str, why: &'static str) -> Brought {
    Brought { what: what.to_owned(), brings: Brings::Unknown(why) }
}

fn of_line(line: &CommandLine, folder: Option<&Path>, found: &mut Vec<Brought>) {
    for words in &line.commands {
        if folder.is_some_and(|folder| installs::is_installed(words, folder)) {
            continue;
        }
        if let Some(mut install) = installs::of_command(words, &line.variables) {
            let home = std::env::home_dir();
            if folder.is_some_and(|folder| installs::has_own_registry(folder, home.as_deref())) {
                installs::from_elsewhere(&mut install.targets);
            }
            found.push(Brought { what: install.what, brings: Brings::Targets(install.targets) });
        } else if let Some((_, what)) = guarded::placed(words) {
            found.push(unknown(what.words(), "a command puts files there, whose content is not known before it runs"));
        }
    }
    for path in &line.written {
        if let Some(what) = guarded::of(path) {
            found.push(unknown(what.words(), "a command writes it, and its content is not known before it runs"));
        }
    }
    if line.is_cut {
        found.push(unknown("a command", "it is too long or nested too deep to be read whole"));
    }
}

fn of_write(path: &str, content: &Content, what: Guarded, folder: Option<&Path>) -> Vec<Brought> {
    let words = format!("a write into {}", what.words());
    let after = match content {
        Content::Whole(text) => Some(text.clone()),
        Content::Edited(edits) => edited(&guarded::whole(path, folder), edits),
        Content::Unknown => None,
    };
    let Some(after) = after else {
        return vec![unknown(&words, "what it will hold is not known before it is written")];
    };
    let shown = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let named = named_file::of_bytes(Path::new(path), after.as_bytes(), shown).ok().flatten().unwrap_or_default();
    // Both: a configuration may start a known server, and run a command of its own beside it.
    let names_targets = !named.is_empty();
    let file = Brings::File { path: path.to_owned(), content: after, names_targets };
    let targets = names_targets.then_some(Brings::Targets(named));
    targets.into_iter().chain([file]).map(|brings| Brought { what: words.clone(), brings }).collect()
}

/// The text of a file after edits; none where it cannot be read, or an edit fits no place of it.
fn edited(path: &Path, edits: &[(String, String)]) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_BYTES {
        return None;
    }
    let mut text = String::from_utf8(bytes).ok()?;
    for (old, new) in edits {
        if old.is_empty() || !text.contains(old.as_str()) {
            return None;
        }
        text = text.replace(old.as_str(), new);
    }
    Some(text)
}
