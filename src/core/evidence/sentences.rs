//! Sentences: prose as sentences of words with their offsets, and the one matcher that rules about wording share.
//!
//! Must not know any rule. Words in quotation marks or code are marked, so that a rule can tell what is said from what
//! is quoted. Every search is bounded by windows of words: the cost is linear in the text.

/// Words that turn a statement round, for [`Sentence::negated`].
const NEGATIONS: [&str; 17] = [
    "not",
    "never",
    "no",
    "don't",
    "dont",
    "doesn't",
    "won't",
    "can't",
    "cannot",
    "without",
    "shouldn't",
    "mustn't",
    "isn't",
    "nor",
    "avoid",
    "aren't",
    "nothing",
];

/// How many words before a word can negate it.
const NEGATION_WINDOW: usize = 3;

/// The longest quotation, in words; what is not closed within it is no quotation.
const MAX_QUOTATION: usize = 40;

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it is written, without the punctuation around it.
    pub raw: &'a str,
    /// In lower case, apostrophes straight.
    pub folded: String,
    /// Its first byte in the text.
    pub start: usize,
    /// Whether it stands in quotation marks or in code.
    pub quoted: bool,
}

/// One sentence, bullet or heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// Its words.
    pub words: Vec<Word<'a>>,
    /// Its text.
    pub text: &'a str,
    /// Its first byte in the text.
    pub start: usize,
}

/// Splits a text into sentences. Line breaks within a paragraph do not end one; blank lines and bullets do.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let runs = runs(text);
    let quoted = quotations(text, &runs);
    let mut sentences = Vec::new();
    let mut words = Vec::new();
    let mut begin = None;
    for (index, run) in runs.iter().enumerate() {
        if run.breaks_before {
            finish(text, &mut sentences, &mut words, &mut begin, run.start);
        }
        begin.get_or_insert(run.start);
        let raw = trimmed(run.raw);
        if !raw.is_empty() {
            let offset = run.start + (raw.as_ptr().addr() - run.raw.as_ptr().addr());
            let folded = raw.to_lowercase().replace('’', "'");
            words.push(Word { raw, folded, start: offset, quoted: quoted.get(index).copied().unwrap_or(false) });
        }
        if ends_sentence(run.raw) {
            finish(text, &mut sentences, &mut words, &mut begin, run.start + run.raw.len());
        }
    }
    finish(text, &mut sentences, &mut words, &mut begin, text.len());
    sentences
}

fn finish<'a>(
    text: &'a str,
    into: &mut Vec<Sentence<'a>>,
    words: &mut Vec<Word<'a>>,
    begin: &mut Option<usize>,
    end: usize,
) {
    if let Some(start) = begin.take()
        && !words.is_empty()
    {
        let text = text.get(start..end).unwrap_or_default();
        into.push(Sentence { words: std::mem::take(words), text, start });
    }
}

struct Run<'a> {
    raw: &'a str,
    start: usize,
    /// Whether a sentence cannot go on over what stands before it.
    breaks_before: bool,
}

fn runs(text: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut start = None;
    let mut newlines = 0;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if !letter.is_whitespace() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(begin) = start.take() {
            let raw = text.get(begin..at).unwrap_or_default();
            let bullet = newlines > 0 && is_bullet(raw);
            runs.push(Run { raw, start: begin, breaks_before: newlines > 1 || bullet });
            newlines = 0;
        }
        newlines += usize::from(letter == '\n');
    }
    runs
}

fn is_bullet(raw: &str) -> bool {
    let numbered = raw.trim_end_matches(['.', ')']);
    matches!(raw, "-" | "*" | "•" | "–" | "+")
        || raw.starts_with('#')
        || raw.starts_with('<')
        || raw.starts_with('[')
        || (numbered.len() < raw.len() && numbered.len() <= 2 && numbered.bytes().all(|byte| byte.is_ascii_digit()))
}

fn trimmed(raw: &str) -> &str {
    let raw = raw.trim_start_matches([
        '"', '\'', '`', '“', '‘', '(', '[', '{', '*', ',', ';', ':', '!', '?', '-', '#', '<', '«', '>', '=',
    ]);
    raw.trim_end_matches([
        '"', '\'', '`', '”', '’', ')', ']', '}', '*', ',', ';', ':', '!', '?', '.', '>', '»', '…', '。', '=',
    ])
}

