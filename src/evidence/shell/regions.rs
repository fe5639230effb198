//! Which stretches of a document are shell text.
//!
//! Scripts are read as a whole. In Markdown the code blocks and spans count, and lines of prose from a command's name
//! on. In JSON the strings count, and a command with its arguments. Program source is left to its own parsers.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

use super::super::document::Document;
use super::super::file_role::FileRole;
use super::super::language::Language;
use super::super::notebook::{Notebook, is_notebook};
use super::super::scalars;
use super::super::zones::{Zone, ZoneKind, fence_language};
use super::powershell;
use super::trace::{Traced, Tracer};

/// A stretch of shell text.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The text, where it is not the document's own between these offsets.
    pub(super) text: Option<String>,
    /// True in running text, where a command is named and its folder is not that of the blocks around it.
    pub(super) is_spoken: bool,
    /// True for PowerShell.
    pub(super) is_powershell: bool,
}

impl Region {
    /// A stretch of a document's own text.
    const fn of(start: usize, end: usize) -> Self {
        Self { start, end, text: None, is_spoken: false, is_powershell: false }
    }
}

/// The prefilter. A text that matters holds the name of a command that is followed, a file that starts by itself, or an
/// odd spelling. A name that is also a word of running text counts where a command begins, or more than a word stands
/// behind it.
static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    let end = r"(?:[ \t\r\n|;)`$<\x22']|\z)";
    let words = "mail|https?|host|su|at|batch|parallel|watch|trap|script|screen|open|start";
    let runs = "npx|bunx?|pnpm|yarn|npm|uvx?|pipx?3?|pip3|go|cargo|gem|brew|apt(?:-get)?|rpm|dnf|yum|nix(?:-env|-shell)?|kubectl|helm|ansible-pull|ansible-galaxy|code|docker|podman|claude|conda|mamba|git|svn|terraform|deno|poetry|gh|snap|flatpak|vagrant|easy_install|luarocks";
    let anchors: [&str; 11] = [
        // Those that install are worth a look only where an address stands behind them. No gap is counted here: with one
        // that is, each place of a text has a state of its own, and states were built instead of text being read.
        &format!(r"\b(?:{runs})[ \t][^\n]*?(?:https?://|git\+|git@|github:|gitlab:|bitbucket:|gist:|oci://)"),
        r"\b(?:docker|podman)[ \t]+(?:run|pull)[^\n]*?[\w-]\.[a-z]{2,}[/:]|\bgo[ \t]+(?:run|install|get)[^\n]*?\w\.[a-z]{2,}/",
        r"/[\w/?*\[\]]*[?*\[][\w/?*\[\]]*[ \t]|\bsudo[ \t]+-[si]\b|\b(?:g?make)[ \t]+-f[ \t]+-|\bgh[ \t]+api\b|\bipfs[ \t]+(?:cat|get)\b|\bw3m\b|\bgit[ \t]+push\b",
        &format!(
            r"\b(?:curl(?:ie)?|wget2?|aria2c|axel|fetch|lwp-download|lynx|xh|certutil|bitsadmin|iwr|irm|Invoke-(?:WebRequest|RestMethod)|(?:ba|z|da|k|a|mk|rba|fi|s)?sh|pwsh|powershell|osascript|source|eval|python[0-9.]*|pypy[0-9.]*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|Rscript|g?awk|xargs|base64|scp|rsync|[sl]?ftp|ncftpput|s3cmd|croc|mailx|mutt|sendmail|swaks|ncat|nc|netcat|tftp|crontab|alias|rm|history|dig|nslookup|drill|ping|aws|az|gcloud|gsutil|rclone|openssl|socat|telnet|unset|shred|chmod|xdg-open|rundll32|regsvr32|msiexec|mshta|wscript|cscript){end}"
        ),
        &format!(r"[|;&(`][ \t]*(?:{words}){end}"),
        &format!(r"\b(?:{words})[ \t]+(?:[-$`\x22'/~.<@]|[A-Z]{{3,7}}[ \t])"),
        r"(?i:/\.(?:bash_?(?:rc|profile|login|logout)|z(?:shrc|profile|shenv)|profile)|/config\.fish|/autostart/|/launch(?:agents|daemons)/|/systemd/(?:system|user)/|/etc/(?:profile|cron|rc\.local|ld\.so\.preload)|/spool/cron)",
        r"(?i:>[ \t]*[^\s>]*(?:(?:claude|agents|gemini|skill|memory|soul)\.md|(?:cursor|windsurf|cline)rules|copilot-instructions|\.git/hooks/|\.claude/))|\bgh[ \t]+gist\b",
        r"_history\b|/authorized_keys|\bHIST(?:FILE|SIZE)|/dev/(?:tcp|udp)/|(?:^|[\s;&|`$(])\./\w",
        r"(?:^|[\n;&|(`]|&&)[ \t]*\.[ \t]+[\w./~$]",
        r"\$\{?[A-Za-z_]\w*\}?\$\{?[A-Za-z_]|\$'\\|[a-z](?:''|\x22\x22|\\)[a-z]",
    ];
    RegexBuilder::new(&anchors.join("|")).unicode(false).build().expect("the pattern is valid")
});

