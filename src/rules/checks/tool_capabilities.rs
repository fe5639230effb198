//! Tool capabilities: which capability tags a tool earns by its name, its description and its arguments.
//!
//! Tags are capabilities, not defects. Own definitions under the codes of mcp-scan's current generation, whose
//! reference runs on a server. The rules that read the tags judge them.

use serde_json::{Value, json};

use crate::FactSink;
use capdex_evidence::sentences::{Keyed, WordKeys, Words, keys_of};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::Surface;
use capdex_evidence::tools::Tool;
use capdex_evidence::words;

use super::tool_texts::{prose, tool_surfaces};

/// The most names of tools that a measure lists.
const MAX_NAMES: usize = 20;

const READS: Words = Words::of(&[
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
]);
const STRANGERS: Words = Words::of(&[
    "web", "url", "urls", "page", "pages", "webpage", "website", "internet", "issue", "issues", "comment", "comments",
    "post", "posts", "tweet", "tweets", "review", "reviews", "email", "emails", "message", "messages", "ticket",
    "tickets", "channel", "thread", "threads", "feed", "rss", "news", "reddit", "twitter", "youtube", "google",
]);
const STRUCTURED: Words = Words::of(&[
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
]);
const SENSITIVE: Words = Words::of(&[
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
]);
const WORKSPACE: Words = Words::of(&[
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
]);
const CHANGES: Words = Words::of(&[
    "add", "append", "approve", "archive", "assign", "cancel", "clear", "close", "create", "delete", "deploy",
    "destroy", "disable", "drop", "edit", "execute", "grant", "insert", "install", "invite", "kill", "merge", "modify",
    "move", "patch", "pay", "post", "publish", "purge", "push", "put", "remove", "rename", "restart", "revoke", "send",
    "set", "start", "stop", "submit", "transfer", "update", "upload", "write",
]);
const SHARED: Words = Words::of(&[
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
]);
const LOCAL: Words = Words::of(&[
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
]);
const RUNS: Words = Words::of(&["execute", "run", "exec", "eval", "evaluate", "shell", "bash", "terminal", "command"]);
const FREE_FORM: [&str; 10] =
    ["command", "cmd", "script", "code", "sql", "query", "shell_command", "expression", "javascript", "statement"];
const BROWSER: Words = Words::of(&["click", "navigate", "fill", "hover", "drag", "press", "goto", "type"]);
const DRY: Words = Words::of(&["plan", "dry", "validate", "preview", "simulate", "lint", "explain"]);

/// Abilities of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tags(u16);

impl Tags {
    /// Content written by others: `W015`.
    pub(super) const UNTRUSTED: Self = Self(1);
    /// Content written by others that is structured, and nothing else of theirs: `W016`.
    pub(super) const STRUCTURED: Self = Self(1 << 1);
    /// It belongs to a server for mail, messages, money or secrets: `W017`.
    pub(super) const SENSITIVE: Self = Self(1 << 2);
    /// It reads the user's own files or stores: `W018`.
    pub(super) const WORKSPACE: Self = Self(1 << 3);
    /// It changes what is shared, or runs what it is given: `W019`.
    pub(super) const SHARED: Self = Self(1 << 4);
    /// It changes what is the user's own: `W020`.
    pub(super) const LOCAL: Self = Self(1 << 5);
    /// It hands something outwards: a message, a post, a call to any address with a body of one's own.
    pub(super) const SINK: Self = Self(1 << 6);
    /// It takes something in.
    pub(super) const READS: Self = Self(1 << 7);
    /// Its effect cannot be taken back.
    pub(super) const DESTROYS: Self = Self(1 << 8);

    /// The tags of a tool, found out once.
    pub(super) fn of(surface: &Surface, tool: &Tool) -> Self {
        Self(*surface.noted.get_or_init(|| InWords::of(surface, tool).tags().0))
    }

    /// True where it has all of these.
    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    const fn with(self, other: Self, is: bool) -> Self {
        if is { Self(self.0 | other.0) } else { self }
    }
}

/// A tool in words: those of its name, then the first of its description; some thirty.
struct InWords<'a> {
    tool: &'a Tool,
    words: Vec<Keyed<'a>>,
    /// The first two, those of the name, and all.
    beginning: FirstWords,
    name: FirstWords,
    all: FirstWords,
}

/// So many first words of a tool, with their keys.
struct FirstWords(usize, WordKeys);

impl<'a> InWords<'a> {
    fn of(surface: &'a Surface, tool: &'a Tool) -> Self {
        let mut words: Vec<Keyed> = surface.name_words().map(Keyed::of).collect();
        let named = words.len();
        if let Some(first) = prose(surface).next().and_then(|text| text.text.sentences().next()) {
            // Long first sentences list what else there is: the first words say what the tool does.
            words.extend(first.keyed().take(24));
        }
        let first = |count: usize| FirstWords(count, keys_of(words.get(..count).unwrap_or_default()));
        let (beginning, name, all) = (first(named.min(2)), first(named), first(words.len()));
        Self { tool, words, beginning, name, all }
    }

