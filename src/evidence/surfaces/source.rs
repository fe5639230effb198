//! `SourceSurface`: a prompt, a resource or the instructions of a server, as source registers it.

use serde_json::Value;

use capdex_model::fact::Place;

use super::{Surface, SurfaceKind, of_entry};
use crate::recorded::RecordedEntry;

/// A surface other than a tool that source registers.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSurface {
    /// A prompt, a resource, or the server for its instructions.
    pub kind: SurfaceKind,
    /// What is known of it under the names that the protocol gives: `name`, `title`, `description`, `uri`, `uriTemplate`,
    /// `arguments`, `instructions`, `_meta`, `icons`. In a text `…` stands for a part that is put together at run time.
    pub entry: Value,
    /// True where a part of it could not be told.
    pub unread: bool,
    /// Its place.
    pub place: Place,
}

impl SourceSurface {
    /// Its name, else its address; `server` for instructions.
    pub fn name(&self) -> &str {
        let text = |key: &str| self.entry.get(key).and_then(Value::as_str);
        text("name").or_else(|| text("uri")).or_else(|| text("uriTemplate")).unwrap_or("server")
    }

    /// The surface, taken apart as a recorded one is; none where it has no name.
    pub(super) fn surface(&self) -> Option<Surface> {
        let mut surface = match self.kind {
            SurfaceKind::Server => {
                let mut server = Surface::new(self.kind, self.name(), self.place.clone());
                server.prose("/instructions", self.entry.get("instructions").and_then(Value::as_str));
                server
            }
            kind => {
                let entry = RecordedEntry { pointer: String::new(), value: &self.entry, key: None };
                Surface { place: self.place.clone(), ..of_entry(kind, &self.place.file, entry)? }
            }
        };
        surface.exhausted |= self.unread;
        Some(surface)
    }
}
