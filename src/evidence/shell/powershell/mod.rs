//! PowerShell: which secrets a script sends, and what it fetches and runs, told by the same actions as of a shell.
//!
//! Statement by statement, with the variables and files that the text sets. No grammar is needed for that: a statement holds
//! what it names, and gives it to whoever sends, runs or keeps it. It errs towards saying nothing where a value comes from
//! elsewhere.

mod statements;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::commands::{is_address, name_of, share};
use super::syntax::{Pipeline, parse};
use super::tainted_value::{AMBIENT_CREDENTIAL, TaintedValue};
use super::trace::{Traced, TracedArgument, Tracer};
use super::{ShellAction, remote_runs};
use crate::code::{hands_out_token, is_secret_name};
use statements::{Statement, statements};
use vocabulary::{
    ASSIGNMENT, CONNECTS, DECODES, ENVIRONMENT, FETCHES, HEADERS, LOOP, NAMED, NAMES_CALLER, RUNS, SENDS, VARIABLE,
    WRITTEN, folder_of, is_of_any_shell, is_printer, is_runner, secret_path,
};

/// The most statements of one text, and the longest, that are followed.
const MOST: usize = 4_000;
const LONGEST: usize = 8 << 10;
/// The longest value of a variable that is put in its place.
const LONGEST_VALUE: usize = 300;

/// True where a text may hold a statement that matters.
pub(super) fn may_matter(text: &str) -> bool {
    text.contains("://") || SENDS.is_match(text) || FETCHES.is_match(text) || RUNS.is_match(text)
}

impl Tracer {
    /// Follows a PowerShell text that begins at `base` in its document, or that as a whole stands for the stretch `whole`.
    pub(super) fn read_powershell(&mut self, text: &str, base: usize, whole: Option<(usize, usize)>) -> Vec<Traced> {
        let all = statements(text);
        self.is_cut |= all.len() > MOST;
        let mut traced = Vec::new();
        for Statement { range, opens } in all.into_iter().take(MOST) {
            let written = text.get(range.clone()).unwrap_or_default();
            self.span = whole.unwrap_or((base + range.start, base + range.end));
            let before = self.events.len();
            self.powershell(written, opens);
            traced.extend(self.told_since(before, written, None));
        }
        traced
    }

    /// Follows a text that is handed to PowerShell on a command line.
    pub(super) fn run_powershell(&mut self, text: &str) {
        for Statement { range, opens } in statements(text).into_iter().take(MOST) {
            self.powershell(text.get(range).unwrap_or_default(), opens);
        }
    }

    /// Follows one statement; what it gives is at hand in the block that it opens.
    pub(super) fn powershell(&mut self, statement: &str, opens: bool) {
        if statement.len() > LONGEST {
            self.is_cut = true;
            return;
        }
        if let Some(each) = LOOP.captures(statement) {
            let (name, list) = (each.name("name"), each.name("list"));
            let value = self.held_in(list.map_or("", |list| list.as_str()));
            self.set(name.map_or("", |name| name.as_str()), value, false);
            return;
        }
        let assignment = ASSIGNMENT.captures(statement);
        let expression =
            assignment.as_ref().and_then(|found| found.name("value")).map_or(statement, |value| value.as_str());
        let value = self.effects(expression);
        if opens {
            self.set("_", value.clone(), false);
        }
        let Some(found) = assignment else { return };
        let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
        let is_caller = (part("value").starts_with("@{") && NAMES_CALLER.is_match(part("value")))
            || part("member").to_ascii_lowercase().contains("header");
        // A token by which a program says who asks is what it is there for.
        let is_handed_out = |secret: &String| secret.starts_with(AMBIENT_CREDENTIAL);
        let value = match is_caller {
            true => TaintedValue { token: None, secret: value.secret.filter(|secret| !is_handed_out(secret)), ..value },
            false => value,
        };
        self.set(part("name"), value, part("sign").len() > 1 || !part("member").is_empty());
    }

    /// Sets a variable, or adds to what it holds.
    fn set(&mut self, name: &str, value: TaintedValue, adds: bool) {
        let name = format!("${}", name.to_ascii_lowercase());
        if adds && let Some(held) = self.variables.get_mut(&name) {
            held.join(&value);
        } else {
            self.variables.insert(name, value);
        }
    }

