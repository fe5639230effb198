//! Sinks: calls that run code, start programs or carry data out of the machine.
//!
//! Rules about source and the comparison of releases ask the same questions of a call.

use super::{Argument, Call, TaintSources};

/// True for a call that starts a program, with a shell or without.
pub fn starts_program(call: &Call) -> bool {
    runs_shell(call) || spawns(call)
}

/// True for a call into a module that starts programs without a shell.
pub fn spawns(call: &Call) -> bool {
    call.callee.starts_with("subprocess.") || call.callee.starts_with("child_process.")
}

/// True for a call that hands its first argument to a shell.
pub fn runs_shell(call: &Call) -> bool {
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
            // Node takes the path of a shell here too, so that any value but a literal false counts.
            named(call, "shell").is_some_and(|value| !matches!(value, "false" | "False"))
        }
        _ => false,
    }
}

/// The literal value of a named argument or property.
pub fn named<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.arguments.iter().find_map(|argument| match argument {
        Argument::Named(pairs) => pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()),
        _ => None,
    })
}

/// The text of an argument, as far as it is literal.
pub fn text_of(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Literal(text) | Argument::Composed(text) => Some(text),
        _ => None,
    }
}

/// True for a call that turns text into running code.
pub fn evaluates(call: &Call) -> bool {
    runs_text(&call.callee)
}

/// The same for the name of a call.
pub(super) fn runs_text(callee: &str) -> bool {
    matches!(
        callee,
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
    ) || callee.ends_with("._compile")
        || callee.ends_with(".constructor.constructor")
}

/// The data that a call carries out of the machine. It leaves by a request, over a connection, by a looked-up name, or
/// by a program that does any of these. None where it carries nothing.
pub fn carried_out(call: &Call) -> Option<TaintSources> {
    let callee = call.callee.as_str();
    // `get` asks and `pipe` may read: neither shows by itself that data leaves.
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
            let first = text.split_whitespace().next().unwrap_or_default();
            let copies =
                ["scp", "rsync", "sftp", "rclone", "nc", "ncat", "netcat", "telnet", "mail", "mailx", "sendmail"];
            copies.contains(&first)
                || [
                    "curl",
                    "wget",
                    "nslookup",
                    "dig ",
                    "Invoke-WebRequest",
                    "Invoke-RestMethod",
                    "gh gist create",
                    "gh issue create",
                    "gh issue comment",
                    "gh pr create",
                    "gh pr comment",
                ]
                .iter()
                .any(|word| text.contains(word))
        });
    // `gh gist create PATH` publishes the content of the file, not its path.
    if by_program && call.text.contains("gist") && call.taint.first.any(TaintSources::SECRET_PATH) {
        return Some(TaintSources::SECRET);
    }
    if by_program {
        // The environment of a child process is an option, not what it sends.
        let has_option = ["env:", "env=", "{ env", "{env", ", env"].iter().any(|option| call.text.contains(option));
        let beside = if has_option { TaintSources::ENVIRONMENT } else { TaintSources::NONE };
        return Some(call.taint.first | (call.taint.rest & !beside));
    }
    // An upload is given a path, and what leaves is the content of the file.
    if uploads(callee) && call.taint.first.any(TaintSources::SECRET_PATH) {
        return Some(call.taint.arguments() | TaintSources::SECRET);
    }
    // Into the rows of a database that somebody else runs.
    let stored = call.taint.receiver.any(TaintSources::CONNECTION)
        && matches!(callee.rsplit('.').next(), Some("execute" | "executemany"))
        && call.taint.arguments().any(TaintSources::SECRET);
    (written || looked_up || stored || sends(call)).then(|| call.taint.arguments())
}

/// True for a call that takes the path of a file and sends its content.
fn uploads(callee: &str) -> bool {
    let method = callee.strip_prefix("connection.").unwrap_or_default();
    matches!(method, "upload_file" | "upload_from_filename" | "fput_object" | "put" | "upload")
}

/// True for a call that sends data over the network. Requests count too where a library does both by one call.
pub fn sends(call: &Call) -> bool {
    let callee = call.callee.as_str();
    let module = callee.split('.').next().unwrap_or_default();
    let method = callee.rsplit('.').next().unwrap_or_default();
    match module {
        // Also what servers call the request that they answer.
        "request" => matches!(method, "request" | "get" | "post" | "put" | "patch" | "delete" | "head"),
        "fetch" | "axios" | "got" | "node-fetch" | "undici" | "superagent" | "needle" | "ky" | "WebSocket" | "ws"
        | "requests" | "httpx" | "aiohttp" | "paramiko" | "smtplib" | "ftplib" | "nodemailer" | "websocket"
        | "websockets" | "paho" | "sentry_sdk" => !matches!(method, "create" | "Agent" | "setGlobalDispatcher"),
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
