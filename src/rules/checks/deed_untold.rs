//! deed-untold: a skill's program does to the user's machine, repository or agent what no text of the skill tells.
//!
//! Whoever changes one script of a skill leaves its instructions as they were. So each kind of deed comes with the words by
//! which an honest skill speaks of it; where none of its texts has one, the deed is hidden. Honest installers, hooks and
//! schedules are silent, since they are what their skill is for.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_events::weighed_at;
use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

/// One kind of deed.
struct Deed {
    /// What it is, for the evidence.
    name: &'static str,
    /// How a program does it.
    done: Regex,
    /// True where it is done only if something is written near.
    is_written: bool,
    /// The words by which texts tell of it.
    told: Regex,
}

/// A deed that is done by writing to a place.
fn written(name: &'static str, places: &str, told: &str) -> Deed {
    Deed { name, done: expression(places), is_written: true, told: expression(told) }
}

/// A deed that a command or a call does.
fn called(name: &'static str, calls: &str, told: &str) -> Deed {
    Deed { name, done: expression(calls), is_written: false, told: expression(told) }
}

fn expression(text: &str) -> Regex {
    // A command in a list of words has quotation marks and commas where a shell has blanks.
    capdex_evidence::expression::of(&format!("(?i){}", text.replace("%", r#"["',\s]{1,4}"#)))
}

static DEEDS: LazyLock<Vec<Deed>> = LazyLock::new(|| {
    vec![
        written(
            "sets something to start by itself",
            r#"(?:~|HOME|home\(\)|homedir\(\)|expanduser|USERPROFILE)[^\n]{0,60}\.(?:bashrc|zshrc|bash_profile|zprofile|zshenv|profile|bash_login|xprofile)\b|LaunchAgents|LaunchDaemons|systemd/(?:user|system)\b|[/"']autostart\b|/etc/cron|CurrentVersion\\+Run\b|Programs\\+Startup\b|\b(?:site|user)customize\b"#,
            STARTS_TOLD,
        ),
        called(
            "sets something to start by itself",
            r#"["']crontab["'],\s*["']-["']|\bcrontab\s+-(?:\s|$|["'])|\bschtasks(?:\.exe)?%/create\b|Register-ScheduledTask\b|\blaunchctl%(?:load|bootstrap)\b|\bsystemctl%--user%enable\b"#,
            STARTS_TOLD,
        ),
        written(
            "adds a hook to a repository",
            r#"\.git["'/\\, ()]{1,6}hooks\b|--git-path%hooks\b|\binit\.templateDir\b|\bcore\.hooksPath\b"#,
            r"hook|husky|pre-?commit|lefthook|钩子",
        ),
        written(
            "changes what an agent obeys or may do",
            r#"\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md\b|\.(?:cursor|windsurf|cline)rules\b|copilot-instructions|\.claude["'/\\, ()]{1,6}(?:settings|hooks|commands|agents)\b|\.cursor["'/\\, ()]{1,6}mcp\.json|claude_desktop_config|\.codex["'/\\, ()]{1,6}config\.toml|\.gemini["'/\\, ()]{1,6}settings"#,
            r"(?:CLAUDE|AGENTS|GEMINI|MEMORY)\.md|\b(?:cursor|windsurf|copilot|codex)\b[^.\n]{0,40}\b(?:rules?|config|settings|set up)|\bmemory\b|\b(?:permission|approv)|\bhooks?\b|\bMCP\b|\bconfig(?:ur\w*)?\b|\bsettings\b|\binstruction files?|\brules? files?|\bsandbox|配置|Einstellung|ajustes|configura",
        ),
        called(
            "switches the checks of an agent off",
            r#"approval_policy\s*=\s*\\?["']never|danger-full-access|bypassPermissions|skipDangerousModePermissionPrompt|--dangerously-(?:skip-permissions|bypass-approvals)"#,
            r"approv|sandbox|permission|dangerous|full.access|\byolo\b|unattended|headless|autonomous",
        ),
        called(
            "switches the checking of certificates off",
            r#"http\.sslVerify%(?:=\s*)?false|strict-ssl%false|\bNODE_TLS_REJECT_UNAUTHORIZED\b["'\]]{0,2}\s{0,2}[=:]\s{0,2}["']?0[^\n]{0,80}>>|\bexport\s[^\n]{0,80}NODE_TLS_REJECT_UNAUTHORIZED=0"#,
            r"\bssl\b|\btls\b|certificat|self-signed|\bproxy\b|Zertifikat|证书|certificad",
        ),
        called(
            "adds a certificate that the machine trusts",
            r"\bupdate-ca-(?:certificates|trust)\b|\badd-trusted-cert\b|\bcertutil\b[^\n]{0,20}-addstore\b|\bImport-Certificate\b|Cert:\\+(?:LocalMachine|CurrentUser)\\+Root|\btrust%anchor\b",
            r"certificat|\bCAs?\b|\btls\b|\bssl\b|https|\broots?\b[^.\n]{0,20}\bstore|Zertifikat|证书|certificad",
        ),
        called(
            "lowers a protection of the machine",
            r"\bAdd-MpPreference\b|\bSet-MpPreference\b|\bufw%(?:--force%)?disable\b|\biptables%(?:-F|--flush)\b|\bsetenforce%0\b|\bspctl%--(?:master|global)-disable|\bnetsh%advfirewall\b[^\n]{0,60}\boff\b|\bsystemctl%(?:stop|disable|mask)%(?:--now%)?(?:auditd|firewalld|ufw|apparmor|falcon\S*|clamav\S*|osqueryd|rsyslog)|\bcsrutil%disable\b|\bauditctl%-e%0|\bSet-NetFirewallProfile\b[^\n]{0,60}False",
            r"firewall|defender|anti-?virus|selinux|gatekeeper|apparmor|\baudit|\bufw\b|iptables|exclusion|\bsecurity\b|hardening|Virenscan|防火墙|cortafuegos",
        ),
        called(
            "deletes the record of commands",
            r#"(?:remove|unlink|rm|truncate|write_text|Remove-Item|open|File\.delete)\b[^\n]{0,100}\.(?:bash|zsh|python)_history\b|["']\.(?:bash|zsh)_history["'][^\n]{0,80}\n?[^\n]{0,80}\n?[^\n]{0,120}(?:remove|unlink)\(|ConsoleHost_history"#,
            r"\bhistor(?:y|ies)\b|历史|Verlauf|historial",
        ),
        called(
            "takes packages from an index of its own",
            r#"(?:--index-url|--extra-index-url|--registry|global\.index-url|index-url\s*=|config%set%registry)[=%\s]{1,4}["'{]{0,2}(?:https?://)"#,
            r"\bindex\b|registry|mirror|artifactory|private package|internal package|源|镜像",
        ),
        written(
            "leads a host's name elsewhere",
            r"/etc/hosts\b|drivers\\+etc\\+hosts\b",
            r"\bhosts\b|\bdns\b|\bdomain|local(?:host| name)",
        ),
        called(
            "overwrites the history of a repository",
            r"\bgit%push\b[^\n;&|]{0,60}(?:%--force\b|%-q?f\b|%--mirror\b)|\breflog%expire\b[^\n]{0,60}--all|\bpush\b[^\n]{0,40}--delete\b[^\n]{0,30}\$\(|\|\s*xargs\b[^\n]{0,30}\bgit%push\b[^\n]{0,40}--delete",
            r"force[- ]?push|--force|\bforce\b|overwrit|rewrit|squash|\brebase|filter-repo|mirror|delete\w*\s+(?:\w+\s+){0,2}(?:tags?|branch)",
        ),
        called(
            "mines coins",
            r"stratum\+(?:tcp|ssl)://|\bxmrig\b|\bminerd\b|--donate-level|randomx",
            r"\bmin(?:e|er|ing)\b|xmrig|hashrate",
        ),
        called(
            "earns by links of the user",
            r#"["'?&]tag["']?\s{0,2}[=:,]\s{0,2}["']?[a-z][\w-]{1,30}-2[01]\b|["'](?:aff_?id|affiliate_?id|aff|partner_?id)["']\s{0,2}[:,]\s{0,2}["'][\w-]{3,}"#,
            r"affiliat|associate|referral|partner|commission|provision|\btag=",
        ),
    ]
});

/// The words by which a skill tells that something of it starts by itself.
const STARTS_TOLD: &str = r"\bcron|schedul|launch ?(?:agent|daemon|d\b|ctl)|systemd|start-?up|autostart|auto-?start|starts? (?:automatically|by itself|with|at|on)|\bat (?:every )?(?:login|boot|logon)|log-?in item|\bdaemon|in the background|background (?:job|service|process|task)|\bservice\b|\bon boot|\.(?:bashrc|zshrc|profile|zprofile|bash_profile)|shell (?:profile|config|rc|start|init)|\balias|every (?:\d+ )?(?:minutes?|hours?|night|morning|day)|\bhourly|\bnightly|\btimer\b|registry key|task scheduler|scheduled task|completion|shell hook|\bPATH\b|persist|开机|启动|定时|后台|计划任务|Anmeldung|Hintergrund|zeitgesteuert|al iniciar|segundo plano|programad";

/// Calls that write something at all.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)write_?text|write_?bytes|write_?file|append_?file|\.write(?:lines|Sync)?\(|json\.dump\(|plistlib\.dump|SetValueEx|\bcopy(?:2|file|FileSync|File)?\(|Set-Content|Add-Content|Out-File|\breg\s+add\b|New-ItemProperty|Set-ItemProperty|file_put_contents|File\.(?:write|open)|os\.(?:WriteFile|OpenFile|Create)|ioutil\.WriteFile|git["',\s]{1,4}config|open\([^)\n]{0,120},\s{0,4}(?:mode\s?=\s?)?["'][wax]|>>?\s{0,2}["']?[~$/.]|\btee\b|\bcp\s|\bmv\s|\bln\s|\bsed\s+-i|\binstall\s+-|fs::write|\bwith\s+open\("#,
    )
});

