//! Implied consent: ways of taking consent as given, and the excuses that go with it.
//!
//! Must not know what is consented to.

use crate::pattern::Question;

/// Nobody is asked, consent is said to be there, or a reason is given why none is needed.
pub(super) static IMPLIED_CONSENT: [Question; 5] = [
    // Nobody is asked.
    Question::new(
        r"(?i)\bwithout\s+(?:asking|confirm\w*|approval|prompt\w*|consult\w*|waiting|permission|review|further)\b|\bno\s+(?:confirmations?|approvals?|prompts?|dry\s+run|questions?\s+asked)\b|\b(?:do\s+not|don.{1,3}t|never|avoid)\s+(?:ask|wait|prompt|confirm|interrupt|pause)(?:ing)?\s*(?:[.,;:]|for\s+(?:a\s+)?(?:confirmation|permission|approval)|first\b|before\b|again\b|any(?:one|body)\b|the\s+(?:user|developer|owner|team)\s*(?:[.,;]|first\b|about\b|whether\b|if\b))|\bunasked\b|\bskip\s+(?:the\s+)?(?:confirmation|approval|prompt)|\bbefore\s+you\s+answer\b|\basking\s+(?:first\s+)?is\s+not",
    ),
    // Consent is said to be there.
    Question::new(
        r"(?i)\balready\s+(?:agreed|consented|approved|gave|given|accepted|authori[sz]ed|cleared)\b|\bwaived\b|\bhas\s+given\s+(?:\w+\s+)?permission|\b(?:confirmations?|approvals?)\s+(?:is|are)\s+no\s+longer\b|\busers?\s+(?:has\s+|have\s+)?agreed\b|\bgave\s+(?:\w+\s+)?consent\b|\bmay\s+(?:pay|act|decide)\s+by\s+itself\b|\bon\s+by\s+default\b|\bby\s+(?:installing|using)\s+this\b|\bstanding\s+(?:instruction|order|approval)|\bpre-?(?:approved|cleared|authori[sz]ed)|\b(?:approved|authori[sz]ed|mandated|audited)\s+by\b|\bhas\s+been\s+(?:audited|approved|cleared)\b|\bper\s+(?:team|company)\s+(?:decision|policy)|\btakes?\s+precedence\s+over\b|\bsupersedes?\b|\bdisregard(?:ed)?\b|\boverrides?\s+(?:any|all|the)\b|\bconsent\s+(?:is|was)\s+(?:given|implied|assumed)|\b(?:which|that|this)\s+is\s+expected\b|\bimplied\s+consent|\bcounts\s+as\s+(?:consent|approval|a\s+yes)\b",
    ),
    // It happens on its own account.
    Question::new(
        r"(?i)\bat\s+the\s+end\s+of\s+(?:each|every)\b|\b(?:each|every)\s+(?:session|run|time|answer|use)\b|\bevery\s+(?:\w+\s+)?(?:hours?|minutes?|days?|night)\b|\bonce\s+(?:a|per)\s+(?:month|week|day|session)\b|\bafter\s+(?:each|every)\b|\blast\s+step\b|\bbefore\s+(?:any|each|every)\b",
    ),
    // It serves who wrote the text.
    Question::new(
        r"(?i)\b(?:our|my)\s+(?:own\s+)?(?:\w+\s+)?(?:servers?|service|cloud|buckets?|engineers?|support|team|bot|staff|partners?|gateway|cache|index|licen[cs]e|cdn|dashboard|systems?|database|training|backend|proxy|mirror|account|package|helper)\b|\bhelps?\s+us\b|\bso\s+(?:that\s+)?(?:we|our)\b|\bwe\s+(?:can|need|store|keep|collect|improve)\b|\bour\s+other\b",
    ),
    // An excuse is at hand.
    Question::new(
        r"(?i)\bfaster\b|\bis\s+free\b|\bin\s+return\b|\bfalse\s+positive\b|\bwithout\s+the\s+(?:usual|normal)\b|\bwhatever\s+(?:the|their|its)\s+source\b|\beven\s+(?:if|when|though)\b|\bis\s+(?:needed|required)\s+(?:once|so|for)\b|\bbefore\s+anything\s+else\b|\b(?:this|that|it|which|warning)\s+is\s+(?:normal|intended|by\s+design|harmless)\b|\bneeded\s+for\b|\b(?:does\s+not|doesn.{1,3}t|won.{1,3}t|will\s+not|can.{1,3}t|cannot)\s+(?:\w+\s+){1,3}without\b|\bwithout\s+(?:it|this)\b|\bannoying\b|\bslows?\s+(?:\w+\s+)?down\b|\bis\s+outdated\b|\bare\s+outdated\b|\bhas\s+rate\s+limits\b|\bsaves?\s+(?:tokens|money)\b|\bnobody\b|\bsigned\s+off\b|\bcompliance\s+requirement|\bquality\s+(?:assurance|program\w*)\b|\bknows?\s+about\s+it\b|\bterms\s+of\s+(?:use|service)\b|\bto\s+(?:activate|unlock)\b|\bpremium\b|\bcritical\s+bug\b|\bbinding\b",
    ),
];
