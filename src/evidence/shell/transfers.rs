//! The commands that bring bytes from another machine or take them there.

use super::ambient_credentials::answer_of;
use super::commands::{is_address, is_secret_path, name_of};
use super::options::{is_remote, operands, secret_among, transfer};
use super::tainted_value::TaintedValue;
use super::trace::{TracedArgument, Tracer, normal};
use super::{ShellAction, remote_runs};
use crate::code::prints_work;

/// The most fetched folders of one document.
const MOST_FOLDERS: usize = 100;

impl Tracer {
    pub(super) fn transfers(&mut self, wget: bool, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let transfer = transfer(words, wget);
        let addresses = transfer.address_texts();
        let mut sent = TaintedValue::default();
        transfer.data.iter().for_each(|word| sent.taint(&word.value));
        transfer.addresses.iter().for_each(|word| sent.taint(&word.value));
        for file in &transfer.uploads {
            if matches!(file.as_str(), "-" | "/dev/stdin" | ".") {
                sent.taint(input);
            } else {
                sent.taint(&self.content(file));
            }
        }
        let address = addresses.first().cloned().unwrap_or_default();
        self.send(&sent, &address);
        if addresses.is_empty() {
            return TaintedValue::default();
        }
        let answer = answer_of(addresses);
        match transfer.file() {
            Some(file) => {
                self.write(&file, &answer, false);
                TaintedValue::default()
            }
            None => answer,
        }
    }

    pub(super) fn fetches(&mut self, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let addresses: Vec<String> =
            words.iter().map(TracedArgument::text).filter(|text| is_address(text)).map(str::to_owned).collect();
        let Some(address) = addresses.first().cloned() else { return TaintedValue::default() };
        self.send(input, &address);
        let answer = TaintedValue::of_network(addresses);
        let named = words.iter().position(|word| {
            matches!(word.text().to_ascii_lowercase().as_str(), "-o" | "--output" | "-outfile" | "--out")
        });
        let file = named.and_then(|at| words.get(at + 1)).or_else(|| {
            // certutil and bitsadmin name the file behind the address.
            words.last().filter(|last| !is_address(last.text()) && !last.text().starts_with('-'))
        });
        if let Some(file) = file {
            let file = file.text().to_owned();
            self.write(&file, &answer, false);
        }
        answer
    }

    /// Copies between machines, in either direction.
    pub(super) fn copies(&mut self, words: &[TracedArgument]) -> TaintedValue {
        let operands = operands(words);
        // The subcommands of `aws s3 cp` are operands as well, so that the last two are what is copied.
        if let [.., from, to] = operands.as_slice()
            && is_remote(from.text())
            && !is_remote(to.text())
        {
            let answer = TaintedValue::of_network(vec![from.text().to_owned()]);
            let file = match to.text() {
                "-" | "/dev/stdout" => return answer,
                "." | "./" => name_of(from.text().rsplit([':', '/']).next().unwrap_or_default()).to_owned(),
                file => file.to_owned(),
            };
            self.write(&file, &answer, false);
            return TaintedValue::default();
        }
        // `gsutil cat gs://…`, `rclone cat remote:…`, `sftp host:…`.
        if let [.., last] = operands.as_slice()
            && operands.len() < 3
            && is_remote(last.text())
            && operands
                .first()
                .is_some_and(|first| matches!(first.text(), "cat" | "copyto") || first.text() == last.text())
        {
            return TaintedValue::of_network(vec![last.text().to_owned()]);
        }
        self.copies_away(words)
    }

    fn copies_away(&mut self, words: &[TracedArgument]) -> TaintedValue {
        let operands = operands(words);
        let Some(last) = operands.last() else { return TaintedValue::default() };
        let to = last.text().to_owned();
        let remote = operands.iter().skip(1).map(|word| word.text()).find(|word| is_remote(word)).map(str::to_owned);
        let remote = if is_remote(&to) { Some(to) } else { remote };
        let Some(remote) = remote else { return TaintedValue::default() };
        let mut sent = TaintedValue { secret: secret_among(operands.iter().copied()), ..TaintedValue::default() };
        for word in operands.iter().filter(|word| !is_remote(word.text())) {
            let held = self.content(word.text());
            sent.secret = sent.secret.or(held.secret);
            sent.environment |= held.environment;
            sent.work |= held.work;
        }
        self.send(&sent, &remote);
        TaintedValue::default()
    }

    /// What `git` prints of the source of a repository, or writes to a file of its own.
    pub(super) fn prints_work(&mut self, name: &str, words: &[TracedArgument]) -> Option<TaintedValue> {
        let texts: Vec<&str> = words.iter().map(TracedArgument::text).collect();
        if name != "git" || !prints_work(&format!("git {}", texts.join(" "))) {
            return None;
        }
        let held = TaintedValue { unknown: true, work: true, ..TaintedValue::default() };
        let named = texts.iter().zip(texts.iter().skip(1)).find_map(|(option, value)| match *option {
            "-o" | "--output" | "create" => Some((*value).to_owned()),
            _ => None,
        });
        let named = named.or_else(|| texts.iter().find_map(|text| text.strip_prefix("--output=")).map(str::to_owned));
        if let Some(file) = named {
            self.write(&file, &held, false);
        }
        Some(held)
    }

