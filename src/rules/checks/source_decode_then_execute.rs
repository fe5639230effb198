//! source-decode-then-execute: code is decoded from text and run.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{programs, weighed};
use crate::FactSink;
use capdex_evidence::code::sinks::{evaluates, runs_shell, spawns, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in programs(subject) {
        if let Some((document, at)) =
            subject.evidence.documents.get(file.path).filter(|_| !file.is_fenced()).and_then(packed_program)
        {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
            let evidence = document.text.get(at..).unwrap_or_default();
            facts.found_as(severity, confidence, document.place(at), evidence);
        }
        for call in file.view.calls.iter().filter(|call| interprets_decoded(call)) {
            let (severity, confidence) = file.weigh(call, Severity::High, Confidence::Medium);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
        for call in file.view.calls.iter().filter(|call| {
            evaluates(call) || runs_shell(call) || matches!(call.callee.as_str(), "import" | "*.constructor")
        }) {
            if decodes(call) || imports_data(call) {
                let (severity, confidence) = file.weigh(call, Severity::Critical, Confidence::High);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

/// A program inside a literal that decodes or fetches a further one and runs it: it is written to a file or handed to
/// an interpreter. A pattern that looks for such programs imports nothing.
fn packed_program(document: &Document) -> Option<(&Document, usize)> {
    static PACKED: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?-u)\b(?:exec|eval)\(\s{0,4}(?:compile\(\s{0,4})?(?:[A-Za-z_]\w{0,30}(?:\((?u:[^()\n]){0,40}\))?\.){0,3}\w{0,20}(?:urlopen|b64decode|decompress|unhexlify|requests\.get)\w{0,20}\(",
        )
    });
    // Bounded: a text full of such beginnings must not cost a zone for each.
    let hits = PACKED.find_iter(&document.text).take(20).map(|hit| hit.start());
    let mut in_literals = hits.filter(|at| document.zone_at(*at) == ZoneKind::Literal);
    in_literals.find(|at| imports_before(document, *at)).map(|at| (document, at))
}

/// True where a module is imported within a literal just before a place.
fn imports_before(document: &Document, at: usize) -> bool {
    let text = document.text.as_str();
    // The import of such a program stands in its first line, as the call does or just before it.
    let from = (at.saturating_sub(300)..at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let import = text.get(from..at).and_then(|before| before.rfind("import "));
    import.is_some_and(|import| document.zone_at(from + import) == ZoneKind::Literal)
}

/// True where the text that is run comes from a decoder, directly or through a constant.
fn decodes(call: &Call) -> bool {
    let from_decoder = call.arguments.iter().any(|argument| match argument {
        Argument::Result(callee) => is_decoder(callee, &call.text),
        _ => false,
    });
    from_decoder
        // `eval` with names of its own calculates formulas, which may come encoded.
        || (call.taint.first.any(TaintSources::DECODED) && !is_calculation(call))
        // The body of a new function is its last argument; those before are names.
        || (call.callee.contains("Function") && call.taint.rest.any(TaintSources::DECODED))
        || ["atob(", "b64decode(", "'base64')", "\"base64\")", "marshal.loads(", "fromhex("]
            .iter()
            .any(|token| opens_with(&call.text, token))
}

/// A module that is imported out of a literal rather than a file.
fn imports_data(call: &Call) -> bool {
    call.callee == "import"
        // Only scripts: pictures and styles are bundled as data addresses as well.
        && call.arguments.iter().filter_map(text_of).any(|text| {
            text.starts_with("data:text/javascript;base64") || text.starts_with("data:application/javascript;base64")
        })
}

/// Decoded text is handed to an interpreter, or written to a file that is handed to one.
fn interprets_decoded(call: &Call) -> bool {
    spawns(call)
        && call.taint.first.any(TaintSources::DECODED)
        && call.arguments.first().and_then(text_of).is_some_and(|text| {
            let mut words = text.split_whitespace();
            let first = words.next().unwrap_or_default();
            let program = first.rsplit('/').next().unwrap_or_default();
            // With `-c` the text is the program itself; else decoded text was written to the file that is named.
            let code = words.next().is_some_and(|option| matches!(option, "-c" | "-e"));
            code || matches!(program, "python" | "python3" | "bash" | "sh" | "zsh" | "node" | "perl" | "osascript")
        })
}

/// `eval(text, {}, names)`: an expression with names of its own, which is how formulas are calculated.
fn is_calculation(call: &Call) -> bool {
    call.callee == "eval" && call.arguments.len() > 1
}

fn is_decoder(callee: &str, text: &str) -> bool {
    match callee {
        "atob" | "marshal.loads" | "codecs.decode" | "binascii.unhexlify" | "bytes.fromhex" | "bytearray.fromhex"
        | "zlib.decompress" | "zlib.inflateSync" | "zlib.gunzipSync" | "lzma.decompress" | "bz2.decompress" => true,
        // A buffer of a file's bytes decodes nothing.
        "Buffer.from" => !text.contains("readFile"),
        callee => callee.starts_with("base64.") && callee.contains("decode"),
    }
}

/// True where a decoder stands within the call's own parentheses.
fn opens_with(text: &str, token: &str) -> bool {
    let Some(open) = text.find('(') else { return false };
    let Some(at) = text.find(token) else { return false };
    let between = text.get(open..at).unwrap_or_default();
    // Behind a semicolon or within a function the decoder belongs to other code in a bundled line.
    at > open && !between.contains(';') && !between.contains("=>") && !between.contains("function")
}
