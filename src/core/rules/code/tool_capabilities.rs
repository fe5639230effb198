//! Tool capabilities: which capability tags a tool earns by its name, its description and its arguments.
//!
//! Tags are capabilities, not defects. Own definitions under the codes of mcp-scan's current generation, whose reference runs on a
//! server. Must not judge.

use serde_json::{Value, json};

use crate::evidence::surfaces::Surface;
use crate::evidence::tools::Tool;
use crate::rules::{FactSink, Subject};

use super::tool_texts::{prose, tool_surfaces};

/// The most names of tools that a measure lists.
const MAX_NAMES: usize = 20;

const READS: [&str; 18] = [
    "fetch",
    "browse",
    "scrape",
    "crawl",
    "search",
    "read",
    "get",
    "list",
    "view",
    "open",
    "extract",
    "download",
    "query",
    "find",
    "summarize",
    "retrieve",
    "show",
    "visit",
];
const STRANGERS: [&str; 34] = [
    "web", "url", "urls", "page", "pages", "webpage", "website", "internet", "issue", "issues", "comment", "comments",
    "post", "posts", "tweet", "tweets", "review", "reviews", "email", "emails", "message", "messages", "ticket",
    "tickets", "channel", "thread", "threads", "feed", "rss", "news", "reddit", "twitter", "youtube", "google",
];
const STRUCTURED: [&str; 18] = [
    "package",
    "packages",
    "npm",
    "pypi",
    "weather",
    "forecast",
    "price",
    "prices",
    "stock",
    "quote",
    "pdf",
    "csv",
    "document",
    "documents",
    "paper",
    "papers",
    "wikipedia",
    "repository",
];
const SENSITIVE: [&str; 27] = [
    "email",
    "emails",
    "mail",
    "gmail",
    "inbox",
    "outlook",
    "imap",
    "slack",
    "whatsapp",
    "telegram",
    "signal",
    "imessage",
    "dm",
    "bank",
    "banking",
    "payment",
    "payments",
    "invoice",
    "ledger",
    "vault",
    "password",
    "passwords",
    "secret",
    "secrets",
    "bitwarden",
    "patient",
    "payroll",
];
const WORKSPACE: [&str; 20] = [
    "file",
    "files",
    "directory",
    "folder",
    "path",
    "workspace",
    "project",
    "codebase",
    "notebook",
    "notes",
    "note",
    "obsidian",
    "vault",
    "repo",
    "diff",
    "git",
    "memory",
    "clipboard",
    "screenshot",
    "database",
];
const CHANGES: [&str; 44] = [
    "add", "append", "approve", "archive", "assign", "cancel", "clear", "close", "create", "delete", "deploy",
    "destroy", "disable", "drop", "edit", "execute", "grant", "insert", "install", "invite", "kill", "merge", "modify",
    "move", "patch", "pay", "post", "publish", "purge", "push", "put", "remove", "rename", "restart", "revoke", "send",
    "set", "start", "stop", "submit", "transfer", "update", "upload", "write",
];
const SHARED: [&str; 45] = [
    "cluster",
    "pod",
    "deployment",
    "database",
    "table",
    "row",
    "rows",
    "record",
    "records",
    "document",
    "collection",
    "vm",
    "instance",
    "server",
    "repository",
    "repo",
    "branch",
    "pull",
    "issue",
    "comment",
    "channel",
    "message",
    "email",
    "mail",
    "tenant",
    "dns",
    "domain",
    "payment",
    "order",
    "bucket",
    "object",
    "user",
    "users",
    "customer",
    "page",
    "webhook",
    "secret",
    "event",
    "product",
    "transaction",
    "token",
    "funds",
    "ticket",
    "post",
    "tweet",
];
const LOCAL: [&str; 18] = [
    "file",
    "files",
    "directory",
    "folder",
    "note",
    "notes",
    "task",
    "tasks",
    "setting",
    "settings",
    "memory",
    "entity",
    "entities",
    "todo",
    "todos",
    "cell",
    "reminder",
    "clipboard",
];
const RUNS: [&str; 9] = ["execute", "run", "exec", "eval", "evaluate", "shell", "bash", "terminal", "command"];
const FREE_FORM: [&str; 10] =
    ["command", "cmd", "script", "code", "sql", "query", "shell_command", "expression", "javascript", "statement"];
const BROWSER: [&str; 8] = ["click", "navigate", "fill", "hover", "drag", "press", "goto", "type"];
const DRY: [&str; 7] = ["plan", "dry", "validate", "preview", "simulate", "lint", "explain"];

/// A tool in words: those of its name, and of its name and first sentence.
pub(super) struct Words<'a> {
    tool: &'a Tool,
    name: &'a [String],
    /// Those and the first words of its description; some thirty, so that a search through them is quick.
    all: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(super) fn of(surface: &'a Surface, tool: &'a Tool) -> Self {
        let mut all: Vec<&str> = surface.name_words.iter().map(String::as_str).collect();
        if let Some(first) = prose(surface).next().and_then(|text| text.text.sentences().next()) {
            all.extend((0..first.words.len().min(24)).map(|index| first.word(index)));
        }
        Self { tool, name: &surface.name_words, all }
    }

    fn any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.all.contains(word))
    }

    fn named(&self, words: &[&str]) -> bool {
        self.name.iter().any(|part| words.contains(&part.as_str()))
    }

    /// Whether the tool takes something in.
    pub(super) fn reads(&self) -> bool {
        self.begins(&READS) || self.any(&["reads", "retrieves", "searches", "lists", "fetches", "gets"])
    }

    /// Whether what the tool does cannot be taken back.
    pub(super) fn destroys(&self) -> bool {
        const FINAL: [&str; 14] = [
            "delete",
            "drop",
            "destroy",
            "purge",
            "wipe",
            "remove",
            "kill",
            "terminate",
            "truncate",
            "erase",
            "execute",
            "exec",
            "transfer",
            "pay",
        ];
        self.named(&FINAL)
    }

    fn begins(&self, words: &[&str]) -> bool {
        self.name.iter().take(2).any(|part| words.contains(&part.as_str()))
    }
}