    fn variable_of(&self, name: &str) -> Option<&TaintedValue> {
        self.variables.get(&format!("${}", name.to_ascii_lowercase()))
    }

    /// The statement with variables of known text in their places.
    fn filled_in(&self, statement: &str) -> String {
        let mut filled = VARIABLE
            .replace_all(statement, |found: &regex::Captures<'_>| {
                let known = found.name("name").filter(|_| found.name("env").is_none()).and_then(|name| {
                    self.variable_of(name.as_str())?.known().filter(|text| text.len() <= LONGEST_VALUE)
                });
                known.map_or_else(|| found[0].to_owned(), str::to_owned)
            })
            .into_owned();
        // Values hold no variables any more, so that one round is enough and the text stays short.
        filled.truncate(filled.floor_char_boundary(4 * LONGEST));
        filled
    }

    /// Applies what a statement does. Gives what it returns.
    fn effects(&mut self, written: &str) -> TaintedValue {
        let statement = self.filled_in(written);
        let words = words(&statement);
        // A quoted text alone is a value.
        if let [word] = words.as_slice()
            && statement.starts_with(['"', '\''])
        {
            return TaintedValue { secret: secret_path(word), ..TaintedValue::of(*word) };
        }
        let name = name_of(words.first().copied().unwrap_or_default());
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if is_of_any_shell(name) {
            // Such a command is written as in every other shell.
            let pipelines: Vec<Pipeline> = parse(&statement).collect();
            return self.list(&pipelines, &TaintedValue::default());
        }
        let held = self.held_in(written);
        let mut addresses: Vec<String> = words.iter().filter_map(|word| address_in(word)).collect();
        let is_fetched = FETCHES.is_match(&statement);
        let target = written_to(&statement, &words, is_fetched);
        if SENDS.is_match(&statement) || is_fetched {
            let sent = self.held_in(&without_callers(written, target.as_deref()));
            let receiver = addresses.first().cloned().or_else(|| held.addresses.first().cloned());
            if let Some(receiver) = receiver {
                self.send(&sent, &receiver);
            }
        }
        if let Some(found) = CONNECTS.captures(&statement).and_then(|found| found.name("host")) {
            return TaintedValue::of_network(vec![found.as_str().to_owned()]);
        }
        let arguments: Vec<TracedArgument> =
            words.iter().skip(1).map(|word| TracedArgument { value: TaintedValue::of(*word) }).collect();
        if remote_runs::may_run(name) {
            self.runs_remote(name, &arguments);
        }
        if RUNS.is_match(&statement) && !is_fetched {
            self.runs_value(&held);
        }
        self.starts_file(&words);
        if addresses.is_empty() {
            addresses.clone_from(&held.addresses);
        }
        let mut output = if is_fetched && !addresses.is_empty() {
            TaintedValue { unknown: true, network: true, addresses, ..TaintedValue::default() }
        } else {
            held.changed()
        };
        if DECODES.is_match(&statement) {
            output.decoded = Some("base64 -d");
        }
        if let Some(path) = target {
            self.keeps(&path, &words, &output);
        }
        output
    }

    /// What is written to a file, or unpacked to a folder.
    fn keeps(&mut self, path: &str, words: &[&str], output: &TaintedValue) {
        let unpacks = words.first().is_some_and(|first| first.eq_ignore_ascii_case("Expand-Archive"));
        let from = words.iter().skip(1).map(|word| self.content(&plain(word))).find(|content| content.network);
        match from.filter(|_| unpacks) {
            Some(content) => self.note_folder(&plain(path), content),
            None => self.write(&plain(path), output, false),
        }
    }

    /// What the variables, files and names in a part of a statement hold.
    fn held_in(&self, part: &str) -> TaintedValue {
        let mut held = TaintedValue { unknown: true, ..TaintedValue::default() };
        for found in VARIABLE.captures_iter(part) {
            let Some(name) = found.name("name").map(|name| name.as_str()) else { continue };
            if found.name("env").is_some() {
                let token = is_secret_name(name).then(|| name.to_ascii_uppercase());
                held.token = held.token.or(token);
            } else if let Some(value) = self.variable_of(name) {
                held.taint(value);
            }
        }
        held.environment |= ENVIRONMENT.is_match(part);
        if let Some(name) =
            NAMED.captures(part).and_then(|found| found.name("name")).filter(|name| is_secret_name(name.as_str()))
        {
            held.token = held.token.or(Some(name.as_str().to_owned()));
        }
        let reads = vocabulary::READS.is_match(part);
        for word in words(part) {
            let path = plain(word);
            if let Some(content) = self.files.get(&path) {
                held.taint(content);
            }
            // A path is what its file holds, where it is read or handed over as a file.
            if held.secret.is_none() && reads {
                held.secret = secret_path(word);
            }
        }
        if held.secret.is_none() && (is_printer(part) || hands_out_token(part)) {
            held.secret = Some(format!("{}{}", AMBIENT_CREDENTIAL, part.trim()));
        }
        held
    }

    /// Text that is run as a program.
    fn runs_value(&mut self, code: &TaintedValue) {
        let address = code.addresses.first().map_or("", String::as_str);
        if code.network {
            self.event(ShellAction::RunsDownload, format!("curl {address} | sh"), code);
        } else if let Some(decoder) = code.decoded {
            self.event(ShellAction::RunsDecoded, format!("{decoder} | sh"), code);
        }
    }

    /// A file that was fetched is started: by its name, or handed to a program that starts it.
    fn starts_file(&mut self, words: &[&str]) {
        let Some(first) = words.first() else { return };
        let handed = if is_runner(name_of(first)) { words } else { words.get(..1).unwrap_or_default() };
        let fetched = handed.iter().map(|word| plain(word)).find(|path| !path.is_empty() && self.content(path).network);
        if let Some(path) = fetched {
            self.run_file(&TracedArgument { value: TaintedValue::of(path) }, "./");
        }
    }
}

