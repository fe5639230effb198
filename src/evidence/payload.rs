//! Payload: text that, wherever it is put, has a program fetched and run, sends data out, or orders an agent to hide
//! something.
//!
//! Rules and the shell's tracer ask the same of any text. Expressions are bounded to a line.

use std::sync::LazyLock;

use regex::Regex;

static FETCHES: LazyLock<Regex> = LazyLock::new(|| {
    // In a literal, a line end is written as a letter that would join the word behind it.
    let fetch = r"(?:\b|\\n)(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b(?u:[^|\n]){0,240}";
    let forms = [
        format!(
            r"{fetch}https?://(?u:[^|\n]){{0,200}}\|\s*\(?(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|node|perl|iex|invoke-expression)\b"
        ),
        r"\b(?:iex|invoke-expression)\b(?u:[^\n]){0,80}(?:downloadstring|iwr|irm|invoke-web)".to_owned(),
        r"\bexec\((?u:[^\n]){0,80}urlopen\(".to_owned(),
        r"\b(?:ba|z)?sh\s+-c\s+(?u:[^\n]){0,8}\$\(\s{0,2}(?:curl|wget)\b".to_owned(),
        r"\bbase64\s+(?:-d|-D|--decode)\s*\|\s*(?:ba|z)?sh\b|/dev/tcp/".to_owned(),
        r"-w(?:indowstyle)?\s+hidden\b(?u:[^\n]){0,160}https?://".to_owned(),
    ];
    crate::expression::of(&format!("(?i-u){}", forms.join("|")))
});

static SENDS: LazyLock<Regex> = LazyLock::new(|| {
    let option = r"\s(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|--post-(?:data|file))[\s=]";
    crate::expression::of(&format!(
        r"(?i-u)(?:\b|\\n)(?:curl|wget)\b(?:(?u:[^\n]){{0,120}}{option}(?u:[^\n]){{0,200}}https?://|(?u:[^\n]){{0,120}}https?://(?u:[^\n]){{0,200}}{option})"
    ))
});

static LOCAL: LazyLock<Regex> =
    LazyLock::new(|| crate::expression::of(r"(?i-u)https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\])"));

static HIDES: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?i-u)\b(?:do\s+not|don(?u:.?)t|never|no\s+need\s+to)\s+(?:\w+\s+){0,2}?(?:mention|tell|report|show|reveal|disclose|inform|list|ask)\b|\bwithout\s+(?:\w+\s+)?(?:telling|informing|asking|notifying|mentioning|a\s+question)\b|\b(?:leave|omit|keep|left)\b(?u:[^.\n]){0,40}\b(?:out\s+of|from)\s+(?:the|your|any)\s+(?:summary|report|answer|output|reply)|\b(?:silently|secretly|covertly)\b|\binternal\s+(?:tooling|step|detail)",
    )
});

static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?i-u)\b(?:run|execute|call|install|send|append|fetch|post|upload|create\s+it\s+with|follow)\b(?u:[^\n]){0,120}?(?:`|https?://|\bnpx\s|\bcurl\s|\bpython3?\s|~/)",
    )
});

/// The offset of a command that fetches a program and runs it.
pub fn fetches_program(text: &str) -> Option<usize> {
    FETCHES.find(text).filter(|found| !LOCAL.is_match(found.as_str())).map(|found| found.start())
}

/// The offset of a command that sends data to another machine.
pub fn sends_data(text: &str) -> Option<usize> {
    SENDS.find(text).filter(|found| !LOCAL.is_match(found.as_str())).map(|found| found.start())
}

/// The offset of words that have an agent do something and hide it: the order and the hiding within a few lines.
pub fn covert_order(text: &str) -> Option<usize> {
    const REACH: usize = 400;
    // A bound on the windows: repeated words would otherwise cost 800 bytes each.
    HIDES.find_iter(text).take(20).find_map(|hidden| {
        let low = text.floor_char_boundary(hidden.start().saturating_sub(REACH));
        let high = text.floor_char_boundary(hidden.end() + REACH);
        ORDERS.is_match(text.get(low..high)?).then_some(hidden.start())
    })
}