/// The mark with which a fence of PowerShell begins.
static POWERSHELL_FENCE: LazyLock<Regex> = LazyLock::new(|| {
    let mark = r"(?i)\A(?:```|~~~)[ \t]*(?:powershell|pwsh|posh|ps1|ps)\b";
    RegexBuilder::new(mark).unicode(false).build().expect("the pattern is valid")
});

/// The beginning of a command in running text.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"\b(?:curl|wget|(?:ba|z|da|k)?sh|python3?|node|cat|base64|eval|scp|rsync|tar|npx|bunx|uvx|uv|pipx|pip3?|deno|docker|kubectl|cargo|go|git|brew)[ \t]+[-\w./~$<(\x22']|\bsource[ \t]+(?:[./~$<(\x22']|[\w-]+(?:/|\.\w))";
    RegexBuilder::new(names).unicode(false).build().expect("the pattern is valid")
});

/// Larger JSON is data, not configuration.
const LARGEST_JSON: usize = 512 << 10;

/// True where a text may hold a command that matters.
pub(super) fn may_matter(text: &str) -> bool {
    ANCHOR.is_match(text.as_bytes())
}

/// The shell regions of a document, in order.
pub(super) fn of(document: &Document) -> Vec<Region> {
    let text = document.text.as_bytes();
    let skipped = matches!(document.role, FileRole::Binary | FileRole::Lock)
        // A source map holds source over again, which is no shell text.
        || document.path.ends_with(".map")
        || matches!(
            document.language,
            Language::JavaScript | Language::TypeScript | Language::Python | Language::Go | Language::Rust
        );
    // Before the language is asked: a notebook is JSON by its name.
    if is_notebook(&document.path)
        && let Ok(notebook) = Notebook::read(&document.text)
    {
        return cells(&notebook).collect();
    }
    if skipped {
        return Vec::new();
    }
    if document.language == Language::PowerShell {
        let whole = Region { is_powershell: true, ..Region::of(0, text.len()) };
        return Some(whole).filter(|_| powershell::may_matter(&document.text)).into_iter().collect();
    }
    let mut anchors = AnchorMatches::of(text);
    // The strings of JSON are looked at one by one: what is escaped there shows no anchor.
    let is_fence = |zone: &Zone| POWERSHELL_FENCE.is_match(text.get(zone.start..zone.end).unwrap_or_default());
    let may_have_fence = || document.language == Language::Markdown && document.zones.iter().any(is_fence);
    if document.language != Language::Json && !anchors.stand_in(0, text.len()) && !may_have_fence() {
        return Vec::new();
    }
    match document.language {
        Language::Shell => vec![Region::of(0, document.text.len())],
        Language::Markdown => markdown(document, &mut anchors),
        Language::Json => json(document, &mut anchors),
        Language::Yaml => yaml(document),
        _ if [".bat", ".cmd"].iter().any(|end| document.path.to_ascii_lowercase().ends_with(end)) => {
            vec![Region::of(0, document.text.len())]
        }
        _ => prose(document, 0, document.text.len()).collect(),
    }
}

