//! Zones and headings of Markdown, and the comments of HTML and XML.
//!
//! Front matter is found by its fences alone, so that broken YAML does not hide the rest of the file.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::{Cover, ZoneKind};

/// A heading of a Markdown text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// The byte offset of its line.
    pub start: usize,
    /// 1 to 6.
    pub level: usize,
    /// Its text without the marks, cut.
    pub title: String,
    /// The place in the list of the heading that it stands under.
    pub parent: Option<usize>,
}

/// The bytes of a text that are parsed at once. The parser keeps a hundred bytes and more for each mark, so that a text of
/// five megabytes would take most of a gigabyte.
const PIECE: usize = 256 << 10;

pub(super) fn zones(text: &str, cover: &mut Cover) {
    let body = frontmatter_end(text);
    cover.to(body, ZoneKind::Frontmatter);
    zones_by_piece(text, body, PIECE, cover);
    cover.to(text.len(), ZoneKind::Prose);
}

/// The zones from a place on, parsed piece by piece. A piece begins where a block does, so that it reads as in the whole
/// text; a block that is longer than a piece is cut, but for code and HTML, which mean something else without their
/// beginning. A link by a reference that another piece defines is plain text, which makes no zone.
fn zones_by_piece(text: &str, from: usize, most: usize, cover: &mut Cover) {
    let (mut at, mut length) = (from, most);
    while at < text.len() {
        let end = piece_end(text, at.saturating_add(length)).max(at + 1);
        match read_piece(text, at..end, cover) {
            Some(next) => (at, length) = (next, most),
            None => length = length.saturating_mul(2),
        }
    }
}

/// A place near the wanted one, behind it, at which a text may be cut: best before a line that begins with a letter, which
/// opens no block.
fn piece_end(text: &str, wanted: usize) -> usize {
    /// The distance in which a good place is looked for, in bytes.
    const NEAR: usize = 16 << 10;
    if wanted >= text.len() {
        return text.len();
    }
    let from = text.ceil_char_boundary(wanted);
    let near = text.get(from..text.floor_char_boundary(from.saturating_add(NEAR))).unwrap_or_default();
    let begins_word = |at: &usize| near.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let lines = || near.match_indices('\n').map(|(at, _)| at);
    let words = || near.match_indices([' ', '\t']).map(|(at, _)| at);
    let found = lines().find(begins_word).or_else(|| lines().next()).or_else(|| words().find(begins_word));
    found.map_or(from, |at| from + at + 1)
}

/// Covers one piece of a text; returns where the next one begins. None, and nothing covered, where its block of code or
/// HTML goes on behind it.
fn read_piece(text: &str, piece: Range<usize>, cover: &mut Cover) -> Option<usize> {
    let part = text.get(piece.clone()).unwrap_or_default();
    let goes_on =
        |end: usize| piece.end < text.len() && part.get(end..).is_some_and(|rest| rest.trim_start().is_empty());
    let mut open = vec![ZoneKind::Prose];
    let mut in_list = false;
    for (event, range) in Parser::new_ext(part, Options::ENABLE_TABLES).into_offset_iter() {
        let current = open.last().copied().unwrap_or(ZoneKind::Prose);
        let (start, end) = (piece.start + range.start, piece.start + range.end);
        match event {
            Event::Start(tag) => {
                // Blocks of the text itself, and the items of its lists.
                let is_outer = open.len() == 1 || open.len() == 2 && in_list;
                if is_outer && goes_on(range.end) {
                    let line = part.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
                    // It is read with what follows, by the piece that begins with it.
                    if line > 0 {
                        cover.to(piece.start + line, current);
                        return Some(piece.start + line);
                    }
                    if matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock) {
                        return None;
                    }
                }
                if open.len() == 1 {
                    in_list = matches!(tag, Tag::List(_));
                }
                cover.to(start, current);
                // A tag without a kind of its own continues what is around it, so that every end has its begin.
                open.push(kind_of(&tag).unwrap_or(current));
            }
            Event::End(_) => {
                cover.to(end, current);
                open.pop();
            }
            Event::Code(_) => {
                cover.to(start, current);
                cover.to(end, ZoneKind::InlineCode);
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                cover.to(start, current);
                comments_within(text, start, end, current, cover);
            }
            _ => {}
        }
    }
    Some(piece.end)
}

