//! Zones and headings of Markdown, and the comments of HTML and XML.
//!
//! Front matter is found by its fences alone, so that broken YAML does not hide the rest of the file.

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

pub(super) fn zones(text: &str, cover: &mut Cover) {
    let body = frontmatter_end(text);
    cover.to(body, ZoneKind::Frontmatter);
    let Some(rest) = text.get(body..) else { return };
    let mut open = vec![ZoneKind::Prose];
    for (event, range) in Parser::new_ext(rest, Options::ENABLE_TABLES).into_offset_iter() {
        let current = open.last().copied().unwrap_or(ZoneKind::Prose);
        let (start, end) = (body + range.start, body + range.end);
        match event {
            Event::Start(tag) => {
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
    cover.to(text.len(), ZoneKind::Prose);
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

    proptest::proptest! {
        #[test]
        fn every_heading_is_found(text in "(#{1,7}| |>|\n|```\n|`|<!--|-->|\\||[a-zé]{1,6}){0,40}") {
            let zones = zones_of(Language::Markdown, FileRole::Docs, &text);
            let headings = headings_of(&text, &zones, &line_starts(text.as_bytes()));
            let starts: Vec<usize> = headings.iter().map(|heading| heading.start).collect();
            proptest::prop_assert_eq!(starts, starts_plainly(&text, &zones));
        }
    }
}
