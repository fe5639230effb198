//! Cues: the clauses by which text in a tool speaks to the model instead of describing the tool.
//!
//! Shared by the rules about tools; must not decide how bad a cue is. Each looks at one sentence, outside quotations,
//! within a few words. Sources: SAFE-MCP T1001, T1401, T1404, T1501; measured against 20,000 public descriptions.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::lexicon::{
    CALL, Classes, DESTROY, GUARD, GUIDANCE, HIDDEN, NEGATION, OPERATION, ORDER, OVERRIDE, READ, SEND, SPEAK, USER,
};
use crate::evidence::sentences::{Phrase, Sentence, is_one_of};

static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)<\|(?:im_start|im_end|system|user|assistant|begin_of_text|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>|(?m:^### ?(?:Instruction|System|Human|Assistant)s?:)")
        .expect("the pattern is fixed and valid")
});

static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)</?(?:important|system|secret|hidden|instructions?|system[_-]?(?:prompt|message|instructions?|note)|hidden[_-]?instructions?|internal[_-]?(?:instructions?|note)|assistant|critical|admin|override|directive|mandatory)>")
        .expect("the pattern is fixed and valid")
});

static LABELS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\[(?:(?:HIDDEN|SECRET|SYSTEM|INTERNAL|OVERRIDE|ADMIN|PRIORITY|EMERGENCY|ROLE|CONFIGURATION|METADATA)[ _](?:INSTRUCTION|DIRECTIVE|OVERRIDE|PROMPT|MESSAGE|COMMAND)S?|SYSTEM|OVERRIDE)\]",
        r"|(?m:^[ \t>*#-]{0,8}(?:SYSTEM|OVERRIDE|HIDDEN|INSTRUCTION|PRIORITY|ADMIN|SAFETY) (?:OVERRIDE|DIRECTIVE|INSTRUCTIONS?|PROMPT|BYPASS)\b)",
        r"|\bACT AS: ?[A-Z]",
    ))
    .expect("the pattern is fixed and valid")
});

/// A token of a chat template: nothing that a description needs.
pub(super) fn template_token(text: &str) -> Option<(usize, usize)> {
    if !text.contains(['<', '[', '#']) {
        return None;
    }
    TEMPLATE.find(text).map(|found| (found.start(), found.end()))
}

/// Whether a pseudo-tag is one that honest servers use to order their own text.
pub(super) fn is_common_tag(text: &str, (start, end): (usize, usize)) -> bool {
    text.get(start..end).is_some_and(|tag| tag.to_ascii_lowercase().contains("instruction"))
}

/// A pseudo-tag that sets text apart as an order: `<IMPORTANT>`. Honest servers use some, too.
pub(super) fn pseudo_tag(text: &str) -> Option<(usize, usize)> {
    if !text.contains('<') {
        return None;
    }
    TAGS.find(text).map(|found| (found.start(), found.end()))
}

/// A label that claims a rank above the user: `SYSTEM OVERRIDE`, `[HIDDEN INSTRUCTION]`, `ACT AS: Administrator`.
pub(super) fn authority_label(text: &str) -> Option<(usize, usize)> {
    LABELS.find(text).map(|found| (found.start(), found.end()))
}

/// Which guidance is set aside.
const EARLIER: [&str; 27] = [
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "existing",
    "other",
    "all",
    "any",
    "system",
    "safety",
    "your",
    "user's",
    "former",
    "initial",
    "original",
    "conflicting",
    "default",
    "current",
    "every",
    "these",
    "those",
    "user",
    "security",
    "past",
    "contradictory",
    "built-in",
];

/// Setting earlier instructions aside: "ignore all previous instructions", "takes precedence over any other rule".
pub(super) fn overrides(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !sentence.classes.any(GUIDANCE.with(OVERRIDE)) {
        return None;
    }
    let aside = sentence.all(OVERRIDE).find_map(|first| {
        let last = (first + 1..=first + 5).find(|index| {
            sentence.is(*index, GUIDANCE)
                && !sentence.fits(
                    *index,
                    &["command", "commands", "order", "orders", "policy", "rule", "rules", "constraint", "constraints"],
                )
        })?;
        let earlier = (first + 1..=last).any(|index| sentence.fits(index, &EARLIER));
        let told = sentence.has(&["you", "your"]);
        (earlier || told).then_some((first, last))
    });
    let obeyed = sentence.find(&OBEY).filter(|_| sentence.has(&BLINDLY));
    let found = aside.or_else(|| sentence.find(&PRECEDENCE)).or_else(|| sentence.find(&ASIDE)).or(obeyed);
    found.filter(|(first, _)| !sentence.negated(*first) && !names_an_option(sentence, *first))
}

