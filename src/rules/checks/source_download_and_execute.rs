//! source-download-and-execute: a program is fetched and run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::source_calls::{SourceFile, programs, report_within, source_files, weighed};
use capdex_evidence::code::sinks::{evaluates, named, runs_shell, spawns, starts_program, text_of};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Calls and whole files apart: a password may open an archive far from the call that starts it.
    for file in programs(subject) {
        let fetched = FetchedByCommands::of(&file);
        report_within(&file, facts, |call| judgement(&file, &fetched, call));
    }
    for file in source_files(subject) {
        let opened =
            subject.evidence.documents.get(file.path).and_then(|document| opened_with_password(&file, document));
        if let Some((place, text)) = opened {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
            facts.found_as(severity, confidence, place, &text);
        }
    }
}

static PIPED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)\b(?:curl|wget|iwr|invoke-webrequest|irm)\b(?u:[^|;\n]){0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:curl|wget|iwr|irm|invoke-webrequest)\b(?u:[^|\n]){0,300}\|\s*(?:python3?|node|iex|perl)\b|\b(?:curl|wget)\b(?u:[^\n]){0,300}(?:&&|;)\s*(?:chmod \+x|(?:ba)?sh )|\biex\b(?u:[^\n]){0,40}(?:downloadstring|irm|iwr)",
    )
});

/// Installers of well-known tools from their makers' own addresses.
const INSTALLERS: [&str; 9] = [
    "https://astral.sh/uv",
    "https://sh.rustup.rs",
    "https://bun.sh/install",
    "https://deno.land/install",
    "https://get.docker.com",
    "https://raw.githubusercontent.com/nvm-sh",
    "https://get.pnpm.io",
    "https://raw.githubusercontent.com/Homebrew",
    "https://install.python-poetry.org",
];

fn judgement(
    file: &SourceFile<'_>,
    fetched_by_commands: &FetchedByCommands<'_>,
    call: &Call,
) -> Option<(Severity, Confidence)> {
    let mut texts = call.arguments.iter().filter_map(text_of).filter(|_| starts_program(call));
    if let Some(piped) = texts.find(|text| PIPED.is_match(text)) {
        // Still told: a maker's address can be taken over, but not as an attack of this package.
        let known = INSTALLERS.iter().any(|address| piped.contains(address));
        return Some(if known { (Severity::Low, Confidence::Medium) } else { (Severity::High, Confidence::High) });
    }
    if let Some(judged) = starts_fetched_file(file, call).or_else(|| fetched_by_commands.started_by(call)) {
        return Some(judged);
    }
    if runs_answer(call) || installs_archive(call) || loads_fetched(call) || runs_otherwise(file, call) {
        return Some((Severity::High, Confidence::Medium));
    }
    if evaluates(call) && call.taint.arguments().any(TaintSources::ANSWER) {
        return Some((Severity::High, Confidence::High));
    }
    // Where no flow was followed, the shape of the argument may say as much: `eval(requests.get(u).text)`.
    let fetched = |argument: &Argument| match argument {
        Argument::Result(callee) => is_fetch(callee),
        Argument::Name(name) => {
            is_fetch(name) && (name.ends_with(".text") || name.ends_with(".content") || name.ends_with(".data"))
        }
        _ => false,
    };
    (evaluates(call) && call.arguments.iter().any(fetched)).then_some((Severity::High, Confidence::High))
}

