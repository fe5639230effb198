//! `Transcript`: what was said, listed, called and answered in one trial, as lines of JSON.
//!
//! No clock stands in it: the same answers of an agent give the same bytes. Reading takes bytes of strangers: every bound holds
//! before a line is parsed, and a refused line says which.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canary::RunSeed;
use crate::pack::Transport;
use crate::trial_id::TrialId;

/// The schema of a transcript.
pub const SCHEMA: &str = "capdex.agent-transcript/1";
/// The most bytes of one line.
pub const MAX_LINE: usize = 4 << 20;
/// The most lines of one trial. A trial of a pack has a few hundred at most.
const MAX_LINES: usize = 4096;

/// The first line of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialHead {
    /// [`SCHEMA`].
    pub schema: String,
    /// The pack by its name.
    pub pack: String,
    /// The digest of the pack.
    pub pack_sha256: Digest,
    /// The seed of the canaries.
    pub seed: RunSeed,
    /// The trial.
    pub trial: TrialId,
    /// The way to the agent.
    pub transport: Transport,
    /// True where what the agent says to its user is in the transcript.
    pub hears_words: bool,
}

/// The end of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The agent was done.
    Stop,
    /// It gave more answers than a trial may have.
    Answers,
    /// It made more calls than a trial may have.
    Calls,
    /// An answer was cut at its most tokens.
    Tokens,
    /// An answer held neither words nor calls.
    Empty,
    /// The time was over.
    Timeout,
    /// It could not be reached, or answered with an error.
    Transport,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The operator's words.
    System {
        /// The words.
        text: String,
    },
    /// A turn of the user.
    User {
        /// The number of the turn, from 1.
        turn: usize,
        /// The words.
        text: String,
    },
    /// A list of tools that was handed over.
    Tools {
        /// The server.
        server: String,
        /// The tools.
        tools: Value,
    },
    /// An endpoint answered.
    Answered {
        /// The model that it names.
        model: String,
        /// The state of the system that it names.
        fingerprint: String,
        /// The tokens that it counts.
        tokens: u64,
    },
    /// The agent said something.
    Assistant {
        /// The words.
        text: String,
    },
    /// The agent called a tool.
    Call {
        /// The server; empty where none has such a tool.
        server: String,
        /// The tool.
        tool: String,
        /// The arguments as they were sent.
        arguments: String,
    },
    /// A call was answered.
    Result {
        /// The words.
        text: String,
        /// True for an error.
        is_error: bool,
    },
    /// A form was shown.
    Form {
        /// The words above it.
        message: String,
    },
    /// A form was answered.
    FormAnswer {
        /// `accept`, `decline` or `cancel`.
        action: String,
        /// The filled fields, as JSON.
        content: String,
    },
    /// The agent's model was asked.
    Sample {
        /// The question.
        prompt: String,
    },
    /// The agent's model answered.
    SampleAnswer {
        /// The words.
        text: String,
    },
    /// A resource was read.
    ResourceRead {
        /// The address.
        uri: String,
    },
    /// The agent's client left a server.
    Closed {
        /// The server.
        server: String,
    },
    /// The working folder of an agent that was started, before and after.
    Workspace {
        /// The digest of its files before.
        before: Digest,
        /// The same afterwards.
        after: Digest,
        /// Files that are new, changed or gone, the first of them.
        changed: Vec<String>,
    },
    /// The tools that an agent which was started offered its model beside those of the mock servers.
    OwnTools {
        /// Their names, sorted.
        names: Vec<String>,
    },
    /// The trial is over.
    End {
        /// Why.
        reason: EndReason,
        /// More about it; empty where there is nothing to say.
        detail: String,
    },
}

/// One line behind the first.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    n: usize,
    event: Event,
}

/// One trial as it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The first line.
    pub head: TrialHead,
    /// The events in their order.
    pub events: Vec<Event>,
}

impl Transcript {
    /// The lines.
    pub fn to_text(&self) -> String {
        let mut text = json(&self.head);
        text.push('\n');
        for at in 1..=self.events.len() {
            text.push_str(&self.line(at));
        }
        text
    }

    /// The line of the event number `at`, from 1, with its end; empty where there is none.
    pub fn line(&self, at: usize) -> String {
        let event = at.checked_sub(1).and_then(|at| self.events.get(at)).cloned();
        event.map(|event| json(&Line { n: at, event }) + "\n").unwrap_or_default()
    }

    /// The digest of the lines.
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_text().as_bytes())
    }

    /// The end; none while the trial goes on.
    pub fn end(&self) -> Option<EndReason> {
        self.events.iter().find_map(|event| match event {
            Event::End { reason, .. } => Some(*reason),
            _ => None,
        })
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a line has only texts, numbers and JSON")
}

/// Why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct RefusedLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// The fault.
    pub reason: String,
}

