//! source-credential-read-and-send: one file reads secrets and talks to the network.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::destinations::{Destination, Destinations, address_of, is_at, issuers, sites};
use super::source_calls::{SourceFile, programs, source_files, weighed};
use crate::FactSink;
use capdex_evidence::code::sinks::{carried_out, named, sends, starts_program, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources, is_issuer};
use capdex_evidence::shell::{self, ShellAction};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_handed(subject, facts);
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for file in programs(subject) {
        // A flow that was followed is proof; nearness would only tell the same again, with less trust.
        if report_flows(subject, &file, &destinations, facts) || file.is_fenced() {
            continue;
        }
        let senders: Vec<&Call> = file.view.calls.iter().filter(|call| sends(call)).collect();
        for call in &file.view.calls {
            if let Some(whole) = reads_secret(call) {
                report(&file, call, &senders, whole, facts);
            }
        }
    }
}

/// Reports the calls that surely send a secret or the environment; then what stands near what tells nothing more.
fn report_flows(
    subject: &Subject<'_>,
    file: &SourceFile<'_>,
    destinations: &Destinations,
    facts: &mut FactSink<'_>,
) -> bool {
    let mut found = false;
    let peer = LazyCell::new(|| peer(file));
    // Who only asks whether a link of a bookmark still answers gives nobody anything that was not there before.
    let carriers = file.view.calls.iter().filter(|call| named(call, "method") != Some("HEAD"));
    for call in carriers {
        let carried = carried_out(call).unwrap_or_default();
        let judged = match (carried.any(TaintSources::SECRET), carried.any(TaintSources::ENVIRONMENT)) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::High,
            // A token is sent to its service all the time, but never as part of a host name.
            (false, false) if carried.any(TaintSources::TOKEN) && looks_up(call) => Severity::High,
            (false, false)
                if carried.any(TaintSources::TOKEN) && is_misdirected(file, call, destinations, || peer.clone()) =>
            {
                Severity::High
            }
            (false, false)
                if carried.any(TaintSources::AMBIENT_CREDENTIAL)
                    && leaves_issuer(file, call)
                    && !takes_own_entry(subject, file) =>
            {
                Severity::High
            }
            (false, false) => match sent_by_shell(call) {
                Some(judged) => judged,
                None => continue,
            },
        };
        found = true;
        let (severity, confidence) = file.weigh(call, judged, Confidence::High);
        facts.found_as(severity, confidence, call.place.clone(), &call.text);
    }
    found
}

/// The severity of what the shell text in a call sends.
fn sent_by_shell(call: &Call) -> Option<Severity> {
    if !starts_program(call) {
        return None;
    }
    // A list of words is a command line as well; what a hole stands for is not followed.
    let text = call.arguments.first().and_then(text_of)?;
    let events = shell::events_of(text);
    let judged = events.iter().filter_map(|event| match event.action {
        ShellAction::SendsSecret => Some(Severity::Critical),
        ShellAction::SendsEnvironment => Some(Severity::High),
        _ => None,
    });
    judged.max()
}

/// True where a token, outside of the headers in which it belongs, goes to a host that did not issue it, or to one that
/// is decoded first.
fn is_misdirected(
    file: &SourceFile<'_>,
    call: &Call,
    destinations: &Destinations,
    peer: impl FnOnce() -> Option<String>,
) -> bool {
    // The address alone: data that is decoded may come from anywhere.
    let address = call.taint.first;
    if address.any(TaintSources::DECODED) && !address.any(TaintSources::TOKEN) {
        return true;
    }
    let Some(address) = address_of(call).or_else(|| is_connected(call).then(peer).flatten()) else {
        return false;
    };
    let variables = file
        .view
        .calls
        .iter()
        .filter(|call| matches!(call.callee.as_str(), "os.environ" | "os.getenv" | "process.env"));
    let names = variables.filter_map(|call| match call.arguments.first() {
        Some(Argument::Literal(name)) => Some(name.as_str()),
        _ => None,
    });
    // Of a service that is not known it cannot be told which host is its own.
    let mut known = names.filter_map(issuers).peekable();
    known.peek().is_some()
        && known.all(|domains| !is_at(&address, domains))
        && destinations.judge(&address).is_some_and(Destination::is_foreign)
}

/// True for a call over a connection.
fn is_connected(call: &Call) -> bool {
    call.callee.starts_with("connection.")
}

