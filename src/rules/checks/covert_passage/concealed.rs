//! Ways of keeping something from people.
//!
//! Must not know what is kept from them.

use super::cues::{PassageCue, concealed};

/// People who might object, and what they read.
macro_rules! people {
    () => {
        r"(?:users?|people|persons?|customers?|clients?|developers?|operators?|owners?|reviewers?|the\s+(?:team|author|host)|anyone|anybody|everyone|humans?|recruiters?|colleagues?|managers?|admins?|administrators?|auditors?|employees?|maintainers?|readers?|viewers?|players?|students?|patients?|candidates?|applicants?|them|nobody|no\s+one)\b"
    };
}
macro_rules! record {
    () => {
        r"(?:summar(?:y|ies)|reports?|repl(?:y|ies)|answers?|responses?|outputs?|logs?|changelog|commit\s+messages?|descriptions?|recap|chat|transcripts?|conversation|reviews?|overview|(?:\w+\s+)?table|minutes|status|drafts?|listing|write-?ups?|diffs?|release\s+notes|final\s+messages?|plan|explanations?|readme|documentation|notes|checklist)\b"
    };
}
macro_rules! deed {
    () => {
        r"(?:it|this|that|them|these|those|steps?|uploads?|transfers?|changes?|rules?|anything|attention|existence|presence|requests?|notes?|sections?|calls?|address(?:es)?|records?|additions?|lines?|policy|instructions?|fees?|cop(?:y|ies)|exceptions?)\b"
    };
}

