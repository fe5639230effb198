//! Event streams, read piece by piece in the WHATWG's format.
//!
//! Nothing is sent here. The caller bounds the bytes.

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// Its kind; `message` where the stream does not say.
    pub name: String,
    /// Its data, lines joined.
    pub data: String,
}

/// Reads a stream whose bytes come in any pieces.
#[derive(Debug, Default)]
pub(crate) struct EventParser {
    /// The bytes of a line that has not ended.
    line: Vec<u8>,
    /// True where the last byte was a carriage return, which a line feed may follow.
    is_after_return: bool,
    name: String,
    data: Vec<String>,
}

impl EventParser {
    /// Takes the next bytes; gives the events that they end.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        for byte in bytes {
            let is_second = std::mem::replace(&mut self.is_after_return, *byte == b'\r') && *byte == b'\n';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(*byte),
            }
        }
        events
    }

    /// The event that the end of the stream leaves without its blank line. Some servers send their only event so.
    pub(crate) fn end(&mut self) -> Option<StreamEvent> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_line()
    }

    fn end_line(&mut self) -> Option<StreamEvent> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            let name = if name.is_empty() { "message".to_owned() } else { name };
            return (!data.is_empty()).then(|| StreamEvent { name, data: data.join("\n") });
        }
        let (field, value) = line.split_once(':').unwrap_or((line.as_str(), ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => self.data.push(value.to_owned()),
            // Ids and times to come again are for clients that come again.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = EventParser::default();
        let mut events: Vec<_> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
        events.extend(parser.end());
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn event(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn events_are_read_whatever_ends_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                [": ping", "", "event: endpoint", "data: /messages?id=1", "", "data:a", "data: b", "", "id: 1", ""];
            let read = all(&[text.join(end).as_bytes()]);
            assert_eq!(read, [event("endpoint", "/messages?id=1"), event("message", "a\nb")], "{end:?}");
        }
        assert_eq!(all(&[b"data: {}"]), [event("message", "{}")], "the last event may lack its end");
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "(event: ?x|data: ?|\n|\r|\r\n|:|y|\u{e9}){0,30}", at in 0_usize..60) {
            let bytes = text.as_bytes();
            let (one, other) = bytes.split_at(at.min(bytes.len()));
            prop_assert_eq!(all(&[bytes]), all(&[one, other]));
        }
    }
}