/// A server's answer is the command, the program of an interpreter, or its input. A command that an answer is only a
/// part of is not meant.
fn runs_answer(call: &Call) -> bool {
    let first = call.arguments.first();
    let whole = matches!(first, Some(Argument::Name(_) | Argument::Result(_) | Argument::Other));
    // A command that an answer only fills in is `source-command-injection`.
    let answered = |origins: TaintSources| origins.any(TaintSources::ANSWER) && !origins.any(TaintSources::COMPOSED);
    if runs_shell(call) && whole && answered(call.taint.first) {
        return true;
    }
    let words = first.and_then(text_of).unwrap_or_default();
    let program = words.split_whitespace().next().unwrap_or_default();
    // By the last part of its path: `/usr/bin/env` forms and full paths are as common as bare names.
    let interprets = INTERPRETERS.contains(&program.rsplit('/').next().unwrap_or_default());
    // Only where the whole program is the hole: a fixed program with an answer as data in it is no remote code.
    let handed = matches!(words.split_whitespace().nth(1), Some("-c" | "-e")) && words.ends_with("{}");
    spawns(call)
        && ((handed && call.taint.first.any(TaintSources::ANSWER))
            || (interprets && !words.contains("{}") && fed(call)))
}

const INTERPRETERS: [&str; 7] = ["bash", "sh", "zsh", "python", "python3", "node", "perl"];

/// A module is loaded from a file to which something from the network was just written.
fn loads_fetched(call: &Call) -> bool {
    let loads = matches!(
        call.callee.as_str(),
        "import" | "runpy.run_path" | "importlib.util.spec_from_file_location" | "require"
    );
    loads && call.taint.arguments().any(TaintSources::FETCHED_FILE)
}

/// Ways to run an answer that have no evaluator's name.
fn runs_otherwise(file: &SourceFile<'_>, call: &Call) -> bool {
    let (first, rest) = (call.taint.first, call.taint.rest);
    let answered = |sources: TaintSources| sources.any(TaintSources::ANSWER);
    match call.callee.as_str() {
        // A module whose text, or the address of whose text, came over the network.
        "import" => answered(first),
        "Reflect.construct" | "Reflect.apply" => {
            let evaluator = |argument: &Argument| matches!(argument, Argument::Name(name) if matches!(name.as_str(), "Function" | "eval" | "globalThis.eval"));
            answered(rest) && call.arguments.first().is_some_and(evaluator)
        }
        "Worker" | "worker_threads.Worker" => answered(first) && call.text.contains("eval"),
        // Text is run as a program; a function is called.
        "setTimeout" | "setInterval" => {
            let text =
                matches!(call.arguments.first(), Some(Argument::Name(_) | Argument::Result(_) | Argument::Composed(_)));
            answered(first) && text
        }
        // An interpreter that reads its program from its input.
        "process.write" => answered(first) && file.view.calls.iter().any(|call| spawns(call) && reads_program(call)),
        // Machine code that is put where it can be called.
        callee if callee.starts_with("ctypes.") => answered(first) || answered(rest),
        // The program takes what it is from the network.
        "stored" => file.view.is_parsed && overwrites_itself(call) && answered(rest),
        // The constructor of a function makes functions of text.
        callee if callee.ends_with(".constructor") => answered(first) || answered(rest),
        _ => false,
    }
}

/// True where a program writes its own file.
fn overwrites_itself(call: &Call) -> bool {
    matches!(call.arguments.first(), Some(Argument::Name(name)) if name == "__file__")
}

/// True where an interpreter is started without a program.
fn reads_program(call: &Call) -> bool {
    let words = call.arguments.iter().take(2).filter_map(text_of).collect::<Vec<_>>().join(" ");
    let mut words = words.split_whitespace();
    let program = words.next().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    INTERPRETERS.contains(&program) && words.all(|word| word.starts_with('-') && !matches!(word, "-c" | "-e" | "-p"))
}

/// True where an answer is the input of a program.
fn fed(call: &Call) -> bool {
    call.taint.rest.any(TaintSources::ANSWER) && (call.text.contains("input=") || call.text.contains("input:"))
}