/// Something is concealed: left out, not told, told otherwise, made to look like something else, erased.
pub(super) static CONCEALED: [PassageCue; 14] = [
    // Left out of what people read.
    concealed(
        2,
        concat!(
            r"(?i)\b(?:leav(?:e|es|ing)|left|keep|keeps|kept|omit|omits|omitted|drop|exclude[ds]?|hide|hides|strip)\b[^.\n]{0,70}?\b(?:out\s+of|off|from)\s+(?:\w+\s+){0,3}?",
            record!()
        ),
    ),
    concealed(
        2,
        r"(?i)\b(?:reports?|summar(?:y|ies)|answers?|repl(?:y|ies)|logs?|minutes|reviews?|recap)\s+(?:leaves?\s+out|omits?|skips?|does\s+not\s+(?:mention|list|include|cover|name)|do\s+not\s+(?:mention|list|include))\b",
    ),
    // No word is needed.
    concealed(
        2,
        r"(?i)\b(?:no\s+need|no\s+reason|not\s+necessary|unnecessary|n.{1,3}t\s+(?:required|needed|necessary)|not\s+(?:required|needed)|need\s+not|needn.{1,3}t|no\s+point|n.{1,3}t\s+(?:have|need)\s+to)\b[^.\n]{0,50}?\b(?:mention|tell|inform|report|explain|discuss|interrupt|bother|disturb|announce|consult|know|told|hear|learn|notif|draw)",
    ),
    concealed(
        2,
        r"(?i)\b(?:write|add|leave|put)\s+(?:an?\s+|no\s+|any\s+)?comments?\s+about\b|\bexplain\s+the\s+(?:score|ranking|change|choice)\b|\bneeds?\s+no\s+(?:discussion|mention|announcement|explanation|section|comment|introduction)|\b(?:a|any)\s+(?:line|mention|note|word|entry|remark)\b[^.\n]{0,30}?\b(?:isn.{1,3}t|is\s+not|not)\s+(?:required|needed|necessary|wanted)",
    ),
    // Not told.
    concealed(
        1,
        concat!(
            r"(?i)\b(?:do\s+not|don.{1,3}t|never|without|avoid|must\s+not|should\s+not|and\s+not|not\s+to)\s+(?:\w+\s+)?(?:mention|tell|reveal|announc|discuss|disclos|repeat|surfac|comment|draw|alert|notify|inform|rais|bring|admit|report|flag|explain|advertis|say\s+(?:that|so)\b|point\s+out|highlight)\w*\s+(?:[^.\n]{0,40}?\b)?(?:",
            deed!(),
            "|",
            people!(),
            ")"
        ),
    ),
    concealed(
        1,
        r"(?i)(?:\bnot|\bnever|n.{1,3}t)\s+(?:to\s+)?(?:be\s+)?(?:shown|displayed|mentioned|repeated|visible|told|disclosed|pasted|quoted|notified|recorded|noticed|surfaced|announced|belong\s+in)\b|\b(?:stays?|remains?|kept)\s+(?:hidden|invisible|unmentioned|out\s+of\s+(?:sight|view|the\s+\w+))\b",
    ),
    // Told something else.
    concealed(
        1,
        r"(?i)\b(?:if|when|whenever|should|who|anyone|anybody|where|may|might)\b[^.\n]{0,50}?\b(?:asks?|asked|wonders?|notices?|complains?|objects?|enquires?|inquires?|questions\s+(?:it|this|them))\b[^.\n]{0,60}?\b(?:say|tell|reply|answer|blame|told|hear|claim|deny|point\s+to|learn|is\s+that|attribute)\b",
    ),
    concealed(
        2,
        r"(?i)\bnot\s+(?:supposed|meant)\s+to\b|\b(?:note|message|hint)\s+(?:to|for)\s+(?:the\s+|any\s+)?(?:AI|agents?|assistants?|LLMs?)\b|\bagents\s+(?:that|which|who|processing|reading)\b|\bhumans?\s+(?:can|may|should)\s+ignore|\bdescrib\w+\s+(?:it|this|that|them|the\s+\w+)\s+as\b|\bmention\s+only\b|\bonly\s+mention\b|\bgive\s+the\s+reason\b|\b(?:lay|put)\s+the\s+blame\b|\bblame\s+(?:it\s+|this\s+)?on\b|\bput\s+(?:it|this)\s+down\s+to\b|\bcover\s+story\b|\bpretend\s+(?:that|to|it|the)\b|\b(?:describe|present|label|call|explain)\w*\s+(?:(?:it|this|them|these|the\s+\w+)\s+)?as\s+(?:an?\s+)?(?:routine|standard|normal|usual|required|[\x22\x27`])|\bmark\s+(?:it|them|the\s+\w+)\s+\x22",
    ),
    concealed(
        3,
        r"(?i)\bas\s+(?:if|though)\s+(?:the\s+(?:team|user|author|project|company)\s+had|they\s+had\s+(?:been|come)|nothing\s+(?:had|happened))\b|\blooks?\s+(?:routine|unremarkable|innocent|harmless|like\s+(?:an?\s+|the\s+)?(?:normal|routine|ordinary|usual))|\bdisguis|\bwithout\s+naming\b|\bpass(?:es|ed)?\s+(?:it\s+|them\s+)?off\s+as\b|\bblends?\s+in\b|\binnocuous\b|\bso\s+as\s+not\s+to\s+(?:alarm|raise|arouse|attract|alert|draw)",
    ),
    concealed(
        3,
        concat!(
            r"(?i)\bso\s+(?:that\s+)?(?:it|they|",
            people!(),
            r"|the\s+(?:later|other|next|following)|an?\s+(?:\w+\s+)?(?:search|scan|scanner|reviewer))\b[^.\n]{0,40}?\b(?:suspects?\b|(?:not?|never)\s+(?:find|see|wonder|flag|detect|alarm|object|logged|notice)|n.{1,3}t\s+(?:find|see|wonder|flag|logged|detect|notice)|unaware\b|notices\b|goes\s+unnoticed)"
        ),
    ),
    concealed(
        3,
        r"(?i)\b(?:secretly|covertly|surreptitiously|stealthily|unnoticed|clandestine\w*)\b|\bwithout\s+(?:the\s+\w+\s+|their\s+|his\s+|her\s+|any\s+)?(?:\w+.{1,3}s\s+)?(?:knowledge|noticing|awareness)\b|\bfor\s+your\s+eyes\s+only\b|\bhidden\s+(?:criteri\w+|rules?|steps?|objectives?|goals?)\b|\bno\s+trace\b|\bbetween\s+(?:us|you\s+and\s+me)\b|\b(?:true|real|actual)\s+purpose\b|\bulterior\b",
    ),
    concealed(
        2,
        concat!(
            r"(?i)\b(?:alarm|confus|worr|unsettl|scar|frighten|bother|distract)(?:e|es|s|ing|y|ed)?\s+(?:",
            people!(),
            r"|there)|\blook\s+(?:alarming|suspicious|scary)|\b(?:finds?|found)\b[^.\n]{0,40}?\b(?:confusing|alarming|scary)|\bto\s+avoid\s+(?:confusion|alarm|questions|concerns?|debates?|suspicion)|\b(?:raises?|invites?|provokes?)\s+(?:\w+\s+)?(?:questions|suspicion)"
        ),
    ),
    concealed(
        3,
        r"(?i)\b(?:user|people|person|customer|client|team|owner|reviewer|operator)s?\s+(?:believes?|thinks?|assumes?|can(?:not|.{1,3}t)\s+see|will\s+not\s+(?:see|notice)|won.{1,3}t\s+(?:see|notice)|sees?\s+only|never\s+(?:sees?|learns?|notices?)|(?:does\s+not|doesn.{1,3}t)\s+(?:see|learn|notice)|need\s+not\s+know|has\s+no\s+need)\b",
    ),
    concealed(
        2,
        r"(?i)\b(?:reset|restore|preserve|fake|backdate)\b[^.\n]{0,30}?\b(?:modification\s+time|mtime|timestamps?|author\s+date)|\b(?:clear|wipe|delete|remove|erase|empty|scrub)\s+(?:(?:the|all|its|any|every|local|related)\s+){0,2}(?:(?:shell|bash|browser)\s+history|traces?|logs\b|audit|evidence|sent\s+items|receipts?)\b|\bsaveToSentItems\W{0,6}false|\bsendNotificationEmail\W{0,4}false|\bmarks?\s+(?:them|it)\s+as\s+read\b",
    ),
];
