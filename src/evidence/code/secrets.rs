//! Secrets: the names, paths and programs by which the secrets of a user are had.
//!
//! Vocabulary only, shared by the readers of source and by the shell's tracer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::taint::TaintSources;

/// The taint sources in the output of a literal command.
fn of_command(command: &str) -> TaintSources {
    // Whole words alone: the `id` in `uuid` asks for no user.
    let has = |word: &str| {
        command.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
    };
    let mut sources = TaintSources::NONE;
    if has("hostname") || has("uname") || has("systeminfo") {
        sources |= TaintSources::HOST_NAME;
    }
    if has("whoami") || has("id") {
        sources |= TaintSources::USER_NAME;
    }
    if has("ifconfig") || has("ipconfig") || command.starts_with("ip a") {
        sources |= TaintSources::HOST_NETWORK;
    }
    // Alone only: `env X=1 make` sets a variable and prints nothing.
    if matches!(command.trim(), "env" | "printenv" | "set" | "export -p") {
        sources |= TaintSources::ENVIRONMENT;
    }
    if has("pbpaste")
        || has("xclip")
        || has("xsel")
        || command.contains("wl-paste")
        || command.contains("Get-Clipboard")
    {
        sources |= TaintSources::CLIPBOARD;
    }
    if hands_out_token(command) {
        sources |= TaintSources::AMBIENT_CREDENTIAL;
    }
    // The lines that somebody is working on.
    if prints_work(command) {
        sources |= TaintSources::FILE;
    }
    sources
}

/// The taint sources in the output of a literal command with such words.
pub(super) fn told_by_command(command: &str, words: TaintSources) -> TaintSources {
    of_command(command) | printed(command, words)
}

/// The secret in the output of a command that prints a file, where a secret's path is among its words.
fn printed(command: &str, words: TaintSources) -> TaintSources {
    const PRINTERS: [&str; 10] =
        ["cat", "type", "head", "tail", "base64", "xxd", "strings", "gzip", "less", "/bin/cat"];
    let prints = command.split_whitespace().next().is_some_and(|program| PRINTERS.contains(&program));
    if prints && words.any(TaintSources::SECRET_PATH) { TaintSources::SECRET } else { TaintSources::NONE }
}

/// True where a command prints the source of the repository that it runs in.
pub(crate) fn prints_work(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| *word != "git").skip(1);
    let verb = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    matches!(verb, "archive" | "diff" | "show" | "format-patch" | "bundle")
        || (verb == "log" && words.any(|word| matches!(word, "-p" | "--patch" | "-u")))
}

/// True where the name of a variable says that its value is secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        crate::expression::of(
            r"(?i-u)(?:token|secret|passw(?:or)?d|(?:api|private|access|secret|account|auth|signing)_?key|credential|(?:database|db|redis|mongo(?:db)?|postgres(?:ql)?|mysql)_ur[il]|mnemonic|seed_phrase)s?$",
        )
    });
    // The length is asked first, so that text which is no name costs no match.
    name.len() <= 80 && NAMES.is_match(name)
}

