//! The output of `echo` and `printf`, their escapes undone.
//!
//! Text that is printed and piped into a shell is traced as a script.

use super::tainted_value::TaintedValue;
use super::trace::TracedArgument;

/// The output of `echo` and `printf`: their words, escapes undone.
pub(super) fn echo(name: &str, words: &[TracedArgument]) -> TaintedValue {
    let mut printed = TaintedValue::default();
    let options = words.iter().take_while(|word| matches!(word.text(), "-e" | "-n" | "-ne" | "-en" | "-E")).count();
    let has_escapes = name == "printf" || words.iter().take(options).any(|word| word.text().contains('e'));
    let mut words = words.iter().skip(options).peekable();
    // A format that only passes its words on is not part of what is printed.
    if name == "printf" && words.peek().is_some_and(|format| matches!(format.text(), "%s" | "%s\\n" | "%b" | "%b\\n")) {
        words.next();
    }
    let format = if name == "printf" { words.peek().map(|format| format.text().to_owned()) } else { None };
    if let Some(format) = format.filter(|format| format.contains("%s") || format.contains("%b")) {
        words.next();
        // Each `%s` is the next word; a shell goes round the format until there are no more.
        for piece in format.split_inclusive("%s").flat_map(|piece| piece.split_inclusive("%b")) {
            let fixed = piece.trim_end_matches("%s").trim_end_matches("%b");
            printed.join(&TaintedValue::of(fixed));
            if let Some(word) = words.next_if(|_| fixed.len() < piece.len()) {
                printed.join(&word.value);
            }
        }
    }
    for word in words {
        if !printed.text.is_empty() {
            printed.join(&TaintedValue::of(" "));
        }
        printed.join(&word.value);
    }
    if has_escapes && printed.text.contains('\\') && !printed.unknown {
        let undone = unescaped(&printed.text);
        // A few escapes are colours and line ends; more spell text.
        let hides = printed.text.matches("\\x").count() + printed.text.matches("\\0").count() > 3;
        printed.text = undone;
        if hides {
            printed.decoded = Some("printf");
        }
    }
    printed
}

fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut undone = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte == b'\\' {
            let (value, length) = super::words::ansi_escape(bytes.get(at..).unwrap_or(&[]));
            undone.push(value);
            at += length;
        } else {
            undone.push(*byte);
        }
    }
    String::from_utf8_lossy(&undone).into_owned()
}
