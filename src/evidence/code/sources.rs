//! Taint sources of calls: the sources that a call adds, by its dotted name and by the taint of its arguments.
//!
//! Unknown calls give nothing of their own. Only data that nobody handles by accident comes out of them again: the
//! content of a key file, the name of the machine.

use super::secrets::{is_token_service, told_by_command};
use super::taint::{TaintSources, TaintedArguments};

/// A call as far as it matters here.
pub(super) struct TaintedCall<'x> {
    /// Its dotted name.
    pub(super) callee: &'x str,
    /// The taint sources that reach it.
    pub(super) taint: TaintedArguments,
    /// Its first two arguments, where they are plain literals.
    pub(super) literals: [Option<&'x str>; 2],
}

/// The taint sources that survive an unknown call.
fn strong() -> TaintSources {
    TaintSources::SECRET
        | TaintSources::AMBIENT_CREDENTIAL
        | TaintSources::SECRET_PATH
        | TaintSources::HOST_NAME
        | TaintSources::USER_NAME
        | TaintSources::HOST_NETWORK
        | TaintSources::FETCHED_FILE
        | TaintSources::CHECKED
}

/// The taint sources that a sanitizer removes.
fn cleared_by_sanitizers() -> TaintSources {
    TaintSources::TOOL_INPUT | TaintSources::REQUEST
}

/// The taint sources in the result of a call in JavaScript or TypeScript.
pub(super) fn javascript_call(call: &TaintedCall<'_>) -> TaintSources {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    // The result is a value of its own: that an argument was put together does not make it so.
    let all = call.taint.all() & !TaintSources::COMPOSED;
    let [first, second] = call.literals;
    match call.callee {
        "os.hostname" => return TaintSources::HOST_NAME,
        "os.userInfo" => return TaintSources::USER_NAME,
        "os.networkInterfaces" => return TaintSources::HOST_NETWORK,
        "atob"
        | "String.fromCharCode"
        | "String.fromCodePoint"
        | "crypto.createDecipheriv"
        | "crypto.createDecipher" => {
            return all | TaintSources::DECODED;
        }
        // Of a literal only: to decode the text of a request is ordinary.
        "unescape" | "decodeURIComponent" | "decodeURI" if first.is_some() => return all | TaintSources::DECODED,
        "Buffer.from" if matches!(second, Some("base64" | "hex" | "base64url")) => return all | TaintSources::DECODED,
        "zlib.inflateSync"
        | "zlib.gunzipSync"
        | "zlib.inflateRawSync"
        | "zlib.brotliDecompressSync"
        | "zlib.unzipSync" => {
            return all;
        }
        "navigator.clipboard.readText" | "clipboardy.read" | "clipboardy.readSync" => return TaintSources::CLIPBOARD,
        // A number or a bare file name leaves no room for a path or a command.
        "path.basename" | "parseInt" | "parseFloat" | "Number" | "Boolean" | "BigInt" => {
            return all & !cleared_by_sanitizers();
        }
        "JSON.stringify"
        | "JSON.parse"
        | "Object.entries"
        | "Object.values"
        | "Object.keys"
        | "Object.assign"
        | "Object.fromEntries"
        | "Array.from"
        | "Buffer.from"
        | "Buffer.concat"
        | "String"
        | "btoa"
        | "util.inspect"
        | "querystring.stringify"
        | "qs.stringify"
        | "structuredClone"
        | "URL.createObjectURL"
        | "Promise.resolve"
        | "Promise.all"
        | "Promise.race"
        | "Promise.allSettled"
        | "path.join"
        | "path.resolve"
        | "path.normalize"
        | "URLSearchParams"
        | "Blob"
        | "escape"
        | "encodeURI"
        | "FormData"
        | "TextDecoder"
        | "Uint8Array" => return all,
        // Encoded text cannot leave its place in an address.
        "encodeURIComponent" => return all & !cleared_by_sanitizers(),
        _ => {}
    }
    if call.callee.starts_with("child_process.") {
        return TaintSources::PROCESS
            | first.map_or(TaintSources::NONE, |command| told_by_command(command, call.taint.first));
    }
    if is_javascript_client(call.callee) {
        return ambient_answer(first)
            | TaintSources::ANSWER
            | TaintSources::CONNECTION
            | (call.taint.receiver & TaintSources::CONNECTION);
    }
    if call.callee.starts_with("fs.") || call.callee.starts_with("fs-extra.") {
        return match method {
            "readFile" | "readFileSync" | "createReadStream" | "readdir" | "readdirSync" | "readJson"
            | "readJsonSync" => read(call.taint.first),
            // Other calls of `fs` hand on the path and not the content.
            _ => call.taint.first & (TaintSources::FETCHED_FILE | TaintSources::SECRET_PATH),
        };
    }
    of_method(method, call.taint)
}

