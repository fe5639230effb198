//! The deeds: how a program does each, and the words by which an honest skill tells of it.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::bent;
use super::sign::sign_of;

/// One kind of deed.
pub(super) struct Deed {
    /// What it is, for the evidence.
    pub(super) name: &'static str,
    /// How a program does it.
    pub(super) done: Regex,
    /// True where it is done only if something is written near.
    pub(super) is_written: bool,
    /// The words by which texts tell of it; for a deed that names an address, it is told by that address alone.
    pub(super) told: Regex,
    /// True where the deed names an address.
    pub(super) is_addressed: bool,
    /// What stands near it where it is done, and not merely spoken of.
    pub(super) beside: Option<Regex>,
}

impl Deed {
    /// The deed where something stands near it.
    fn beside(self, near: &str) -> Self {
        Self { beside: Some(plain(near)), ..self }
    }
}

/// An expression over bytes of a program. Letters beyond ASCII in it would take the search off its quick way.
fn plain(text: &str) -> Regex {
    static CLASSES: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"\[\^[^\]]*\]|\\S"));
    // A command in a list of words has quotation marks and commas where a shell has blanks.
    let text = text.replace('%', r#"["',\s]{1,4}"#);
    capdex_evidence::expression::of(&format!("(?i-u){}", CLASSES.replace_all(&text, "(?u:$0)")))
}

/// A deed that is done by writing to a place.
fn written(name: &'static str, places: &str, told: &str) -> Deed {
    Deed { name, done: plain(places), is_written: true, told: expression(told), is_addressed: false, beside: None }
}

/// A deed that a command or a call does.
pub(super) fn called(name: &'static str, calls: &str, told: &str) -> Deed {
    Deed { name, done: plain(calls), is_written: false, told: expression(told), is_addressed: false, beside: None }
}

/// A deed that names the address that it is done with.
fn addressed(name: &'static str, calls: &str) -> Deed {
    Deed { is_addressed: true, ..called(name, calls, "$^") }
}

fn expression(text: &str) -> Regex {
    capdex_evidence::expression::of(&format!("(?i){text}"))
}

/// What every program holds that does a deed, by the deed's number, asked in one search: a program does few.
static SIGNS: LazyLock<RegexSet> = LazyLock::new(|| {
    let signs = DEEDS.iter().map(|deed| sign_of(deed.done.as_str()).to_string());
    capdex_evidence::expression::set_of(signs)
});

/// The deeds whose sign a text holds.
pub(super) fn hinted(text: &str) -> impl Iterator<Item = &'static Deed> {
    SIGNS.matches(text).into_iter().filter_map(|number| DEEDS.get(number))
}

