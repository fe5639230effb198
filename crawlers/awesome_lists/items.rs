//! The items of the lists in a Markdown document, each with its first link.
//!
//! Links are read as text and never followed.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use url::Url;

/// One item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AwesomeListItem {
    /// The text of its first link.
    pub(super) title: String,
    /// The address of that link.
    pub(super) url: Url,
    /// The text after it, on the same level, without the mark between the two.
    pub(super) description: String,
    /// The heading above.
    pub(super) heading: Option<String>,
}

impl AwesomeListItem {
    /// The link as part of a name: host and path, without what changes nothing.
    pub(super) fn place(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        // One site with and without `www.` is one name, so that an edit between the two makes no new listing.
        let host = host.strip_prefix("www.").unwrap_or(host);
        let query = self.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{host}{}{query}", self.url.path().trim_end_matches('/'))
    }
}

/// An item while it is read; lists may lie inside one another.
#[derive(Default)]
struct OpenListItem {
    url: Option<Url>,
    is_elsewhere: bool,
    title: String,
    description: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkdownContext {
    Text,
    Link,
    Heading,
    /// Inside of an image, whose text is no text of the item.
    Image,
}

/// All items whose first link leads to a web site.
pub(super) fn of(markdown: &str) -> Vec<AwesomeListItem> {
    let (mut items, mut open, mut heading) = (Vec::new(), Vec::<OpenListItem>::new(), None);
    let (mut place, mut images) = (MarkdownContext::Text, 0_usize);
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Item) => open.push(OpenListItem::default()),
            Event::End(TagEnd::Item) => items.extend(open.pop().and_then(|item| close(item, heading.as_ref()))),
            Event::Start(Tag::Heading { .. }) => (heading, place) = (Some(String::new()), MarkdownContext::Heading),
            Event::End(TagEnd::Heading(_) | TagEnd::Link) => place = MarkdownContext::Text,
            // Badges are images inside of links, so their depth is counted apart from the place.
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => {
                // The first link decides: an item that begins with an anchor stands in a table of contents.
                if let Some(item) = open.last_mut().filter(|item| item.url.is_none() && !item.is_elsewhere) {
                    item.url = web(&dest_url);
                    item.is_elsewhere = item.url.is_none();
                    place = MarkdownContext::Link;
                }
            }
            Event::Text(text) | Event::Code(text) => {
                let place = if images > 0 { MarkdownContext::Image } else { place };
                add(&text, place, open.last_mut(), heading.as_mut());
            }
            Event::SoftBreak | Event::HardBreak => add(" ", place, open.last_mut(), heading.as_mut()),
            _ => {}
        }
    }
    items
}

fn add(text: &str, place: MarkdownContext, item: Option<&mut OpenListItem>, heading: Option<&mut String>) {
    match (place, item, heading) {
        (MarkdownContext::Heading, _, Some(heading)) => heading.push_str(text),
        (MarkdownContext::Link, Some(item), _) => item.title.push_str(text),
        // Text before the link, such as a number, is no description.
        (MarkdownContext::Text, Some(item), _) if item.url.is_some() => item.description.push_str(text),
        _ => {}
    }
}

fn close(item: OpenListItem, heading: Option<&String>) -> Option<AwesomeListItem> {
    let is_mark = |letter: char| letter.is_whitespace() || matches!(letter, '-' | '–' | '—' | ':' | '|');
    Some(AwesomeListItem {
        title: item.title.trim().to_owned(),
        url: item.url?,
        description: item.description.trim_start_matches(is_mark).trim_end().to_owned(),
        heading: heading.map(|heading| heading.trim().to_owned()).filter(|heading| !heading.is_empty()),
    })
}

/// An address on the web, without its fragment; none for anchors and paths of the document's own site.
fn web(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    // An address with a user name shows one site and leads to another: `https://github.com@host/`.
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some() && url.username().is_empty();
    url.set_fragment(None);
    is_web.then_some(url)
}
