//! picture-tail: bytes that no viewer shows follow the end of a picture.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::document::FileRole;
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct FilePictureTail;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "picture-tail"
version = 1
title = "Text or an archive is hidden behind the end of a picture"
why = "Every viewer shows an ordinary picture, while a program can cut off and use what follows it."
fix = "Ship data in files of its own."
cannot_see = "Data in the picture itself: in its colours, its comments or its profile."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST04", "SAFE-T1402", "CWE-506"]
[[examples.fires]]
note = "A script behind a small picture."
[examples.fires.files]
"a.gif" = "GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000\u002C\u0000\u0000\u0000\u0000\u0001\u0000\u0001\u0000\u0000\u0002\u0002\u0044\u0001\u0000\u003B#!/bin/sh\necho hello to all of you\n"
"a.gif!/trailing" = "#!/bin/sh\necho hello to all of you\n"
[[examples.silent]]
note = "A picture that ends where it says."
[examples.silent.files]
"a.gif" = "GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000\u002C\u0000\u0000\u0000\u0000\u0001\u0000\u0001\u0000\u0000\u0002\u0002\u0044\u0001\u0000\u003B"
[[examples.silent]]
note = "A file in an archive that is called so."
[examples.silent.files]
"a.zip!/trailing" = "#!/bin/sh\necho hello to all of you\n"
"##;

/// Shorter text is a stray line end or a tag of the program that wrote the picture.
const SHORTEST: usize = 8;

impl Rule for FilePictureTail {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let evidence = subject.evidence;
        for document in subject.documents() {
            let Some(picture) = document.path.strip_suffix("!/trailing") else { continue };
            let is_picture = evidence
                .documents
                .get(picture)
                .is_some_and(|outer| matches!(outer.shape, Shape::Picture { ends: Some(_), .. }));
            if !is_picture {
                continue;
            }
            let members = format!("{}!/", document.path);
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
}