/// A package is installed from an archive at an address that no index vouches for.
fn installs_archive(call: &Call) -> bool {
    static ARCHIVE: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?i-u)\b(?:pip3?|npm|pnpm|yarn|uv)\s+(?:pip\s+)?(?:install|add|i)\b(?u:[^\n]){0,80}\shttps?://(?:[\w-]+\.)*?(?P<host>[\w-]+\.[a-z]{2,})/(?u:[^\s]){0,200}\.(?:tar\.gz|tgz|zip|whl)\b",
        )
    });
    starts_program(call)
        && call.arguments.iter().filter_map(text_of).filter_map(|text| ARCHIVE.captures(text)).any(|found| {
            // The last two labels, since subdomains of one host may be anybody's but the domain is its owner's.
            let host = found.name("host").map_or("", |host| host.as_str());
            !KNOWN_ARCHIVES.is_match(host)
        })
}

/// Hosts whose archives are packages of their own name.
static KNOWN_ARCHIVES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)^(?:github\.com|githubusercontent\.com|gitlab\.com|pypi\.org|pythonhosted\.org|npmjs\.org|pytorch\.org|huggingface\.co|nvidia\.com|googleapis\.com|pyg\.org|codeberg\.org)$",
    )
});

/// An archive is opened with a password that stands in the program, in a file that fetches and starts something.
fn opened_with_password(file: &SourceFile<'_>, document: &Document) -> Option<(Place, String)> {
    static OPENED: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r#"(?i-u)\b(?:extractall|extract)\((?u:[^)\n]){0,120}\bpwd\s*=\s*b?["'](?u:[^"'\n]){2,40}["']|\.setpassword\(\s*b?["']|SevenZipFile\((?u:[^)\n]){0,120}\bpassword\s*=\s*["']|\bunzip\s+(?:-\w+\s+){0,3}-P\s*\w"#,
        )
    });
    // A password in the program protects nothing: beside fetching and starting, it blinds scanners.
    let starts = file.view.calls.iter().any(|call| starts_program(call) || call.callee == "os.startfile");
    let fetches = file.view.calls.iter().any(|call| is_fetch(&call.callee) || call.callee.ends_with("urlretrieve"));
    let found =
        // "infected" is the password under which researchers share samples.
        OPENED.find(&document.text).filter(|found| starts && fetches && !found.as_str().contains("infected"))?;
    Some((document.place(found.start()), found.as_str().to_owned()))
}

/// A file that was just fetched is started. Installers of prebuilt parts do so too: it is worth less unless the file is
/// named as a program for Windows, which no package manager's prebuilt part is fetched as.
fn starts_fetched_file(file: &SourceFile<'_>, call: &Call) -> Option<(Severity, Confidence)> {
    let starts = spawns(call)
        || matches!(call.callee.as_str(), "os.startfile" | "os.system" | "os.popen")
        || call.callee.starts_with("os.exec")
        || call.callee.starts_with("os.spawn");
    if !starts || !call.taint.first.any(TaintSources::FETCHED_FILE) {
        return None;
    }
    // It exists on Windows alone.
    let program = call.callee == "os.startfile"
        || call.arguments.iter().filter_map(text_of).any(|text| {
            let lower = text.to_ascii_lowercase();
            [".exe", ".scr", ".bat", ".vbs", ".ps1"].iter().any(|end| lower.trim_end_matches(['"', ' ']).ends_with(end))
        });
    let severity =
        if program || is_furtive(call) || comes_from_a_stranger(file) { Severity::High } else { Severity::Medium };
    Some((severity, Confidence::Medium))
}

/// The files that commands of a program fetch: `curl -o a …`, then `chmod +x a && ./a`. Worked out once for a program, because
/// each of its commands is held against all others.
struct FetchedByCommands<'f> {
    /// The paths, each with the places of the calls that fetch it.
    paths: BTreeMap<&'f str, BTreeSet<*const Call>>,
    /// True where nobody publishes at the addresses of the program.
    is_strangers: bool,
}

