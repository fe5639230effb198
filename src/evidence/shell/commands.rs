//! The vocabulary of commands, by the data that goes in and out of them: fetching, running, sending, and secret paths.
//!
//! Vocabulary only, read by the tracer and by the effects of roles.

use super::remote_runs;

/// The role of a command, as far as the flow of data through it needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandRole {
    /// A shell: runs `-c` text, a file, or its input.
    Shell,
    /// An interpreter of another language: runs `-c` or `-e` text, a file, or its input.
    Interpreter,
    /// `source`, `.`: runs a file in this shell.
    Source,
    /// `eval`: runs its words.
    Eval,
    /// curl and its kind.
    Curl,
    /// wget and its kind.
    Wget,
    /// Other programs that fetch what is named and print or keep it.
    Fetcher,
    /// Copies files to other machines.
    RemoteCopy,
    /// Sends its input over a connection, and prints what comes back.
    Connection,
    /// Looks up names: what is asked for leaves the machine.
    Lookup,
    /// Prints its words.
    Echo,
    /// Prints files or its input, changed or not.
    Filter,
    /// Packs files.
    Packer,
    /// Copies or moves one file to another.
    Copy,
    /// Writes its input to files, and prints it.
    Tee,
    /// Prints the environment.
    Environment,
    /// Opens a file with the program that it is for.
    Opener,
    /// The schedule of jobs.
    Crontab,
    /// Anything else.
    Other,
}

/// The role of a command by its name without folders.
pub(super) fn role_of(name: &str) -> CommandRole {
    // `curl.exe` on Windows does what `curl` does.
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "mksh" | "rbash" => CommandRole::Shell,
        "node" | "nodejs" | "perl" | "ruby" | "php" | "deno" | "bun" | "lua" | "osascript" | "pwsh" | "powershell"
        | "tclsh" | "Rscript" | "awk" | "gawk" => CommandRole::Interpreter,
        _ if is_python(name) => CommandRole::Interpreter,
        "source" | "." => CommandRole::Source,
        "eval" => CommandRole::Eval,
        "curl" | "curlie" => CommandRole::Curl,
        "wget" | "wget2" => CommandRole::Wget,
        "fetch" | "aria2c" | "lwp-download" | "axel" | "http" | "https" | "xh" | "lynx" | "certutil" | "bitsadmin"
        | "iwr" | "irm" | "Invoke-WebRequest" | "Invoke-RestMethod" => CommandRole::Fetcher,
        "scp" | "rsync" | "sftp" | "rclone" | "gsutil" | "s3cmd" | "croc" | "ftp" | "lftp" | "ncftpput" => {
            CommandRole::RemoteCopy
        }
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "tftp" | "mail" | "mailx" | "mutt" | "sendmail" | "swaks" => {
            CommandRole::Connection
        }
        "dig" | "nslookup" | "host" | "ping" | "drill" => CommandRole::Lookup,
        "echo" | "printf" | "print" => CommandRole::Echo,
        "cat" | "tac" | "rev" | "head" | "tail" | "sed" | "tr" | "grep" | "egrep" | "fgrep" | "rg" | "cut" | "sort"
        | "uniq" | "base64" | "base32" | "xxd" | "od" | "hexdump" | "openssl" | "gunzip" | "zcat" | "gzip"
        | "bzip2" | "xz" | "bunzip2" | "unxz" | "zstd" | "jq" | "yq" | "paste" | "fold" | "tee" | "iconv"
        | "uudecode" | "uuencode" | "strings" | "dd" | "less" | "more" | "column" | "gpg" | "nl" | "find" | "ls"
        | "plutil" | "type" | "unzip" | "exiftool" | "gbase64" => {
            if name == "tee" {
                CommandRole::Tee
            } else {
                CommandRole::Filter
            }
        }
        "tar" | "zip" | "7z" | "7za" | "rar" | "bsdtar" | "cpio" => CommandRole::Packer,
        "cp" | "mv" | "install" | "ln" => CommandRole::Copy,
        "env" | "printenv" | "set" | "export" | "declare" | "compgen" => CommandRole::Environment,
        "open" | "xdg-open" | "start" | "rundll32" | "regsvr32" | "msiexec" | "mshta" | "wscript" | "cscript" => {
            CommandRole::Opener
        }
        "crontab" => CommandRole::Crontab,
        _ => CommandRole::Other,
    }
}