/// The words of a statement without quotation marks and brackets.
fn words(statement: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = statement;
    while let Some(letter) = rest.chars().next() {
        match letter {
            '"' | '\'' => {
                let inside = rest.get(1..).unwrap_or_default();
                let end = inside.find(letter).unwrap_or(inside.len());
                words.push(inside.get(..end).unwrap_or_default());
                rest = inside.get(end + 1..).unwrap_or_default();
            }
            _ if is_between(letter) => rest = rest.get(letter.len_utf8()..).unwrap_or_default(),
            _ => {
                let end = rest.find(|letter| is_between(letter) || matches!(letter, '"' | '\'')).unwrap_or(rest.len());
                words.push(rest.get(..end).unwrap_or_default());
                rest = rest.get(end..).unwrap_or_default();
            }
        }
    }
    words
}

fn is_between(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | ')' | '{' | '}' | ',' | ';' | '|' | '=' | '&' | '`' | '@')
}

/// The web address in a word. A share of another machine is one too.
fn address_in(word: &str) -> Option<String> {
    let at = ["https://", "http://", "ftp://"].iter().filter_map(|scheme| word.find(scheme)).min();
    if let Some(address) = at.and_then(|at| word.get(at..)) {
        let has_host = address.split("://").nth(1).is_some_and(|host| !host.is_empty());
        return (has_host && is_address(address)).then(|| address.to_owned());
    }
    share(word)
}

/// A path as one text: however its strokes lean, and whether or not it begins at hand.
fn plain(word: &str) -> String {
    let path = word.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// The file or folder that a statement writes to.
fn written_to(statement: &str, words: &[&str], is_fetched: bool) -> Option<String> {
    if let Some(found) = WRITTEN.find(statement) {
        let behind = statement.get(found.end()..)?;
        return self::words(behind).first().map(|word| (*word).to_owned());
    }
    // `DownloadFile(address, file)`, `certutil … address file`.
    let at = words.iter().position(|word| address_in(word).is_some())?;
    let names_file = folder_of(statement);
    words.get(at + 1).filter(|_| is_fetched && names_file).map(|word| (*word).to_owned())
}

/// A statement without the part in which a caller says who it is, and without the file that it writes.
fn without_callers(statement: &str, target: Option<&str>) -> String {
    let kept = HEADERS.replace_all(statement, " ");
    match target {
        Some(target) if !target.is_empty() => kept.replace(target, " "),
        _ => kept.into_owned(),
    }
}
