//! Nesting: an upper bound of how deep a parser recurses over a text, by one cheap pass that keeps no tree.
//!
//! Brackets, chains of operators, chains of words (`typeof typeof x`, `else if`) and, in Python, indentation count. In
//! doubt (JSX text, a slash that may divide or open a regular expression) nothing is counted down again: the bound errs
//! upwards.

mod javascript;
mod python;

pub(super) use javascript::javascript;
pub(super) use python::python;

/// Deeper texts are not parsed. Real bundles stay under a tenth of it.
pub(super) const LIMIT: usize = 8_000;

/// The most brackets that may be open at once: the parser reads parentheses more than once, each time to their
/// end. Real bundles stay under 100.
const MAX_BRACKETS: usize = 300;

struct Frame {
    bracket: u8,
    /// Steps that a comma ends.
    marks: usize,
    /// Steps that only the end of a statement ends.
    words: usize,
    /// For `(`: the head of a statement. For `{`: surely an expression.
    special: bool,
}

struct Depth {
    frames: Vec<Frame>,
    total: usize,
    peak: usize,
    /// The number of open brackets, as far as it is known; counted down even without certainty, since it bounds time
    /// alone.
    brackets: usize,
    /// True where the pass lost certainty: from here on only upwards.
    uncertain: bool,
}

impl Depth {
    fn new(uncertain: bool) -> Self {
        let root = Frame { bracket: b'{', marks: 0, words: 0, special: false };
        Self { frames: vec![root], total: 0, peak: 0, brackets: 0, uncertain }
    }

    fn add(&mut self, steps: usize) {
        self.total += steps;
        self.peak = self.peak.max(self.total);
    }

    fn mark(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.marks += 1;
        }
        self.add(1);
    }

    fn word(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.words += 1;
        }
        self.add(1);
    }

    fn end_item(&mut self) {
        // Too high a bound refuses a file, too low a one overflows the stack: in doubt nothing is given back.
        if let (false, Some(frame)) = (self.uncertain, self.frames.last_mut()) {
            self.total -= std::mem::take(&mut frame.marks);
        }
    }

    fn end_statement(&mut self) {
        self.end_item();
        if let (false, Some(frame)) = (self.uncertain, self.frames.last_mut()) {
            self.total -= std::mem::take(&mut frame.words);
        }
    }

    fn open(&mut self, bracket: u8, special: bool) {
        // A step beside the frame's own, which only the end of the item gives back: chains such as `a()()()` nest.
        self.mark();
        self.frames.push(Frame { bracket, marks: 0, words: 0, special });
        self.add(1);
        self.brackets += 1;
        if self.brackets > MAX_BRACKETS {
            // Refused at once, because the time of the parser is bounded here and not its depth.
            self.peak = LIMIT + 1;
        }
    }

    /// Closes a bracket and tells whether its frame was special.
    fn close(&mut self, bracket: u8) -> bool {
        self.brackets = self.brackets.saturating_sub(1);
        let matches = self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.bracket == bracket);
        // A bracket that does not fit shows that a literal or a comment was misread.
        if !matches {
            self.uncertain = true;
            return false;
        }
        let special = self.frames.last().is_some_and(|frame| frame.special);
        if let (false, Some(frame)) = (self.uncertain, self.frames.pop()) {
            self.total -= frame.marks + frame.words + 1;
        }
        special
    }

    fn in_block(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.bracket == b'{')
    }

    fn in_substitution(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.bracket == b'$')
    }
}

fn is_word(byte: u8) -> bool {
    // Letters of other scripts belong to names; which ones do makes no difference to the depth.
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests;