/// Lines by which every installer makes its program known to a shell.
static ORDINARY: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\bexport\s+(?:PATH|[A-Z_]+_(?:HOME|DIR|ROOT|KEY|TOKEN|PATH))\b|\bcompletions?\b|\bnvm\b|\bpyenv\b|\bdirenv\b"#,
    )
});

/// The distance of a place and what is written to it, and the largest program that people write.
const REACH: usize = 500;
const LARGEST: usize = 256 << 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // A package's texts are written for people who read more of them than these.
    if subject.capability.kind != Kind::Skill {
        return;
    }
    for document in subject.documents().filter(|document| is_program(document)) {
        for deed in DEEDS.iter() {
            let Some(at) = done(document, deed).filter(|_| !is_told(subject, deed)) else { continue };
            let severity = weighed_at(document, at..at + 1, Severity::High);
            let (start, end) = document.line_at(at);
            let line = document.text.get(start..end).unwrap_or_default().trim();
            facts.found_as(severity, Confidence::Medium, document.place(at), &format!("{}: {line}", deed.name));
        }
    }
}

fn is_program(document: &Document) -> bool {
    document.voice == Voice::Program
        && document.language != Language::Markdown
        && !matches!(document.language, Language::Json | Language::Yaml | Language::Toml)
        && document.text.len() <= LARGEST
}