fn kind_of(tag: &Tag<'_>) -> Option<ZoneKind> {
    match tag {
        Tag::CodeBlock(_) => Some(ZoneKind::CodeBlock),
        Tag::BlockQuote(_) => Some(ZoneKind::Quotation),
        Tag::Table(_) => Some(ZoneKind::Table),
        _ => None,
    }
}

/// HTML and XML: comments apart, everything else as prose.
pub(super) fn markup_zones(text: &str, cover: &mut Cover) {
    comments_within(text, 0, text.len(), ZoneKind::Prose, cover);
}

/// Covers `start..end`, comments apart. A comment that opens here and closes later runs past `end`: what Markdown
/// shows after it is then still hidden from people.
fn comments_within(text: &str, start: usize, end: usize, around: ZoneKind, cover: &mut Cover) {
    let mut at = cover.end.max(start);
    while let Some(open) = text.get(at..end).and_then(|rest| rest.find("<!--")) {
        let open = at + open;
        // A comment that never closes hides all the rest from a reader, and not from an agent.
        let close = text.get(open + 4..).and_then(|rest| rest.find("-->")).map_or(text.len(), |close| open + close + 7);
        cover.to(open, around);
        cover.to(close, ZoneKind::Comment);
        at = close;
        if at >= end {
            return;
        }
    }
    cover.to(end, around);
}

/// The end of the front matter: after the closing fence's line, or 0 where the text does not open with one. A fence
/// that never closes is no front matter.
fn frontmatter_end(text: &str) -> usize {
    // Agents skip these before the first fence, so they must not switch front matter off.
    let blank = text.len() - text.trim_start_matches(['\n', '\r', ' ', '\u{feff}']).len();
    let mut lines = text.get(blank..).unwrap_or("").split_inclusive('\n');
    let mut end = blank;
    match lines.next() {
        Some(first) if first.trim_end() == "---" => end += first.len(),
        _ => return 0,
    }
    for line in lines {
        end += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return end;
        }
    }
    0
}

/// The part of a heading that counts, in bytes. Rules look at it for every match below it, and a line may be the whole
/// text.
const TITLE_LENGTH: usize = 400;

/// The headings of a Markdown text that stand in prose, in order, by its zones and where its lines begin.
pub(crate) fn headings_of(text: &str, zones: &[super::Zone], line_starts: &[usize]) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut zones = zones.iter().filter(|zone| matches!(zone.kind, ZoneKind::Prose | ZoneKind::Quotation)).peekable();
    for (line, start) in line_starts.iter().copied().enumerate() {
        // One byte tells for nearly every line that it is no heading.
        if !matches!(text.as_bytes().get(start), Some(b'#' | b'>' | b' ')) {
            continue;
        }
        while zones.next_if(|zone| zone.end <= start).is_some() {}
        let Some(zone) = zones.peek().filter(|zone| zone.start <= start) else { continue };
        let end = line_starts.get(line + 1).map_or(zone.end, |next| zone.end.min(*next));
        if let Some((level, title)) = text.get(start..end).and_then(heading_in) {
            let parent = parent_of(&headings, level);
            let title = title.get(..title.floor_char_boundary(TITLE_LENGTH)).unwrap_or(title);
            headings.push(Heading { start, level, title: title.to_owned(), parent });
        }
    }
    headings
}

/// The nearest heading of a lower level: walks up from the last one, which is at most six deep.
fn parent_of(headings: &[Heading], level: usize) -> Option<usize> {
    let mut candidate = headings.len().checked_sub(1);
    while let Some(heading) = candidate.and_then(|index| headings.get(index)) {
        if heading.level < level {
            return candidate;
        }
        candidate = heading.parent;
    }
    None
}

