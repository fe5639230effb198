//! Following data through a shell text: what is fetched or decoded and then run, which secrets are sent, which files
//! are run.
//!
//! Nothing is executed: commands are looked up in a vocabulary, variables and files that the text itself writes are
//! remembered. Linear, within a budget.

use std::collections::BTreeMap;

use super::super::code::{is_issuer, is_secret_name};
use super::command_line::CommandLine;
use super::commands::{self, name_of, prefix_length, role_of};
use super::functions;
use super::render;
use super::syntax::{Command, Pipeline, ShellWord, WordPart, parse};
use super::tainted_value::{AMBIENT_CREDENTIAL, TaintedValue};
use super::{Event, ShellAction};

/// The depth to which text that is run as text is followed.
const DEPTH: u8 = 3;
/// The most words of one command that are looked at.
const MOST_WORDS: usize = 400;
/// The most actions of one document that are kept.
const MOST_EVENTS: usize = 1000;
/// Longer values of variables are filled in on credit: a few bytes may stand for many.
const SHORT: usize = 64;
/// The most bytes of longer values that are filled in for one document.
const FILLED_IN: usize = 1 << 20;
/// Variables that every shell has, kept as written because rules know their names.
const GIVEN: [&str; 10] =
    ["HOME", "USER", "PWD", "TMPDIR", "PATH", "HOSTNAME", "UID", "OLDPWD", "LOGNAME", "USERPROFILE"];

/// A word of a command with what it stands for.
#[derive(Clone, Debug, Default)]
pub(super) struct TracedArgument {
    pub(super) value: TaintedValue,
}

impl TracedArgument {
    /// Its text, as far as it is known.
    pub(super) fn text(&self) -> &str {
        &self.value.text
    }
}

/// A pipeline whose plain spelling differs in more than blanks from what is written.
pub(super) struct Traced {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The plain spelling.
    pub(super) plain: String,
}

/// Follows the texts of one document, in order: what one sets, the next sees.
#[derive(Default)]
pub(super) struct Tracer {
    pub(super) variables: BTreeMap<String, TaintedValue>,
    pub(super) files: BTreeMap<String, TaintedValue>,
    aliases: BTreeMap<String, String>,
    /// The bodies of the text's own functions.
    pub(super) functions: BTreeMap<String, Vec<Pipeline>>,
    /// Folders that were fetched, with where they came from.
    pub(super) folders: BTreeMap<String, TaintedValue>,
    /// The fetched folder that the text has changed to.
    pub(super) inside: Option<TaintedValue>,
    /// The secret that was added to a repository.
    pub(super) staged: TaintedValue,
    /// True where a bound was reached.
    pub(super) is_cut: bool,
    pub(super) events: Vec<Event>,
    /// The range of the pipeline at hand.
    pub(super) span: (usize, usize),
    depth: u8,
    /// The number of functions that are being called.
    pub(super) calls: u8,
    /// The number of bytes of text that is run as text that may still be read.
    pub(super) fuel: usize,
    /// The number of bytes of longer values that were filled in.
    filled_in: usize,
    /// True where the pipeline at hand holds a command that rules care about.
    pub(super) telling: bool,
    /// The commands that are started, where somebody asks for them.
    pub(super) line: Option<CommandLine>,
}

impl Tracer {
    /// One that also notes the commands that are started.
    pub(super) fn noting() -> Self {
        Self { line: Some(CommandLine::default()), ..Self::default() }
    }

    /// Reads one shell text that begins at `base` in its document, or that as a whole stands for the stretch `whole`.
    pub(super) fn read(&mut self, text: &str, base: usize, whole: Option<(usize, usize)>) -> Vec<Traced> {
        // In proportion to the text, so that text that runs text costs no more than reading it twice.
        self.fuel = self.fuel.saturating_add(text.len().saturating_mul(2));
        let mut traced = Vec::new();
        let mut pipelines = parse(text);
        while let Some(pipeline) = pipelines.next() {
            self.is_cut |= pipelines.is_cut();
            if self.is_idle(&pipeline) {
                continue;
            }
            self.span = whole.unwrap_or((base + pipeline.start, base + pipeline.end));
            self.telling = false;
            let before = self.events.len();
            // Before the pipeline runs, since it may set the variables that it is spelt with.
            let odd = render::is_odd(&pipeline, &self.variables);
            let spelt = odd.then(|| render::pipeline(&pipeline, &self.variables));
            self.pipeline(&pipeline, TaintedValue::default());
            let written = text.get(pipeline.start..pipeline.end).unwrap_or("");
            traced.extend(self.told_since(before, written, spelt.filter(|_| self.telling)));
        }
        traced
    }

