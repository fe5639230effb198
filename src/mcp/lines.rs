//! Lines of an input, each within a bound that holds before its bytes are kept.

use std::io::{self, BufRead};

/// The outcome of reading one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// The line is in the buffer, without its end.
    Whole,
    /// The line was longer than the bound, and was read past.
    TooLong,
    /// There is no more.
    End,
}

/// Reads the next line into `line`. A last line without an end counts.
///
/// # Errors
/// Errors of the input.
pub(crate) fn next(input: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> io::Result<InputLine> {
    line.clear();
    let mut is_over = false;
    loop {
        let there = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            there => there?,
        };
        if there.is_empty() {
            return Ok(match (is_over, line.is_empty()) {
                (true, _) => InputLine::TooLong,
                (false, true) => InputLine::End,
                (false, false) => InputLine::Whole,
            });
        }
        let end = there.iter().position(|byte| *byte == b'\n');
        let bytes = there.get(..end.unwrap_or(there.len())).unwrap_or_default();
        // Nothing is kept of a line that is too long, however much of it comes.
        is_over |= line.len() + bytes.len() > most;
        if is_over {
            line.clear();
        } else {
            line.extend_from_slice(bytes);
        }
        let used = bytes.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(if is_over { InputLine::TooLong } else { InputLine::Whole });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(text: &str, most: usize) -> Vec<(InputLine, String)> {
        // A small buffer, so that lines come in pieces.
        let mut input = BufReader::with_capacity(3, text.as_bytes());
        let (mut line, mut all) = (Vec::new(), Vec::new());
        loop {
            let outcome = next(&mut input, &mut line, most).expect("reads");
            if outcome == InputLine::End {
                return all;
            }
            all.push((outcome, String::from_utf8_lossy(&line).into_owned()));
        }
    }

    #[test]
    fn a_line_at_the_bound_is_kept_and_one_above_is_read_past() {
        let whole = |text: &str| (InputLine::Whole, text.to_owned());
        let over = || (InputLine::TooLong, String::new());
        assert_eq!(read("abcd\nabcde\nabcdef\nx", 5), [whole("abcd"), whole("abcde"), over(), whole("x")]);
        assert_eq!(read("\n\na", 5), [whole(""), whole(""), whole("a")]);
        assert_eq!(read("abcdefgh", 5), [over()]);
        assert_eq!(read("", 5), []);
    }
}