impl<'f> FetchedByCommands<'f> {
    fn of(file: &SourceFile<'f>) -> Self {
        static FETCHED: LazyLock<Regex> = LazyLock::new(|| {
            capdex_evidence::expression::of(
                r"(?-u)\b(?:curl|wget)\s(?u:[^\n;|&])*?\s(?:-\w*[oO]|--output(?:-document)?)[\s=]+(?P<path>[\w./~$-]{3,})",
            )
        });
        let mut paths: BTreeMap<&str, BTreeSet<*const Call>> = BTreeMap::new();
        for call in file.view.calls.iter().filter(|call| starts_program(call)) {
            let texts = call.arguments.iter().filter_map(text_of);
            for path in texts.filter_map(|text| FETCHED.captures(text)?.name("path")) {
                paths.entry(path.as_str().trim_start_matches("./")).or_default().insert(std::ptr::from_ref(call));
            }
        }
        let is_strangers = !paths.is_empty() && comes_from_a_stranger(file);
        Self { paths, is_strangers }
    }

    /// A file that another command fetched is started: as a command of its own, or handed to an interpreter. To move it about or
    /// open it is another matter.
    fn started_by(&self, call: &Call) -> Option<(Severity, Confidence)> {
        if self.paths.is_empty() || !starts_program(call) {
            return None;
        }
        let by_another = |word: &str| {
            let fetchers = self.paths.get(word.trim_start_matches("./"));
            fetchers.is_some_and(|fetchers| fetchers.iter().any(|fetcher| !std::ptr::eq(*fetcher, call)))
        };
        let texts = call.arguments.iter().filter_map(text_of);
        let is_started = texts.flat_map(|text| text.split(['&', ';', '|', '\n'])).any(|command| {
            let mut words = command.split_whitespace();
            let first = words.next().unwrap_or_default();
            let is_handed = INTERPRETERS.contains(&first.rsplit('/').next().unwrap_or_default());
            by_another(first) || (is_handed && words.find(|word| !word.starts_with('-')).is_some_and(by_another))
        });
        let severity = if self.is_strangers { Severity::High } else { Severity::Medium };
        is_started.then_some((severity, Confidence::Medium))
    }
}

/// True where a file names addresses of archives or programs alone that nobody publishes at.
fn comes_from_a_stranger(file: &SourceFile<'_>) -> bool {
    static HOST: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(r"(?i-u)https?://(?:[\w-]+\.)*?(?P<host>[\w-]+\.[a-z]{2,})(?:[:/]|$)")
    });
    let texts = file.view.calls.iter().flat_map(|call| &call.arguments).filter_map(text_of);
    let hosts: Vec<&str> = texts
        // Bounded twice, as a bundle may hold a list of thousands of hosts.
        .flat_map(|text| HOST.captures_iter(text).take(20))
        .filter_map(|found| found.name("host").map(|host| host.as_str()))
        .take(200)
        .collect();
    // One address of a known publisher is enough to be an installer's.
    !hosts.is_empty() && !hosts.iter().any(|host| KNOWN_ARCHIVES.is_match(host))
}

/// True where the started program is cut loose from its parent, shows no window, lies hidden or among the temporary
/// files, or is a script that an interpreter is given.
fn is_furtive(call: &Call) -> bool {
    let loose = ["detached", "start_new_session", "creationflags", "windowsHide", "preexec_fn"];
    let texts = || call.arguments.iter().filter_map(text_of).map(str::trim);
    let script = || {
        texts().next().is_some_and(|text| {
            let program = text.split_whitespace().next().unwrap_or_default();
            INTERPRETERS.contains(&program.rsplit('/').next().unwrap_or_default())
        })
    };
    loose.iter().any(|name| {
        // Written out as false it says the opposite.
        named(call, name).is_some_and(|value| !matches!(value, "false" | "False"))
            || call.text.contains(&format!("{name}="))
    }) || texts().any(|text| text.starts_with("/tmp/") || text.contains("/.") || text.contains("AppData"))
        || script()
}

fn is_fetch(callee: &str) -> bool {
    let start = [
        "requests.get",
        "httpx.get",
        "urllib.request.urlopen",
        "fetch",
        "axios.get",
        "got",
        "node-fetch",
        "urllib2.urlopen",
    ];
    start.iter().any(|name| callee == *name || callee.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}