/// The lines of each cell that a shell runs.
fn cells(notebook: &Notebook) -> impl Iterator<Item = Region> {
    notebook
        .cells()
        .filter(|cell| may_matter(&cell.shell))
        .map(|cell| Region { text: Some(cell.shell.clone()), ..Region::of(cell.offset, cell.offset) })
}

fn markdown(document: &Document, anchors: &mut AnchorMatches<'_>) -> Vec<Region> {
    let mut regions = Vec::new();
    for zone in &document.zones {
        let bytes = document.text.as_bytes().get(zone.start..zone.end).unwrap_or(&[]);
        match zone.kind {
            ZoneKind::CodeBlock if POWERSHELL_FENCE.is_match(bytes) => {
                regions.extend(
                    inside_of(&document.text, zone.start, zone.end)
                        .map(|(start, end)| Region { is_powershell: true, ..Region::of(start, end) }),
                );
            }
            // Nothing but a fence parts the first line of a block from what stands before it.
            ZoneKind::CodeBlock if !bytes.starts_with(b"```") => {
                regions.extend(block(&document.text, zone.start, zone.end).filter(|_| ANCHOR.is_match(bytes)));
            }
            ZoneKind::CodeBlock | ZoneKind::InlineCode if !anchors.stand_in(zone.start, zone.end) => {}
            ZoneKind::CodeBlock => regions.extend(block(&document.text, zone.start, zone.end)),
            ZoneKind::InlineCode => {
                let marks = bytes.iter().take_while(|byte| **byte == b'`').count();
                if zone.end > zone.start + 2 * marks {
                    let inside = Region::of(zone.start + marks, zone.end - marks);
                    regions.push(Region { is_spoken: true, ..inside });
                }
            }
            _ => regions.extend(prose(document, zone.start, zone.end)),
        }
    }
    regions
}

/// The inside of a code block, where its fence names a shell or nothing.
fn block(text: &str, start: usize, end: usize) -> Option<Region> {
    let whole = text.get(start..end)?;
    // An indented block has no fence that could name a language.
    let Some(language) = fence_language(whole).map(str::to_ascii_lowercase) else {
        return Some(Region::of(start, end));
    };
    let is_shell = matches!(
        language.as_str(),
        "" | "sh"
            | "bash"
            | "shell"
            | "zsh"
            | "console"
            | "terminal"
            | "shell-session"
            | "shellscript"
            | "fish"
            | "ksh"
            | "text"
            | "txt"
            | "plaintext"
            | "cmd"
            | "bat"
            | "batch"
            | "command"
            | "commands"
            | "cli"
            | "bashrc"
            | "dockerfile"
    );
    let (inside, end) = inside_of(text, start, end)?;
    is_shell.then_some(Region::of(inside, end))
}

/// What stands between the two marks of a fence.
fn inside_of(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let whole = text.get(start..end)?;
    let inside = start + whole.lines().next()?.len() + 1;
    // A block that is never closed runs to the end, and its last line is a command.
    let close = whole.trim_end().rfind('\n').map_or(end, |at| start + at + 1);
    let last = text.get(close..end).unwrap_or("").trim_start();
    let end = if last.starts_with("```") || last.starts_with("~~~") { close } else { end };
    (inside < end).then_some((inside, end))
}

/// From each line's first command on, over continued lines, up to the end of the line or a closing back quote.
fn prose(document: &Document, start: usize, end: usize) -> impl Iterator<Item = Region> {
    let text = document.text.as_bytes();
    let mut at = start;
    std::iter::from_fn(move || {
        let found = COMMAND.find_at(text.get(..end)?, at)?;
        let from = found.start();
        let rest = text.get(from..end)?;
        // Looked for first: a line may be the whole text, and hold a thousand commands in quotes.
        let mark = from.checked_sub(1).and_then(|before| text.get(before)).copied();
        let close = match mark {
            Some(mark @ b'`') => rest.iter().position(|byte| *byte == mark),
            // On its own line alone: a sign of inches or an apostrophe closes nothing.
            Some(mark @ (b'"' | b'\'')) => {
                let line = rest.iter().take_while(|byte| **byte != b'\n');
                let closes = |(at, byte): &(usize, &u8)| **byte == mark && rest.get(at.wrapping_sub(1)) != Some(&b'\\');
                line.enumerate().find(closes).map(|(at, _)| at)
            }
            _ => None,
        };
        let rest = rest.get(..close.unwrap_or(rest.len()))?;
        let mut length = 0;
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            length += line.len();
            // A backslash continues the command in the next line.
            if !line.trim_ascii_end().ends_with(b"\\") {
                break;
            }
        }
        // Always further on, even where the command is empty.
        at = from + length.max(1);
        Some(Region { is_spoken: true, ..Region::of(from, from + length) })
    })
}