/// The taint sources in the result of a call in Python.
pub(super) fn python_call(call: &TaintedCall<'_>) -> TaintSources {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    let all = call.taint.all() & !TaintSources::COMPOSED;
    let [first, second] = call.literals;
    match call.callee {
        "socket.gethostname" | "platform.node" | "socket.getfqdn" => return TaintSources::HOST_NAME,
        "platform.uname" | "os.uname" => return TaintSources::HOST_NAME,
        "getpass.getuser" | "os.getlogin" | "pwd.getpwuid" => return TaintSources::USER_NAME,
        "uuid.getnode" | "psutil.net_if_addrs" | "netifaces.interfaces" | "socket.gethostbyname" => {
            return TaintSources::HOST_NETWORK;
        }
        "base64.b64decode"
        | "base64.b32decode"
        | "base64.b16decode"
        | "base64.b85decode"
        | "base64.a85decode"
        | "base64.urlsafe_b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "binascii.unhexlify"
        | "binascii.a2b_base64"
        | "bytes.fromhex"
        | "bytearray.fromhex"
        | "marshal.loads"
        | "zlib.decompress"
        | "lzma.decompress"
        | "bz2.decompress"
        | "gzip.decompress" => return all | TaintSources::DECODED,
        // `rot13`, `hex` and `base64` hide text; the encodings of text do not.
        "codecs.decode" if !matches!(second, None | Some("utf-8" | "utf8" | "ascii" | "latin-1")) => {
            return all | TaintSources::DECODED;
        }
        "chr" => return all | TaintSources::DECODED,
        // A number tells nobody what it counts.
        "len" => return TaintSources::NONE,
        // A program that reads a password out of the system's store.
        "keyring.get_password" | "keyring.get_credential" => return TaintSources::AMBIENT_CREDENTIAL,
        // What its user pipes into a program is the user's, as a file is.
        "sys.stdin.read" | "sys.stdin.readlines" | "sys.stdin.buffer.read" | "fileinput.input" => {
            return TaintSources::FILE;
        }
        // Readers of tables and documents are given a path.
        "pandas.read_csv"
        | "pandas.read_excel"
        | "pandas.read_json"
        | "pandas.read_parquet"
        | "polars.read_csv"
        | "openpyxl.load_workbook"
        | "docx.Document"
        | "pypdf.PdfReader"
        | "PyPDF2.PdfReader"
        | "pdfplumber.open"
        | "fitz.open"
        | "docx2txt.process"
        | "pptx.Presentation" => return TaintSources::FILE | (all & strong()),
        "pandas.read_sql" | "pandas.read_sql_query" => return TaintSources::DATABASE,
        "pyperclip.paste" | "win32clipboard.GetClipboardData" | "clipboard.paste" => return TaintSources::CLIPBOARD,
        // Quoted, converted or measured, text of the caller's can no longer become a command.
        "shlex.quote"
        | "shlex.split"
        | "pipes.quote"
        | "int"
        | "float"
        | "bool"
        | "isinstance"
        | "os.path.basename"
        | "os.path.exists"
        | "urllib.parse.quote"
        | "urllib.parse.quote_plus"
        | "hash"
        | "id" => {
            return all & !cleared_by_sanitizers() & !TaintSources::ENVIRONMENT;
        }
        "str"
        | "repr"
        | "dict"
        | "list"
        | "tuple"
        | "set"
        | "bytes"
        | "bytearray"
        | "json.dumps"
        | "json.loads"
        | "urllib.parse.urlencode"
        | "base64.b64encode"
        | "base64.urlsafe_b64encode"
        | "base64.standard_b64encode"
        | "base64.b32encode"
        | "base64.b16encode"
        | "base64.b85encode"
        | "base64.a85encode"
        | "base64.encodebytes"
        | "binascii.hexlify"
        | "binascii.b2a_hex"
        | "binascii.b2a_base64"
        | "gzip.compress"
        | "bz2.compress"
        | "lzma.compress"
        | "textwrap.wrap"
        | "compile"
        | "zip"
        | "map"
        | "filter"
        | "sorted"
        | "reversed"
        | "enumerate"
        | "copy.deepcopy"
        | "copy.copy"
        | "next"
        | "iter"
        | "os.path.join"
        | "os.path.expanduser"
        | "os.path.abspath"
        | "os.path.normpath"
        | "os.path.expandvars"
        | "pathlib.Path"
        | "Path"
        | "io.BytesIO"
        | "io.StringIO"
        | "zlib.compress"
        | "pprint.pformat"
        | "memoryview"
        | "asyncio.wait_for"
        | "asyncio.gather"
        | "asyncio.run"
        | "os.fspath"
        | "codecs.decode"
        | "codecs.encode"
        | "exec"
        | "eval"
        | "builtins.compile"
        | "types.FunctionType"
        | "types.CodeType" => return all,
        "open" | "io.open" | "codecs.open" => {
            return read(call.taint.first) | (call.taint.first & TaintSources::FETCHED_FILE);
        }
        "sqlite3.connect" => return read(call.taint.first),
        "os.environ.copy" | "dotenv.dotenv_values" => return TaintSources::ENVIRONMENT,
        "socket.socket" | "socket.create_connection" => return TaintSources::CONNECTION | TaintSources::ANSWER,
        _ => {}
    }
    if call.callee.starts_with("subprocess.")
        || call.callee.starts_with("asyncio.create_subprocess")
        || call.callee == "os.popen"
    {
        return TaintSources::PROCESS
            | first.map_or(TaintSources::NONE, |command| told_by_command(command, call.taint.first));
    }
    if is_python_client(call.callee) {
        return ambient_answer(first) | TaintSources::ANSWER | TaintSources::CONNECTION;
    }
    match method {
        "MIMEText" | "MIMEApplication" | "MIMEBase" => all,
        "fetchall" | "fetchone" | "fetchmany" => (all & strong()) | TaintSources::DATABASE,
        "read_text" | "read_bytes" => read(call.taint.receiver),
        // Of a path: its mode tells it from what else can be opened.
        "open" if matches!(first, Some("r" | "rb" | "rt")) => read(call.taint.receiver),
        "gethostname" => TaintSources::HOST_NAME,
        _ => of_method(method, call.taint),
    }
}