pub(super) static DEEDS: LazyLock<Vec<Deed>> = LazyLock::new(|| {
    let mut deeds = vec![
        written(
            "sets something to start by itself",
            r#"(?:~|HOME|home\(\)|homedir\(\)|expanduser|USERPROFILE|UserHomeDir|Dir\.home|\bhome\b|\bh\b)[^\n]{0,60}\.(?:bashrc|zshrc|bash_profile|zprofile|zshenv|profile|bash_login|bash_logout|bash_aliases|xprofile|xsessionrc|Rprofile|vimrc|tmux\.conf|emacs|pythonrc|inputrc|envrc)\b|fish["'/\\, ()]{1,6}config\.fish|LaunchAgents|LaunchDaemons|systemd["'/\\, ()]{1,6}(?:user|system)\b|[/"']autostart\b|/etc/cron|/etc/profile\.d|CurrentVersion\\+Run\b|Programs\\+Startup\b|\b(?:site|user)customize\b|site-packages[^\n]{0,60}\.pth\b|\.ssh/rc\b|/etc/rc\.local\b|/etc/init\.d/|/etc/ld\.so\.preload\b|/etc/environment\b|\.pam_environment\b|\.xinitrc\b|environment\.d\b|\bPYTHONSTARTUP\b|\bUserInitMprLogonScript\b|CurrentVersion\\+Winlogon\b|Image File Execution Options|\.jupyter\b|jupyter\w{0,10}_config\b|startup\.jl\b|\.(?:irbrc|pryrc|psqlrc|gdbinit|lldbinit|pdbrc|cshrc|kshrc)\b|nvim["'/\\, ()]{1,6}init\.(?:lua|vim)|ipython["'/\\, ()]{1,6}profile_default|\$PROFILE\b|PowerShell_profile\.ps1|\bPROMPT_COMMAND\b|sublime[^\n]{0,40}Packages"#,
            STARTS_TOLD,
        ),
        called(
            "sets something to start by itself",
            r#"["']crontab["'],\s*["']-["']|\bcrontab\s+-(?:\s|$|["'])|\bcrontab\s+/|\bschtasks(?:\.exe)?%/create\b|Register-ScheduledTask\b|\blaunchctl%(?:load|bootstrap|submit)\b|\bsystemctl%(?:--user%)?enable\b|\bloginctl%enable-linger\b|\bNew-Service%-|\bsc(?:\.exe)?%create%|\bNew-ScheduledTask\w*\b|\bmake%login%item\b|\bbrew%services%start\b|\bat%now%\+|WScript\.Shell[^\n]{0,80}Startup|\bGetFolderPath\([^\n]{0,12}Startup"#,
            STARTS_TOLD,
        ),
        written(
            "sets something to run when a folder is opened",
            r#"["']?runOn["']?\s*[:=]\s*["']folderOpen|allowAutomaticTasks|postCreateCommand|postStartCommand|\.vscode["'/\\, ()]{1,6}tasks\.json"#,
            r"\btasks?\.json|\bvs ?code\b|folder ?open|devcontainer|editor task",
        ),
        written(
            "adds a hook to a repository",
            r#"\.git["'/\\, ()]{1,6}hooks\b|--git-path%hooks\b|\binit\.templateDir\b|\bcore\.(?:hooksPath|fsmonitor|sshCommand|pager|editor)\b|\balias\.(?:co|st|ci|push|pull|commit)%"#,
            r"\bhooks?\b|husky|pre-?commit|lefthook|\bgit alias|钩子",
        ),
        written(
            "changes what an agent obeys or may do",
            r#"\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md\b|\.(?:cursor|windsurf|cline)rules\b|copilot-instructions|\.claude["'/\\, ()]{1,6}(?:settings|hooks|commands|agents)\b|\.claude\.json|\.cursor["'/\\, ()]{1,6}(?:mcp\.json|rules)|claude_desktop_config|\.codex["'/\\, ()]{1,6}config\.toml|\.gemini["'/\\, ()]{1,6}settings|mcp_config\.json|\.continue["'/\\, ()]{1,6}config"#,
            r"(?:CLAUDE|AGENTS|GEMINI|MEMORY)\.md|\b(?:cursor|windsurf|copilot|codex|gemini)\b[^.\n]{0,40}\b(?:rules?|config|settings|set up)|\b(?:agent|claude|codex|editor|client|its|their|your) (?:permissions?|settings|config\w*|hooks?|instructions?|rules)|\bpermissions?\b|\bhooks?\b|\bmcp(?:\.json|Servers| servers?)|settings\.json|config\.toml|\binstruction files?|\brules? files?",
        ),
        called(
            "switches the checks of an agent off",
            r#"approval_policy\s*=\s*\\?["']never|danger-full-access|bypassPermissions|skipDangerousModePermissionPrompt|--dangerously-(?:skip-permissions|bypass-approvals)|["']?autoApprove["']?\s*[:=\]]|["']alwaysAllow["']\s*[:=]|chat\.tools\.autoApprove|enableAllProjectMcpServers|["']?acceptEdits["']"#,
            r"approv|sandbox|permission|dangerous|full.access|\byolo\b|unattended|headless|autonomous",
        ),
        called(
            "switches the checking of certificates off",
            r#"http\.sslVerify%(?:=\s*)?false|strict-ssl%false|\bNODE_TLS_REJECT_UNAUTHORIZED\b["'\]]{0,2}\s{0,2}[=:]\s{0,2}["']?0[^\n]{0,80}>>|\bexport\s[^\n]{0,80}NODE_TLS_REJECT_UNAUTHORIZED=0|\binsecure\b[^\n]{0,30}\.curlrc|check_certificate\s*=\s*off[^\n]{0,40}wgetrc|\bGIT_SSL_NO_VERIFY=(?:1|true)[^\n]{0,40}>>|\btrusted-host\b[^\n]{0,60}pip\.conf|conda%config%--set%ssl_verify%(?:false|no)"#,
            r"\bssl\b|\btls\b|self-signed|certificate (?:check|verif|error)|Zertifikat|证书|certificad",
        ),
        called(
            "adds a certificate or a key that the machine trusts",
            r"\bupdate-ca-(?:certificates|trust)\b|\badd-trusted-cert\b|\bcertutil\b[^\n]{0,20}-addstore\b|\bImport-Certificate\b|Cert:\\+(?:LocalMachine|CurrentUser)\\+Root|\btrust%anchor\b|\bapt-key%add\b|\brpm%--import\b|\[trusted=yes\]|\bNODE_EXTRA_CA_CERTS\b[^\n]{0,80}(?:>>|profile|rc\b)",
            r"certificat|\bCA\b|\bmkcert\b|trust store|\bapt\b|\brpm\b|signing key|Zertifikat|证书|certificad",
        ),
        called(
            "lowers a protection of the machine",
            r#"\bAdd-MpPreference\b|\bSet-MpPreference\b|\bufw%(?:--force%)?disable\b|\biptables%(?:-F|--flush|-P%INPUT%ACCEPT)|\bsetenforce%0\b|\bspctl%--(?:master|global)-disable|\bnetsh%advfirewall\b[^\n]{0,60}\boff\b|\bsystemctl%(?:stop|disable|mask)%(?:--now%)?(?:auditd|firewalld|ufw|apparmor|falcon\S*|clamav\S*|osqueryd|rsyslog|fail2ban)|\bcsrutil%disable\b|\bEnableLUA\b|\bDisableAntiSpyware\b|\bDisableRealtimeMonitoring\b|\b(?:sc|net)(?:\.exe)?%stop%(?:WinDefend|wscsvc|Sense)\b|\bp?kill(?:all)?%(?:-\w+%)?(?:falcon\w*|clamd|osqueryd|auditd|crowdstrike)\b|\bSecRuleEngine%Off\b|\bauditctl%-e%0|\bSet-NetFirewallProfile\b[^\n]{0,60}False|\bSet-ExecutionPolicy\b[^\n]{0,60}(?:Unrestricted|Bypass)[^\n]{0,40}-Scope%(?:CurrentUser|LocalMachine)|chmod%(?:-R%)?(?:0?666|0?777)%/var/run/docker\.sock|\busermod%-aG%docker\b|\bxattr%-[dcr]+%(?:com\.apple\.quarantine)?|\btccutil%reset|\bchmod%u\+s\b|--clusterrole=cluster-admin|delete-public-access-block|BlockPublicAcls=false|\bNOPASSWD\b"#,
            r"firewall|defender|anti-?virus|selinux|gatekeeper|apparmor|\bauditd\b|\bufw\b|iptables|exclusions?\b|hardening|execution ?policy|docker (?:group|socket)|quarantine|setuid|cluster-admin|public access|\bsudo(?:ers)?\b|Virenscan|防火墙|cortafuegos",
        ),
        called(
            "opens logging in to the machine",
            r"\bPermitRootLogin%yes\b|\bPasswordAuthentication%yes\b|\bPermitEmptyPasswords%yes\b",
            r"\bsshd\b|root login|password (?:log-?in|auth)|log-?in by password",
        ),
        written(
            "lets somebody log in",
            r"\bssh-(?:ed25519|rsa)%AAAA[A-Za-z0-9+/]{30,}",
            "$^",
        )
        .beside("authorized_keys"),
        called(
            "takes the guards of a cluster away",
            r"\b(?:validating|mutating)webhookconfigurations?\b|\bnetworkpolic(?:y|ies)\b|\bclusterpolicies\.kyverno|\bconstrainttemplates\b|pod-security\.kubernetes\.io/enforce=privileged",
            r"webhook|admission|(?:delet|remov|disabl)\w*[^.\n]{0,40}polic(?:y|ies)|polic(?:y|ies)[^.\n]{0,40}(?:delet|remov|disabl)",
        )
        .beside(r#"["'\s]delete["'\s]"#),
        called(
            "takes rules away that an agent is bound by",
            r#"disableAllHooks["'\]]{0,3}\s{0,2}[:=]\s{0,2}[Tt]rue|\.pop\(\s{0,2}["'](?:deny|ask)["']|\bdelete\s+\w+(?:\.\w+)*\.permissions\.(?:deny|ask)|\[["']permissions["']\]\[["'](?:deny|ask)["']\]\s{0,2}=\s{0,2}\[\]|\.permissions\.(?:deny|ask)\s{0,2}=\s{0,2}\[\]"#,
            r"\bdeny\b|\bdisabl\w+ (?:all )?hooks|\bhooks? off\b",
        )
        .beside(r"settings|permissions|\.claude"),
        written(
            "takes a look for secrets away",
            r#"["'](?:gitleaks|trufflehog|detect-secrets|detect-private-key)["']"#,
            r"gitleaks|trufflehog|detect-secrets|secret[- ]scan|security (?:scan|check|hook)",
        )
        .beside(r"\.remove\(|\.filter\(|\.replace\(|\.pop\(|\bdel\s|\bdelete\s"),
        called(
            "destroys what could be got back",
            r"\breflog%expire\b[^\n]{0,60}--all|\bgc\b[^\n]{0,40}--prune=now|\|\s*xargs\b[^\n]{0,60}\bgit%push\b[^\n]{0,60}--force",
            r"reflog|\bprune|purg|garbage|\bgc\b|filter-repo|filter-branch|rewrit\w+[^.\n]{0,30}history|shrink|\bBFG\b|permanent",
        ),
        called(
            "empties folders of the user",
            r#"(?:~|HOME|home\(\)|homedir\(\)|\bH\b|USERPROFILE|Dir\.home)["'}\]]{0,3}[/\\, +]{1,4}["']?(?:Documents|Pictures|Photos)\b"#,
            r"(?:Documents|Pictures|Photos)[^.\n]{0,60}(?:delet|remov|clean|empt|wip)|(?:delet|remov|clean|empt|wip)\w*[^.\n]{0,60}(?:Documents|Pictures|Photos)",
        )
        .beside(r"\brmtree\(|\brm%-\w*r|\brmSync\(|\bremove_dir_all\(|\bos\.RemoveAll\(|Remove-Item\b[^\n]{0,80}-Recurse"),
        called(
            "throws work of a repository away",
            r"\bgit%(?:-C%[^\s]{1,60}%)?(?:clean%-\w*f|reset%--hard|stash%(?:drop|clear)|branch%-D|checkout%--%\.)|(?:rmtree|rmSync|RemoveAll)\([^\n]{0,60}\.git\b|\brm%-\w*r\w*%[^\n]{0,40}\.git\b",
            r"\breset|\bclean|discard|\bstash|revert|undo|throw\w* away|\bdelet|remov|prune|fresh|scratch|worktree|temporary|rollback",
        ),
        called(
            "empties a database",
            r#"\bDROP%(?:TABLE|DATABASE|SCHEMA)\b|\bTRUNCATE%TABLE\b|\bDELETE%FROM%\w+\s{0,2}(?:;|["'])|\bdropDatabase\(|\.drop_all\(|\.deleteMany\(\{\}\)|\bFLUSHALL\b|\bflushall\("#,
            r"\bdrop|truncat|\breset|migrat|schema|\bclear|\bwip|delet|remov|empt|\bpurg|teardown|tear down|clean|rebuild|re-?creat|\bsql\b",
        ),
        called(
            "takes backups away",
            r#"(?:\brm%-\w*|rmtree\(|rmSync\(|unlink\w*\(|os\.remove\(|Remove-Item%|delete_object\w*\(|\bs3%rm%|\bs3%rb%)[^\n]{0,80}(?:back-?ups?|snapshots?|\.bak)\b|delete-(?:backup-vault|recovery-point|db-snapshot|snapshot)|\btmutil%delete|\bvssadmin%delete"#,
            r"back-?ups?|snapshots?|retention|rotat|\.bak",
        ),
        called(
            "overwrites a disk or a file with nothing",
            r"\bshred%-|\bdd%if=/dev/(?:zero|urandom|random)%[^\n]{0,40}of=|\btruncate%-s%0|\bmkfs(?:\.\w+)?%|\bwipefs%",
            r"shred|\bwip|\bdisk|format|image|flash|partition|secure(?:ly)? (?:delet|eras)|truncat|swap|eras|benchmark|empt|rotat|\blogs?\b",
        ),
        called(
            "reads where secrets are kept",
            r#"[/"'\\{,(]\.(?:gnupg|aws|kube|azure|git-credentials|netrc|pypirc|npmrc|pgpass|vault-token)\b|[/"'\\{,(]\.ssh(?:["'),}\s]|/(?:\*|id_|["']))|\bLogin Data\b|\blogins\.json\b|\bkey4\.db\b|\bcookies\.sqlite\b|keychain-db\b|\bwallet\.dat\b|\bdump-keychain\b|\bfind-(?:generic|internet)-password\b|\bcmdkey(?:\.exe)?\s+/list|\bkey=clear\b|\bid_(?:rsa|ed25519)\b|\.config["'/\\, ]{1,6}(?:gh|gcloud|op|rclone|solana)\b|/etc/shadow\b|\bdict\(os\.environ\)|\bos\.environ\.items\(\)|\bJSON\.stringify\(process\.env\)|\bObject\.entries\(process\.env\)|\bENV\.(?:to_h|to_a|map|each)\b|\bos\.Environ\(\)|(?:open\(|read_text|readFileSync|File\.read|Get-Content|\bcat\b)[^\n]{0,60}["'/]\.env\b"#,
            r"\bssh\b|\bkeys?\b|\baws\b|kube|credential|\btokens?\b|secret|\blog-?in\b|\bsign(?:s|ed)? in\b|cookie|password|\bauth|\bgpg\b|keychain|environment|\benv\b|\.env|\bnpm\b|\bgcloud\b|\bgh\b|wallet|keys?tore|Schlüssel|Passw|Zugangs|密钥|密码|凭|contraseña|clave",
        ),
        called(
            "waits for a date to do it",
            r#"(?:\bdate\.today\(\)|\bdatetime\.(?:now|today|utcnow)\(\)|\bDate\.now\(\)|\btime\.time\(\)|\bnew Date\(\)|\bTime\.now|\btime\.Now\(\)|\(Get-Date\)|\bdate%\+\x25[^\n]{1,8}\)"?)(?:\.\w{1,12}\(?\)?){0,2}\s{0,2}(?:>=?|-gt|-ge|\.After\()\s{0,2}(?:\(?(?:dt\.|datetime\.){0,2}(?:date|datetime)\(\s{0,2}20\d\d|new Date\(\s{0,2}["']?20\d\d|\[datetime\]\s{0,2}["']20\d\d|["']20\d\d-|\d[\d_]{5,})[^\n]{0,120}\n?(?:[^\n]*\n){0,3}?[^\n]*(?:Popen|\bsubprocess\b|\bos\.system|\bexec|\beval\b|rmtree|unlink|os\.remove|urlopen|requests\.|\bfetch\(|\brandom|\*\s?\(?\s?1\s?[+-]|\*=|\brm%-|\bcurl\b)"#,
            r"expir|deadline|sunset|end of life|valid (?:until|to)|\bdue\b|\btrial\b|licen[cs]e key|\bfrom 20\d\d|\buntil 20\d\d|seasonal",
        ),
        called(
            "changes figures now and then",
            r#"\bif\b[^\n\x25]{0,100}(?:\band\b|&&)[^\n\x25]{0,60}\x25\s?\d+\s?={2,3}\s?\d+[^\n\x25]{0,12}\n?\s*[\w.\[\]]{1,30}\s{0,2}(?:\*=\s?\(?(?:10\b|0?\.\d|1\.\d|1\s?[+-])|[+-]=\s?(?:\w{1,10}\.)?(?:timedelta\(|0?\.\d|\d{2,}))|\bif\b[^\n]{0,60}(?:\brandom\.random\(\)|\bMath\.random\(\)|\bhash\w*\b[^\n]{0,30}\x25\s?\d+)\s{0,2}(?:<|={2,3})\s{0,2}[\d.]+[^\n]{0,12}\n?\s*[\w.\[\]]{1,30}\s{0,2}(?:\*=|=\s{0,2}[\w.]{1,30}\s{0,2}\*)\s?(?:0\.[89]|1\.[0-2])"#,
            r"random|simulat|augment|noise|jitter|mutat|perturb|monte carlo|now and then|every (?:n|\d+)(?:th|rd|nd)",
        ),
        called(
            "runs code that it fetches",
            r#"(?:&|\bInvoke-Command\b|\biex\b|\bInvoke-Expression\b|\[scriptblock\]::Create)[^\n"'|]{0,120}(?:DownloadString|Invoke-(?:WebRequest|RestMethod)|\birm\s|\biwr\s)|(?:\bURI\.open\(|\bNet::HTTP\.(?:get|start)|\bgetresources?\(|\bLWP::|\bfile_get_contents\(\s{0,2}["']https?:|\bcurl_exec\(|\bsocket\.http\b|\bhttr2?::GET\(|\breadLines\(\s{0,2}["']http)[^\n]{0,160}\n?(?:[^\n]*\n){0,3}?[^\n]*(?:^|[\s;=({&|.])(?:instance_eval|class_eval|module_eval|eval|assert|loadstring|create_function|parse\(\s{0,2}text)\s{0,2}[\s(=]"#,
            "$^",
        ),
        called(
            "carries folders of the user away",
            r#"\brclone\b[^\n]{0,200}\b(?:copy|sync|move)\b[^\n]{0,60}(?:HOME|~)["'}]{0,2}/(?:Documents|Desktop|Pictures|\.)"#,
            r"rclone|back(?:s|ed)?[- ]?up|\bsynch?|up-?load|cloud",
        ),
        addressed(
            "trusts a certificate of an address of its own",
            r#"\bhttps?://[\w.-]+/[^\s"']{0,120}\.(?:crt|cer|pem|der)\b"#,
        )
        .beside(r"add-trusted-cert|update-ca-certificates|update-ca-trust|-addstore|Import-Certificate|trustRoot|trust_store|ca-certificates"),
        addressed(
            "sends a copy of each mail to an address of its own",
            r#"\b(?:bcc|Bcc|BCC)\b["']?\]?\s{0,3}[:=,(]\s{0,3}[^\n]{0,40}?[\w.+-]{1,40}@[\w.-]+\.[a-z]{2,}"#,
        ),
        called(
            "takes checks of a repository away",
            r#"commit\.gpgsign%false|\bpre-commit%uninstall\b|(?:\brm\b|unlink|remove|Remove-Item|rmSync)[^\n]{0,60}(?:\.git["'/\\, ()]{1,6}hooks|\.pre-commit-config|\.husky|\.gitleaks)|\bhooksPath%/dev/null|vulnerability-alerts\b[^\n]{0,60}DELETE|DELETE[^\n]{0,80}vulnerability-alerts\b|secret_scanning\w*[^\n]{0,30}status[^\n]{0,12}disabled|required_status_checks["']?\s?[:=]\s?(?:null|None|nil)|allow_force_pushes["']?\s?[:=]\s?[tT]rue|/protection\b[^\n]{0,60}DELETE|DELETE[^\n]{0,80}/protection\b|\bgit%commit\b[^\n]{0,60}--no-verify\b|\bgit%commit\b[^\n]{0,30}%-n%|\bnpm%config%set%audit%false"#,
            r"gpg|sign(?:ed|ing)? commits?|\bhooks?\b[^.\n]{0,60}\b(?:remov|skip|disabl|uninstall|bypass)|\b(?:remov|skip|disabl|uninstall|bypass)\w*[^.\n]{0,60}\bhooks?\b|no-verify|(?:remov|delet|disabl|switch\w* off|relax)\w*[^.\n]{0,40}branch protection|\baudit\b",
        ),
        called(
            "deletes the record of what was done",
            r#"(?:remove|unlink|rm|truncate|write_text|Remove-Item|open|File\.delete)\b[^\n]{0,100}\.(?:bash|zsh|python)_history\b|["']\.(?:bash|zsh)_history["'][^\n]{0,80}\n?[^\n]{0,80}\n?[^\n]{0,120}(?:remove|unlink)\(|ConsoleHost_history|\bvssadmin%delete%shadows\b|\bwbadmin%delete\b|\bfsutil%usn%deletejournal\b|\blog%erase%--all\b|\bwevtutil%cl\b|\bClear-EventLog\b|\bauditpol\b[^\n]{0,20}/clear|journalctl[^\n]{0,40}--vacuum-(?:time|size)=1|\bHISTFILE=/dev/null|\bhistory%-c\b|truncate[^\n]{0,20}/var/log/|>\s*/var/log/(?:auth|secure|syslog|audit|wtmp|lastlog)|(?:rmtree|rmSync|rm\s+-rf|unlink|RemoveAll|Remove-Item)[^\n]{0,60}\.claude["'/\\, ()]{1,6}projects"#,
            r"\bhistor(?:y|ies)\b|event log|\blogs?\b[^.\n]{0,30}\b(?:clear|clean|delet|rotat|trim|vacuum)|(?:clear|clean|delet|rotat|trim|vacuum)\w*[^.\n]{0,30}\blogs?\b|transcripts?|历史|Verlauf|historial",
        ),
        addressed(
            "takes packages from an index of its own",
            r#"(?:--index-url|--extra-index-url|--registry|global\.index-url|index-url\s*=|config%set%registry)[=%\s]{1,4}["'{]{0,2}https?://[\w.-]+"#,
        ),
        written(
            "leads a host's name or the traffic elsewhere",
            r"/etc/hosts\b|drivers\\+etc\\+hosts\b|http\.proxy%http|\b(?:npm|git)%config\b[^\n]{0,40}\bproxy%http|\bnetworksetup%-set\w*proxy|\bexport\s+HTTPS?_PROXY=http[^\n]{0,60}>>|/etc/resolv\.conf",
            r"\bhosts\b|\bdns\b|\bdomain|\bproxy\b|local(?:host| name)",
        ),
        called(
            "overwrites the history of a repository",
            r"\bgit%push\b[^\n;&|]{0,60}(?:%--force\b|%-q?f\b|%--mirror\b)|\bpush\b[^\n]{0,40}--delete\b[^\n]{0,30}\$\(|\|\s*xargs\b[^\n]{0,30}\bgit%push\b[^\n]{0,40}--delete",
            r"force[- ]?push|--force|\bforce\b|overwrit|rewrit|squash|\brebase|filter-repo|mirror|delete\w*\s+(?:\w+\s+){0,2}(?:tags?|branch)",
        ),
        addressed(
            "installs a package from an address of its own",
            r#"\b(?:pip3?|uvx?|pipx|npx|npm|pnpm|yarn|bunx?|gem|cargo|wp%plugin%install|helm%install|flatpak%install)%[^\n]{0,80}?(?:git\+)?https?://[\w.-]+"#,
        ),
        addressed(
            "pushes the repository to an address of its own",
            r#"\bgit%push\b[^\n;&|]{0,60}?%(?:https?://|git@|ssh://)[\w.@-]+|\bgit%remote%(?:add|set-url)%\w{1,20}%(?:https?://|git@|ssh://)[\w.@-]+"#,
        ),
        called(
            "mines coins",
            r"stratum\+(?:tcp|ssl)://|\bxmrig\b|\bminerd\b|--donate-level|randomx",
            r"\bmin(?:e|er|ing)\b|xmrig|hashrate",
        ),
        called(
            "acts on a forge in the user's name",
            r"\buser/(?:starred|following)/|createSponsorship|\baddStar\b|\bgh%repo%(?:star|fork)\b",
            r"\bstars?\b|starring|\bfollow(?:s|ing)?\b|sponsor|\bfork",
        ),
        called(
            "earns by links of the user",
            r#"["'?&]tag["']?\]?\s{0,2}[=:,]\s{0,2}["']?[a-z][\w-]{1,30}-2[01]\b|["'](?:aff_?id|affiliate_?id|aff|partner_?id|awinaffid|offid)["']\]?\s{0,2}[:,=]\s{0,2}["'][\w-]{3,}|[?&](?:ref|aff|affid|partner|via)=[a-z][\w-]{2,}["'`]"#,
            r"affiliat|associate|referral|partner|commission|provision|\btag=|\bref=",
        ),
        called(
            "puts an account of its own into what is paid",
            r#"(?:iban|payee|beneficiary|recipient|account)\w{0,12}["']?\]?\s{0,2}[:=]\s{0,2}["'](?:AT|BE|CH|CY|CZ|DE|DK|EE|ES|FI|FR|GB|IE|IT|LT|LU|LV|NL|NO|PL|PT|RO|SE)\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?["']|["']acct_[A-Za-z0-9]{10,}["']|\bpaypal\.me/\w{3,}"#,
            r"example|sample|\btest|placeholder|paypal\.me|acct_|[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3}",
        ),
        called(
            "puts an account of its own into what is paid",
            r#"(?:\belse\b|\?|\|\||\bor\b|replace\(|\bsub\(|s/)[^\n]{0,60}["'/]\s?(?:AT|BE|CH|CY|CZ|DE|DK|EE|ES|FI|FR|GB|GR|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE)\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?["'/]"#,
            r"example IBAN|sample IBAN|test IBAN|placeholder",
        ),
    ];
    deeds.extend(bent::deeds());
    deeds
});

/// The words by which a skill tells that something of it starts by itself.
const STARTS_TOLD: &str = r"\bcron(?:tab|\s+job|\b)|\bscheduled? (?:task|job|run|it|the|a)|\bschedules? |launch ?(?:agent|daemon|d\b|ctl)|systemd|\b(?:at|on|system|session|login|boot|shell) start-?up|start-?up (?:item|script|entry|file)|autostart|auto-?start|starts? (?:automatically|by itself|at (?:login|boot|logon))|\bat (?:every )?(?:login|boot|logon)|log-?in item|\bon boot|\.(?:bashrc|zshrc|profile|zprofile|bash_profile)|shell (?:profile|config|rc|start|init)|\balias(?:es)?\b|\bevery (?:\d+ )?(?:minutes?|hours?|night|morning)\b|\bhourly|\bnightly|\btimer\b|registry key|task scheduler|shell completion|shell hook|开机|定时|计划任务|Anmeldung|Autostart|zeitgesteuert|al iniciar|programad[oa] (?:diari|cada)";
