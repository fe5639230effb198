//! Words of PowerShell: how it names variables, secrets and the environment, and by what it fetches, sends, runs and writes.

use std::sync::LazyLock;

use regex::Regex;

use super::super::commands::is_secret_path;

fn of(text: &str) -> Regex {
    crate::expression::of(text)
}

/// A variable, by its name: of the environment, or of the script.
pub(super) static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    of(r"(?i-u)[$@]\{?(?:(?:script|global|local|private|using):|(?P<env>env:))?(?P<name>[a-z_]\w{0,60})\}?")
});

/// `$name = value`, `$name += value`, `$name.Member = value`.
pub(super) static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?is-u)^(?:\[[\w.\[\]]{1,60}\]\s{0,2})?\$\{?(?:(?:script|global|local|private):)?(?P<name>[a-z_]\w{0,60})\}?(?P<member>(?:\.\w{1,60}|\[(?u:[^\]\n]){1,60}\]){0,4})\s{0,20}(?P<sign>\+?=)\s{0,20}(?P<value>(?u:.)*)$",
    )
});

/// The head of a loop over a list.
pub(super) static LOOP: LazyLock<Regex> =
    LazyLock::new(|| of(r"(?is-u)^foreach\s{0,4}\(\s{0,4}\$(?P<name>[a-z_]\w{0,60})\s{1,4}in\s(?P<list>(?u:.)*)$"));

/// All variables of the environment.
pub(super) static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)\b(?:Get-ChildItem|gci|dir|ls|Get-Item|gi)\s{1,4}(?:-Path\s{1,4})?[\x22']?env:[\\/]?\*?[\x22']?(?:[\s)|;},]|$)|\bGetEnvironmentVariables\(\s{0,4}\)",
    )
});

/// One variable of the environment that is asked for by its name.
pub(super) static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)(?:\bGetEnvironmentVariable\(\s{0,4}[\x22']|\bGet-(?:Content|Item)\s{1,4}[\x22']?env:[\\/]?)(?P<name>\w{1,60})",
    )
});

/// Commands and methods that ask another machine for something.
pub(super) static FETCHES: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)\b(?:Invoke-RestMethod|Invoke-WebRequest|irm|iwr|Start-BitsTransfer|curl(?:\.exe)?|wget(?:\.exe)?|certutil(?:\.exe)?|bitsadmin(?:\.exe)?)\s|\.(?:DownloadString|DownloadData|DownloadFile|OpenRead|GetStringAsync|GetByteArrayAsync|GetAsync)(?:Async|TaskAsync)?\(",
    )
});

/// Commands and methods that send something to another machine.
pub(super) static SENDS: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)\b(?:Send-MailMessage|Resolve-DnsName|nslookup(?:\.exe)?)\s|\.(?:Upload(?:String|Data|File|Values)|PostAsync|PutAsync|SendAsync)(?:Async|TaskAsync)?\(|\$\w{1,60}\.(?:Write|WriteLine|Send)\(",
    )
});

/// A connection that is opened to a host.
pub(super) static CONNECTS: LazyLock<Regex> = LazyLock::new(|| {
    of(r"(?i-u)(?:TcpClient|UdpClient)(?:\]::new)?\s{0,4}\(\s{0,4}[\x22'](?P<host>[\w.-]{3,120})[\x22']")
});

/// What runs a text as a program.
pub(super) static RUNS: LazyLock<Regex> =
    LazyLock::new(|| of(r"(?i-u)\b(?:iex|Invoke-Expression)\b|\[scriptblock\]::Create|\bInvokeScript\("));

/// What turns encoded text back.
pub(super) static DECODES: LazyLock<Regex> =
    LazyLock::new(|| of(r"(?i-u)FromBase64String|\bDeflateStream\b|\bGzipStream\b"));

