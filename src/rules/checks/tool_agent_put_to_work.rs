//! tool-agent-put-to-work: a tool's text has the agent do a deed that is none of the tool's.
//!
//! A description says what a tool does. One that says what the agent does on top of it (runs a command, writes a file, calls a
//! tool that changes something) acts through somebody else's hands.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, name_words};

use super::tool_frames::{frame, stands};
use super::tool_texts::{SurfaceSpeaker, each_prose, is_identifier, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let acts = |sentence: &Sentence<'_>| {
            acts_by_agent(sentence, surface)
                || plants(sentence, surface)
                || changes_on_reading(sentence, surface, speaker)
        };
        if let Some(sentence) = text.text.sentences().find(acts) {
            facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
        }
    });
}

const AGENTS: Words =
    Words::of(&["agent", "agents", "assistant", "assistants", "model", "llm", "claude", "copilot", "chatbot"]);

/// "The agent also writes …", "… is deleted by the assistant".
static DEEDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        r"\b<agent> <deed>\b",
        r"\bthe model(?: (?:also|first|then|always|itself|additionally|silently))* (?:adds|appends|sends|posts|puts|writes|deletes|removes|overwrites|calls|invokes|executes|builds|passes|inserts|attaches|forwards|copies|uploads|replaces|swaps)\b",
        r"\b(?:is|are|gets?|be) [^.;!?]{0,24}?(?:ed|en|put|sent|swapped|made|set)\b[^.;!?]{0,12}?\bby the <agent>",
    ];
    frames.map(frame).into()
});

/// What makes it a deed and no manner of working: a command, a file, an address, a tool, or harm by itself.
static OBJECTS: LazyLock<Regex> = LazyLock::new(|| {
    frame(concat!(
        r"`[^`]{3,}`|https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]|(?:^|[\s(])[~.]?/[a-z.][a-z0-9._-]*/|\.(?:ya?ml|json|conf|toml|env|sh|py|md|rc)\b|\b[a-z]+_[a-z_]+\b",
        r"|\b(?:deletes?|deleted|removes?|overwrites?|overwritten|empties|truncates?|books?|buys?|pays?|transfers?|installs?|disables?|grants?|unlocks?|publishes)\b",
    ))
});

/// What an agent is told about its own manner: it should say, include, use.
static MANNER: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:if|when|once|where|unless|whether|whenever)\b[^.;]{0,60}?\b<agent>|\b(?:lets?|allows?|allow|enables?|helps?|so that|how|which|that|for) (?:the |an |your )?<agent>|\b<agent> (?:can|may|could|cannot|needs?)\b|\bask(?:s|ed)? (?:the )?user\b|\bconfirm",
    )
});

fn acts_by_agent(sentence: &Sentence<'_>, surface: &Surface) -> bool {
    if !sentence.may_have(&AGENTS) {
        return false;
    }
    let lower = sentence.lower();
    stands(&DEEDS, lower) && OBJECTS.is_match(lower) && !MANNER.is_match(lower) && !is_about_agents(surface)
}

/// A tool whose subject is agents: there they are things that are made and started.
fn is_about_agents(surface: &Surface) -> bool {
    surface
        .name_words()
        .any(|word| matches!(word, "agent" | "agents" | "assistant" | "assistants" | "bot" | "task" | "model"))
}

/// Files by which a machine, a shell, a client or a repository is governed.
static GOVERNING: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"/etc/(?:hosts|sudoers|passwd|shadow|profile|cron|ssh|pam|ld\.so|resolv\.conf)|authorized_keys|\.ssh/config|\.bashrc|\.zshrc|\.bash_profile|\.profile\b|\.netrc|\.npmrc|\bpip\.conf|\.pypirc|\.gitconfig|\.git/hooks|\bcrontab\b|/autostart/|launchagents|systemd/user|\.github/workflows|\bclaude\.md|\bagents\.md|\bgemini\.md|\.cursorrules|copilot-instructions|\bpg_hba\.conf|\bsshd_config|\.docker/config|\.kube/config|\.aws/(?:config|credentials)",
    )
});

static PLANTING: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:writes?|written|adds?|added|appends?|appended|puts?|sets?|replaces?|replaced|overwrites?|overwritten|swaps?|swapped|creates?|created|edits?|edited|modif(?:y|ies|ied)|inserts?|inserted|saves?|saved|places?|placed|copy|copies|copied|drops?)\b",
    )
});