    fn tags(&self) -> Tags {
        let (others, shared) = (self.others(), self.changes_shared());
        Tags(0)
            .with(Tags::UNTRUSTED, others == Some(Tags::UNTRUSTED))
            .with(Tags::STRUCTURED, others == Some(Tags::STRUCTURED))
            .with(Tags::SENSITIVE, self.named(&SENSITIVE) || self.any(words!["bank", "banking"]))
            .with(Tags::WORKSPACE, self.reads_own())
            .with(Tags::SHARED, shared)
            // One tag for each change: what changes what is shared counts there alone.
            .with(Tags::LOCAL, !shared && self.changes_own())
            .with(Tags::SINK, self.sends())
            .with(Tags::READS, self.reads())
            .with(Tags::DESTROYS, self.destroys())
    }

    fn is_any_of(&self, FirstWords(count, keys): &FirstWords, words: &Words) -> bool {
        words.hold_any(self.words.get(..*count).unwrap_or_default(), keys)
    }

    fn any(&self, words: &Words) -> bool {
        self.is_any_of(&self.all, words)
    }

    fn named(&self, words: &Words) -> bool {
        self.is_any_of(&self.name, words)
    }

    /// True where the tool takes something in.
    fn reads(&self) -> bool {
        self.begins(&READS) || self.any(words!["reads", "retrieves", "searches", "lists", "fetches", "gets"])
    }

    /// True where the tool's effect cannot be taken back.
    fn destroys(&self) -> bool {
        const FINAL: Words = Words::of(&[
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
        ]);
        self.named(&FINAL)
    }

    fn begins(&self, words: &Words) -> bool {
        self.is_any_of(&self.beginning, words)
    }

    /// The strangers' content that it takes in; none where it takes in none.
    fn others(&self) -> Option<Tags> {
        let reads = self.begins(&READS)
            || self.any(words!["fetches", "scrapes", "searches", "browses", "crawls", "reads", "retrieves"]);
        let changes = self.begins(&CHANGES);
        // An address that the caller chooses leads to anybody's page, whatever the description says.
        let by_address = self.begins(&READS) && has_argument(self.tool, &["url", "urls", "link", "uri"]);
        if (reads
            && !changes
            && (self.named(&STRANGERS) || self.any(words!["web", "website", "webpage", "internet", "url"])))
            || by_address
        {
            return Some(Tags::UNTRUSTED);
        }
        (reads && !changes && self.any(&STRUCTURED)).then_some(Tags::STRUCTURED)
    }

    fn reads_own(&self) -> bool {
        let by_path =
            || has_argument(self.tool, &["path", "file_path", "filepath", "directory", "repo_path", "filename"]);
        self.begins(&READS) && (self.named(&WORKSPACE) || by_path())
    }

    fn changes_shared(&self) -> bool {
        // Here a hint is believed: it is measured what a tool does, and a false hint has a rule of its own.
        if self.named(&DRY) || read_only(self.tool) {
            return false;
        }
        let free = self.named(&RUNS) && has_argument(self.tool, &FREE_FORM);
        // A click in a browser may change anything at all that the user may.
        let browser = self.begins(words!["browser", "page", "puppeteer", "playwright"]) && self.named(&BROWSER);
        let changes = self.begins(&CHANGES) && self.named(&SHARED) && !self.named(words!["file", "note", "task"]);
        free || browser || changes
    }

    fn changes_own(&self) -> bool {
        self.begins(&CHANGES) && self.named(&LOCAL) && !self.named(&DRY) && !read_only(self.tool)
    }

    fn sends(&self) -> bool {
        const OUT: Words = Words::of(&[
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
        ]);
        const CALLS: Words = Words::of(&["post", "put", "patch", "request", "webhook", "curl"]);
        const RECEIVERS: Words = Words::of(&[
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
        ]);
        let says = self.begins(&OUT) && (self.named(&RECEIVERS) || self.any(&RECEIVERS));
        // An address and a body of one's own reach every receiver there is.
        let free = self.named(&CALLS)
            && has_argument(self.tool, &["url", "uri", "endpoint"])
            && has_argument(self.tool, &["body", "data", "payload", "json", "content"]);
        (says || free) && !self.begins(words!["get", "list", "read", "search", "fetch", "draft", "preview"])
    }
}

fn read_only(tool: &Tool) -> bool {
    tool.annotations.as_ref().and_then(|hints| hints.get("readOnlyHint")).and_then(Value::as_bool) == Some(true)
}

fn has_argument(tool: &Tool, names: &[&str]) -> bool {
    let properties = tool.input_schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let is_named = |key: &String| names.iter().any(|name| name.eq_ignore_ascii_case(key));
    properties.is_some_and(|properties| properties.keys().any(is_named))
}

/// Reports one measure for each tag that any tool earns: the tag, how many tools, the first of their names.
pub(super) fn measure(subject: &Subject<'_>, facts: &mut FactSink<'_>, tags: &[(&str, Tags)]) {
    let tool_of = |surface: &Surface| subject.evidence.tools.get(surface.tool?);
    for (code, tag) in tags {
        let earns = |surface: &&Surface| tool_of(surface).is_some_and(|tool| Tags::of(surface, tool).has(*tag));
        let names: Vec<&str> = tool_surfaces(subject).filter(earns).map(|surface| surface.name.as_str()).collect();
        if !names.is_empty() {
            facts.measured(
                json!({ "tag": code, "count": names.len(), "tools": names.iter().take(MAX_NAMES).collect::<Vec<_>>() }),
            );
        }
    }
}