/// The one machine to which a file opens connections.
fn peer(file: &SourceFile<'_>) -> Option<String> {
    static HOST: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(r#"(?i-u)["']([a-z0-9-]+(?:\.[a-z0-9-]+)+)["']"#));
    const OPENED: [&str; 11] = [
        "socket.create_connection",
        "connection.connect",
        "net.connect",
        "net.createConnection",
        "tls.connect",
        "smtplib.SMTP",
        "smtplib.SMTP_SSL",
        "ftplib.FTP",
        "ftplib.FTP_TLS",
        "websocket.create_connection",
        "telnetlib.Telnet",
    ];
    let opened = file.view.calls.iter().filter(|call| OPENED.contains(&call.callee.as_str()));
    let mut hosts: Vec<&str> =
        opened.filter_map(|call| HOST.captures(&call.text)?.get(1)).map(|host| host.as_str()).collect();
    hosts.dedup();
    match hosts.as_slice() {
        [host] => Some(format!("https://{host}")),
        _ => None,
    }
}

/// True where a call looks a name up that was put together, so that what is in it reaches whoever owns the zone.
fn looks_up(call: &Call) -> bool {
    // Look-ups pass firewalls that stop every other request, which is why data is carried out by them.
    let by_program =
        starts_program(call)
            && call.arguments.iter().filter_map(text_of).any(|text| {
                matches!(text.split_whitespace().next(), Some("dig" | "nslookup" | "host" | "ping" | "drill"))
            });
    let by_name = matches!(call.callee.as_str(), "socket.gethostbyname" | "socket.getaddrinfo")
        || call.callee.starts_with("dns.")
        || by_program;
    by_name && call.taint.first.any(TaintSources::COMPOSED)
}

/// True where a call goes to somebody who did not hand out its token: by the address in it, else by those in the file,
/// of which none may be an issuer's.
fn leaves_issuer(file: &SourceFile<'_>, call: &Call) -> bool {
    let texts = call.arguments.iter().filter_map(text_of).chain(std::iter::once(call.text.as_str()));
    // An address in the call is the best witness; without one the file's addresses must do.
    let named = texts.filter_map(|text| text.find("http").and_then(|at| text.get(at..))).next();
    match named {
        Some(address) => !is_issuer(address),
        None => !file.view.calls.iter().flat_map(|call| &call.arguments).filter_map(text_of).any(is_issuer),
    }
}

/// True where a file takes nothing from a keychain but entries that are named for the one site that it talks to.
fn takes_own_entry(subject: &Subject<'_>, file: &SourceFile<'_>) -> bool {
    let Some(document) = subject.documents().find(|document| document.path == file.path) else { return false };
    let mut sites = sites(&document.text).filter(|site| !matches!(site.as_str(), "localhost" | "127.0.0.1"));
    let Some(site) = sites.next() else { return false };
    let label = site.split('.').next().unwrap_or_default();
    let takes = |call: &&Call| {
        let named = |word: &&str| {
            call.callee.ends_with(word) || call.arguments.iter().filter_map(text_of).any(|text| text.contains(word))
        };
        ["find-generic-password", "secret-tool", "get_password"].iter().any(named)
    };
    let of_site = |call: &Call| call.arguments.iter().filter_map(text_of).any(|text| text.contains(label));
    let mut entries = file.view.calls.iter().filter(takes).peekable();
    // A short label stands in many names by chance.
    label.len() >= 4 && sites.all(|other| other == site) && entries.peek().is_some() && entries.all(of_site)
}

/// Reports a secret that is handed to a function of another file here, which sends.
fn report_handed(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let handed = |call: &&Call| call.callee.starts_with("handed:");
    // Hardly any package hands secrets between files: the rest is worked out only for those.
    if !source_files(subject).any(|file| file.view.calls.iter().any(|call| handed(&call))) {
        return;
    }
    let sending: BTreeSet<&str> = source_files(subject)
        .filter(|file| file.view.calls.iter().any(sends))
        .map(|file| file.path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default())
        .collect();
    for file in source_files(subject) {
        for call in file.view.calls.iter().filter(handed) {
            let (module, function) = module_and_function(&call.callee);
            let all = call.taint.arguments();
            // A module that sends does other things as well: the function's own name must say that it sends.
            let meant = all.any(TaintSources::SECRET)
                || CARRIES.iter().any(|word| function.to_ascii_lowercase().contains(word));
            if meant && sending.contains(module) {
                let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

/// Names of functions that send.
const CARRIES: [&str; 10] =
    ["send", "post", "report", "track", "ship", "push", "upload", "emit", "beacon", "telemetry"];

/// The last names of the module and of its function that a handed call names. A module that is itself called is both.
fn module_and_function(callee: &str) -> (&str, &str) {
    let path = callee.strip_prefix("handed:").unwrap_or(callee).trim_start_matches(['.', '/']);
    let (path, function) = path.rsplit('/').next().map_or((path, None), |last| match last.rsplit_once('.') {
        Some((module, function)) => (module, Some(function)),
        None => (last, None),
    });
    let module = path.rsplit('.').next().unwrap_or_default();
    (module, function.unwrap_or(module))
}

/// The distance, in lines of ordinary length, within which a read and a send are surely one piece of work.
const NEAR: u32 = 15;
/// Columns that make up for a line where a bundler has joined many into one.
const COLUMNS_A_LINE: u32 = 80;

/// The distance of two calls, in lines of ordinary length.
fn distance(a: &Call, b: &Call) -> u32 {
    let columns = a.place.column.abs_diff(b.place.column);
    let lines = a.place.line.abs_diff(b.place.line);
    // Within bundled text the lines between are long as well, so columns count whichever line they are on.
    lines.saturating_add(if columns > 10 * COLUMNS_A_LINE { columns / COLUMNS_A_LINE } else { 0 })
}

/// Files that hold secrets of the user, by the end of their path.
const SECRETS: [&str; 26] = [
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".ssh",
    ".ssh/",
    ".aws/credentials",
    ".aws/config",
    ".netrc",
    ".git-credentials",
    ".kube/config",
    ".docker/config.json",
    ".config/gcloud",
    "application_default_credentials.json",
    ".gnupg",
    "login data",
    "cookies.sqlite",
    "logins.json",
    "key4.db",
    "wallet.dat",
    "/etc/shadow",
    ".bash_history",
    ".zsh_history",
    "solana/id.json",
    ".ethereum/keystore",
    "exodus.wallet",
];

/// A call that reads a secret file (`Some(false)`) or takes the whole environment into data (`Some(true)`).
fn reads_secret(call: &Call) -> Option<bool> {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    match call.callee.as_str() {
        "process.env" | "os.environ" => match call.arguments.first() {
            Some(Argument::Name(taker)) => {
                let taker = taker.rsplit('.').next().unwrap_or_default();
                // Reading one variable is configuration; turning all of them into data is not.
                matches!(taker, "stringify" | "entries" | "dumps" | "items" | "dict" | "str" | "inspect" | "b64encode")
                    .then_some(true)
            }
            _ => None,
        },
        callee
            if callee == "open"
                || callee == "io.open"
                || callee.starts_with("fs.")
                || callee.starts_with("fs-extra.")
                || matches!(method, "read_text" | "read_bytes") =>
        {
            // Writing a key is what installers do; only reading can give it away.
            let writes = method.starts_with("write")
                || method.starts_with("append")
                || matches!(method, "mkdir" | "mkdirSync" | "chmod" | "chmodSync" | "existsSync" | "access");
            let path = call.arguments.first().and_then(text_of).map(str::to_lowercase).unwrap_or_default();
            // Paths of Windows end like the others once their strokes are turned.
            let path = path.replace('\\', "/");
            (!writes && SECRETS.iter().any(|secret| path.ends_with(secret))).then_some(false)
        }
        _ => None,
    }
}

fn report(file: &SourceFile<'_>, call: &Call, senders: &[&Call], whole: bool, facts: &mut FactSink<'_>) {
    let nearest = senders.iter().map(|sender| distance(sender, call)).min();
    let judged = match (nearest, whole) {
        // The whole environment in a file that sends nothing is handed to a child process.
        (None, true) => return,
        // What is read here may be sent elsewhere: reported, but as a weak sign.
        (None, false) => (Severity::Low, Confidence::Medium),
        (Some(distance), false) if distance <= NEAR => (Severity::Medium, Confidence::Medium),
        (Some(_), false) => (Severity::Medium, Confidence::Low),
        (Some(distance), true) if distance <= NEAR => (Severity::Medium, Confidence::Medium),
        (Some(_), true) => (Severity::Low, Confidence::Low),
    };
    let (severity, confidence) = weighed(file, judged.0, judged.1);
    facts.found_as(severity, confidence, call.place.clone(), &call.text);
}