    /// The plain spelling of what is at hand, and of the actions that were noted since, as far as the text does not say them.
    pub(super) fn told_since(&self, before: usize, written: &str, spelt: Option<String>) -> Option<Traced> {
        let mut plain: Vec<String> = spelt.into_iter().collect();
        let spelt = plain.first().cloned().unwrap_or_default();
        // An event whose spelling stands in the text already would be found twice.
        let new = self.events.get(before..).unwrap_or(&[]);
        let untold = new.iter().filter(|event| !says(written, event) && !says(&spelt, event));
        plain.extend(untold.map(|event| event.plain.clone()));
        plain.dedup();
        (!plain.is_empty()).then(|| Traced { start: self.span.0, end: self.span.1, plain: plain.join(" ; ") })
    }

    /// True where nothing comes of a pipeline: plain words alone, of which none is a command that is followed.
    fn is_idle(&self, pipeline: &Pipeline) -> bool {
        // An alias may give any word a meaning.
        self.line.is_none()
            && self.aliases.is_empty()
            && self.functions.is_empty()
            && self.inside.is_none()
            && pipeline.commands.iter().all(|command| {
                let Command { assigns, words, redirects, group, .. } = command;
                let first = words.first().and_then(ShellWord::literal);
                assigns.is_empty()
                    && redirects.is_empty()
                    && group.is_none()
                    && first.is_some_and(commands::is_idle)
                    && words.iter().all(|word| word.literal().is_some())
            })
    }

    pub(super) fn event(&mut self, action: ShellAction, plain: String, value: &TaintedValue) {
        let (start, end) = self.span;
        let event = Event {
            action,
            start,
            end,
            plain,
            addresses: value.addresses.clone(),
            secret: value.secret.clone().unwrap_or_default(),
        };
        // A few back is enough: one command may lead to one action by several ways.
        let is_new = self.events.iter().rev().take(8).all(|earlier| *earlier != event);
        if is_new && self.events.len() < MOST_EVENTS {
            self.events.push(event);
        }
    }