fn is_python(name: &str) -> bool {
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    // `python3.12` is the interpreter, `python-config` is not.
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// True where what a command does matters to rules, so that its plain spelling is worth telling.
pub(super) fn is_telling(name: &str) -> bool {
    match role_of(name) {
        CommandRole::Echo
        | CommandRole::Filter
        | CommandRole::Copy
        | CommandRole::Tee
        | CommandRole::Environment
        | CommandRole::Packer => false,
        CommandRole::Other => {
            name.starts_with("mkfs")
                || matches!(name, "rm" | "dd" | "chmod" | "launchctl" | "systemctl" | "schtasks" | "mkfifo" | "shred")
        }
        _ => true,
    }
}

/// True where a command of no role means something all the same, by itself or by its words.
fn is_meant(name: &str) -> bool {
    matches!(
        name,
        "alias"
            | "history"
            | "unset"
            | "rm"
            | "shred"
            | "truncate"
            | "wipe"
            | "read"
            | "mapfile"
            | "readarray"
            | "ssh"
            | "security"
            | "gh"
            | "kubectl"
            | "vault"
            | "op"
            | "pass"
            | "aws"
            | "gcloud"
            | "az"
            | "su"
            | "screen"
            | "trap"
            | "at"
            | "batch"
            | "parallel"
            | "watch"
            | "script"
            | "git"
            | "svn"
            | "hg"
            | "ipfs"
            | "w3m"
            | "elinks"
            | "links"
            | "make"
            | "gmake"
            | "cd"
            | "pushd"
            | "sudo"
            | "doas"
    ) || remote_runs::may_run(name)
}

/// True where a command by this first word does nothing that is followed, whatever stands behind it. Almost all lines
/// of running text are such.
pub(super) fn is_idle(first: &str) -> bool {
    // A path may be a file of the bundle, which is run by being named.
    let is_file = first.contains(['/', '\\']);
    !is_file
        && role_of(first) == CommandRole::Other
        && !is_telling(first)
        && !is_meant(first)
        && prefix_options(first).is_none()
}

/// The options with a value of a command that runs the command behind it; none for other commands.
fn prefix_options(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        // How a Makefile runs a command for its output.
        "shell" => &[],
        "sudo" | "doas" => &["-u", "-g", "-U", "-h", "-p", "-C", "-r", "-t", "-D"],
        "nohup" | "command" | "builtin" | "exec" | "setsid" | "busybox" | "toybox" | "unbuffer" | "chronic"
        | "then" | "else" | "do" | "and" => &[],
        "env" => &["-u", "-C", "-S"],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "time" => &["-f", "-o"],
        "timeout" => &["-k", "-s"],
        "stdbuf" => &["-i", "-o", "-e"],
        "xargs" => &["-I", "-n", "-P", "-d", "-L", "-a", "-E", "-s"],
        "proxychains" | "proxychains4" | "torsocks" | "torify" => &["-f"],
        _ => return None,
    })
}

/// Commands that run the command behind them. Gives how many of its words stand before that one.
pub(super) fn prefix_length(words: &[&str]) -> Option<usize> {
    let name = name_of(words.first()?);
    let takes_value = prefix_options(name)?;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        // `env A=b program` sets a variable before the program that it runs.
        let is_assignment = matches!(name, "env" | "sudo") && word.contains('=') && !word.starts_with('-');
        if takes_value.contains(word) {
            at += 2;
        } else if word.starts_with('-') && word.len() > 1 || is_assignment {
            at += 1;
        } else {
            break;
        }
    }
    // The duration stands before the program and is no option.
    if name == "timeout" {
        at += 1;
    }
    (at < words.len()).then_some(at)
}

/// The last component of a command's path.
pub(super) fn name_of(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// True where a word is or begins an address.
pub(super) fn is_address(word: &str) -> bool {
    // The scheme alone is put into lower case: addresses may be long.
    let lower = word.get(..8.min(word.len())).unwrap_or("").to_ascii_lowercase();
    ["http://", "https://", "ftp://", "hxxp", "sftp://", "tftp://"].iter().any(|start| lower.starts_with(start))
}

/// The web address of the machine whose share a word names, as Windows writes it.
pub(super) fn share(word: &str) -> Option<String> {
    let host = word.strip_prefix(r"\\")?.split('\\').next()?;
    host.contains('.').then(|| format!("https://{host}"))
}

/// Folders and files that hold keys, tokens and sessions, as they are written below a home folder.
const SECRET_PLACES: [&str; 42] = [
    "/.ssh",
    "/.aws",
    "/.gnupg",
    "/.netrc",
    "/.npmrc",
    "/.pypirc",
    "/.git-credentials",
    "/.kube",
    "/.docker/config.json",
    "/.config/gcloud",
    "/.config/gh",
    "/.azure",
    "/.vault-token",
    "/.terraform.d/credentials",
    "/.cargo/credentials",
    "/.password-store",
    "/.bitcoin",
    "/.ethereum",
    "/.solana",
    "/.electrum",
    "/.config/solana",
    "/.claude/.credentials",
    "/.claude.json",
    "/.codex/auth.json",
    "/.cursor/mcp.json",
    "/.openclaw",
    "/.mozilla/firefox",
    "/.config/google-chrome",
    "/library/keychains",
    "/application support/google/chrome",
    "/application support/firefox",
    "/library/cookies",
    "/.bash_history",
    "/.zsh_history",
    "/.pgpass",
    "/.my.cnf",
    "/.boto",
    "/.s3cfg",
    "/etc/shadow",
    "/.oci/config",
    "/.local/share/keyrings",
    "/proc/self/environ",
];

/// Names of files that hold secrets wherever they lie.
const SECRET_NAMES: [&str; 14] = [
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "wallet.dat",
    "login data",
    "login.keychain-db",
    "keystore.json",
    ".pgpass",
];

/// Parts of a secret folder that are not secret.
const PUBLIC_PARTS: [&str; 9] = [
    ".pub",
    "known_hosts",
    "/.ssh/config",
    "authorized_keys",
    ".env.example",
    ".env.sample",
    ".env.template",
    "/cli/cache",
    "/.kube/cache",
];

/// True where a path names a secret file, a folder of them, or a pattern for them.
pub(super) fn is_secret_path(word: &str) -> bool {
    if word.len() > 300 || word.contains("://") {
        return false;
    }
    // Paths such as `Application\ Support` are written with the blank escaped.
    let lower = word.to_ascii_lowercase().replace("\\ ", " ");
    // First, because public keys and samples lie in the same folders.
    if PUBLIC_PARTS.iter().any(|part| lower.contains(part)) {
        return false;
    }
    // A folder `.aws` in the project is its own; below a home folder it is the user's.
    let rooted =
        ["~", "$home", "${home}", "/home/", "/root/", "/users/", "$userprofile", "/etc/", "/proc/", "%userprofile%"]
            .iter()
            .any(|root| lower.starts_with(root));
    let place = |place: &str| {
        lower.find(place).is_some_and(|at| {
            // `~/.sshrc` is no secret, `~/.ssh/*` is.
            let after = lower.as_bytes().get(at + place.len());
            after.is_none_or(|byte| !byte.is_ascii_alphanumeric() || *byte == b'*')
        })
    };
    if rooted && SECRET_PLACES.iter().any(|secret| place(secret)) {
        return true;
    }
    let name = lower.rsplit('/').next().unwrap_or("").trim_matches('*');
    SECRET_NAMES.contains(&name)
}

/// True where a path is a folder of the user's documents, or a file that a script is given.
pub(super) fn is_work(path: &str) -> bool {
    const FOLDERS: [&str; 3] = ["documents", "desktop", "pictures"];
    if matches!(path, "$1" | "$@" | "$*" | "$2" | "${1}") {
        return true;
    }
    let home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| path.strip_prefix(home));
    let first = home.and_then(|below| below.split('/').next()).unwrap_or_default();
    FOLDERS.iter().any(|folder| first.eq_ignore_ascii_case(folder))
}