/// "Append … to ~/.bashrc", in the text of a tool whose name says nothing of it.
fn plants(sentence: &Sentence<'_>, surface: &Surface) -> bool {
    let lower = sentence.lower();
    let Some(file) = GOVERNING.find(lower) else { return false };
    // A path that the tool's own argument has as its value or example is what the tool is for.
    let own = surface.name_words().any(|word| word.len() > 2 && file.as_str().contains(word))
        || surface.name_words().any(|word| {
            matches!(
                word,
                "config"
                    | "configure"
                    | "setup"
                    | "init"
                    | "install"
                    | "workflow"
                    | "hook"
                    | "hooks"
                    | "rules"
                    | "memory"
                    | "ssh"
                    | "file"
                    | "files"
                    | "cron"
                    | "scaffold"
                    | "docs"
            )
        });
    !own && PLANTING.find_iter(lower).any(|verb| verb.start() < file.start() || verb.start() < file.end() + 40)
        && !(0..sentence.words.len()).any(|at| PLANTING.is_match(sentence.word(at)) && sentence.negated(at))
        && !EXCUSED.is_match(lower)
}

static EXCUSED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:e\.g|for example|such as|reads?|parsed?|detects?|scans?|checks?|attack\w*|malicious|should be set|can be set|must be set|is set|are set|configured|environment variables?)\b",
    )
});

/// The beginnings of names of tools that only read.
const READING: [&str; 30] = [
    "get",
    "list",
    "search",
    "read",
    "find",
    "check",
    "show",
    "lookup",
    "look",
    "fetch",
    "describe",
    "query",
    "view",
    "count",
    "inspect",
    "status",
    "quote",
    "historical",
    "current",
    "select",
    "is",
    "has",
    "calculate",
    "estimate",
    "compare",
    "validate",
    "analyze",
    "summarize",
    "geocode",
    "browse",
];

/// Words in names of tools by which something is spent, sent, opened or lost.
const CHANGING: [&str; 42] = [
    "share",
    "publish",
    "unlock",
    "disarm",
    "disable",
    "transfer",
    "pay",
    "payment",
    "buy",
    "sell",
    "order",
    "book",
    "purchase",
    "send",
    "forward",
    "forwarding",
    "export",
    "delete",
    "remove",
    "drop",
    "truncate",
    "grant",
    "collaborator",
    "invite",
    "permission",
    "permissions",
    "chmod",
    "charge",
    "refund",
    "withdraw",
    "revoke",
    "submit",
    "post",
    "upload",
    "cancel",
    "merge",
    "push",
    "deploy",
    "wipe",
    "reset",
    "execute",
    "install",
];

/// The user decides, or a person does it.
static LEFT_TO_USER: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:if|unless|when|whenever|to [a-z]+|see also|for use|can be|could be|may be|needed (?:by|for)|required (?:by|for)|before (?:calling|using|creating|you|any)|returned by|from|created (?:by|with|via)|not|never|don't|instead|only|after|by the user|confirm\w*|approv\w*)\b",
    )
});

/// The call is ordered: a place in the order of calls, or the call itself.
static ORDERED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:call|calls|called|issue|issues|first|each|every|then|must|have|has|precede[sd]?|followed|completed by|unlocked by|woken by|ahead|go(?:es)? (?:straight )?on to|runs?|invokes?|also|as the last step|dependency|prerequisite)\b",
    )
});

/// A tool that only reads has one called that changes something, and leaves nobody the choice.
fn changes_on_reading(sentence: &Sentence<'_>, surface: &Surface, speaker: &SurfaceSpeaker<'_>) -> bool {
    let reads = surface.name_words().next().is_some_and(|first| READING.contains(&first));
    if !reads || surface.name_words().any(|word| CHANGING.contains(&word)) {
        return false;
    }
    let named = (0..sentence.words.len()).find(|at| {
        let raw = sentence.raw(*at);
        let name = raw.split('(').next().unwrap_or_default();
        is_identifier(name)
            && !speaker.is_argument(name)
            && name_words(name).iter().any(|word| CHANGING.contains(&word.as_str()))
            && !name_words(name).first().is_some_and(|first| READING.contains(&first.as_str()))
    });
    let lower = sentence.lower();
    named.is_some() && ORDERED.is_match(lower) && !leaves_choice(lower)
}

/// True where the sentence leaves the call to the user. "After the list" and "before each" tie it to the reading alone.
fn leaves_choice(lower: &str) -> bool {
    const TIES: [&str; 6] = ["from now", "after the", "after each", "after every", "before each", "before every"];
    let bare = TIES.iter().fold(lower.to_owned(), |text, tie| text.replace(tie, ""));
    LEFT_TO_USER.is_match(&bare)
}