/// Takes the lines of transcripts, one after the other.
#[derive(Debug, Default)]
pub struct TranscriptReader {
    lines: usize,
    current: Option<Transcript>,
}

impl TranscriptReader {
    /// Takes one line. Gives the trial that it ends, which is the one before where it begins another.
    ///
    /// # Errors
    /// A line that is too long or none of a transcript.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<Transcript>, RefusedLine> {
        self.lines += 1;
        let number = self.lines;
        let refused = |reason: String| RefusedLine { line: number, reason };
        if line.len() > MAX_LINE {
            return Err(refused(format!("a line has at most {MAX_LINE} bytes")));
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        // Only a head has a schema; without one that stands open, nothing else may come.
        if let Ok(head) = serde_json::from_slice::<TrialHead>(line) {
            if head.schema != SCHEMA {
                return Err(refused(format!("the schema is not {SCHEMA}")));
            }
            return Ok(self.current.replace(Transcript { head, events: Vec::new() }));
        }
        let Some(current) = &mut self.current else {
            return Err(refused("a transcript begins with its head".to_owned()));
        };
        let line: Line = serde_json::from_slice(line).map_err(|error| refused(error.to_string()))?;
        if line.n != current.events.len() + 1 || line.n > MAX_LINES || current.end().is_some() {
            return Err(refused("the line does not follow the one before".to_owned()));
        }
        current.events.push(line.event);
        Ok(None)
    }

    /// The last trial, at the end of the lines.
    pub fn finish(self) -> Option<Transcript> {
        self.current
    }
}

/// Reads all trials of a text.
///
/// # Errors
/// The errors of [`TranscriptReader::take`].
pub fn read(bytes: &[u8]) -> Result<Vec<Transcript>, RefusedLine> {
    let mut reader = TranscriptReader::default();
    let mut trials = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        trials.extend(reader.take(line)?);
    }
    trials.extend(reader.finish());
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head() -> TrialHead {
        TrialHead {
            schema: SCHEMA.to_owned(),
            pack: "p".to_owned(),
            pack_sha256: Digest::of(b"p"),
            seed: RunSeed::new([1; 32]),
            trial: TrialId { test: "a".to_owned(), number: 1, is_twin: false },
            transport: Transport::Chat,
            hears_words: true,
        }
    }

    fn transcript() -> Transcript {
        let events = vec![
            Event::System { text: "Be kind.\n\u{202e}".to_owned() },
            Event::Call { server: "a".to_owned(), tool: "b".to_owned(), arguments: "{\"x\": ".to_owned() },
            Event::End { reason: EndReason::Stop, detail: String::new() },
        ];
        Transcript { head: head(), events }
    }

    #[test]
    fn what_is_written_is_read_back_and_written_alike() {
        let text = transcript().to_text();
        let read_back = read(format!("{text}{text}").as_bytes()).expect("reads");
        assert_eq!(read_back, [transcript(), transcript()]);
        assert_eq!(read_back[0].to_text(), text);
    }

    #[test]
    fn what_is_no_transcript_is_refused_with_its_line() {
        let text = transcript().to_text();
        let head = text.lines().next().expect("a head");
        let first = text.lines().nth(1).expect("an event");
        let deep = format!("{{\"n\":1,\"event\":{}", "[".repeat(100_000));
        let cases: [(&str, Vec<u8>); 8] = [
            ("no head", first.as_bytes().to_vec()),
            ("a number twice", format!("{head}\n{first}\n{first}").into_bytes()),
            ("behind the end", format!("{text}{}", first.replace("\"n\":1", "\"n\":4")).into_bytes()),
            ("another schema", head.replace("transcript/1", "transcript/2").into_bytes()),
            ("an unknown key", head.replacen('{', "{\"more\":1,", 1).into_bytes()),
            ("too deep", format!("{head}\n{deep}").into_bytes()),
            ("no UTF-8", [head.as_bytes(), b"\n{\"n\":1,\"event\":{\"system\":{\"text\":\"\xff\"}}}"].concat()),
            ("too long", [head.as_bytes(), b"\n", &vec![b' '; MAX_LINE + 1]].concat()),
        ];
        for (what, bytes) in cases {
            assert!(read(&bytes).is_err(), "{what}");
        }
        assert!(read(&[head.as_bytes(), b"\n", &vec![b' '; MAX_LINE]].concat()).is_ok(), "at the bound");
    }

    proptest! {
        #[test]
        fn bytes_of_chance_end_and_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
            let whole = [transcript().to_text().as_bytes(), &bytes].concat();
            let _ = read(&whole);
        }

        #[test]
        fn a_changed_byte_is_refused_or_read_as_something_whole(at in 0_usize..400, byte in any::<u8>()) {
            let mut bytes = transcript().to_text().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(trials) = read(&bytes) {
                for trial in trials {
                    let text = trial.to_text();
                    prop_assert_eq!(read(text.as_bytes()).expect("reads"), [trial]);
                }
            }
        }
    }
}
