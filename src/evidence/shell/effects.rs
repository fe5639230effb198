//! The effects of each role of command on its words and its input, for the tracer.
//!
//! Words come with their variables filled in, and with the taint of what they stand for.

use super::ambient_credentials::ambient_output;
use super::commands::{CommandRole, is_address, is_secret_path, name_of};
use super::decoders::{decoder_of, undo};
use super::options::{operands, secret_among};
use super::printed::echo;
use super::tainted_value::TaintedValue;
use super::trace::{TracedArgument, Tracer, passed_on};
use super::{Runner, ShellAction};

/// True where a text is the name of a shell and no more.
fn is_shell(text: &str) -> bool {
    matches!(name_of(text.trim()), "sh" | "bash" | "zsh" | "dash" | "ksh")
}

impl Tracer {
    /// Applies the effects of a command of a role. Gives what it prints.
    pub(super) fn with_role(
        &mut self,
        role: CommandRole,
        first: &TracedArgument,
        name: &str,
        words: &[TracedArgument],
        input: TaintedValue,
    ) -> TaintedValue {
        match role {
            CommandRole::Shell => self.shell(name, words, &input),
            CommandRole::Interpreter => self.interpreter(name, words, input),
            CommandRole::Source | CommandRole::Opener => {
                self.runs_remote(name, words);
                if let Some(file) = operands(words).first() {
                    self.run_file(file, if role == CommandRole::Source { "source" } else { "open" });
                }
                TaintedValue::default()
            }
            CommandRole::Eval => self.eval(words),
            CommandRole::Curl | CommandRole::Wget => self.transfers(role == CommandRole::Wget, words, &input),
            CommandRole::Fetcher => self.fetches(words, &input),
            CommandRole::RemoteCopy => self.copies(words),
            CommandRole::Connection => self.connects(words, &input),
            CommandRole::Lookup => {
                let mut asked = TaintedValue::default();
                words.iter().for_each(|word| asked.taint(&word.value));
                self.send(&asked, "a name server");
                TaintedValue::of_network(words.last().map(|word| word.text().to_owned()).into_iter().collect())
            }
            CommandRole::Echo => echo(name, words),
            CommandRole::Filter => self.filter(name, words, input),
            CommandRole::Packer => self.packs(name, words, input),
            CommandRole::Copy => {
                let operands = operands(words);
                if let [from @ .., to] = operands.as_slice()
                    && let Some(from) = from.first()
                {
                    let content = self.content(from.text());
                    self.note_history(to.text());
                    self.write(to.text(), &content, false);
                }
                TaintedValue::default()
            }
            CommandRole::Tee => {
                for file in operands(words) {
                    self.write(file.text(), &input, true);
                }
                input
            }
            CommandRole::Environment => self.environment(name, words),
            CommandRole::Crontab => {
                let content = operands(words).first().map_or(input.clone(), |file| match file.text() {
                    "-" => input.clone(),
                    file => self.content(file),
                });
                self.set_to_start(&content, "/etc/crontab");
                TaintedValue::default()
            }
            CommandRole::Other => self.other(first, name, words, input),
        }
    }

    /// Code that is run: notes where it came from, and follows it where it is known.
    fn run(&mut self, code: &TaintedValue, runner: &str) -> TaintedValue {
        let language = Runner::of(runner);
        // Said so that it reads as running the input, which `python3` alone does not.
        let told = if language == Runner::Shell {
            runner.to_owned()
        } else {
            format!("{} /dev/stdin", runner.trim_end_matches(" /dev/stdin"))
        };
        if code.network {
            let address = code.addresses.first().map_or("", String::as_str);
            self.event(ShellAction::RunsDownload, format!("curl {address} | {told}"), code);
        } else if let Some(decoder) = code.decoded {
            self.event(ShellAction::RunsDecoded, format!("{decoder} | {told}"), code);
        }
        for path in &code.files {
            self.event(
                ShellAction::RunsFile { path: path.clone(), runner: language, whole: false },
                String::new(),
                code,
            );
        }
        match code.known() {
            Some(text) if language == Runner::Shell => {
                let text = text.to_owned();
                self.run_text(&text)
            }
            _ => TaintedValue::default(),
        }
    }

