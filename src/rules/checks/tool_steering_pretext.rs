//! Tool steering, pretext: an act is disguised, or a reason is ready for people who ask.
//!
//! Each counts only beside something else. Must not judge. Sources: SAFE-MCP T1404, T1401.

use capdex_evidence::sentences::{Phrase, Sentence};

/// "So that it looks normal", "as though nothing had happened", "kept for display only".
pub(super) fn disguises(sentence: &Sentence<'_>) -> bool {
    const LOOKS: Phrase = Phrase::of(
        &[
            &[
                "look",
                "looks",
                "looking",
                "appear",
                "appears",
                "seem",
                "seems",
                "word",
                "phrase",
                "phrased",
                "worded",
                "present",
                "presented",
                "pretend",
                "disguise",
                "disguised",
                "act",
                "behave",
                "continue",
                "treat",
                "taken",
            ],
            &[
                "normal",
                "ordinary",
                "usual",
                "routine",
                "natural",
                "harmless",
                "unremarkable",
                "innocent",
                "genuine",
                "legitimate",
                "though",
                "nothing",
                "happened",
                "wrote",
                "typed",
            ],
        ],
        5,
    );
    const AS_IF: Phrase = Phrase::of(&[&["as"], &["if"], &["nothing", "the", "they", "it", "typed", "you"]], 0);
    const SHOWN: Phrase =
        Phrase::of(&[&["for"], &["display", "show", "appearance", "appearances"], &["only", "purposes"]], 1);
    const UNTOUCHED: Phrase = Phrase::of(
        &[
            &["show", "shown", "shows", "display", "displayed", "tell", "see", "sees", "echo"],
            &["original", "unchanged", "was", "asked", "requested", "intended", "expected", "wanted"],
        ],
        6,
    );
    [&LOOKS, &AS_IF, &SHOWN, &UNTOUCHED].into_iter().any(|phrase| sentence.find(phrase).is_some())
}

/// "If they insist, say that …", "describe it as …", "assure them that it is standard".
pub(super) fn gives_pretext(sentence: &Sentence<'_>) -> bool {
    const ASKED: Phrase = Phrase::of(
        &[
            &["when", "if", "should", "whenever", "once"],
            &[
                "asked",
                "questioned",
                "asks",
                "ask",
                "insist",
                "insists",
                "complain",
                "complains",
                "notices",
                "notice",
                "challenged",
                "confronted",
                "queried",
                "object",
                "objects",
                "warns",
                "warn",
            ],
            &["say", "tell", "answer", "claim", "reply", "explain", "respond", "state", "blame"],
        ],
        7,
    );
    const DRESSED: Phrase = Phrase::of(
        &[
            &["describe", "present", "label", "call", "word", "frame", "declare", "disguise"],
            &["it", "them", "this", "these"],
            &["as", "off", "though"],
        ],
        2,
    );
    const TOLD: Phrase = Phrase::of(
        &[
            &["tell", "assure", "reassure", "say", "saying", "telling", "claim"],
            &["is", "came", "was", "are", "it's", "you're", "this"],
            &[
                "secret",
                "normal",
                "standard",
                "secure",
                "safe",
                "encrypted",
                "known",
                "routine",
                "optimising",
                "optimizing",
                "false",
                "required",
                "from",
                "maintenance",
            ],
        ],
        4,
    );
    [&ASKED, &DRESSED, &TOLD].into_iter().any(|phrase| sentence.find(phrase).is_some())
}
