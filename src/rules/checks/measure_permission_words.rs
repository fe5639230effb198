//! Word lists of the measure of tool permissions: verbs, objects, and the words that declare a purpose.
//!
//! Ours, since AgentScore publishes no list.

use capdex_evidence::sentences::Words;

/// Purposes whose tools are dangerous by nature, with the words by which a server declares that it is for them.
pub(super) static PURPOSES: [(&str, Words); 3] = [
    (
        "shell",
        Words::of(&[
            "shell",
            "terminal",
            "command",
            "commands",
            "bash",
            "exec",
            "execute",
            "execution",
            "execs",
            "ssh",
            "sandbox",
            "interpreter",
            "repl",
            "script",
            "scripts",
            "console",
            "powershell",
            "process",
            "processes",
            "code",
            "tmux",
            "cli",
            "container",
            "containers",
            "docker",
            "kubernetes",
            "python",
            "javascript",
            "automation",
        ]),
    ),
    (
        "payment",
        Words::of(&[
            "payment",
            "payments",
            "pay",
            "wallet",
            "crypto",
            "trading",
            "trade",
            "bank",
            "banking",
            "blockchain",
            "defi",
            "bitcoin",
            "ethereum",
            "solana",
            "stripe",
            "paypal",
            "finance",
            "financial",
            "token",
            "tokens",
            "transfer",
            "transfers",
            "web3",
            "evm",
            "nft",
        ]),
    ),
    (
        "storage",
        Words::of(&[
            "database",
            "databases",
            "sql",
            "mysql",
            "postgres",
            "postgresql",
            "sqlite",
            "mongodb",
            "redis",
            "table",
            "tables",
            "storage",
            "disk",
            "disks",
            "admin",
            "administration",
            "db",
            "warehouse",
            "collection",
            "collections",
        ]),
    ),
];

/// Verbs that are critical alone.
pub(super) const SHELL_VERBS: Words =
    Words::of(&["exec", "execute", "eval", "shell", "bash", "spawn", "sudo", "powershell"]);
/// Objects that make an execution an ordinary query.
pub(super) const QUERY_OBJECTS: Words = Words::of(&[
    "query",
    "queries",
    "sql",
    "search",
    "select",
    "statement",
    "report",
    "read",
    "workflow",
    "tool",
    "request",
    "test",
    "tests",
    "step",
]);
/// Objects that make `run` critical.
pub(super) const RUN_OBJECTS: Words =
    Words::of(&["command", "commands", "shell", "script", "code", "terminal", "python", "process"]);
/// Verbs that are critical with one of the objects below.
pub(super) const DESTROY_VERBS: Words = Words::of(&["drop", "wipe", "purge", "destroy", "format"]);
/// Objects whose destruction is critical.
pub(super) const DESTROY_OBJECTS: Words =
    Words::of(&["database", "db", "table", "disk", "account", "all", "collection"]);
/// Verbs that are critical with one of the objects below.
pub(super) const PAY_VERBS: Words = Words::of(&["transfer", "send", "withdraw", "pay"]);
/// Objects whose payment is critical.
pub(super) const PAY_OBJECTS: Words = Words::of(&[
    "fund", "funds", "money", "payment", "crypto", "token", "tokens", "eth", "btc", "sol", "usdc", "invoice",
]);
/// Verbs that change or send what is not easily taken back.
pub(super) const HIGH: Words = Words::of(&[
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "kill",
    "terminate",
    "revoke",
    "grant",
    "deploy",
    "install",
    "uninstall",
    "publish",
    "push",
    "merge",
    "upload",
    "send",
    "write",
    "overwrite",
    "wipe",
    "execute",
    "exec",
]);
/// Verbs that only look.
pub(super) const LOW: Words = Words::of(&[
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "query",
    "describe",
    "show",
    "view",
    "check",
    "count",
    "browse",
    "lookup",
    "is",
    "has",
    "explain",
    "validate",
    "compare",
    "calculate",
    "resolve",
    "analyze",
]);

/// Purposes for which reading is enough.
pub(super) static READING_PURPOSES: Words = Words::of(&[
    "weather", "forecast", "forecasts", "clock", "timezone", "timezones", "calculator", "dictionary", "thesaurus",
    "encyclopedia", "wikipedia", "horoscope", "lookup", "readonly", "translate", "translator", "arxiv", "pubmed",
]);

/// Words of servers that do more than read, whatever else they are for.
pub(super) static ACTING_WORDS: Words = Words::of(&[
    "manage", "manages", "management", "manager", "managing", "create", "creates", "creating", "edit", "edits", "editing",
    "editor", "write", "writes", "writing", "update", "updates", "updating", "delete", "deletes", "deleting", "remove",
    "removes", "send", "sends", "sending", "publish", "publishes", "post", "posts", "control", "controls", "controlling",
    "automate", "automates", "automating", "automatically", "save", "saves", "saving", "store", "stores", "storing", "upload",
    "uploads", "download", "downloads", "export", "exports", "schedule", "schedules", "set", "configure", "operate",
    "operates", "interact", "interacts", "full", "crud", "files", "file", "notes", "workflow", "workflows",
    "agent", "agents", "toolkit", "suite", "platform", "gateway", "assistant",
]);