fn read(path: TaintSources) -> TaintSources {
    // What stands at a secret's path is secret, and what was fetched to a file comes out of it again.
    let secret = if path.any(TaintSources::SECRET_PATH) { TaintSources::SECRET } else { TaintSources::NONE };
    let answer = if path.any(TaintSources::FETCHED_FILE) { TaintSources::ANSWER } else { TaintSources::NONE };
    TaintSources::FILE | secret | answer | (path & TaintSources::AMBIENT_CREDENTIAL)
}

/// The answer of a service that hands out the machine's own tokens.
fn ambient_answer(address: Option<&str>) -> TaintSources {
    if address.is_some_and(is_token_service) { TaintSources::AMBIENT_CREDENTIAL } else { TaintSources::NONE }
}

/// The result of a method of an unknown object: text and lists hand on what they hold, answers and files their content.
fn of_method(method: &str, taint: TaintedArguments) -> TaintSources {
    let all = taint.all() & !TaintSources::COMPOSED;
    // An error carries its message to whoever catches it.
    if method.ends_with("Error") || method.ends_with("Exception") {
        return all;
    }
    let lower = method.to_ascii_lowercase();
    // By its name alone: a function of another file is trusted to do what it is called after.
    if ["sanitize", "escape", "validate", "quote", "verify", "assert", "allow"].iter().any(|word| lower.contains(word))
    {
        return all & strong();
    }
    match method {
        "decrypt" => taint.arguments() | TaintSources::DECODED,
        // A digest tells nobody what went into it.
        "digest" | "hexdigest" => TaintSources::NONE,
        "text" | "json" | "arrayBuffer" | "blob" | "read" => all & !TaintSources::CONNECTION,
        "toString" | "trim" | "trimEnd" | "trimStart" | "concat" | "join" | "map" | "flatMap" | "filter" | "reduce"
        | "flat" | "sort" | "reverse" | "split" | "repeat" | "padStart" | "padEnd" | "toLowerCase" | "toUpperCase"
        | "entries" | "values" | "keys" | "items" | "format" | "encode" | "decode" | "strip" | "rstrip" | "lstrip"
        | "lower" | "upper" | "hex" | "copy" | "readlines" | "readline" | "splitlines" | "body" | "content"
        | "bytes" | "then" | "catch" | "finally" | "on" | "once" | "setEncoding" | "getReader" | "communicate"
        | "match" | "matchAll" | "to_csv" | "to_json" | "to_dict" | "to_string" | "to_markdown" | "getvalue"
        | "extract_text" | "get_text" | "recv" | "update" | "append" | "push" | "at" | "pop" | "shift"
        | "expanduser" | "joinpath" | "absolute" | "as_posix" | "apply" | "call" | "bind" | "promise" | "final" => all,
        // Programs show a part of a token to recognise it by, and `get` takes one variable of the environment.
        "replace" | "replaceAll" | "slice" | "substring" | "substr" | "resolve" | "get" => {
            all & !(TaintSources::TOKEN | TaintSources::ENVIRONMENT)
        }
        // The parts of a store that is reached over a connection.
        "Bucket"
        | "Object"
        | "bucket"
        | "get_bucket"
        | "get_blob_client"
        | "get_container_client"
        | "get_repo"
        | "cursor"
        | "channel"
        | "open_by_key"
        | "open_by_url"
        | "worksheet"
        | "get_worksheet"
        | "get_database"
        | "get_collection"
        | "collection"
        | "document"
        | "table"
        | "get_user"
        | "open_sftp"
        | "from_transport" => taint.all() & (TaintSources::CONNECTION | strong()),
        // `new PutObjectCommand({…})` is handed to the client that sends what is in it.
        _ if method.ends_with("Command") && taint.receiver.is_empty() => all,
        "fileno" | "makefile" | "detach" => taint.receiver & TaintSources::CONNECTION,
        _ => all & strong(),
    }
}