    /// What programs of no role fetch: an interface of a forge, a repository, a file of a store without a middle.
    pub(super) fn fetched_by_other(
        &mut self,
        name: &str,
        words: &[TracedArgument],
        input: &TaintedValue,
    ) -> Option<TaintedValue> {
        let operands = operands(words);
        let texts: Vec<&str> = operands.iter().map(|word| word.text()).collect();
        match (name, texts.as_slice()) {
            ("gh", ["api", address, ..]) => {
                self.send(input, "github.com");
                Some(TaintedValue::of_network(vec![(*address).to_owned()]))
            }
            ("gh", ["gist", "view", gist, ..]) => Some(TaintedValue::of_network(vec![(*gist).to_owned()])),
            ("ipfs", ["cat" | "get", address, ..]) => Some(TaintedValue::of_network(vec![(*address).to_owned()])),
            ("svn", ["cat", address, ..]) => Some(TaintedValue::of_network(vec![(*address).to_owned()])),
            ("w3m" | "elinks" | "links" | "lynx", [address, ..]) => {
                Some(TaintedValue::of_network(vec![(*address).to_owned()]))
            }
            ("git" | "svn" | "hg", ["clone" | "checkout" | "export", address, rest @ ..])
                if address.contains([':', '/']) =>
            {
                let last = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
                let folder = rest.first().copied().unwrap_or(last.trim_end_matches(".git")).to_owned();
                self.note_folder(&folder, TaintedValue::of_network(vec![(*address).to_owned()]));
                Some(TaintedValue::default())
            }
            ("git", ["add", paths @ ..]) => {
                for path in paths {
                    let mut held = self.content(path);
                    // `git add -A` and `git add .` take all that was put there before.
                    if matches!(*path, "." | "*") {
                        let copied =
                            self.files.iter().filter(|(path, held)| held.secret.is_some() && !path.starts_with('/'));
                        copied.map(|(_, held)| held.clone()).for_each(|copied| held.taint(&copied));
                    }
                    self.staged.taint(&held);
                }
                Some(TaintedValue::default())
            }
            ("git", ["push", rest @ ..]) => {
                let to = rest.iter().copied().find(|word| !word.starts_with('-')).unwrap_or("a repository").to_owned();
                if is_address(&to) || to.starts_with("git@") || to.starts_with("ssh://") {
                    let value = TaintedValue { addresses: vec![to.clone()], ..TaintedValue::default() };
                    self.event(ShellAction::PushesRepository, String::new(), &value);
                }
                let staged = std::mem::take(&mut self.staged);
                // A remote by its name is the user's own; only one that is written out may be somebody else's.
                if staged.secret.is_some() && to.contains(':') {
                    self.send(&staged, &to);
                }
                Some(TaintedValue::default())
            }
            _ => None,
        }
    }

    /// Notes a folder that was fetched.
    pub(super) fn note_folder(&mut self, folder: &str, content: TaintedValue) {
        if self.folders.len() < MOST_FOLDERS {
            self.folders.insert(normal(folder).trim_end_matches('/').to_owned(), content);
        }
    }

    /// The folder that a path lies in, where it was fetched.
    pub(super) fn fetched_folder(&self, path: &str) -> Option<TaintedValue> {
        let below =
            |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some((_, held)) = self.folders.iter().find(|(folder, _)| below(folder)) {
            return Some(held.clone());
        }
        // A path from the root, or from the user's home, lies in no folder at hand.
        self.inside.clone().filter(|_| !path.starts_with(['/', '~', '$']))
    }

    /// Changes to a folder; one that was fetched makes every path below it so.
    pub(super) fn changes_to(&mut self, folder: &str) {
        self.inside = match folder {
            "" | "-" | ".." | "~" => None,
            folder => self.fetched_folder(normal(folder)),
        };
    }

    /// Notes a command that runs or installs what an address names, or what a fetched folder holds.
    pub(super) fn runs_remote(&mut self, name: &str, words: &[TracedArgument]) {
        let mut addresses = remote_runs::addresses(name, words);
        let first = words.first().map_or("", TracedArgument::text);
        let builds = match name {
            "make" | "gmake" | "rake" | "just" => true,
            "npm" | "pnpm" | "yarn" | "bun" => matches!(first, "install" | "i" | "ci" | "start" | "run" | "test" | ""),
            "pip" | "pip3" | "uv" | "poetry" | "cargo" | "go" | "bundle" | "docker" | "docker-compose" | "composer" => {
                matches!(first, "install" | "sync" | "run" | "build" | "up" | "pip" | "compose")
            }
            _ => false,
        };
        if let (true, true, Some(inside)) = (addresses.is_empty(), builds, &self.inside) {
            addresses.clone_from(&inside.addresses);
        }
        if !addresses.is_empty() {
            let value = TaintedValue { addresses, ..TaintedValue::default() };
            self.event(ShellAction::RunsRemote, String::new(), &value);
        }
    }

    pub(super) fn connects(&mut self, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let operands = operands(words);
        let Some(host) = operands.iter().find(|word| !is_secret_path(word.text())) else {
            return TaintedValue::default();
        };
        let host = host.text().to_owned();
        let mut sent = input.clone();
        sent.secret = sent.secret.or_else(|| secret_among(words));
        self.send(&sent, &host);
        TaintedValue::of_network(vec![host])
    }
}