const PRECEDENCE: Phrase = Phrase {
    parts: &[
        &[
            "precedence",
            "priority",
            "override",
            "overrides",
            "supersede",
            "supersedes",
            "outrank",
            "outranks",
            "replaces",
            "cancels",
            "voids",
        ],
        &["all", "any", "other", "previous", "prior", "every", "user", "system", "conflicting", "your"],
        &[
            "instruction",
            "instructions",
            "prompt",
            "prompts",
            "directive",
            "directives",
            "guidelines",
            "request",
            "requests",
            "preferences",
            "guidance",
            "rules",
        ],
    ],
    gap: 3,
};

/// What a tool gives back is to be obeyed.
const OBEY: Phrase = Phrase {
    parts: &[
        &["follow", "obey", "execute", "treat", "comply", "perform", "act", "carry"],
        &["instruction", "instructions", "command", "commands", "directives", "directive", "output", "steps"],
        &[
            "response",
            "output",
            "result",
            "results",
            "returned",
            "returns",
            "contained",
            "tool's",
            "responses",
            "instructions",
            "commands",
        ],
    ],
    gap: 5,
};
/// The words that make obedience blind.
const BLINDLY: [&str; 9] = [
    "question",
    "blindly",
    "unconditionally",
    "system",
    "immediately",
    "unquestioningly",
    "questioning",
    "regardless",
    "authoritative",
];

const ASIDE: Phrase = Phrase {
    parts: &[
        &["ignore", "disregard", "forget"],
        &["everything", "anything", "what", "whatever"],
        &["user", "before", "above", "told", "said", "instructed", "system"],
    ],
    gap: 4,
};

/// "Ignore existing rules" as the name of a flag or a choice of the user is no order.
fn names_an_option(sentence: &Sentence<'_>, index: usize) -> bool {
    (index.saturating_sub(4)..index).any(|at| {
        sentence.words.get(at).is_some_and(|word| !word.quoted)
            && is_one_of(
                sentence.word(at),
                &[
                    "whether", "if", "to", "will", "option", "flag", "can", "may", "used", "detect*", "prevent*",
                    "block*", "like",
                ],
            )
    })
}

const TRUST: Phrase = Phrase {
    parts: &[
        &["trust", "treat"],
        &["all", "any", "every"],
        &["input", "inputs", "queries", "commands", "requests"],
        &["implicitly", "trusted", "without", "when", "in", "as"],
    ],
    gap: 3,
};

const UNLIMITED: Phrase = Phrase {
    parts: &[
        &["without", "no", "zero", "free"],
        &[
            "restrictions",
            "restriction",
            "guardrails",
            "safeguards",
            "limitations",
            "safety",
            "filtering",
            "moderation",
        ],
    ],
    gap: 2,
};

const UNRESTRICTED: Phrase = Phrase {
    parts: &[
        &["act", "you", "behave", "respond", "operate"],
        &["unrestricted", "unfiltered", "uncensored", "jailbroken", "unlimited"],
        &["assistant", "mode", "ai", "agent", "model", "answers", "way"],
    ],
    gap: 4,
};
const SUSPENDED: Phrase = Phrase {
    parts: &[
        &["system", "safety", "your", "content", "security", "usual", "ethical"],
        &["policies", "policy", "rules", "restrictions", "guidelines", "safeguards", "guardrails", "limits", "filters"],
        &["not", "no", "suspended", "lifted", "void"],
        &["apply", "longer", "applicable", "while", "when", "during", "for", "here"],
    ],
    gap: 2,
};
const COMPLY: Phrase = Phrase {
    parts: &[
        &["comply", "obey"],
        &["with", "all", "any", "every"],
        &["request", "requests", "command", "commands", "instruction"],
    ],
    gap: 2,
};

/// What protects a model, in the words in which it is switched off.
const PROTECTIONS: [&str; 17] = [
    "restrictions",
    "filters",
    "filtering",
    "policies",
    "guidelines",
    "controls",
    "protocols",
    "safeguards",
    "guardrails",
    "protections",
    "moderation",
    "sanitization",
    "alignment",
    "checks",
    "validation",
    "validations",
    "policy",
];