/// The tag of content written by others: `W015`, or `W016` where it is structured.
pub(super) fn untrusted(words: &Words<'_>) -> Option<&'static str> {
    let reads = words.begins(&READS)
        || words.any(&["fetches", "scrapes", "searches", "browses", "crawls", "reads", "retrieves"]);
    let changes = words.begins(&CHANGES);
    let by_address = words.begins(&READS) && has_argument(words.tool, &["url", "urls", "link", "uri"]);
    if (reads && !changes && (words.named(&STRANGERS) || words.any(&["web", "website", "webpage", "internet", "url"])))
        || by_address
    {
        return Some("W015");
    }
    (reads && !changes && words.any(&STRUCTURED)).then_some("W016")
}

/// Whether the tool belongs to a server for mail, messages, money or secrets.
pub(super) fn sensitive(words: &Words<'_>) -> Option<&'static str> {
    words.named(&SENSITIVE).then_some("W017")
}

/// Whether the tool reads the user's own files or stores.
pub(super) fn workspace(words: &Words<'_>) -> Option<&'static str> {
    let by_path = has_argument(words.tool, &["path", "file_path", "filepath", "directory", "repo_path", "filename"]);
    (words.begins(&READS) && (words.named(&WORKSPACE) || by_path)).then_some("W018")
}

/// Whether the tool changes what is shared, or runs what it is given.
pub(super) fn destroys_shared(words: &Words<'_>) -> Option<&'static str> {
    if words.named(&DRY) || read_only(words.tool) {
        return None;
    }
    let free = words.named(&RUNS) && has_argument(words.tool, &FREE_FORM);
    let browser = words.begins(&["browser", "page", "puppeteer", "playwright"]) && words.named(&BROWSER);
    let changes = words.begins(&CHANGES) && words.named(&SHARED) && !words.named(&["file", "note", "task"]);
    (free || browser || changes).then_some("W019")
}

/// Whether the tool changes what is the user's own.
pub(super) fn destroys_local(words: &Words<'_>) -> Option<&'static str> {
    let changes = words.begins(&CHANGES) && words.named(&LOCAL) && !words.named(&DRY) && !read_only(words.tool);
    (changes && destroys_shared(words).is_none()).then_some("W020")
}

fn read_only(tool: &Tool) -> bool {
    tool.annotations.as_ref().and_then(|hints| hints.get("readOnlyHint")).and_then(Value::as_bool) == Some(true)
}

fn has_argument(tool: &Tool, names: &[&str]) -> bool {
    let properties = tool.input_schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let is_named = |key: &String| names.iter().any(|name| name.eq_ignore_ascii_case(key));
    properties.is_some_and(|properties| properties.keys().any(is_named))
}

/// Whether the tool hands something outwards: a message, a post, a call to any address with a body of one's own.
pub(super) fn sends(words: &Words<'_>) -> Option<&'static str> {
    const OUT: [&str; 14] = [
        "send",
        "post",
        "publish",
        "upload",
        "tweet",
        "reply",
        "forward",
        "share",
        "email",
        "comment",
        "broadcast",
        "notify",
        "push",
        "message",
    ];
    const CALLS: [&str; 6] = ["post", "put", "patch", "request", "webhook", "curl"];
    const RECEIVERS: [&str; 22] = [
        "message",
        "messages",
        "email",
        "mail",
        "gmail",
        "sms",
        "tweet",
        "comment",
        "post",
        "channel",
        "chat",
        "webhook",
        "dm",
        "notification",
        "reply",
        "file",
        "issue",
        "slack",
        "telegram",
        "discord",
        "whatsapp",
        "status",
    ];
    let says = words.begins(&OUT) && (words.named(&RECEIVERS) || words.any(&RECEIVERS));
    let free = words.named(&CALLS)
        && has_argument(words.tool, &["url", "uri", "endpoint"])
        && has_argument(words.tool, &["body", "data", "payload", "json", "content"]);
    ((says || free) && !words.begins(&["get", "list", "read", "search", "fetch", "draft", "preview"])).then_some("sink")
}

/// Reports one measure for each tag that any tool earns: the tag, how many tools, the first of their names.
pub(super) fn measure(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    tags: &[&str],
    tag_of: impl Fn(&Words<'_>) -> Option<&'static str>,
) {
    let tagged: Vec<(&str, &str)> = tool_surfaces(subject)
        .filter_map(|surface| {
            let tool = subject.evidence.tools.get(surface.tool?)?;
            tag_of(&Words::of(surface, tool)).map(|tag| (surface.name.as_str(), tag))
        })
        .collect();
    for tag in tags {
        let names: Vec<&str> = tagged.iter().filter(|(_, earned)| earned == tag).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            facts.measured(
                json!({ "tag": tag, "count": names.len(), "tools": names.iter().take(MAX_NAMES).collect::<Vec<_>>() }),
            );
        }
    }
}