/// The strings of a YAML text that hold commands, each as its reader gets it, and the commands in other lines.
fn yaml(document: &Document) -> Vec<Region> {
    let mut regions = Vec::new();
    let mut at = 0;
    for scalar in scalars::of(document) {
        if !is_command_key(document, scalar.start) {
            continue;
        }
        regions.extend(prose(document, at, scalar.start));
        at = scalar.end;
        if may_matter(&scalar.value.text) {
            let text = Some(scalar.value.text);
            regions.push(Region { text, ..Region::of(scalar.start, scalar.end) });
        }
    }
    regions.extend(prose(document, at, document.text.len()));
    regions
}

/// True where the string at a place belongs to a key whose strings are run. Others are mostly texts for people or agents.
fn is_command_key(document: &Document, at: usize) -> bool {
    let (start, _) = document.line_at(at);
    let line = document.text.get(start..at).unwrap_or_default();
    let before = line.trim().trim_end_matches(['"', '\'']).trim_end().trim_end_matches(':');
    let key = before.rsplit([' ', '-']).next().unwrap_or_default().trim_matches(['"', '\'']);
    // An item of a list belongs to the key above the list.
    let key = if before == "-" { key_above(document, start, line) } else { key };
    matches!(
        key,
        "run"
            | "script"
            | "scripts"
            | "command"
            | "commands"
            | "cmd"
            | "cmds"
            | "shell"
            | "before_script"
            | "after_script"
            | "entrypoint"
    )
}

/// The key of the list whose item stands on a line: the nearest line above that is no item and no deeper.
fn key_above<'d>(document: &'d Document, line_start: usize, item: &str) -> &'d str {
    /// The longest list whose key is looked for.
    const MOST: usize = 40;
    let depth = item.len() - item.trim_start().len();
    let above = document.text.get(..line_start).unwrap_or_default().trim_end_matches('\n');
    let is_key = |line: &&str| {
        let text = line.trim();
        let shallow = line.len() - line.trim_start().len() <= depth;
        shallow && !text.is_empty() && !text.starts_with(['-', '#'])
    };
    let line = above.rsplit('\n').take(MOST).find(is_key).unwrap_or_default().trim();
    line.strip_suffix(':').unwrap_or_default().trim_matches(['"', '\''])
}

/// The strings of a JSON text that hold commands, and each `command` with its `args`.
fn json(document: &Document, anchors: &mut AnchorMatches<'_>) -> Vec<Region> {
    let text = &document.text;
    let mut regions = Vec::new();
    for zone in document.zones.iter().filter(|zone| zone.kind == ZoneKind::Literal) {
        let Some(literal) = text.get(zone.start..zone.end) else { continue };
        // Of what is escaped the reading counts: the writing makes `\n` a letter after a backslash.
        let is_escaped = literal.contains('\\');
        // The mark behind it ends its last word.
        if !is_escaped && !anchors.stand_in(zone.start, zone.end + 1) {
            continue;
        }
        let literal = literal.trim();
        // The zone may be given with or without its quotation marks.
        let quoted = if literal.starts_with('"') { literal.to_owned() } else { format!("\"{literal}\"") };
        if let Ok(unescaped) = serde_json::from_str::<String>(&quoted)
            && (!is_escaped || may_matter(&unescaped))
        {
            regions.push(Region { text: Some(unescaped), ..Region::of(zone.start, zone.end) });
        }
    }
    let has_both = || ["\"args\"", "\"command\""].iter().all(|key| text.contains(key));
    // A key may be written in escapes.
    if text.len() <= LARGEST_JSON
        && (has_both() || text.contains("\\u00"))
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        commands_with_arguments(&value, text, &mut regions, 0);
    }
    regions
}