    /// Runs through pipelines; gives all that they print.
    pub(super) fn list(&mut self, pipelines: &[Pipeline], input: &TaintedValue) -> TaintedValue {
        let mut output = TaintedValue::default();
        for pipeline in pipelines {
            let printed = self.pipeline(pipeline, input.clone());
            output.join(&printed);
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: TaintedValue) -> TaintedValue {
        pipeline.commands.iter().fold(input, |input, command| self.command(command, input))
    }

    fn command(&mut self, command: &Command, input: TaintedValue) -> TaintedValue {
        // `X=… command` sets the variable before the command is looked at.
        self.assign(command);
        let input = self.redirected_input(command, input);
        if let (Some(name), Some(body)) = (&command.function, &command.group) {
            self.define(name, body);
        }
        let output = if let Some(group) = &command.group {
            self.list(group, &input)
        } else {
            let words = self.arguments(command);
            if words.is_empty() {
                // Only redirections: `> file` empties it, and `< file` prints nothing.
                self.empties(command);
                return TaintedValue::default();
            }
            self.simple(&words, input)
        };
        self.redirected_output(command, output)
    }

    fn assign(&mut self, command: &Command) {
        for assign in &command.assigns {
            let value = self.value(&assign.value);
            if matches!(assign.name.as_str(), "HISTFILE" | "HISTSIZE" | "HISTFILESIZE")
                && matches!(value.text.as_str(), "/dev/null" | "0" | "")
            {
                self.event(ShellAction::WipesHistory, String::new(), &value);
            }
            // `+=` is how a command is put together over lines.
            if assign.appends {
                let held = self.variables.entry(assign.name.clone()).or_default();
                held.join(&value);
            } else {
                self.variables.insert(assign.name.clone(), value);
            }
        }
    }

    /// The value that a word stands for.
    pub(super) fn value(&mut self, word: &ShellWord) -> TaintedValue {
        if let Some(text) = word.literal() {
            return TaintedValue::of(text);
        }
        let mut value = TaintedValue::default();
        for part in &word.parts {
            match part {
                WordPart::Text(text) => value.join(&TaintedValue::of(text.as_str())),
                WordPart::Variable { name, default, change, .. } => value.join(&self.changed(name, default, change)),
                WordPart::Output(pipelines) => {
                    if let Some(name) = secret_named(pipelines) {
                        value.join(&self.variable(name, ""));
                        continue;
                    }
                    let mut printed = self.list(pipelines, &TaintedValue::default());
                    if printed.known().is_some() {
                        // A shell drops the line ends of what a substitution prints.
                        printed.text.truncate(printed.text.trim_end().len());
                    } else {
                        printed = TaintedValue { text: "$(…)".to_owned(), ..printed.changed() };
                    }
                    value.join(&printed);
                }
                WordPart::Process(pipelines) => {
                    let printed = self.list(pipelines, &TaintedValue::default());
                    value.join(&TaintedValue { text: "<(…)".to_owned(), ..printed.changed() });
                }
            }
        }
        value
    }

    /// A variable, with what is done to it.
    fn changed(&mut self, name: &str, default: &str, change: &str) -> TaintedValue {
        let mut value = self.variable(name, default);
        if change == "!" {
            // `${!name}`: the variable that is named by this one.
            return value.known().map(str::to_owned).map_or(value, |name| self.variable(&name, ""));
        }
        if !change.is_empty()
            && !value.unknown
            && let Some(text) = functions::changed(&value.text, change)
        {
            value.text = text;
        }
        value
    }

    fn variable(&mut self, name: &str, default: &str) -> TaintedValue {
        if let Some(held) = self.variables.get(name) {
            // A word may name a long variable a thousand times.
            if held.text.len() > SHORT {
                self.filled_in += held.text.len();
            }
            let spent = self.filled_in > FILLED_IN;
            let unknown = held.unknown || spent;
            let text = if unknown { format!("${name}") } else { held.text.clone() };
            let mut value = TaintedValue { text, unknown, ..TaintedValue::default() };
            // The origin outlives the text: an unknown value is still fetched or secret.
            value.taint(held);
            return value;
        }
        if !default.is_empty() {
            return TaintedValue::of(default);
        }
        let unknown = !GIVEN.contains(&name);
        // The words behind a script and its own state are no variables of the machine's.
        let is_named = unknown && name.len() > 2 && name.starts_with(|first: char| first.is_ascii_alphabetic());
        let token = is_secret_name(name).then(|| name.to_owned());
        let given = is_named.then(|| name.to_owned());
        TaintedValue { text: format!("${name}"), unknown, token, given, ..TaintedValue::default() }
    }

    fn arguments(&mut self, command: &Command) -> Vec<TracedArgument> {
        let mut arguments = Vec::with_capacity(command.words.len().min(MOST_WORDS));
        self.is_cut |= command.words.len() > MOST_WORDS;
        for word in command.words.iter().take(MOST_WORDS) {
            if arguments.len() >= MOST_WORDS {
                self.is_cut = true;
                break;
            }
            let value = self.value(word);
            // Only an unquoted variable is split into words, as a shell does it.
            let splits = word.parts.iter().any(|part| matches!(part, WordPart::Variable { quoted: false, .. }));
            if splits && value.text.contains(char::is_whitespace) {
                let pieces = value.text.split_whitespace().take(MOST_WORDS).map(str::to_owned).collect::<Vec<_>>();
                arguments.extend(
                    pieces.into_iter().map(|text| TracedArgument { value: TaintedValue { text, ..value.clone() } }),
                );
            } else {
                arguments.push(TracedArgument { value });
            }
        }
        arguments
    }

    /// Notes that data leaves for another machine.
    pub(super) fn send(&mut self, value: &TaintedValue, address: &str) {
        // What goes to this machine does not leave it.
        if commands::is_local(address) {
            return;
        }
        let addressed = TaintedValue { addresses: vec![address.to_owned()], ..value.clone() };
        // A token that goes back to whoever issues it is used and not stolen.
        let is_ambient = value.secret.as_deref().is_some_and(|secret| secret.starts_with(AMBIENT_CREDENTIAL));
        if value.secret.is_some() && !(is_ambient && is_issuer(address)) {
            self.event(ShellAction::SendsSecret, String::new(), &addressed);
        }
        if let (Some(variable), None) = (&value.token, &value.secret) {
            let addressed = TaintedValue { secret: Some(variable.clone()), ..addressed.clone() };
            self.event(ShellAction::SendsToken, String::new(), &addressed);
        }
        if let (Some(variable), None) = (&value.encoded, &value.secret) {
            let addressed = TaintedValue { secret: Some(variable.clone()), ..addressed.clone() };
            self.event(ShellAction::SendsEncoded, String::new(), &addressed);
        }
        if value.work && value.secret.is_none() {
            self.event(ShellAction::SendsWork, String::new(), &addressed);
        }
        if value.environment {
            self.event(ShellAction::SendsEnvironment, format!("env | curl -d @- {address}"), &addressed);
        }
    }

    /// Text that is run as a shell text. Gives what it prints.
    pub(super) fn run_text(&mut self, text: &str) -> TaintedValue {
        // Text that runs itself would never end.
        if text.trim().is_empty() {
            return TaintedValue::default();
        }
        if self.depth >= DEPTH || text.len() > self.fuel {
            self.is_cut = true;
            return TaintedValue::default();
        }
        self.fuel -= text.len();
        self.depth += 1;
        let pipelines: Vec<Pipeline> = parse(text).collect();
        let plain = render::list(&pipelines, &self.variables);
        let printed = self.list(&pipelines, &TaintedValue::default());
        self.depth -= 1;
        // A longer spelling was cut, and would show a command that nobody runs.
        if !plain.is_empty() && plain.len() < 4000 {
            self.event(ShellAction::RunsText, plain, &TaintedValue::default());
        }
        printed
    }

    /// One command with its words looked up. Gives what it prints.
    pub(super) fn simple(&mut self, words: &[TracedArgument], input: TaintedValue) -> TaintedValue {
        let mut words = words;
        let mut input_is_arguments = false;
        let mut placeholder = None;
        let mut aliased: Vec<TracedArgument>;
        loop {
            // The options of `sudo` or `env` fit; a longer row of words is the command's own.
            let texts: Vec<&str> = words.iter().take(12).map(TracedArgument::text).collect();
            let Some(length) = prefix_length(&texts) else { break };
            if texts.first().is_some_and(|first| name_of(first) == "xargs") {
                input_is_arguments = true;
                placeholder = placeholder_of(texts.get(..length).unwrap_or(&[])).map(str::to_owned);
            }
            self.note_variables(texts.get(..length).unwrap_or(&[]));
            words = words.get(length..).unwrap_or(&[]);
        }
        let Some(first) = words.first() else { return input };
        // Once, as a shell does: an alias of itself must not loop.
        if let Some(body) = self.aliases.get(first.text()) {
            aliased = body.split_whitespace().map(|text| TracedArgument { value: TaintedValue::of(text) }).collect();
            aliased.extend(words.iter().skip(1).cloned());
            words = &aliased;
        }
        let Some(first) = words.first() else { return input };
        if let Some(printed) = self.call(first.text(), words.get(1..).unwrap_or(&[]), &input) {
            return printed;
        }
        let globbed: TracedArgument;
        let first = match functions::globbed(first.text()) {
            Some(name) => {
                globbed = TracedArgument { value: TaintedValue::of(name) };
                &globbed
            }
            None => first,
        };
        self.telling |= commands::is_telling(name_of(first.text()));
        let name = name_of(first.text());
        let rest = words.get(1..).unwrap_or(&[]);
        // What `xargs` reads becomes the last word of the command.
        if input_is_arguments {
            let mut rest = rest.to_vec();
            match placeholder {
                Some(placeholder) => {
                    for word in rest.iter_mut().filter(|word| word.text().contains(&placeholder)) {
                        word.value.taint(&input);
                        word.value.unknown = true;
                    }
                }
                None => rest.push(TracedArgument { value: input }),
            }
            self.note_command(first, &rest);
            return self.with_role(role_of(name), first, name, &rest, TaintedValue::default());
        }
        self.note_command(first, rest);
        self.with_role(role_of(name), first, name, rest, input)
    }

    pub(super) fn alias(&mut self, word: &str) {
        if let Some((name, body)) = word.split_once('=') {
            self.aliases.insert(name.to_owned(), body.to_owned());
        }
    }
}

/// The secret that a substitution names as Makefiles and templates do, where a shell would call a command.
fn secret_named(pipelines: &[Pipeline]) -> Option<&str> {
    let [Pipeline { commands, .. }] = pipelines else { return None };
    let [Command { words, .. }] = commands.as_slice() else { return None };
    let [word] = words.as_slice() else { return None };
    let name = word.literal()?;
    let is_upper = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    (is_upper && is_secret_name(name)).then_some(name)
}

/// The word of `xargs -I word` for which each line of the input stands.
fn placeholder_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|word| word.starts_with("-I"))?;
    let inline = words.get(at)?.strip_prefix("-I").filter(|rest| !rest.is_empty());
    inline.or_else(|| words.get(at + 1).copied())
}

/// True where a text says what happens as plainly as the event's own spelling: the addresses and what runs it.
fn says(text: &str, event: &Event) -> bool {
    let runner = event.plain.rsplit_once("| ").map(|(_, runner)| runner);
    event.plain.is_empty()
        || text.contains(event.plain.as_str())
        || runner.filter(|_| event.action == ShellAction::RunsDownload).is_some_and(|runner| {
            event.addresses.iter().all(|address| text.contains(address.as_str()))
                && (text.contains(&format!("| {runner}")) || text.contains(&format!("|{runner}")))
        })
}

/// A path without what does not change it.
pub(super) fn normal(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// The unknown output of a command, which is made from its input.
pub(super) fn passed_on(input: TaintedValue) -> TaintedValue {
    input.changed()
}

mod files;
#[cfg(test)]
mod tests;
