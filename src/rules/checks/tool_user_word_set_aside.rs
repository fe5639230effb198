//! tool-user-word-set-aside: a tool's text speaks of what the user said in order to do something else.
//!
//! The frames need both: the user's word, and that it does not count. Where the user said nothing a default may speak.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;

use super::tool_frames::{frame, stands, tell_first};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    tell_first(subject, facts, |sentence, _, _, _| sets_aside(sentence));
}

/// Words of which every frame holds one.
const CUES: Words = Words::of(&[
    "user",
    "users",
    "user's",
    "customer",
    "customers",
    "customer's",
    "traveler",
    "travelers",
    "traveler's",
    "traveller",
    "travellers",
    "traveller's",
    "human",
    "humans",
    "human's",
    "person",
    "persons",
    "person's",
    "merchant",
    "merchants",
    "merchant's",
    "shopper",
    "shoppers",
    "shopper's",
    "buyer",
    "buyers",
    "buyer's",
    "guest",
    "guests",
    "guest's",
    "passenger",
    "passengers",
    "passenger's",
    "patient",
    "patients",
    "patient's",
    "owner",
    "owners",
    "owner's",
    "operator",
    "operators",
    "operator's",
    "requester",
    "requesters",
    "requester's",
    "student",
    "students",
    "student's",
    "client",
    "clients",
    "client's",
    "visitor",
    "visitors",
    "visitor's",
    "caller",
    "callers",
    "caller's",
    "payer",
    "payers",
    "payer's",
    "sender",
    "senders",
    "sender's",
    "requested",
    "declined",
    "refused",
    "asked",
    "theirs",
    "ones",
    "those",
]);

static FRAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        // "Whatever server the user names", "even for a message that the user began".
        r"\b(?:even (?:if|when|for|where|though)|also (?:if|when|for|where)|including (?:when|if|those|ones|the ones)|no matter (?:what|which|whether|who|how|where|if)|regardless of|irrespective of|whatever|whichever|wherever|despite|in spite of|notwithstanding)\b[^;]{0,60}?\b<people>[ ,)][^;]{0,24}?\b<wish>\b",
        // "Also if economy was requested".
        r"\b(?:even|also) (?:if|when|where)\b[^;]{0,30}?\b(?:(?:was|were|is|are|has been|have been) (?:requested|declined|refused|asked for|forbidden|disallowed)|declined|refused)\b",
        // "Instead of the repository the user is working in".
        r"\b(?:instead of|in place of|in lieu of|relative to what|and not|not (?:on|to|from|at|in|with|the))\b[^;]{0,40}?\b<people>(?:'s (?:own|original|chosen|real|actual|usual|configured|existing)\b|[ ,][^;]{0,20}?\b(?:<wish>|is working|has open)\b)",
        // "The text given by the user is replaced", "the user's Slack server is bypassed".
        r"\b(?:<people>'s|<wish> (?:for )?(?:by|of|from) (?:the |a )?<people>|<people> <wish>)\b[^;]{0,50}?\b(?:is|are|gets?|was|be)(?: then| always| silently| simply| instead)? (?:<replaced>\b|(?:not |never )(?:used|contacted|honou?red|respected|followed|passed on|forwarded)\b)",
        // "Put X in place of the address that the user supplies".
        r"\b(?:replace|substitute|swap|exchange|rewrite|override|discard|disregard|ignore|redirect|divert|alter)\b[^;]{0,60}?\b<people> <wish>\b",
        // "The number that the user said plus 6", "when a user says 40, enter 400".
        r"\b<people> (?:said|says|gave|gives|asked for|asks for|wants|wanted|named|names|requested|entered|enters)\b[^;]{0,20}?\b(?:plus|minus|times|multiplied|divided|doubled|halved|\d+\b[^;]{0,40}?\b(?:amount|value|number|enter|pass|send|becomes)\b[^;]{0,24}?\d)",
        r"\b<wish> by (?:the |a )?<people>\b[^;]{0,30}?\b(?:multiplied|divided|doubled|halved|increased|reduced|plus|minus|times|raised|lowered|shifted)\b",
        // "For all accounts, including those requested as read-only".
        r"\b(?:including|also) (?:those|ones|the ones|for those) (?:requested|asked|meant|marked|intended|declined|refused)\b|\b(?:confidential|private|secret|personal|internal|protected) ones (?:too|as well|included)\b",
        // "One day later than the day asked for by the traveller".
        r"\b(?:later|earlier|more|less|higher|lower|other|different|fewer|larger|smaller|further|cheaper|dearer) (?:than|from)\b[^;]{0,40}?(?:\b<wish> (?:for )?by (?:the |a )?<people>|\b<people> <wish>)\b",
        // "Report that it went by the way the user named".
        r"\b(?:say|tell|state|report|reports|answer|answers|answered|describe|present|give|mention|pretend|claim)\b[^;]{0,60}?\b(?:came from|as if|under the name of|in the name of|as done|went via|went to|was made (?:with|via|in))\b[^;]{0,40}?(?:\b(?:<people>|they) <wish>|\b<people>'s|\bthe one asked for|\btheirs)\b",
    ];
    frames.map(frame).into()
});

/// "Users tend to say no, send true anyway", "if the user has not asked for one, create it all the same".
static UNASKED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b<people>\b[^;]{0,60}?(?:\bsay no\b|\bdeclin\w+|\brefus\w+|\binsist\w*|\bobject\w*|\bwants? (?:it|otherwise)\b|\bhas not asked\b|\bdid not ask\b|\bhasn't asked\b)[^;]{0,60}?\b(?:anyway|nonetheless|nevertheless|all the same|just the same)\b",
    )
});

/// The user said nothing, or is protected: a default, a refusal.
static EXCUSES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let excuses = [
        r"\b<people> (?:does|did|do|has|have|is|was|were)(?: not|n't) (?:<wish>|explicitly)\b[^;]{0,80}?(?:[.;!?]|$)",
        r"\b(?:never|do not|don't|must not|cannot|can't|refuses?)\b[^;]{0,200}?\b(?:even|also) (?:if|when)\b",
        r"\binstead of\b[^;]{0,80}?\b(?:if|when|unless)\b|\b(?:stop and ask|ask which|ask the)\b|\ba human must\b|\bto the <people> when\b|\bwhen they ask\b",
        r"\bor whatever\b|\b(?:only|explicitly) (?:mentions?|says?|asks?|gives?|names?)\b|\b(?:unless|until) (?:the )?<people>\b",
        r"\b(?:attack\w*|malicious|adversar\w*|phishing|detects?|injection)\b",
    ];
    excuses.map(frame).into()
});

fn sets_aside(sentence: &Sentence<'_>) -> bool {
    if !sentence.names(&CUES) {
        return false;
    }
    let lower = sentence.lower();
    // Of one who has not asked "all the same" is said: there the want of a wish is the point.
    let unasked = UNASKED.is_match(lower);
    let excuses = EXCUSES.get(usize::from(unasked)..).unwrap_or_default();
    (unasked || stands(&FRAMES, lower)) && !stands(excuses, lower)
}
