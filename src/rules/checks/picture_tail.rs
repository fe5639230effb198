//! picture-tail: bytes that no viewer shows follow the end of a picture.

use crate::FactSink;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// Shorter text is a stray line end or a tag of the program that wrote the picture.
const SHORTEST: usize = 8;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let evidence = subject.evidence;
    for document in subject.documents() {
        // The unpacker files bytes behind the end of a container under this name.
        let Some(picture) = document.path.strip_suffix("!/trailing") else { continue };
        // Archives and programs have tails by their formats; pictures have none.
        let is_picture = evidence
            .documents
            .get(picture)
            .is_some_and(|outer| matches!(outer.shape, Shape::Picture { ends: Some(_), .. }));
        if !is_picture {
            continue;
        }
        let members = format!("{}!/", document.path);
        // Members sort behind the tail's own path, so that the next entry tells.
        let holds_files =
            evidence.documents.range(members.clone()..).next().is_some_and(|(path, _)| path.starts_with(&members));
        let is_text = document.role != FileRole::Binary && document.text.len() >= SHORTEST;
        let place = document.place(0);
        if holds_files {
            facts.found(place, "an archive follows the picture");
        } else if is_text {
            facts.found(place, &format!("behind the picture: {}", document.text));
        } else {
            // Cameras and editors append previews and clips.
            facts.found_as(Severity::Info, Confidence::Low, place, "bytes follow the picture");
        }
    }
}
