//! Known calls: the calls that are kept, by their dotted name after aliases are resolved.
//!
//! A call that stands in no table here is kept only for its taint; rules never see the others.

/// JavaScript names that are kept as they are, and the modules all of whose members are kept.
const JAVASCRIPT: [&str; 49] = [
    "Reflect.construct",
    "Reflect.apply",
    "Worker",
    "worker_threads.Worker",
    "lodash.template",
    "eval",
    "Function",
    "fetch",
    "WebSocket",
    "EventSource",
    "XMLHttpRequest",
    "atob",
    "require",
    "import",
    "process.env",
    "process.binding",
    "process.dlopen",
    "Buffer.from",
    "setTimeout",
    "setInterval",
    "navigator.sendBeacon",
    "Bun.spawn",
    "Bun.spawnSync",
    "Bun.$",
    "Bun.write",
    "Deno.run",
    "Deno.Command",
    "Deno.readTextFile",
    "Deno.writeTextFile",
    "Deno.env.toObject",
    "os.userInfo",
    "os.networkInterfaces",
    "os.hostname",
    "globalThis.eval",
    "window.eval",
    "global.eval",
    "globalThis.fetch",
    "execa",
    "execaCommand",
    "execaCommandSync",
    "shelljs.exec",
    "cross-spawn",
    "crypto.createDecipheriv",
    "zlib.inflateSync",
    "zlib.gunzipSync",
    "clipboardy.write",
    "clipboardy.writeSync",
    "navigator.clipboard.writeText",
    "__non_webpack_require__",
];

const JAVASCRIPT_MODULES: [&str; 30] = [
    "ejs",
    "pug",
    "nunjucks",
    "dot",
    "child_process",
    "vm",
    "axios",
    "got",
    "node-fetch",
    "undici",
    "superagent",
    "request",
    "ky",
    "needle",
    "http",
    "https",
    "http2",
    "net",
    "tls",
    "dgram",
    "dns",
    "ws",
    "nodemailer",
    "execa",
    "fs",
    "fs-extra",
    "node-pty",
    "vm2",
    "node-serialize",
    "puppeteer",
];

/// Members of any object that are kept by their last name: the object's type is not known.
const JAVASCRIPT_METHODS: [&str; 10] = [
    "query",
    "execute",
    "$queryRawUnsafe",
    "$executeRawUnsafe",
    "raw",
    "sendMail",
    "prepare",
    "unserialize",
    "_compile",
    "constructor",
];

/// Python names and modules.
const PYTHON: [&str; 40] = [
    "tornado.template.Template",
    "flask.render_template_string",
    "pyautogui.screenshot",
    "PIL.ImageGrab.grab",
    "eval",
    "exec",
    "compile",
    "__import__",
    "open",
    "io.open",
    "os.system",
    "os.popen",
    "os.environ",
    "os.getenv",
    "os.startfile",
    "platform.node",
    "getpass.getpass",
    "getpass.getuser",
    "yaml.load",
    "yaml.unsafe_load",
    "builtins.eval",
    "builtins.exec",
    "asyncio.open_connection",
    "os.dup2",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.chmod",
    "shutil.rmtree",
    "shutil.copy",
    "shutil.copy2",
    "shutil.copyfile",
    "shutil.copytree",
    "shutil.move",
    "types.FunctionType",
    "types.CodeType",
    "pyperclip.copy",
    "pyperclip.paste",
    "winreg.SetValueEx",
    "ImageGrab.grab",
];

const PYTHON_MODULES: [&str; 41] = [
    "paho",
    "sentry_sdk",
    "jinja2",
    "mako",
    "Cheetah",
    "dns",
    "webbrowser",
    "pynput",
    "keyboard",
    "mss",
    "subprocess",
    "importlib",
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "jsonpickle",
    "marshal",
    "shelve",
    "joblib",
    "requests",
    "httpx",
    "urllib",
    "urllib2",
    "urllib3",
    "aiohttp",
    "socket",
    "smtplib",
    "ftplib",
    "paramiko",
    "websockets",
    "websocket",
    "base64",
    "binascii",
    "codecs",
    "zlib",
    "ctypes",
    "pty",
    "http",
    "runpy",
];

const PYTHON_METHODS: [&str; 9] = [
    "from_string",
    "execute",
    "executemany",
    "executescript",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "sendmail",
];

/// Methods by which something is written to a connection.
pub(super) const SENDING: [&str; 36] = [
    "put_object",
    "upload_file",
    "upload_fileobj",
    "upload_from_string",
    "upload_from_filename",
    "upload_blob",
    "upload",
    "send_document",
    "send_photo",
    "sendDocument",
    "sendMessage",
    "sendMail",
    "chat_postMessage",
    "files_upload",
    "files_upload_v2",
    "publish",
    "insert_one",
    "create_gist",
    "create_file",
    "fput_object",
    "postMessage",
    "get",
    "write",
    "end",
    "send",
    "emit",
    "post",
    "put",
    "patch",
    "request",
    "sendall",
    "sendto",
    "sendmail",
    "send_message",
    "storbinary",
    "open",
];

/// True where a JavaScript callee is kept.
pub(super) fn is_kept_javascript(callee: &str) -> bool {
    known(callee, &JAVASCRIPT, &JAVASCRIPT_MODULES, &JAVASCRIPT_METHODS)
}

/// True where a Python callee is kept.
pub(super) fn is_kept_python(callee: &str) -> bool {
    known(callee, &PYTHON, &PYTHON_MODULES, &PYTHON_METHODS)
        || callee.starts_with("os.exec")
        || callee.starts_with("os.spawn")
        || callee.starts_with("asyncio.create_subprocess_")
        || callee.starts_with("os.environ.")
}

fn known(callee: &str, names: &[&str], modules: &[&str], methods: &[&str]) -> bool {
    // The first component alone decides for a module, so that members nobody listed are kept too.
    let module = callee.split_once('.').map_or(callee, |(module, _)| module);
    let method = callee.rsplit_once('.').map(|(_, method)| method);
    names.contains(&callee) || modules.contains(&module) || method.is_some_and(|method| methods.contains(&method))
}

/// A JavaScript module's name as callees spell it: without `node:`, `fs/promises` as `fs`.
pub(super) fn javascript_module(name: &str) -> &str {
    // One spelling for each module, since tables and rules list one.
    let name = name.strip_prefix("node:").unwrap_or(name);
    match name {
        "fs/promises" => "fs",
        "dns/promises" => "dns",
        "timers/promises" => "timers",
        other => other,
    }
}