    /// A file that is run.
    pub(super) fn run_file(&mut self, file: &TracedArgument, runner: &str) {
        let path = file.text().to_owned();
        let direct = &file.value;
        if direct.network || direct.decoded.is_some() || !direct.files.is_empty() {
            self.run(&direct.clone(), runner);
            return;
        }
        // A folder, as in a drawing of a tree, is no program.
        if path.is_empty() || path == "$(…)" || path.ends_with('/') {
            return;
        }
        let held = self.content(&path);
        if held.network {
            let address = held.addresses.first().map_or("", String::as_str);
            let plain = format!("curl -o {path} {address} && chmod +x {path} && {path}");
            self.event(ShellAction::RunsDownload, plain, &held);
        } else if held.decoded.is_some() || held.known().is_some() {
            self.run(&held, runner);
        } else {
            for path in &held.files {
                let action = ShellAction::RunsFile { path: path.clone(), runner: Runner::of(runner), whole: true };
                self.event(action, String::new(), &held);
            }
        }
    }

    fn shell(&mut self, name: &str, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let text = word.text();
            match text {
                "-o" | "--rcfile" | "--init-file" | "+o" => at += 1,
                "-" | "-s" | "--" => {}
                _ if text.starts_with('-') && !text.starts_with("--") && text.contains('c') => {
                    return words
                        .get(at)
                        .map_or_else(TaintedValue::default, |code| self.run(&code.value.clone(), name));
                }
                _ if text.starts_with(['-', '+']) => {}
                "/dev/stdin" => return self.run(input, name),
                _ => {
                    self.run_file(&word.clone(), name);
                    return TaintedValue::default();
                }
            }
        }
        self.run(input, name)
    }

    fn eval(&mut self, words: &[TracedArgument]) -> TaintedValue {
        let mut code = TaintedValue::default();
        for word in words {
            if !code.text.is_empty() {
                code.join(&TaintedValue::of(" "));
            }
            code.join(&word.value);
        }
        self.run(&code, "sh")
    }

    fn interpreter(&mut self, name: &str, words: &[TracedArgument], input: TaintedValue) -> TaintedValue {
        let is_awk = name.ends_with("awk");
        let texts: Vec<&str> = words.iter().map(TracedArgument::text).collect();
        if let Some(decoder) = decoder_of(name, &texts) {
            return TaintedValue { decoded: Some(decoder), ..input.changed() };
        }
        if matches!(name, "deno" | "bun") {
            self.runs_remote(name, words);
        }
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let text = word.text();
            let takes_code = matches!(
                text,
                "-c" | "-e"
                    | "-E"
                    | "-r"
                    | "-p"
                    | "-pe"
                    | "-ne"
                    | "-le"
                    | "--eval"
                    | "--print"
                    | "-Command"
                    | "-command"
            ) || (is_awk && !text.starts_with('-'));
            if takes_code {
                let code = if is_awk { Some(word) } else { words.get(at) };
                return code.map_or_else(TaintedValue::default, |code| self.program(name, &code.value.clone(), input));
            }
            match text {
                // An interpreter of its own lines.
                "-m" if words.get(at).is_some_and(|module| matches!(module.text(), "code" | "pdb" | "IPython")) => {
                    return self.run(&input, name);
                }
                "-m" => {
                    self.runs_remote(name, words);
                    return passed_on(input);
                }
                "-" | "/dev/stdin" => return self.run(&input, name),
                "-W" | "-X" | "-I" | "-F" | "-v" | "--require" | "--loader" => at += 1,
                "run" | "-S" => {}
                _ if text.starts_with('-') => {}
                _ => {
                    self.run_file(&word.clone(), name);
                    return passed_on(input);
                }
            }
        }
        self.run(&input, name)
    }

    /// A program on the command line: its text, and whether it runs its input.
    fn program(&mut self, name: &str, code: &TaintedValue, input: TaintedValue) -> TaintedValue {
        if let ("pwsh" | "powershell", Some(text)) = (name.trim_end_matches(".exe"), code.known()) {
            self.run_powershell(text);
        }
        let runs = ["exec(", "eval(", "system(", "eval ", "Function(", "| sh", "popen(", "then(eval)"];
        let reads = ["stdin", "readFileSync(0", "<>", "ARGF", "$0", "$_", "STDIN"];
        if runs.iter().any(|call| code.text.contains(call)) && reads.iter().any(|read| code.text.contains(read)) {
            self.run(&input, name);
        }
        self.run(&TaintedValue { text: String::new(), unknown: true, ..code.clone() }, name);
        let mut printed = passed_on(input);
        printed.taint(code);
        if ["b64decode", "atob(", "'base64'", "\"base64\"", "fromhex", "rot13", "rot_13", "decode_base64", "unpack("]
            .iter()
            .any(|decoder| code.text.contains(decoder))
        {
            printed.decoded = Some("base64 -d");
        }
        if [
            "urlopen",
            "requests.get",
            "https.get",
            "fetch(",
            "LWP::",
            "Net::HTTP",
            "URI.open",
            "file_get_contents('http",
            "file_get_contents(\"http",
            "getprint",
        ]
        .iter()
        .any(|get| code.text.contains(get))
        {
            printed.network = true;
            let address = code.text.split(['"', '\'', ' ', '(', ')']).find(|word| is_address(word));
            printed.addresses.extend(address.map(str::to_owned));
            // The program runs what it fetched itself.
            if let (Some(address), true) =
                (address, ["exec(", "eval(", "then(eval)"].iter().any(|run| code.text.contains(run)))
            {
                self.event(ShellAction::RunsDownload, format!("curl {address} | {name} /dev/stdin"), &printed);
            }
        }
        printed
    }

    fn filter(&mut self, name: &str, words: &[TracedArgument], input: TaintedValue) -> TaintedValue {
        let texts: Vec<&str> = words.iter().map(TracedArgument::text).collect();
        if name == "ls" || name == "type" {
            return TaintedValue::default();
        }
        if name == "find" {
            return self.find(words);
        }
        if let ("gpg", Some(output)) = (name, ambient_output(name, &texts)) {
            return output;
        }
        if let ("unzip", Some(at)) = (name, texts.iter().position(|text| *text == "-d")) {
            let content = operands(words).first().map(|archive| self.content(archive.text())).unwrap_or_default();
            self.unpacks(texts.get(at + 1).copied().unwrap_or_default(), &content);
            return TaintedValue::default();
        }
        if name == "openssl" && texts.first() == Some(&"s_client") {
            self.send(&input, texts.last().unwrap_or(&""));
            return TaintedValue::of_network(vec![texts.last().unwrap_or(&"").to_string()]);
        }
        // The first word of these is a pattern or a program and names no file.
        let skipped = usize::from(matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "sed" | "jq" | "yq"));
        let mut read = TaintedValue::default();
        let mut reads_files = false;
        if name != "tr" && name != "gpg" {
            for file in operands(words).into_iter().skip(skipped) {
                let text = file.text();
                if text.is_empty() || text == "-" || (text.bytes().all(|byte| byte.is_ascii_digit()) && name != "cat") {
                    continue;
                }
                reads_files = true;
                let mut content = if file.value.files.is_empty() && !file.value.network {
                    self.content(text)
                } else {
                    file.value.clone()
                };
                if content.known().is_none() {
                    content.text.clear();
                }
                read.join(&content);
            }
        }
        let mut output = if reads_files { read } else { input };
        if let Some(decoder) = decoder_of(name, &texts) {
            let undone = output.known().and_then(|text| undo(decoder, text));
            output = output.changed();
            output.decoded = Some(decoder);
            if let Some(text) = undone {
                output.text = text;
                output.unknown = false;
            }
            return output;
        }
        let encodes = matches!(name, "base64" | "base32" | "gbase64" | "xxd" | "od" | "hexdump" | "uuencode")
            || (name == "openssl" && texts.first().is_some_and(|first| matches!(*first, "base64" | "enc")));
        if encodes {
            output.encoded = output.encoded.or_else(|| output.given.clone());
        }
        if matches!(name, "cat" | "head" | "tail" | "less" | "more") { output } else { output.changed() }
    }

    /// `find` with `-exec`: the files that it hands over may be secret.
    fn find(&mut self, words: &[TracedArgument]) -> TaintedValue {
        let wanted = words.windows(2).find(|pair| {
            matches!(pair, [option, name] if option.text().ends_with("name") && is_secret_path(name.text().trim_matches('*')))
        });
        let secret = wanted.and_then(|pair| pair.get(1)).map(|name| name.text().to_owned());
        let secret = secret.or_else(|| secret_among(words.iter().take(2)));
        let exec = words.iter().position(|word| matches!(word.text(), "-exec" | "-execdir" | "-ok"));
        let Some(at) = exec else { return TaintedValue { unknown: true, secret, ..TaintedValue::default() } };
        let handed =
            words.get(at + 1..).unwrap_or(&[]).iter().take_while(|word| !matches!(word.text(), ";" | "+" | "\\;"));
        let command: Vec<TracedArgument> = handed
            .map(|word| {
                let mut word = word.clone();
                if let Some(path) = secret.as_ref().filter(|_| word.text().contains("{}")) {
                    word.value.secret = Some(path.clone());
                    word.value.text = word.value.text.replace("{}", &format!("~/{}", path.trim_start_matches("~/")));
                }
                word
            })
            .collect();
        self.simple(&command, TaintedValue::default())
    }

    fn environment(&mut self, name: &str, words: &[TracedArgument]) -> TaintedValue {
        let all = match name {
            "export" | "declare" => words.iter().all(|word| matches!(word.text(), "-p" | "-x" | "-xp" | "-px")),
            "compgen" => words.iter().any(|word| word.text() == "-e"),
            "set" => words.is_empty(),
            _ => words.iter().all(|word| word.text().starts_with('-')),
        };
        for word in words.iter().filter(|_| matches!(name, "export" | "declare")) {
            if let Some((variable, value)) = word.text().split_once('=') {
                if matches!(variable, "HISTFILE" | "HISTSIZE" | "HISTFILESIZE")
                    && matches!(value, "/dev/null" | "0" | "")
                {
                    self.event(ShellAction::WipesHistory, String::new(), &TaintedValue::default());
                }
                let value = TaintedValue { text: value.to_owned(), ..word.value.clone() };
                self.variables.insert(variable.to_owned(), value);
            }
        }
        if name == "set" && words.iter().map(TracedArgument::text).eq(["+o", "history"]) {
            self.event(ShellAction::WipesHistory, String::new(), &TaintedValue::default());
        }
        TaintedValue { unknown: true, environment: all, ..TaintedValue::default() }
    }

    fn other(
        &mut self,
        first: &TracedArgument,
        name: &str,
        words: &[TracedArgument],
        input: TaintedValue,
    ) -> TaintedValue {
        let texts: Vec<&str> = words.iter().map(TracedArgument::text).collect();
        if name == "gh" && matches!(texts.as_slice(), ["gist", "create" | "edit" | "new", ..] | ["gist"]) {
            let mut sent = input;
            operands(words).iter().skip(2).for_each(|file| sent.taint(&self.content(file.text())));
            self.send(&sent, "a public note");
            return TaintedValue::default();
        }
        if let Some(output) = ambient_output(name, &texts) {
            return output;
        }
        if let Some(output) = self.prints_work(name, words) {
            return output;
        }
        if let Some(output) = self.fetched_by_other(name, words, &input) {
            return output;
        }
        self.runs_remote(name, words);
        match name {
            "alias" => words.iter().for_each(|word| self.alias(word.text())),
            "history" if texts.iter().any(|text| matches!(*text, "-c" | "-cw" | "-wc")) => {
                self.event(ShellAction::WipesHistory, String::new(), &TaintedValue::default());
            }
            "unset" if texts.contains(&"HISTFILE") => {
                self.event(ShellAction::WipesHistory, String::new(), &TaintedValue::default());
            }
            "sudo" | "doas" if texts.iter().any(|text| matches!(*text, "-s" | "-i" | "--login" | "--shell")) => {
                self.run(&input, "sh");
            }
            "make" | "gmake" if texts.windows(2).any(|pair| matches!(pair, ["-f" | "--file", "-" | "/dev/stdin"])) => {
                self.run(&input, "sh");
            }
            "cd" | "pushd" => self.changes_to(texts.first().copied().unwrap_or_default()),
            "rm" | "shred" | "truncate" | "wipe" => {
                texts.iter().for_each(|text| self.note_history(text));
            }
            "read" | "mapfile" | "readarray" => {
                if let Some(variable) = operands(words).last() {
                    self.variables.insert(variable.text().to_owned(), input);
                }
                return TaintedValue::default();
            }
            "ssh" => {
                let operands = operands(words);
                let host = operands.first().map_or("", |host| host.text()).to_owned();
                // `ssh host bash -s <<EOF`: the lines run on the other machine, which is the user's as well.
                self.send(&input, &host);
                if operands.get(1).is_some_and(|shell| is_shell(shell.text())) {
                    self.run(&input, "sh");
                }
                // What a command prints on another machine comes over the network.
                return TaintedValue::of_network(vec![host]);
            }
            "aws" | "gcloud" | "az"
                if texts.contains(&"cp") || texts.contains(&"sync") || texts.contains(&"upload") =>
            {
                return self.copies(words);
            }
            "su" | "screen" | "trap" | "at" | "batch" | "parallel" | "watch" | "script" => {
                let nested = words.iter().position(|word| word.text() == "-c").and_then(|at| words.get(at + 1));
                let code = nested.or_else(|| words.first().filter(|_| matches!(name, "trap" | "watch")));
                let has_code = code.is_some();
                if let Some(code) = code {
                    let code = code.value.clone();
                    self.run(&code, "sh");
                    // `su -c sh` reads what it is to run.
                    if is_shell(&code.text) {
                        self.run(&input, "sh");
                    }
                }
                if matches!(name, "at" | "batch" | "parallel") || (name == "su" && !has_code) {
                    self.run(&input, "sh");
                }
            }
            _ => {}
        }
        let text = first.text();
        if first.value.network {
            self.run(&first.value.clone(), "sh");
        } else if text.contains('/') && !text.starts_with('-') && !is_address(text) {
            self.run_file(first, "./");
        }
        passed_on(input)
    }
}
