//! Source calls: the calls in a capability's files, for the rules about source.
//!
//! Must not judge a call. Knows which files are tests, where a finding is worth less.

use crate::evidence::document::FileRole;
use crate::evidence::source::{Argument, Call, Origins, SourceView};
use crate::fact::{Confidence, Severity};
use crate::rules::{FactSink, Subject};

/// One source file of a capability.
pub(super) struct SourceFile<'a> {
    /// Its path.
    pub(super) path: &'a str,
    /// What was read from it.
    pub(super) view: &'a SourceView,
    /// Whether it is a test, a fixture or an example: nothing that runs for a user.
    pub(super) test: bool,
}

/// The source files of a capability in the order of their paths.
pub(super) fn source_files<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    let evidence = subject.evidence;
    subject.capability.files.iter().filter_map(move |path| {
        let view = evidence.sources.get(path)?;
        let role = evidence.documents.get(path).map(|document| document.role);
        // What the test runner loads by itself runs as soon as anybody tests.
        let loaded = path.rsplit('/').next() == Some("conftest.py");
        let test = !loaded && (role == Some(FileRole::Test) || is_test_path(path));
        Some(SourceFile { path, view, test })
    })
}

pub(crate) fn is_test_path(path: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "test",
        "tests",
        "__tests__",
        "spec",
        "specs",
        "fixtures",
        "examples",
        "example",
        "benchmarks",
        "e2e",
        "testdata",
        "mocks",
    ];
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    parts.any(|part| FOLDERS.contains(&part))
        || name.starts_with("test_")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_test.")
}

/// Severity and confidence, lowered in a test.
pub(super) fn weighed(file: &SourceFile<'_>, severity: Severity, confidence: Confidence) -> (Severity, Confidence) {
    if file.test { (severity.min(Severity::Low), Confidence::Low) } else { (severity, confidence) }
}

/// Reports every call that a rule's judgement finds, milder in a test.
pub(super) fn report_calls(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    for file in source_files(subject) {
        for call in &file.view.calls {
            if let Some((severity, confidence)) = judgement(&file, call) {
                let (severity, confidence) = weighed(&file, severity, confidence);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

/// Whether a call is one of those that start programs, with a shell or without.
pub(super) fn starts_program(call: &Call) -> bool {
    runs_shell(call) || spawns(call)
}

/// Whether a call is of a module that starts programs without a shell.
pub(super) fn spawns(call: &Call) -> bool {
    call.callee.starts_with("subprocess.") || call.callee.starts_with("child_process.")
}

/// Whether a call hands its first argument to a shell.
pub(crate) fn runs_shell(call: &Call) -> bool {
    match call.callee.as_str() {
        "child_process.exec"
        | "child_process.execSync"
        | "os.system"
        | "os.popen"
        | "asyncio.create_subprocess_shell"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "shelljs.exec"
        | "execaCommand"
        | "execaCommandSync"
        | "execa.execaCommand"
        | "execa.execaCommandSync" => true,
        callee
            if callee.starts_with("subprocess.")
                || callee.starts_with("child_process.spawn")
                || callee.starts_with("child_process.execFile") =>
        {
            named(call, "shell").is_some_and(|value| !matches!(value, "false" | "False"))
        }
        _ => false,
    }
}

/// The literal value of a named argument or property.
pub(super) fn named<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.arguments.iter().find_map(|argument| match argument {
        Argument::Named(pairs) => pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()),
        _ => None,
    })
}

/// The text of an argument, as far as it is literal.
pub(super) fn text_of(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Literal(text) | Argument::Composed(text) => Some(text),
        _ => None,
    }
}

/// Whether a call turns text into code that runs.
pub(crate) fn evaluates(call: &Call) -> bool {
    matches!(
        call.callee.as_str(),
        "eval"
            | "exec"
            | "Function"
            | "globalThis.eval"
            | "window.eval"
            | "global.eval"
            | "builtins.eval"
            | "builtins.exec"
            | "vm.runInNewContext"
            | "vm.runInThisContext"
            | "vm.runInContext"
            | "vm.Script"
            | "vm.compileFunction"
            | "types.FunctionType"
            | "Function.constructor"
            | "__builtins__.exec"
            | "__builtins__.eval"
    ) || call.callee.ends_with("._compile")
        || call.callee.ends_with(".constructor.constructor")
}

/// What a call carries out of the machine: by a request, over a connection, by a name that is looked up, or by a
/// program that does any of these. None where it carries nothing anywhere.
pub(super) fn carried_out(call: &Call) -> Option<Origins> {
    let callee = call.callee.as_str();
    let written = callee.starts_with("connection.") && !matches!(callee, "connection.pipe" | "connection.get");
    let looked_up = matches!(
        callee,
        "socket.gethostbyname"
            | "socket.getaddrinfo"
            | "dns.resolver.resolve"
            | "dns.resolver.query"
            | "webbrowser.open"
    );
    let by_program = starts_program(call)
        && call.arguments.iter().filter_map(text_of).any(|text| {
            ["curl", "wget", "nslookup", "dig ", "Invoke-WebRequest", "Invoke-RestMethod", "gh gist create"]
                .iter()
                .any(|word| text.contains(word))
        });
    if by_program && call.text.contains("gist") && call.flows.first.any(Origins::SECRET_PATH) {
        return Some(Origins::SECRET);
    }
    if by_program {
        // The environment of a child process is an option, not what it sends.
        return Some(call.flows.first | (call.flows.rest & !Origins::ENVIRONMENT));
    }
    if uploads(callee) && call.flows.first.any(Origins::SECRET_PATH) {
        return Some(call.flows.arguments() | Origins::SECRET);
    }
    (written || looked_up || sends(call)).then(|| call.flows.arguments())
}

/// Whether a call takes the path of a file, and sends what is in it.
fn uploads(callee: &str) -> bool {
    let method = callee.strip_prefix("connection.").unwrap_or_default();
    matches!(method, "upload_file" | "upload_from_filename" | "fput_object" | "put" | "upload")
}

/// Whether a call sends data over the network. Asking for data is not told apart from sending where a library does both.
pub(crate) fn sends(call: &Call) -> bool {
    let callee = call.callee.as_str();
    let module = callee.split('.').next().unwrap_or_default();
    let method = callee.rsplit('.').next().unwrap_or_default();
    match module {
        // Also what servers call the request that they answer.
        "request" => matches!(method, "request" | "get" | "post" | "put" | "patch" | "delete" | "head"),
        "fetch" | "axios" | "got" | "node-fetch" | "undici" | "superagent" | "needle" | "ky" | "WebSocket" | "ws"
        | "requests" | "httpx" | "aiohttp" | "paramiko" | "smtplib" | "ftplib" | "nodemailer" | "websocket"
        | "websockets" => !matches!(method, "create" | "Agent" | "setGlobalDispatcher"),
        "http" | "https" | "http2" => {
            matches!(method, "request" | "get" | "connect" | "HTTPSConnection" | "HTTPConnection")
        }
        "net" | "tls" => matches!(method, "connect" | "createConnection" | "Socket"),
        "dgram" | "dns" => matches!(method, "createSocket" | "lookup" | "resolve" | "resolve4" | "resolveTxt"),
        "urllib" | "urllib2" | "urllib3" => matches!(method, "urlopen" | "Request" | "PoolManager" | "request"),
        "socket" => matches!(method, "socket" | "create_connection"),
        "navigator" => method == "sendBeacon",
        _ => method == "sendMail" || method == "sendmail",
    }
}
