//! Functions, and what is cut out of variables: the parts of a shell's language by which a script makes words of others.

use super::syntax::Pipeline;
use super::tainted_value::TaintedValue;
use super::trace::{TracedArgument, Tracer};

/// The depth to which functions that call each other are followed.
const DEPTH: u8 = 4;
/// The most functions of one document.
const MOST: usize = 400;

impl Tracer {
    /// Keeps the body of a function for its calls.
    pub(super) fn define(&mut self, name: &str, body: &[Pipeline]) {
        if self.functions.len() < MOST {
            self.functions.insert(name.to_owned(), body.to_vec());
        }
    }

    /// Calls a function of the text with its arguments. None where there is none of that name.
    pub(super) fn call(&mut self, name: &str, words: &[TracedArgument], input: &TaintedValue) -> Option<TaintedValue> {
        let body = self.functions.get(name)?.clone();
        // The body costs its length at each call, so that calls are paid for out of the text's budget.
        let cost: usize = body.iter().map(|pipeline| pipeline.end - pipeline.start).sum();
        if self.calls >= DEPTH || cost > self.fuel {
            self.is_cut = true;
            return None;
        }
        self.fuel -= cost;
        self.calls += 1;
        let mut all = TaintedValue::default();
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                all.join(&TaintedValue::of(" "));
            }
            all.join(&word.value);
        }
        let numbered = words.iter().take(9).enumerate().map(|(at, word)| ((at + 1).to_string(), word.value.clone()));
        let given: Vec<(String, TaintedValue)> =
            numbered.chain([("@".to_owned(), all.clone()), ("*".to_owned(), all)]).collect();
        let before: Vec<(String, Option<TaintedValue>)> =
            given.into_iter().map(|(name, value)| (name.clone(), self.variables.insert(name, value))).collect();
        let printed = self.list(&body, input);
        for (name, value) in before {
            match value {
                Some(value) => _ = self.variables.insert(name, value),
                None => _ = self.variables.remove(&name),
            }
        }
        self.calls -= 1;
        Some(printed)
    }
}

/// The text of a variable after what `${name…}` does with it; none for what is not known.
pub(super) fn changed(text: &str, change: &str) -> Option<String> {
    // Bounded, as one word may cut a long text many times.
    const LONGEST: usize = 4096;
    if text.len() > LONGEST || !text.is_ascii() {
        return None;
    }
    let plain = |pattern: &str| !pattern.contains(['*', '?', '[', '$', '\\']);
    match change.as_bytes().first()? {
        b'[' => {
            let index = change.strip_prefix('[')?.split(']').next()?;
            match index {
                "@" | "*" => Some(text.to_owned()),
                number => Some(text.split_whitespace().nth(number.parse().ok()?).unwrap_or_default().to_owned()),
            }
        }
        b':' => {
            let mut numbers = change.get(1..)?.split(':').map(|number| number.trim().parse::<i64>());
            let length = i64::try_from(text.len()).ok()?;
            let from = numbers.next()?.ok()?;
            let from = if from < 0 { (length + from).max(0) } else { from.min(length) };
            let to = match numbers.next() {
                None => length,
                Some(count) => {
                    let count = count.ok()?;
                    if count < 0 { length + count } else { (from + count).min(length) }
                }
            };
            text.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?).map(str::to_owned)
        }
        b'/' => {
            let all = change.starts_with("//");
            let (pattern, other) =
                change.trim_start_matches('/').split_once('/').unwrap_or((change.trim_start_matches('/'), ""));
            plain(pattern).then(|| if all { text.replace(pattern, other) } else { text.replacen(pattern, other, 1) })
        }
        b'#' => {
            let pattern = change.trim_start_matches('#');
            plain(pattern).then(|| text.strip_prefix(pattern).unwrap_or(text).to_owned())
        }
        b'%' => {
            let pattern = change.trim_start_matches('%');
            plain(pattern).then(|| text.strip_suffix(pattern).unwrap_or(text).to_owned())
        }
        b'^' => Some(match change {
            "^^" => text.to_ascii_uppercase(),
            _ => text.get(..1)?.to_ascii_uppercase() + text.get(1..)?,
        }),
        b',' => Some(match change {
            ",," => text.to_ascii_lowercase(),
            _ => text.get(..1)?.to_ascii_lowercase() + text.get(1..)?,
        }),
        _ => None,
    }
}

/// The command that a pattern for files stands for, where it is one that is followed: `/bin/b?sh`.
pub(super) fn globbed(word: &str) -> Option<&'static str> {
    const NAMES: [&str; 16] = [
        "curl", "wget", "bash", "sh", "zsh", "dash", "nc", "ncat", "python3", "python", "perl", "ruby", "node",
        "base64", "scp", "openssl",
    ];
    let pattern = word.rsplit('/').next().unwrap_or(word);
    // A pattern alone (`*`) stands for the files at hand.
    let letters = pattern.bytes().filter(u8::is_ascii_alphanumeric).count();
    if !pattern.contains(['?', '*', '[']) || (letters == 0 && !word.starts_with("/???/")) {
        return None;
    }
    NAMES.into_iter().find(|name| matches(pattern.as_bytes(), name.as_bytes()))
}

/// True where a pattern with `?`, `*` and `[…]` fits a name. Both are short.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some(b'*'), _) => {
            matches(pattern.get(1..).unwrap_or(&[]), name)
                || (!name.is_empty() && matches(pattern, name.get(1..).unwrap_or(&[])))
        }
        (Some(b'['), Some(letter)) => {
            let Some(close) = pattern.iter().position(|byte| *byte == b']') else { return false };
            pattern.get(1..close).is_some_and(|set| set.contains(letter))
                && matches(pattern.get(close + 1..).unwrap_or(&[]), name.get(1..).unwrap_or(&[]))
        }
        (Some(wanted), Some(letter)) => {
            (*wanted == b'?' || wanted == letter)
                && matches(pattern.get(1..).unwrap_or(&[]), name.get(1..).unwrap_or(&[]))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_out_of_a_variable_is_known() {
        for (text, change, expected) in [
            ("xxxxcurlyy", ":4:4", Some("curl")),
            ("xxcurl", ":2", Some("curl")),
            ("curlxx", ":0:-2", Some("curl")),
            ("cXuXrXl", "//X/", Some("curl")),
            ("cXurl", "/X/", Some("curl")),
            ("xxcurl", "#xx", Some("curl")),
            ("curl.exe", "%.exe", Some("curl")),
            ("CURL", ",,", Some("curl")),
            ("curl -s kit", "[0]", Some("curl")),
            ("curl -s", "[@]", Some("curl -s")),
            ("curl", "#*/", None),
            ("curl", ":9:1", Some("")),
        ] {
            assert_eq!(changed(text, change).as_deref(), expected, "{text} {change}");
        }
    }

    #[test]
    fn a_pattern_for_files_is_a_command() {
        for (word, name) in [
            ("/bin/b?sh", Some("bash")),
            ("/usr/bin/c*rl", Some("curl")),
            ("/???/b??h", Some("bash")),
            ("*", None),
            ("src/*", None),
            ("c[u]rl", Some("curl")),
        ] {
            assert_eq!(globbed(word), name, "{word}");
        }
    }
}