/// The names of secrets that a file lists as literals, where it lists two or more: a loop over them reads each.
pub(super) fn listed_names(text: &str) -> Vec<String> {
    static LISTED: LazyLock<Regex> =
        LazyLock::new(|| crate::expression::of(r#"(?-u)["'`]([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,40})["'`]"#));
    /// Far more than anybody collects; bounds what a table of names costs.
    const MOST: usize = 16;
    let listed = LISTED.captures_iter(text).filter_map(|found| found.get(1)).map(|name| name.as_str());
    let mut names: Vec<String> = listed.filter(|name| is_secret_name(name)).take(MOST).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    if names.len() < 2 { Vec::new() } else { names }
}

/// True where text, or a part of it, is a path at which programs keep secrets.
fn is_secret_path(text: &str) -> bool {
    static PATHS: LazyLock<Regex> = LazyLock::new(|| {
        crate::expression::of(
            r"(?i-u)(?:^|[/\\])(?:\.ssh|id_rsa|id_ed25519|id_ecdsa|id_dsa|\.netrc|\.git-credentials|\.gnupg|\.pypirc|\.npmrc|\.pgpass|\.my\.cnf|\.vault-token|\.password-store|\.aws|\.kube|\.azure|\.electrum|\.bitcoin|keychains|keyrings|wallet\.dat|login data|cookies\.sqlite|logins\.json|key4\.db|keychain-db|\.bash_history|\.zsh_history|exodus\.wallet|etc[/\\]shadow)(?:[/\\]\*{0,2})?$|\.aws[/\\](?:credentials|config)$|\.kube[/\\]config$|\.docker[/\\]config\.json$|\.terraform\.d[/\\]credentials|\.cargo[/\\]credentials|\.config[/\\]gh\b|gcloud[/\\](?:credentials\.db|application_default_credentials\.json)$|solana[/\\]id\.json$|ethereum[/\\]keystore|local storage[/\\]+leveldb|^user data$|[/\\]user data[/\\]+default|[/\\]run[/\\]secrets[/\\]|places\.sqlite$|safari[/\\]+history\.db$|(?:chrome|edge|brave-browser|chromium|vivaldi)[/\\]+(?:user data[/\\]+)?default[/\\]+history$|claude_desktop_config\.json$|[/\\](?:default|profile \d+)[/\\]+(?:network[/\\]+)?cookies$|\.gnupg[/\\](?:secring|private)|\.ssh[/\\]id_\w+$|\.aws[/\\]sso[/\\]cache|\.claude[/\\]projects|proc[/\\]self[/\\]environ",
        )
    });
    // `.ssh` is the shortest path that matters, and longer text is no path.
    (4..=260).contains(&text.len()) && PATHS.is_match(text)
}

/// The paths at which programs keep secrets that a program has as literals, as far as they are told by: `.npmrc`, each once
/// and sorted.
pub fn secret_paths(text: &str) -> BTreeSet<String> {
    static LITERAL: LazyLock<Regex> =
        LazyLock::new(|| crate::expression::of(r#""([^"\n]{2,260})"|'([^'\n]{2,260})'|`([^`\n]{2,260})`"#));
    let literals = LITERAL.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)).or(found.get(3)));
    let named = literals.filter(|literal| is_secret_path(literal.as_str()));
    // What stands before the last two parts differs by how the folder is found.
    let ending = |path: &str| {
        let path = path.rsplit('}').next().unwrap_or(path);
        let start = path.rmatch_indices(['/', '\\']).nth(1).map_or(0, |(at, _)| at);
        path.get(start..).unwrap_or(path).trim_start_matches(['/', '\\']).to_owned()
    };
    named.map(|literal| ending(literal.as_str())).collect()
}

/// True where a path is that of a file in which an agent's program keeps its own session. Programs that ask the maker
/// of the agent how much is used read it too, so it counts only where it goes to somebody else.
fn is_session_path(text: &str) -> bool {
    let text = text.replace('\\', "/");
    let name = text.rsplit('/').next().unwrap_or_default();
    matches!(name, ".credentials.json" | ".claude.json" | "oauth_creds.json")
        || text.ends_with(".codex/auth.json")
        || text.ends_with(".cursor/mcp.json")
}

/// True where an address is that of a service that hands out the machine's own tokens.
pub(crate) fn is_token_service(address: &str) -> bool {
    let hosts = ["169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200"];
    hosts.iter().any(|host| address.contains(host))
}

/// The taint sources behind a path in a literal.
pub(super) fn of_path(text: &str) -> TaintSources {
    let system = if is_system_path(text) { TaintSources::SYSTEM_PATH } else { TaintSources::NONE };
    system
        | if is_secret_path(text) {
            TaintSources::SECRET_PATH
        } else if is_session_path(text) {
            TaintSources::AMBIENT_CREDENTIAL
        } else {
            TaintSources::NONE
        }
}

/// True where text is the path of a file by which the system knows its users, or of a program that everybody runs.
fn is_system_path(text: &str) -> bool {
    const FILES: [&str; 22] = [
        "/bin/bash",
        "/bin/sh",
        "/etc/group",
        "/etc/gshadow",
        "/etc/pam.d",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/ssh/sshd_config",
        "/etc/sudoers",
        "/etc/sudoers.d",
        "/root/.bash_history",
        "/root/.ssh",
        "/root/.ssh/authorized_keys",
        "/usr/bin/bash",
        "/usr/bin/passwd",
        "/usr/bin/python3",
        "/usr/bin/sudo",
        "/var/log/audit/audit.log",
        "/var/log/auth.log",
        "/var/log/lastlog",
        "/var/log/secure",
        "/var/log/wtmp",
    ];
    // Each file in these hands out rights, whatever its name.
    const FOLDERS: [&str; 2] = ["/etc/pam.d/", "/etc/sudoers.d/"];
    let is_in_folder =
        || FOLDERS.iter().any(|folder| text.strip_prefix(folder).is_some_and(|name| !name.contains('/')));
    // Others are compared as a whole, so that what merely lies below is not meant.
    text.starts_with('/')
        && text.len() <= 40
        && (FILES.binary_search(&text.trim_end_matches('/')).is_ok() || is_in_folder())
}

/// True where a file mentions any such path at all, so that its literals are worth asking about.
pub(super) fn mentions_secret_path(text: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        crate::expression::of(
            r"(?i-u)\.ssh|id_rsa|id_ed25519|id_ecdsa|id_dsa|\.netrc|git-credentials|\.gnupg|\.pypirc|\.npmrc|\.pgpass|\.my\.cnf|vault-token|password-store|wallet|login data|cookies\.sqlite|logins\.json|key4\.db|keychain|keyrings|sh_history|etc[/\\]+(?:g?shadow|passwd|group|sudoers|pam\.d|ssh)|[/\\]bin[/\\]+(?:ba)?sh|/root/|var/log/|usr/bin/|\.aws|\.kube|\.azure|\.docker|\.electrum|\.bitcoin|\.terraform|\.cargo|[/\\]gh\b|gcloud|solana|keystore|leveldb|user data|places\.sqlite|history\.db|[/\\]+cookies\b|default[/\\]+history|run[/\\]secrets|\.claude|claude_desktop|\.codex|self[/\\]environ",
        )
    });
    WORDS.is_match(text)
}

