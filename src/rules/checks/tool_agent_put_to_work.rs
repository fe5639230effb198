//! tool-agent-put-to-work: a tool's text has the agent do a deed that is none of the tool's.
//!
//! A description says what a tool does. One that says what the agent does on top of it (runs a command, writes a file, calls a
//! tool that changes something) acts through somebody else's hands.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::Surface;
use capdex_evidence::words;

use super::tool_frames::{frame, stands, tell_first};
use super::tool_grave_calls::has_called;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    tell_first(subject, facts, |sentence, surface, _, speaker| {
        acts_by_agent(sentence, surface)
            || plants(sentence, surface)
            || harms(sentence, surface)
            || has_called(sentence, surface, speaker)
    });
}

const AGENTS: Words = Words::of(&["agent", "agents", "assistant", "assistants", "model", "llm", "claude", "chatbot"]);

/// "The agent also writes …", "… is deleted by the assistant".
static DEEDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        r"\b<agent> <deed>\b",
        r"\bthe model(?: (?:also|first|then|always|itself|additionally|silently))* (?:adds|appends|sends|posts|puts|writes|deletes|removes|overwrites|calls|invokes|executes|builds|passes|inserts|attaches|forwards|copies|uploads|replaces|swaps)\b",
        r"\b(?:is|are|gets?|be) [^;]{0,24}?(?:ed|en|put|sent|swapped|made|set)\b[^;]{0,12}?\bby <agent>",
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
        r"\b(?:if|when|once|where|unless|whether|whenever)\b[^.;]{0,60}?\b<agent>|\b(?:let(?:s|ting)?|having|making|allow(?:s|ing)?|enables?|helps?|so that|how|which|that|for) (?:the |an |your )?<agent>|\b<agent> (?:can|may|could|cannot|needs?)\b|\bask(?:s|ed)? (?:the )?user\b|\bconfirm",
    )
});

fn acts_by_agent(sentence: &Sentence<'_>, surface: &Surface) -> bool {
    if !sentence.names(&AGENTS) {
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
    // Names of files have marks in them.
    if sentence.is_bare() && !sentence.names(words!["crontab"]) {
        return false;
    }
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
    !own && PLANTING.find_iter(lower).any(|verb| verb.start() < file.end() + 40)
        && !(0..sentence.words.len()).any(|at| PLANTING.is_match(sentence.word(at)) && sentence.negated(at))
        && !EXCUSED.is_match(lower)
}

static EXCUSED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:e\.g|for example|such as|attack\w*|malicious|should be set|can be set|must be set|is set|are set|configured|environment variables?)\b",
    )
});

/// Words of which every frame of harm holds one.
const HARMS: Words = Words::of(&[
    "other",
    "others",
    "original",
    "originals",
    "older",
    "previous",
    "earlier",
    "unencrypted",
    "rest",
    "user's",
    "then",
    "once",
    "afterwards",
    "public",
    "publicly",
    "public-read",
    "anyone",
    "outside",
    "workspace",
    "world-readable",
    "bash",
    "sh",
    "shell",
    "directory",
    "home",
    "folder",
]);

/// Harm beside what the tool is for: others' files are lost, things are made public, what was fetched is run.
static HARM: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        r"\b<destroy>\b[^;]{0,40}?(?:\b(?:other|every other|all other|the rest of the|the original|any other|the unencrypted|older|previous|earlier) (?:[a-z]+ )?(?:files?|documents?|copies|folders?|sources?|photos?|notes?|mails?|messages?|records?)\b|\b<people>'s (?:[a-z~./]+ ){0,2}(?:folder|directory|files|documents|home|desktop|downloads|mailbox|calendar|photos)\b|[ (`]~/|\.git\b|\bhome directory\b|\bdocuments folder\b)",
        r"\b(?:other files|originals|the unencrypted files)\b[^;]{0,60}?\b<destroy>\b",
        r"(?:, then|, and then|\bonce \w+,|\bafter \w+ing,|\bafterwards,?) <destroy> (?:it|them|the (?:file|folder|original|source|table|branch|message|mail))\b",
        r"\b(?:copy|copies|uploaded|posted?|posting|published|leaves?|left|made|making|set|places?|placed|argument is|shared)\b[^;]{0,60}?\b(?:public-read|by anyone|world-readable|anyone can|an outside (?:workspace|organization|company)|(?:the|a|our|[a-z]+'s) public (?:page|feed|community|folder|channel|reader|bucket|gallery)|set to public|/var/www)",
        r"\bpip(?:e|es|ed|ing)\b[^;]{0,40}?\b(?:to|into|through) (?:bash|sh|zsh|python3?|a shell|the shell|powershell|node)\b",
    ];
    frames.map(frame).into()
});

fn harms(sentence: &Sentence<'_>, surface: &Surface) -> bool {
    if !sentence.names(&HARMS) || !stands(&HARM, sentence.lower()) {
        return false;
    }
    // A tool that is for it says so by its name, and a warning says what not to do.
    let own = surface.name_words().any(|word| {
        matches!(
            word,
            "delete"
                | "remove"
                | "clear"
                | "clean"
                | "cleanup"
                | "purge"
                | "wipe"
                | "erase"
                | "reset"
                | "overwrite"
                | "publish"
                | "share"
                | "public"
                | "deploy"
                | "visibility"
                | "acl"
                | "restore"
                | "replace"
                | "trim"
                | "prune"
                | "encrypt"
                | "shell"
                | "command"
                | "exec"
                | "execute"
                | "run"
                | "upload"
                | "script"
        )
    });
    !own && !HARMLESS.is_match(sentence.lower())
}

static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:if|unless|never|not|don't|without|caution|warning|careful|e\.g|for example|such as|can be|may be|optionally|whether|temporary|temp)\b",
    )
});