/// What reads a file, or hands it over as one.
pub(super) static READS: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)\b(?:Get-Content|gc|cat|type|Import-\w{2,10}|Get-ChildItem|gci|Copy-Item|cp|copy|cpi|Compress-Archive|Get-Item|gi|tar|scp)\s|\bReadAll(?:Text|Bytes|Lines)\(|\bOpenRead\(|\bFromFile\(|\.UploadFile\w{0,9}\(|-InFile\b|-Form\b|-F\s|--data-binary\s|-T\s|-d\s{1,3}[\x22']?@|CreateFromDirectory\(",
    )
});

/// What stands before the file that a statement writes to.
pub(super) static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)\s(?:-OutFile|-o|--output|-OutputFile|-Destination(?:Path)?)\s{1,4}|\b(?:Out-File|Set-Content|Add-Content|Tee-Object)\b(?u:[^|;\n])*?\s-(?:File|Literal)?Path\s{1,4}|\b(?:Out-File|Set-Content|Add-Content|Tee-Object)\s{1,4}|\s>>?\s{0,4}|\bWriteAll(?:Text|Bytes|Lines)\(\s{0,4}",
    )
});

/// The part of a request in which a caller says who it is.
pub(super) static HEADERS: LazyLock<Regex> = LazyLock::new(|| {
    of(
        r"(?i-u)-Headers?\s{1,4}(?:@\{(?u:[^}])*\}|[$@]\w{1,60})|-(?:Credential|Token|Certificate|CertificateThumbprint)\s{1,4}(?u:\S)+|(?:-H|--header)\s{1,4}(?:\x22(?u:[^\x22])*\x22|'(?u:[^'])*')",
    )
});

/// Keys of a table by which a caller says who it is.
pub(super) static NAMES_CALLER: LazyLock<Regex> =
    LazyLock::new(|| of(r"(?i-u)\b(?:Authorization|(?:x-)?api-?key|x-auth-token|private-token|Cookie)\b"));

/// True where a call or command names the file that it fetches to behind the address.
pub(super) fn folder_of(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    ["downloadfile", "certutil", "bitsadmin", "start-bitstransfer"].iter().any(|word| lower.contains(word))
}

/// True for a command that prints passwords which the system keeps.
pub(super) fn is_printer(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    lower.contains("cmdkey") && lower.contains("/list")
        || lower.contains("vaultcmd") && lower.contains("/list")
        || lower.contains("netsh") && lower.contains("key=clear")
        || lower.contains("get-storedcredential")
        || lower.contains("protecteddata]::unprotect")
}

/// True for a program that starts the file that it is given.
pub(super) fn is_runner(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    matches!(
        name,
        "start-process"
            | "saps"
            | "start"
            | "invoke-item"
            | "ii"
            | "cmd"
            | "powershell"
            | "pwsh"
            | "msiexec"
            | "rundll32"
            | "regsvr32"
            | "wscript"
            | "cscript"
            | "mshta"
            | "python"
            | "python3"
            | "py"
            | "node"
            | "bash"
            | "invoke-command"
            | "icm"
            | "start-job"
            | "import-module"
    )
}

/// True for a program that is called in PowerShell as in every other shell.
pub(super) fn is_of_any_shell(name: &str) -> bool {
    matches!(
        name,
        "scp"
            | "ssh"
            | "sftp"
            | "rsync"
            | "rclone"
            | "git"
            | "gh"
            | "tar"
            | "npx"
            | "npm"
            | "pnpm"
            | "node"
            | "deno"
            | "bun"
            | "python"
            | "python3"
            | "py"
            | "pip"
            | "pip3"
            | "uv"
            | "uvx"
            | "bash"
            | "sh"
            | "wsl"
            | "docker"
            | "kubectl"
            | "aws"
            | "gcloud"
            | "az"
    )
}

/// The secret path that a word names, as a shell writes it.
pub(super) fn secret_path(word: &str) -> Option<String> {
    if !(4..=300).contains(&word.len()) {
        return None;
    }
    let lower = word.replace('\\', "/").to_ascii_lowercase();
    let homes = ["$env:userprofile", "${env:userprofile}", "$home", "%userprofile%", "$env:home", "$env:homepath"];
    let home = homes.iter().find_map(|home| lower.strip_prefix(home));
    let path = home.map_or_else(|| lower.clone(), |rest| format!("~{rest}"));
    const STORES: [&str; 7] = [
        "/google/chrome/user data",
        "/microsoft/edge/user data",
        "/mozilla/firefox/profiles",
        "/microsoft/credentials",
        "/microsoft/protect",
        "/microsoft/vault",
        "/exodus/exodus.wallet",
    ];
    let is_store = STORES.iter().any(|store| path.contains(store));
    (is_store || is_secret_path(&path)).then_some(path)
}
