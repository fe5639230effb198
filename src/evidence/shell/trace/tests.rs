//! What the tracer may leave aside.

use super::*;
use proptest::prelude::*;

/// Commands of every role and meaning, prefixes, reserved words, marks, and words of running text.
const WORDS: [&str; 72] = [
    "curl",
    "wget",
    "sh",
    "bash",
    "python3",
    "node",
    "source",
    ".",
    "eval",
    "cat",
    "base64",
    "echo",
    "scp",
    "nc",
    "dig",
    "tar",
    "cp",
    "tee",
    "env",
    "open",
    "crontab",
    "sudo",
    "nohup",
    "xargs",
    "then",
    "if",
    "do",
    "time",
    "for",
    "in",
    "alias",
    "history",
    "unset",
    "rm",
    "read",
    "ssh",
    "aws",
    "su",
    "trap",
    "at",
    "watch",
    "mkfs.ext4",
    "chmod",
    "Use",
    "this",
    "tool",
    "a's",
    "\"x",
    "x=y",
    "$x",
    "${x:-sh}",
    "$(",
    "`",
    "'",
    ")",
    "(",
    "{",
    "}",
    "|",
    ";",
    "&",
    "\n",
    ">",
    "<<E",
    "\nE\n",
    "./a",
    "a/b",
    "-c",
    "~/.bash_history",
    "HISTFILE",
    "curl.exe",
    "",
];

proptest! {
    #[test]
    fn nothing_comes_of_what_is_idle(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..12)) {
        for pipeline in parse(&words.join(" ")) {
            let mut tracer = Tracer::default();
            if tracer.is_idle(&pipeline) {
                tracer.pipeline(&pipeline, TaintedValue::default());
                prop_assert!(tracer.events.is_empty() && !tracer.telling);
                prop_assert!(tracer.variables.is_empty() && tracer.files.is_empty() && tracer.aliases.is_empty());
            }
        }
    }
}

#[test]
fn running_text_is_idle() {
    let pipelines: Vec<Pipeline> = parse("Use this tool to fetch data (slow); history is kept").collect();
    assert!(pipelines.iter().all(|pipeline| Tracer::default().is_idle(pipeline) || pipeline.start > 30));
    assert!(Tracer::default().is_idle(&pipelines[0]));
    for text in ["sudo ./run.sh 15", "then ./x", "rm -rf a", "read x", "./a", "x=1", "a > b", "$x"] {
        assert!(!Tracer::default().is_idle(&parse(text).next().unwrap()), "{text}");
    }
}