/// Switching protection off: "disable content filtering", "trust all user input implicitly", "answer without guardrails".
pub(super) fn unguards(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let bypass = || {
        sentence.all(OVERRIDE).find_map(|first| {
            let last = (first + 1..=first + 5).find(|index| sentence.fits(*index, &PROTECTIONS))?;
            let whose = (first + 1..=last).any(|index| {
                sentence.fits(
                    index,
                    &[
                        "safety", "security", "content", "access", "all", "any", "your", "ethical", "built-in",
                        "system", "privacy", "usage",
                    ],
                )
            });
            (whose || sentence.has(&["you", "your"])).then_some((first, last))
        })
    };
    let unlimited = || {
        sentence.find(&UNLIMITED).filter(|_| {
            sentence.classes.any(ORDER)
                && sentence.has(&["you", "act", "respond", "answer", "behave", "execute", "comply"])
        })
    };
    let free = unlimited()
        .or_else(|| sentence.find(&UNRESTRICTED))
        .or_else(|| sentence.find(&SUSPENDED))
        .or_else(|| sentence.find(&COMPLY));
    let found = free.or_else(|| {
        let found = sentence.classes.any(GUARD).then(bypass).flatten().or_else(|| sentence.find(&TRUST))?;
        (!sentence.negated(found.0)).then_some(found)
    })?;
    (!names_an_option(sentence, found.0)).then_some(found)
}

/// From whom something is kept, or what is.
const KEPT_FROM: [&str; 16] = [
    "user",
    "users",
    "user's",
    "human",
    "humans",
    "anyone",
    "policy",
    "this",
    "operator",
    "customer",
    "anybody",
    "person",
    "client",
    "instruction",
    "instructions",
    "step",
];

/// Keeping something from the user: "do not mention this to the user", "without the user noticing".
pub(super) fn conceals(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    unspoken(sentence).or_else(|| unseen(sentence)).or_else(|| kept(sentence))
}

/// "Never tell the user", "without informing anyone", "no need to mention this".
fn unspoken(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !(sentence.classes.any(NEGATION) && sentence.classes.any(SPEAK)) {
        return None;
    }
    const WORDS: [&str; 28] = [
        "mention",
        "mentioning",
        "mentioned",
        "tell",
        "telling",
        "inform",
        "informing",
        "informed",
        "reveal",
        "revealing",
        "revealed",
        "disclose",
        "disclosing",
        "disclosed",
        "notify",
        "notifying",
        "notified",
        "alert",
        "alerting",
        "told",
        "divulge",
        "expose",
        "shown",
        "bring",
        "bringing",
        "acknowledge",
        "discuss",
        "announce",
    ];
    let (first, said) = sentence.all(NEGATION).find_map(|first| {
        let said = (first + 1..=first + 5).find(|index| sentence.fits(*index, &WORDS))?;
        Some((first, said))
    })?;
    let passive = sentence.word(said).ends_with("ed") || matches!(sentence.word(said), "told" | "shown");
    if passive && (sentence.has(&["if", "when", "unless", "where"]) || sentence.has(&["longer"])) {
        return None;
    }
    let whom = (said + 1..=said + 5).find(|index| sentence.fits(*index, &KEPT_FROM) && !passive);
    // "The user must not be told": whom it is kept from stands before.
    let before = || (first.saturating_sub(4)..first).find(|index| passive && sentence.is(*index, USER));
    let last = whom.or_else(before)?;
    // "Do not tell the user to …" and "… that you cannot" steer an answer, they hide nothing.
    let steers = is_one_of(
        sentence.word(last + 1),
        &[
            "to", "they", "how", "what", "which", "you", "it", "there", "until", "unless", "if", "when", "before",
            "can", "may",
        ],
    ) && !matches!(sentence.word(last + 2), "used" | "use" | "have" | "did" | "are" | "were");
    let steers = steers
        || sentence.has(&["longer"])
        || (sentence.word(last + 1) == "that"
            && is_one_of(sentence.word(last + 2), &["it", "you", "they", "there", "this"])
            && sentence.has(&["cannot", "possible", "unable", "can't"]));
    (!steers || sentence.fits(last, &["this", "policy"])).then_some((first.min(last), last.max(said)))
}