fn heading_in(line: &str) -> Option<(usize, &str)> {
    let marks = line.trim_start_matches(['>', ' ']);
    let title = marks.trim_start_matches('#');
    let level = marks.len() - title.len();
    let is_heading = (1..=6).contains(&level) && title.starts_with([' ', '\t']);
    is_heading.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::super::{Zone, zones_of};
    use super::*;
    use crate::bytes::line_starts;
    use crate::file_role::FileRole;
    use crate::language::Language;

    /// The plain definition: every line of every zone is read.
    fn starts_plainly(text: &str, zones: &[Zone]) -> Vec<usize> {
        let mut starts = Vec::new();
        for zone in zones.iter().filter(|zone| matches!(zone.kind, ZoneKind::Prose | ZoneKind::Quotation)) {
            let mut at = zone.start;
            for line in text[zone.start..zone.end].split_inclusive('\n') {
                let begins = at == 0 || text[..at].ends_with('\n');
                starts.extend(heading_in(line).filter(|_| begins).map(|_| at));
                at += line.len();
            }
        }
        starts
    }

    #[test]
    fn a_heading_counts_only_so_far() {
        let text = format!("# {}\n", "ä".repeat(1_000));
        let zones = zones_of(Language::Markdown, FileRole::Docs, &text);
        let headings = headings_of(&text, &zones, &line_starts(text.as_bytes()));
        assert_eq!(headings.iter().map(|heading| heading.title.len()).collect::<Vec<_>>(), [TITLE_LENGTH]);
    }

    fn zones_of_pieces(text: &str, most: usize) -> Vec<Zone> {
        let mut cover = Cover::default();
        zones_by_piece(text, 0, most, &mut cover);
        cover.to(text.len(), ZoneKind::Prose);
        cover.zones
    }

    #[test]
    fn a_block_that_is_longer_than_a_piece_is_cut_and_code_is_not() {
        let lines = "line after line of it\n".repeat(40);
        for (open, close, kind) in [("", "", ZoneKind::Prose), ("```sh\n", "```\n", ZoneKind::CodeBlock)] {
            let zones = zones_of_pieces(&format!("First.\n\n{open}{lines}{close}\nLast `word`.\n"), 100);
            let kinds: Vec<ZoneKind> = zones.iter().map(|zone| zone.kind).collect();
            assert!(kinds.contains(&kind), "{kinds:?}");
            assert_eq!(kinds.iter().filter(|other| **other == ZoneKind::CodeBlock).count(), open.len() / 6);
            assert_eq!(kinds.iter().filter(|other| **other == ZoneKind::InlineCode).count(), 1);
        }
    }

    #[test]
    fn a_cut_within_a_line_opens_no_block() {
        // Whoever chooses where a line is cut could else have prose read as code.
        let text = format!("{}# no heading\n", "ab cd ``` > - 1. ".repeat(5_000));
        assert!(text[piece_end(&text, 20_000)..].starts_with(char::is_alphabetic));
        assert_eq!(zones_of_pieces(&text, 1_000).iter().filter(|zone| zone.kind == ZoneKind::CodeBlock).count(), 0);
    }

    proptest::proptest! {
        #[test]
        fn a_text_reads_the_same_in_pieces(
            blocks in proptest::collection::vec("(a `b` c\n\n|# T `x`\n\n|> q `x`\n> r\n\n|```sh\nrun\n\n# x\n```\n\n|- a\n- b `c`\n\n|1. a\n\n   b\n2. c\n\n|    code\n\n|<!-- x -->\n\n|<div>\n`a`\n</div>\n\n|\\| a \\|\n\\|---\\|\n\\| b \\|\n\n|é <b>`x`</b>\n\n|T\n===\n\n)", 0..30),
            most in 64_usize..400,
        ) {
            let text = blocks.concat();
            proptest::prop_assert_eq!(zones_of_pieces(&text, most), zones_of_pieces(&text, usize::MAX));
        }

        #[test]
        fn every_heading_is_found(text in "(#{1,7}| |>|\n|```\n|`|<!--|-->|\\||[a-zé]{1,6}){0,40}") {
            let zones = zones_of(Language::Markdown, FileRole::Docs, &text);
            let headings = headings_of(&text, &zones, &line_starts(text.as_bytes()));
            let starts: Vec<usize> = headings.iter().map(|heading| heading.start).collect();
            proptest::prop_assert_eq!(starts, starts_plainly(&text, &zones));
        }
    }
}