/// True where a JavaScript call opens a connection or asks for something over the network.
pub(super) fn is_javascript_client(callee: &str) -> bool {
    let (module, method) = callee.split_once('.').unwrap_or((callee, ""));
    match module {
        "dns" => matches!(method, "lookup" | "resolve" | "resolve4" | "resolveTxt"),
        // Also what servers call the request that they answer.
        "request" => matches!(method, "" | "get" | "post" | "put" | "patch" | "delete" | "head"),
        "fetch" | "axios" | "got" | "node-fetch" | "undici" | "superagent" | "needle" | "ky" | "XMLHttpRequest"
        | "WebSocket" | "ws" | "EventSource" => {
            !matches!(method, "isAxiosError" | "Agent" | "setGlobalDispatcher" | "CancelToken" | "isCancel")
        }
        "globalThis" | "window" => method == "fetch",
        "http" | "https" | "http2" => matches!(method, "request" | "get" | "connect"),
        "net" | "tls" => matches!(method, "connect" | "createConnection" | "Socket"),
        "dgram" => method == "createSocket",
        _ => STORES.contains(&callee),
    }
}

/// Constructors of clients that take files and messages, in either language.
const STORES: [&str; 37] = [
    "gspread.service_account",
    "gspread.authorize",
    "xmlrpc.client.ServerProxy",
    "psycopg2.connect",
    "psycopg.connect",
    "pymysql.connect",
    "mysql.connector.connect",
    "google.cloud.firestore.Client",
    "airtable.Airtable",
    "pyairtable.Api",
    "S3Client",
    "@aws-sdk/client-s3.S3Client",
    "aws-sdk.S3",
    "nodemailer.createTransport",
    "@slack/web-api.WebClient",
    "boto3.client",
    "boto3.resource",
    "telegram.Bot",
    "telebot.TeleBot",
    "slack_sdk.WebClient",
    "slack.WebClient",
    "discord.SyncWebhook.from_url",
    "discord.Webhook.from_url",
    "google.cloud.storage.Client",
    "azure.storage.blob.BlobServiceClient",
    "azure.storage.blob.BlobServiceClient.from_connection_string",
    "github.Github",
    "dropbox.Dropbox",
    "minio.Minio",
    "paho.mqtt.client.Client",
    "pymongo.MongoClient",
    "redis.Redis",
    "pysftp.Connection",
    "telnetlib.Telnet",
    "paramiko.Transport",
    "paramiko.SFTPClient.from_transport",
    "imaplib.IMAP4_SSL",
];