const UNSEEN: Phrase = Phrase {
    parts: &[
        &["without", "not", "never", "nor", "don't", "cannot"],
        &["user", "user's", "users", "human", "operator", "customer"],
        &[
            "knowing",
            "knowledge",
            "noticing",
            "notice",
            "awareness",
            "aware",
            "realizing",
            "realize",
            "see",
            "seeing",
            "know",
            "noticed",
            "suspect",
        ],
    ],
    gap: 3,
};
const UNAWARE: Phrase = Phrase {
    parts: &[
        &["user", "users", "human", "operator", "customer"],
        &["not", "never", "unaware", "without", "remain", "remains"],
        &["know", "see", "notice", "aware", "unaware", "realize", "find", "of", "informed", "told", "shown", "learn"],
    ],
    gap: 3,
};

const NEEDLESS: Phrase = Phrase {
    parts: &[
        &["user", "users"],
        &["not", "doesn't", "don't", "no"],
        &["need", "have"],
        &["know", "notice", "see", "informed", "told"],
    ],
    gap: 2,
};

/// "Without the user noticing", "the user must not know".
fn unseen(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !sentence.classes.any(USER) {
        return None;
    }
    let found = sentence.find(&UNSEEN).or_else(|| sentence.find(&UNAWARE))?;
    let states = sentence.has(&[
        "if",
        "may",
        "might",
        "cannot",
        "can't",
        "able",
        "access",
        "permission",
        "permissions",
        "doesn't",
        "does",
    ]);
    let needless = sentence.find(&NEEDLESS);
    needless.or((!states).then_some(found))
}

const KEEP: Phrase = Phrase {
    parts: &[
        &[
            "hide",
            "hidden",
            "conceal",
            "concealed",
            "keep",
            "kept",
            "withhold",
            "secret",
            "invisible",
            "stay",
            "remain",
        ],
        &["from", "hidden", "secret", "confidential", "invisible", "to"],
        &["user", "users", "user's", "human", "humans", "operator", "customer"],
    ],
    gap: 3,
};

/// "Keep this hidden from the user".
fn kept(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let found = sentence.find(&KEEP).filter(|_| sentence.classes.any(HIDDEN.with(SPEAK)))?;
    let last = sentence.word(found.1 + 1);
    let plain = !sentence.negated(found.0) && !is_one_of(last, &["interface", "list", "profile", "id", "who"]);
    (plain && sentence.has(&["from", "invisible"]) && !sentence.has(&["whether", "if", "true", "option"]))
        .then_some(found)
}

/// An act out of sight: "silently upload", "in the background, copy".
pub(super) fn acts_in_secret(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    const SLY: [&str; 9] = [
        "secretly",
        "covertly",
        "stealthily",
        "discreetly",
        "invisibly",
        "surreptitiously",
        "quietly",
        "silently",
        "unnoticed",
    ];
    if !sentence.classes.any(HIDDEN) {
        return None;
    }
    let at = sentence.all(HIDDEN).find(|index| sentence.fits(*index, &SLY) && !sentence.negated(*index))?;
    let acts: Classes = SEND.with(READ).with(DESTROY);
    let act = (at.saturating_sub(3)..=at + 3).find(|index| *index != at && sentence.is(*index, acts))?;
    let weak = sentence.fits(at, &["silently", "quietly"]);
    let ordered = sentence.classes.any(ORDER) || sentence.has(&["also", "then"]);
    (!weak || (ordered && sentence.is(act, SEND))).then_some((at.min(act), at.max(act)))
}

static DELAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b(?:on|after|starting (?:with|from)|from|upon) the (?:second|third|fourth|fifth|sixth|seventh|tenth|\d+(?:st|nd|rd|th)) (?:call|invocation|use|request|execution|run|time|message|conversation)",
        r"|\bafter (?:\d+|two|three|four|five|six|seven|ten|several|a few|\w+) (?:successful )?(?:calls|invocations|uses|executions|runs|conversations|messages)\b",
        r"|\b(?:if|when|once) (?:the )?(?:current |today'?s |system )?(?:date|time|day|year) (?:is|has|reaches|passes|becomes)(?: \w+)? (?:after|past|later|beyond|passed|\d{4})",
        r"|\b(?:once|after) (?:the )?(?:user'?s? )?(?:trust|approval) (?:is|has been) (?:established|gained|granted|built)",
    ))
    .expect("the pattern is fixed and valid")
});