/// Shortened words whose full stop ends no sentence.
const SHORTENED: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."];

fn ends_sentence(raw: &str) -> bool {
    let bare = raw.trim_end_matches(['"', '\'', '`', '”', ')', ']', '*']);
    let shortened = SHORTENED.iter().any(|word| bare.trim_start_matches('(').eq_ignore_ascii_case(word));
    bare.ends_with(['.', '!', '?', '。', '！', '？']) && !shortened
}

/// Which runs stand within quotation marks or back-ticks that are closed again.
fn quotations(text: &str, runs: &[Run<'_>]) -> Vec<bool> {
    const PAIRS: [(char, char); 6] = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\''), ('‘', '’'), ('«', '»')];
    let mut quoted = vec![false; runs.len()];
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        let opened = run.raw.trim_start_matches(['(', '[', '{', '=', ':', ',']);
        let pair = PAIRS.iter().find(|(open, _)| opened.starts_with(*open));
        let mut next = index + 1;
        if let Some((open, close)) = pair {
            let within = runs.iter().enumerate().skip(index).take(MAX_QUOTATION);
            let closing = within.take_while(|(at, run)| *at == index || !run.breaks_before).find(|(at, run)| {
                let from = if *at == index { run.raw.find(*open).map_or(0, |at| at + open.len_utf8()) } else { 0 };
                run.raw.get(from..).is_some_and(|rest| {
                    rest.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '!', '?']).ends_with(*close)
                })
            });
            if let Some((last, _)) = closing {
                quoted.iter_mut().take(last + 1).skip(index).for_each(|flag| *flag = true);
                next = last + 1;
            }
        }
        index = next;
    }
    fenced(text, runs, &mut quoted);
    quoted
}

/// Marks what stands in fenced blocks.
fn fenced(text: &str, runs: &[Run<'_>], quoted: &mut [bool]) {
    let fences: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    for pair in fences.chunks_exact(2) {
        if let [open, close] = pair {
            let first = runs.partition_point(|run| run.start < *open);
            let last = runs.partition_point(|run| run.start < *close);
            quoted.iter_mut().take(last).skip(first).for_each(|flag| *flag = true);
        }
    }
}

/// A sequence of words: each part is a choice of words, the next part stands at most so many words further on.
pub struct Phrase {
    /// For each part the words that fit it, in lower case; `word*` fits every word that begins so.
    pub parts: &'static [&'static [&'static str]],
    /// How many other words may stand between two parts.
    pub gap: usize,
}

impl Sentence<'_> {
    /// The first place where a phrase stands outside quotations: the indices of its first and last word.
    pub fn find(&self, phrase: &Phrase) -> Option<(usize, usize)> {
        self.find_from(phrase, 0)
    }

    /// As [`Self::find`], from a word on.
    pub fn find_from(&self, phrase: &Phrase, from: usize) -> Option<(usize, usize)> {
        let (first, rest) = phrase.parts.split_first()?;
        (from..self.words.len()).filter(|index| self.fits(*index, first)).find_map(|start| {
            let mut at = start;
            for part in rest {
                at = (at + 1..=at + 1 + phrase.gap).find(|index| self.fits(*index, part))?;
            }
            Some((start, at))
        })
    }

    /// Whether a word outside quotations is one of these.
    pub fn fits(&self, index: usize, words: &[&str]) -> bool {
        self.words.get(index).is_some_and(|word| !word.quoted && is_one_of(&word.folded, words))
    }

    /// Whether any word outside quotations is one of these.
    pub fn has(&self, words: &[&str]) -> bool {
        (0..self.words.len()).any(|index| self.fits(index, words))
    }

    /// Whether one of the three words before a word negates it.
    pub fn negated(&self, index: usize) -> bool {
        let before = self.words.iter().take(index).skip(index.saturating_sub(NEGATION_WINDOW));
        before.into_iter().any(|word| NEGATIONS.contains(&word.folded.as_str()))
    }

    /// The first byte of a word in the text.
    pub fn offset(&self, index: usize) -> usize {
        self.words.get(index).map_or(self.start, |word| word.start)
    }
}

/// Whether a folded word is one of these; `word*` fits every word that begins so.
pub fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|wanted| match wanted.strip_suffix('*') {
        Some(prefix) => word.starts_with(prefix),
        None => word == *wanted,
    })
}

#[cfg(test)]
mod tests;