/// Commands that print a token, a password or a store of them, by their words in order.
const HAND_OUT: [&str; 26] = [
    "gh auth token",
    "glab auth token",
    "security find-generic-password",
    "security find-internet-password",
    "security dump-keychain",
    "gcloud auth print-access-token",
    "gcloud auth print-identity-token",
    "gcloud auth application-default print-access-token",
    "git credential fill",
    "git credential-osxkeychain get",
    "kubectl get secret",
    "kubectl config view",
    "op item get",
    "op read",
    "vault kv get",
    "vault read",
    "pass show",
    "aws configure export-credentials",
    "aws configure get",
    "az account get-access-token",
    "heroku auth:token",
    "secret-tool lookup",
    "gpg --export-secret-keys",
    "gpg --export-secret-subkeys",
    "bw get",
    "doppler secrets",
];

/// True where what a command prints is a token that a program hands out.
pub(crate) fn hands_out_token(command: &str) -> bool {
    const LONGEST: usize = 400;
    // The first words are looked for before any text is built: almost no command has one.
    if command.len() > LONGEST || !HAND_OUT.iter().any(|words| command.contains(words.split(' ').next().unwrap_or("")))
    {
        return false;
    }
    // A second blank must not hide a command, since the shell drops it.
    let plain = command.split_whitespace().collect::<Vec<_>>().join(" ");
    HAND_OUT.iter().any(|words| plain.contains(words))
}

/// True where an address belongs to somebody who hands out such tokens, or to this machine.
pub fn is_issuer(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#', '"', '\'', ' ', ':']).next().unwrap_or_default();
    // A suffix begins at a full stop, so that `notgithub.com` is not taken for `github.com`.
    let ends = |end: &&str| host == *end || host.strip_suffix(*end).is_some_and(|rest| rest.ends_with('.'));
    const ISSUERS: [&str; 22] = [
        "github.com",
        "githubcopilot.com",
        "githubusercontent.com",
        "gitlab.com",
        "googleapis.com",
        "google.com",
        "google.internal",
        "anthropic.com",
        "claude.ai",
        "openai.com",
        "chatgpt.com",
        "cursor.com",
        "cursor.sh",
        "amazonaws.com",
        "azure.com",
        "windows.net",
        "microsoft.com",
        "microsoftonline.com",
        "heroku.com",
        "localhost",
        "169.254.169.254",
        "127.0.0.1",
    ];
    ISSUERS.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_secrets_are_told_by_their_ends_however_their_folder_is_found() {
        let text =
            "a(`${process.env.HOME}/.npmrc`); b(join(home, '.npmrc')); c(\"/home/x/.aws/credentials\"); d('./a.json')";
        let found: Vec<String> = secret_paths(text).into_iter().collect();
        assert_eq!(found, [".aws/credentials", ".npmrc"]);
    }
}