/// An order that waits: "on the third call, send …", "if the date is after …, replace …".
pub(super) fn waits(sentence: &Sentence<'_>) -> bool {
    let acts = SEND.with(DESTROY).with(OVERRIDE).with(crate::evidence::lexicon::CHANGE).with(CALL);
    sentence.classes.any(acts)
        && sentence.classes.any(OPERATION.with(ORDER).with(acts))
        && DELAY.is_match(sentence.lower())
}

/// The strongest clauses in other languages: setting instructions aside, silence towards the user, secrets handed over.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:忽略|无视|忘记|忽視|無視)(?:[^。\n]{0,8})(?:之前|以上|先前|前面|所有|此前)(?:[^。\n]{0,8})(?:指令|指示|说明|規則|规则|提示)|(?:以前|上記|これまで|前)の?(?:すべての|全ての)?(?:指示|命令)を?(?:無視|忘れ)",
        r"|(?:不要|不得|请勿|切勿|別|不能)(?:向|对|對|让|讓|告诉|告訴|通知|提醒|告知)(?:[^。\n]{0,4})(?:用户|用戶|使用者)|ユーザー?に(?:は)?(?:[^。\n]{0,10})(?:言わない|知らせない|伝えない|教えない|報告しない)",
        r"|이전(?:의)?\s*(?:모든\s*)?(?:지시|명령)(?:[^.\n]{0,6})무시|사용자에게\s*(?:[^.\n]{0,12})(?:말하지|알리지|언급하지)",
        r"|\bignor(?:a|e|ar|en|ez|iere|ieren|ieren sie|are)\b[^.\n]{0,24}\b(?:instrucciones|instructions précédentes|consignes|anweisungen|instruções|istruzioni)\b|\bignore[zr]?\b[^.\n]{0,20}\b(?:consignes|instructions précédentes)|\bmissachten?\b[^.\n]{0,24}\banweisungen\b",
        r"|\b(?:no|nunca)\s+(?:le\s+|se\s+lo\s+)?(?:menciones?|digas?|informes?|reveles?|cuentes?|diga|mencione|informe|revele)\b[^.\n]{0,30}\b(?:usuario|usuária|usuário|utilizador)\b|\bnão\s+(?:mencione|informe|conte|revele|diga)\b[^.\n]{0,30}\busuário",
        r"|\b(?:ne|n')\s*(?:le\s+)?(?:mentionne[zr]?|dites?|dis|informe[zr]?|révèle[zr]?|parle[zr]?)\b[^.\n]{0,20}\b(?:pas|jamais)\b[^.\n]{0,30}\butilisateur|\b(?:sag|sage|sagen|erwähne|erwähnen|informiere|informieren|verrate|verraten)\b[^.\n]{0,40}\b(?:nutzer|benutzer|anwender)\b[^.\n]{0,20}\b(?:nicht|nichts|niemals)|\b(?:nutzer|benutzer)\b[^.\n]{0,24}\b(?:nichts|nicht|niemals)\b[^.\n]{0,20}\b(?:sagen|erwähnen|informieren|mitteilen|verraten)",
        r"|(?:игнорируй|игнорируйте|забудь|забудьте)[^.\n]{0,24}(?:инструкци|указани|команд)|не\s+(?:говори|говорите|сообщай|сообщайте|упоминай|упоминайте|рассказывай)[^.\n]{0,30}пользовател",
        r"|تجاهل[^.\n]{0,20}(?:التعليمات|الأوامر)|لا تخبر المستخدم",
    ))
    .expect("the pattern is fixed and valid")
});

/// Such a clause, as offsets into the text.
pub(super) fn foreign_clause(text: &str) -> Option<(usize, usize)> {
    const MARKS: [&str; 8] =
        ["ignor", "missacht", "usuari", "usuári", "utilisateur", "nutzer", "anwender", "utilizador"];
    let lower = || text.to_lowercase();
    let worth = !text.is_ascii() || {
        let lower = lower();
        MARKS.iter().skip(1).any(|mark| lower.contains(mark))
            || lower.contains("instruc")
            || lower.contains("anweisung")
            || lower.contains("istruzion")
    };
    if !worth {
        return None;
    }
    FOREIGN.find(text).map(|found| (found.start(), found.end()))
}