/// The anchors of a text, looked for in one walk.
struct AnchorMatches<'a> {
    text: &'a [u8],
    /// From where on was looked.
    from: usize,
    /// The end of the first one that begins there or later; none where there is none.
    end: Option<usize>,
}

impl<'a> AnchorMatches<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { text, from: 0, end: ANCHOR.shortest_match(text) }
    }

    /// True where one stands between two offsets, the first of which is not before the last one asked for.
    fn stand_in(&mut self, start: usize, end: usize) -> bool {
        let ends_there = |known: Option<usize>| known.is_some_and(|known| known <= end);
        // That which ends there may have begun before.
        if ends_there(self.end) && self.from < start {
            (self.from, self.end) = (start, ANCHOR.shortest_match_at(self.text, start));
        }
        ends_there(self.end)
    }
}

fn commands_with_arguments(value: &Value, text: &str, regions: &mut Vec<Region>, depth: u8) {
    // Configuration is flat; a deeper tree or more commands are data.
    if depth > 12 || regions.len() > 1000 {
        return;
    }
    match value {
        Value::Object(map) => {
            if let (Some(Value::String(command)), Some(Value::Array(words))) = (map.get("command"), map.get("args")) {
                let mut line = command.clone();
                for word in words.iter().filter_map(Value::as_str) {
                    line.push_str(" '");
                    // Quoted, because a client hands over arguments without a shell.
                    line.push_str(&word.replace('\'', "'\\''"));
                    line.push('\'');
                }
                // The first place with that text: good enough to point at, without a second parser.
                let start = text.find(command.as_str()).unwrap_or(0);
                let end = text.floor_char_boundary(start + command.len());
                regions.push(Region { text: Some(line), ..Region::of(start, end) });
            }
            map.values().for_each(|value| commands_with_arguments(value, text, regions, depth + 1));
        }
        Value::Array(values) => {
            values.iter().for_each(|value| commands_with_arguments(value, text, regions, depth + 1));
        }
        _ => {}
    }
}

/// Reads a region's text; what is found in a text of its own stands at the region as a whole.
pub(super) fn read(region: &Region, document: &Document, tracer: &mut Tracer) -> Vec<Traced> {
    let Some(text) = &region.text else {
        let text = document.text.get(region.start..region.end).unwrap_or("");
        // A command that is only named is not given in the folder to which a block changed.
        if region.is_powershell {
            return tracer.read_powershell(text, region.start, None);
        }
        let inside = if region.is_spoken { tracer.inside.take() } else { None };
        let traced = tracer.read(text, region.start, None);
        if region.is_spoken {
            tracer.inside = inside;
        }
        return traced;
    };
    // Offsets in an unescaped text mean nothing in the document.
    let traced = tracer.read(text, 0, Some((region.start, region.end)));
    let plains: Vec<String> = traced.into_iter().map(|traced| traced.plain).collect();
    if plains.is_empty() {
        return Vec::new();
    }
    vec![Traced { start: region.start, end: region.end, plain: plains.join(" ; ") }]
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn one_walk_tells_of_each_span_what_its_own_text_does(
            text in "(?:[a-z >$]{0,3}(?:curl |open |watch |> ?|\\$A)?`(?:curl x|open|sh|\\. \\./x|\\./x|a>|claude\\.md|\\$A\\$B|-B|rm|[a-z ]{1,6})`\n?){0,8}",
        ) {
            let marks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
            let spans = marks.chunks_exact(2).map(|pair| (pair[0], pair[1] + 1));
            let mut anchors = AnchorMatches::of(text.as_bytes());
            for (start, end) in spans {
                let expected = ANCHOR.is_match(&text.as_bytes()[start..end]);
                proptest::prop_assert_eq!(anchors.stand_in(start, end), expected, "{}", &text[start..end]);
            }
        }
    }
}
