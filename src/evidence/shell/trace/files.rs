//! Files in a shell text: what is read from them, and what is written to them.

use super::super::ShellAction;
use super::super::commands::{self, is_secret_path, starts_by_itself};
use super::super::syntax::{Command, Redirect, WordPart};
use super::super::tainted_value::TaintedValue;
use super::{Tracer, normal};
use crate::payload;

impl Tracer {
    pub(in super::super) fn redirected_input(&mut self, command: &Command, input: TaintedValue) -> TaintedValue {
        let mut input = input;
        for redirect in &command.redirects {
            match redirect {
                Redirect::In(word) => {
                    let value = self.value(word);
                    let is_process = word.parts.iter().any(|part| matches!(part, WordPart::Process(_)));
                    // `< <(command)` reads what the command prints, and no file.
                    input = if is_process { value } else { self.content(&value.text) };
                }
                Redirect::HereString(word) => input = self.value(word),
                Redirect::HereDocument(text) => input = TaintedValue::of(text.as_str()),
                Redirect::Out(..) | Redirect::Other(_) => {}
            }
        }
        input
    }

    pub(in super::super) fn redirected_output(&mut self, command: &Command, output: TaintedValue) -> TaintedValue {
        let mut output = output;
        for redirect in &command.redirects {
            let Redirect::Out(word, appends) = redirect else { continue };
            let path = self.value(word).text;
            // These keep nothing, and the output may still go on.
            if path == "/dev/null" || path.starts_with("/dev/std") || path.starts_with("/dev/fd") {
                continue;
            }
            self.write(&path, &output, *appends);
            // What went into the file does not go down the pipe.
            output = TaintedValue::default();
        }
        output
    }

    pub(in super::super) fn empties(&mut self, command: &Command) {
        for redirect in &command.redirects {
            if let Redirect::Out(word, _) = redirect {
                let path = self.value(word).text;
                self.note_written(&path);
                self.note_history(&path);
            }
        }
    }

    /// The content of a file: as this text wrote it there, else as the bundle or the machine has it.
    pub(in super::super) fn content(&self, path: &str) -> TaintedValue {
        if let Some(held) = self.files.get(normal(path)) {
            return held.clone();
        }
        if let Some(held) = self.fetched_folder(normal(path)) {
            return held;
        }
        // bash opens a connection by these names.
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return TaintedValue::of_network(vec![path.to_owned()]);
        }
        let mut value = TaintedValue::of_file(path);
        if is_secret_path(path) {
            value.secret = Some(path.to_owned());
        }
        value.work = commands::is_work(path);
        // `/proc/self/environ` holds the variables of the process.
        value.environment = path.contains("/environ") && path.starts_with("/proc/");
        value
    }

    /// Notes what is written to a file.
    pub(in super::super) fn write(&mut self, path: &str, value: &TaintedValue, appends: bool) {
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            self.send(value, path);
            return;
        }
        if path.is_empty() {
            return;
        }
        self.note_written(path);
        if path.ends_with("/authorized_keys") {
            // A key that a script makes or is given is its user's; one that comes with the text is a stranger's.
            if value.network || holds_key(&value.text) {
                self.event(ShellAction::InstallsKey, String::new(), value);
            }
        } else if starts_by_itself(path) {
            self.set_to_start(value, path);
            self.note_planted(value, false);
        } else if commands::is_obeyed(path) {
            self.note_planted(value, true);
        }
        // Joined, because the earlier content is still there and may be the worse.
        if appends && let Some(held) = self.files.get_mut(normal(path)) {
            held.join(value);
            return;
        }
        self.files.insert(normal(path).to_owned(), value.clone());
    }

    pub(in super::super) fn set_to_start(&mut self, value: &TaintedValue, path: &str) {
        if value.network || value.decoded.is_some() {
            let address = value.addresses.first().map_or("", String::as_str);
            self.event(ShellAction::StartsDownload, format!("curl {address} > {path}"), value);
        }
    }

    /// Text that reaches out, or has an agent hide something, is written to where it runs or is obeyed later.
    pub(in super::super) fn note_planted(&mut self, value: &TaintedValue, obeyed: bool) {
        let Some(text) = value.known() else { return };
        let reaches = payload::fetches_program(text).is_some() || payload::sends_data(text).is_some();
        if reaches || (obeyed && payload::covert_order(text).is_some()) {
            self.event(ShellAction::Plants, String::new(), value);
        }
    }

    pub(in super::super) fn note_history(&mut self, path: &str) {
        // What a machine notes of who did what; the logs of a program are its own.
        const RECORDS: [&str; 10] = [
            "/var/log/audit",
            "/var/log/auth.log",
            "/var/log/secure",
            "/var/log/syslog",
            "/var/log/messages",
            "/var/log/wtmp",
            "/var/log/btmp",
            "/var/log/lastlog",
            "/var/log/journal",
            "/var/log/*",
        ];
        let is_record =
            RECORDS.iter().any(|record| path.starts_with(record)) || path.trim_end_matches('/') == "/var/log";
        if is_record {
            self.event(ShellAction::WipesRecord, String::new(), &TaintedValue::default());
        }
        if path.ends_with("_history") && path.contains("/.") {
            self.event(ShellAction::WipesHistory, String::new(), &TaintedValue::default());
        }
    }
}

/// True where a text holds a whole public key rather than a place for one.
fn holds_key(text: &str) -> bool {
    // Documentation shows `ssh-rsa AAAA...` and `ssh-rsa AAAAB3Nza...`; behind the part that all keys of a kind begin with,
    // a key is somebody's.
    const LONGEST_COMMON: usize = "AAAAB3NzaC1yc2EAAAADAQABAAABAQ".len();
    let mut words = text.split_whitespace().skip_while(|word| !word.starts_with("ssh-") && !word.starts_with("ecdsa-"));
    let written = words.nth(1).and_then(|key| key.split('.').next());
    written.is_some_and(|key| key.len() > LONGEST_COMMON + 3 && key.starts_with("AAAA"))
}