/// The same for Python.
pub(super) fn is_python_client(callee: &str) -> bool {
    let (module, _) = callee.split_once('.').unwrap_or((callee, ""));
    let method = callee.rsplit('.').next().unwrap_or_default();
    match module {
        "requests" | "httpx" | "aiohttp" | "websockets" | "websocket" => matches!(
            method,
            "get"
                | "post"
                | "put"
                | "patch"
                | "delete"
                | "head"
                | "request"
                | "Session"
                | "session"
                | "Client"
                | "AsyncClient"
                | "ClientSession"
                | "connect"
                | "create_connection"
                | "stream"
                | "WebSocket"
        ),
        "urllib" | "urllib2" | "urllib3" => {
            matches!(method, "urlopen" | "Request" | "PoolManager" | "request" | "urlretrieve" | "build_opener")
        }
        "http" => matches!(method, "HTTPSConnection" | "HTTPConnection"),
        "smtplib" => matches!(method, "SMTP" | "SMTP_SSL"),
        "ftplib" => matches!(method, "FTP" | "FTP_TLS"),
        "paramiko" => matches!(method, "SSHClient" | "Transport" | "from_transport"),
        _ => STORES.contains(&callee),
    }
}

/// True for the part of a request in which a token says who asks.
pub(super) fn is_authorization(name: &str) -> bool {
    matches!(name, "headers" | "auth" | "cookies" | "Authorization" | "authorization" | "defaultHeaders")
}

/// True where a method puts its arguments into its object.
pub(super) fn is_growth(method: &str) -> bool {
    matches!(
        method,
        "push"
            | "unshift"
            | "append"
            | "extend"
            | "add"
            | "insert"
            | "setdefault"
            | "set"
            | "update"
            | "attach"
            | "set_content"
            | "set_payload"
            | "add_attachment"
    )
}

/// True where a method asks something about a value without changing it.
pub(super) fn is_question(method: &str) -> bool {
    matches!(
        method,
        "startsWith"
            | "startswith"
            | "includes"
            | "has"
            | "test"
            | "match"
            | "fullmatch"
            | "is_relative_to"
            | "isAbsolute"
            | "relative"
            | "commonpath"
            | "relpath"
            | "indexOf"
            | "isalnum"
            | "isidentifier"
            | "isdigit"
            | "safeParse"
    )
}
