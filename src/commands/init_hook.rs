//! `capdex init --hook`: writes the entry of a client's settings that starts `capdex hook`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_dataset::escape;

use crate::check::published::DatasetPlace;
use crate::cli::InitArgs;
use crate::exit::{Exit, usage};
use crate::files;
use crate::hook::brings::shell_word;
use crate::hook::client::HookClient;
use crate::hook::entry::{HookEntry, Settings};
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(client: HookClient, global: &Global, options: &InitArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let entry = HookEntry { client, command: command(client, global, options)? };
    if options.print {
        out.json_pretty(&entry.alone())?;
        return Ok(Exit::Done);
    }
    let path = path(options, &entry)?;
    let shown = escape::escape(&path.to_string_lossy()).into_owned();
    let before = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| usage(format!("{shown} is left as it is: it is no text")))?,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(anyhow::Error::new(error).context(format!("failed to read {shown}"))),
    };
    let settings = entry.put_into(&before).map_err(|why| usage(format!("{shown} is left as it is: {why}")))?;
    match settings {
        Settings::AsBefore => output::say(format_args!("{shown} has the hook already")),
        Settings::Changed(text) => {
            files::replace_below(&path, text.as_bytes()).with_context(|| format!("failed to write {shown}"))?;
            output::say(format_args!("wrote the hook into {shown}{}", next(client)));
        }
    }
    Ok(Exit::Done)
}

/// The next step of a person.
const fn next(client: HookClient) -> &'static str {
    match client {
        HookClient::Claude => "; a session that runs reads it at its next start",
        HookClient::Codex => "; Codex asks for your trust in it at its next start",
        HookClient::Cursor => "; Cursor reads it at once",
        HookClient::Gemini => "; Gemini CLI reads it at its next start, in folders that you trust",
    }
}

/// The settings file. A link is followed, so that it stays a link.
fn path(options: &InitArgs, entry: &HookEntry) -> anyhow::Result<PathBuf> {
    let path = match (&options.file, options.user) {
        (Some(file), _) => file.clone(),
        (None, true) => {
            let home = std::env::home_dir().filter(|home| home.is_absolute());
            home.ok_or_else(|| usage("there is no home folder; name the settings with --file"))?.join(entry.file())
        }
        (None, false) => PathBuf::from(entry.file()),
    };
    Ok(path.canonicalize().unwrap_or(path))
}

/// The command that the client starts: this very program, since a client's PATH may be another.
fn command(client: HookClient, global: &Global, options: &InitArgs) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("failed to find this program's own path")?;
    let mut words = vec![text(&program)?, "hook".to_owned(), client.word().to_owned()];
    words.extend(options.policy.words().into_iter().map(str::to_owned));
    words.extend(options.approved.approved.iter().flat_map(|names| ["--approved".to_owned(), names.join(",")]));
    // Absolute, because a client starts it in the folder of each project.
    let db = std::path::absolute(&global.db).with_context(|| format!("failed to find {}", global.db.display()))?;
    words.extend(["--db".to_owned(), text(&db)?]);
    if !db.exists() {
        output::say(format_args!(
            "there is no store at {} yet: until `capdex nightly` wrote it, all that agents install is unknown",
            escape::escape(&db.to_string_lossy())
        ));
    }
    match &options.asked.dataset {
        None => {}
        Some(DatasetPlace::Folder(dir)) => {
            let dir = std::path::absolute(dir).with_context(|| format!("failed to find {}", dir.display()))?;
            words.extend(["--dataset".to_owned(), text(&dir)?]);
        }
        Some(DatasetPlace::Address(url)) => words.extend(["--dataset".to_owned(), url.to_string()]),
    }
    // The key itself and no path to it: whoever could change the file could sign for the publisher.
    words.extend(options.asked.key.iter().flat_map(|key| ["--key".to_owned(), key.text()]));
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    Ok(words.join(" "))
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().ok_or_else(|| usage(format!("{} is no text that settings can hold", path.display())))?;
    Ok(text.to_owned())
}