/// Files that a shell, a login or a schedule runs by itself.
const STARTS_BY_ITSELF: [&str; 20] = [
    "/.bash_aliases",
    "/.bashrc",
    "/.zshrc",
    "/.profile",
    "/.bash_profile",
    "/.zprofile",
    "/.zshenv",
    "/.bash_login",
    "/.bash_logout",
    "/.config/fish/config.fish",
    "/etc/profile",
    "/etc/cron",
    "/var/spool/cron",
    "/library/launchagents/",
    "/library/launchdaemons/",
    "/systemd/system/",
    "/systemd/user/",
    "/.config/autostart/",
    "/etc/rc.local",
    "/etc/ld.so.preload",
];

/// True where what is written to a path runs later without being asked for.
pub(super) fn starts_by_itself(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    STARTS_BY_ITSELF.iter().any(|start| lower.contains(start))
}

/// True where an agent obeys what is written to a path, or a repository runs it.
pub(super) fn is_obeyed(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    matches!(
        name,
        "claude.md"
            | "claude.local.md"
            | "agents.md"
            | "gemini.md"
            | "skill.md"
            | "memory.md"
            | "soul.md"
            | ".cursorrules"
            | ".windsurfrules"
            | ".clinerules"
            | "copilot-instructions.md"
            | ".vimrc"
            | "pre-commit"
            | "post-commit"
            | "commit-msg"
            | "pre-push"
            | "post-checkout"
            | "post-merge"
            | "prepare-commit-msg"
    ) || ["/.claude/", ".claude/settings", "/.cursor/rules", ".git/hooks/", "/.codex/", "/.gemini/"]
        .iter()
        .any(|part| lower.contains(part))
}

/// Options of curl and wget whose values stay on this machine or only name the caller.
pub(super) fn stays_local(option: &str) -> bool {
    matches!(
        option,
        "-K" | "--config"
            | "-E"
            | "--cert"
            | "--key"
            | "--cacert"
            | "--capath"
            | "--netrc-file"
            | "-u"
            | "--user"
            | "-b"
            | "--cookie"
            | "-c"
            | "--cookie-jar"
            | "-o"
            | "--output"
            | "-i"
            | "--private-key"
            | "--ca-certificate"
            | "--certificate"
            | "-e"
            | "--rsh"
            | "--exclude"
            | "--exclude-from"
            | "--kubeconfig"
            | "--env-file"
            | "--proxy-user"
    )
}

/// True where a header's value is how a caller names itself, which is what keys are for.
pub(super) fn names_the_caller(header: &str) -> bool {
    let lower = header.trim_start().to_ascii_lowercase();
    ["authorization", "private-token", "x-api-key", "api-key", "x-auth", "x-vault-token", "cookie", "job-token"]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// True where an address is this machine.
pub(super) fn is_local(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    ["localhost", "127.", "[::1]", "0.0.0.0", "host.docker.internal"].iter().any(|local| host.starts_with(local))
}
