//! Output: results on standard output, words for people on standard error, styles of a terminal.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use capdex_dataset::escape::escape_json;
use capdex_model::fact::Severity;
use capdex_model::score::Band;
use serde::Serialize;

/// Text behind a label, broken between words where the terminal ends, later lines below its beginning. In a pipe it stays
/// one line.
pub fn hanging(label: &str, text: &str) -> String {
    hanging_within(comfy_table::Table::new().width().map(usize::from), label, text)
}

/// Lines are not broken into fewer letters than this, however narrow the terminal is.
const NARROWEST: usize = 24;

/// The same for so many columns; on one line where there is no end.
pub fn hanging_within(columns: Option<usize>, label: &str, text: &str) -> String {
    // In a pipe a broken line would only get in the way of other programs.
    let Some(columns) = columns else { return format!("{label}{text}") };
    let indent = label.chars().count();
    // A terminal narrower than the label would leave no room at all.
    let room = columns.saturating_sub(indent).max(NARROWEST);
    let (mut wrapped, mut used) = (label.to_owned(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            wrapped.push('\n');
            wrapped.extend(std::iter::repeat_n(' ', indent));
            used = 0;
        } else if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += length;
    }
    wrapped
}

/// Results, on standard output. A closed pipe is no error: the reader has seen enough.
pub struct Out {
    stream: Box<dyn Write>,
}

impl Out {
    /// Standard output, with colour where the terminal and `--color` allow it.
    pub fn stdout() -> Self {
        Self { stream: Box::new(io::BufWriter::new(anstream::stdout())) }
    }

    /// A file in the place of standard output, without colour. Whatever it held is replaced.
    pub fn file(path: &Path) -> io::Result<Self> {
        Ok(Self { stream: Box::new(io::BufWriter::new(anstream::StripStream::new(fs::File::create(path)?))) })
    }

    /// Writes a line.
    pub fn line(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        self.pass(|stream| writeln!(stream, "{text}"))
    }

    /// Writes a value as one line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        Ok(self.line(escape_json(&serde_json::to_string(value)?))?)
    }

    /// Writes a value as a JSON document for people to read too.
    pub fn json_pretty(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        Ok(self.line(escape_json(&serde_json::to_string_pretty(value)?))?)
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pass(|stream| stream.write_all(bytes))
    }

    /// Hands everything on.
    pub fn flush(&mut self) -> io::Result<()> {
        self.pass(|stream| stream.flush())
    }

    fn pass(&mut self, write: impl FnOnce(&mut Box<dyn Write>) -> io::Result<()>) -> io::Result<()> {
        match write(&mut self.stream) {
            // `head` closes the pipe early; the run itself was fine.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            outcome => outcome,
        }
    }
}

/// Says something to the person at the terminal, on standard error. Nobody listening is no error.
pub fn say(text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// The colour of a band.
pub fn band_style(band: Band) -> Style {
    let colour = match band {
        Band::Ok => AnsiColor::Green,
        Band::Watch => AnsiColor::Yellow,
        Band::Caution => AnsiColor::BrightYellow,
        Band::Block => AnsiColor::Red,
        Band::Unknown => AnsiColor::BrightBlack,
    };
    Style::new().fg_color(Some(colour.into()))
}

/// The colour of a severity.
pub fn severity_style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Info | Severity::Low => AnsiColor::Cyan,
        Severity::Medium => AnsiColor::Yellow,
        Severity::High => AnsiColor::Red,
        Severity::Critical => AnsiColor::BrightRed,
    };
    Style::new().fg_color(Some(colour.into()))
}

/// Text in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_hangs_below_its_label_and_stays_one_line_in_a_pipe() {
        let text = "a sentence that is longer than one line of thirty";
        assert_eq!(hanging_within(None, "  why ", text), format!("  why {text}"));
        let wrapped = hanging_within(Some(32), "  why ", text);
        assert_eq!(wrapped, "  why a sentence that is longer\n      than one line of thirty");
        assert!(wrapped.lines().all(|line| line.chars().count() <= 32));
        assert_eq!(hanging_within(Some(3), "  why ", "word"), "  why word", "a narrow terminal loses nothing");
    }
}