/// The place in a program where it does a deed.
fn done(document: &Document, deed: &Deed) -> Option<usize> {
    let text = document.text.as_str();
    // A bound on what is looked at: a program that names more places than this lists them.
    deed.done.find_iter(text).take(20).find_map(|found| {
        let at = found.start();
        let low = text.floor_char_boundary(at.saturating_sub(REACH));
        let high = text.floor_char_boundary(found.end() + REACH);
        let around = text.get(low..high)?;
        let (start, end) = document.line_at(at);
        let line = text.get(start..end)?;
        let meant = document.zone_at(at) != ZoneKind::Comment && document.voice_at(at) == Voice::Program;
        let is_written = !deed.is_written || WRITES.is_match(around);
        (meant && is_written && !ORDINARY.is_match(line) && !is_shown(line)).then_some(at)
    })
}

/// True for a line that prints a command, or searches for one.
fn is_shown(line: &str) -> bool {
    let line = line.trim_start();
    let prints =
        ["echo ", "print(", "console.log(", "printf ", "Write-Host", "Write-Output", "puts ", "fmt.Print", "log"];
    let goes_on =
        line.contains(">>") || line.contains("| sudo tee") || line.contains("| tee") || line.contains("| crontab");
    let searches = ["re.compile", "\\b", "(?:", ".test(", "grep ", "RegExp"];
    (prints.iter().any(|call| line.starts_with(call)) && !goes_on) || searches.iter().any(|sign| line.contains(sign))
}

/// True where a text of the skill tells of a deed.
fn is_told(subject: &Subject<'_>, deed: &Deed) -> bool {
    let texts = subject.documents().filter(|document| document.language == Language::Markdown);
    texts.into_iter().any(|document| deed.told.is_match(&document.text))
}
