//! Tool steering, secrecy: the many ways in which a text keeps something from people.
//!
//! Wider than `tool_concealment`, which is enough by itself: what is here counts only beside something else. Must not
//! judge. Sources: SAFE-MCP T1404, T1401.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::lexicon::NEGATION;
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::words;

/// "Do not report this upstream", "no mention is needed", "without a note".
pub(super) fn demands_secrecy(sentence: &Sentence<'_>) -> bool {
    const SAID: Phrase = Phrase::of(
        &[
            &["not", "never", "no", "without", "don't", "avoid", "nor", "needn't", "mustn't", "nothing", "rather"],
            &[
                "mention",
                "mentioned",
                "mentioning",
                "tell",
                "telling",
                "told",
                "inform",
                "informs",
                "informing",
                "informed",
                "reveal",
                "reveals",
                "revealing",
                "revealed",
                "disclose",
                "discloses",
                "disclosing",
                "disclosed",
                "disclosure",
                "report",
                "reported",
                "reporting",
                "note",
                "quote",
                "raise",
                "raising",
                "flag",
                "announce",
                "announced",
                "discuss",
                "comment",
                "remark",
                "remarks",
                "refer",
                "warn",
                "notify",
                "notified",
                "alert",
                "advertise",
                "trace",
                "bring",
                "log",
                "list",
                "acknowledge",
                "draw",
                "talk",
                "say",
                "narrate",
                "surface",
                "advise",
                "admit",
            ],
        ],
        3,
    );
    let stated = words!["if", "or", "when", "is", "are", "was", "does"];
    let said = sentence.classes.any(NEGATION).then(|| sentence.find(&SAID)).flatten();
    const WEAK: Words = Words::of(&[
        "say",
        "report",
        "reported",
        "reporting",
        "list",
        "log",
        "note",
        "bring",
        "talk",
        "draw",
        "refer",
        "quote",
        "surface",
    ]);
    const OBJECT: Words =
        Words::of(&["this", "it", "these", "that", "them", "anything", "about", "those", "upstream", "up", "back"]);
    said.is_some_and(|(first, last)| {
        let plain = !sentence.fits(last, &WEAK)
            || sentence.fits(first, words!["nothing", "no", "without"])
            || (last + 1..=last + 2).any(|index| sentence.fits(index, &OBJECT));
        plain
            && !(first..last).any(|at| sentence.ends_clause(at))
            && !sentence.has(words!["unless", "until"])
            && !sentence.fits(last + 1, words!["by", "in", "if"])
            && !sentence.fits(first + 1, words!["longer", "only", "found"])
            && !sentence.fits(first.wrapping_sub(1), stated)
    }) || says_in_other_language(sentence, &HUSHED)
}

/// The same in other languages.
static HUSHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"usuario (?:no debe|nunca debe)|sin (?:avisar|informar|preguntar|mencionar|decir)",
        r"|\bno (?:lo |se lo |le )?(?:menciones?|digas?|avises?|informes?|reveles?)\b",
        r"|(?:nutzer|benutzer|anwender|kunde)[^.]{0,40}nicht[^.]{0,30}(?:inform|sag|erwähn|mitteil|zeig|erfahr|merk)",
        r"|nicht (?:erwähnen|mitteilen|verraten|zu informieren)|nirgends|ohne (?:rückfrage|nachfrage|zu fragen|hinweis)|verschweig",
        r"|sans (?:le |l'|en )?(?:prévenir|avertir|informer|demander|mentionner)|à l'insu",
        r"|ne (?:le |la |l'|en )?(?:dis|dites|mentionnez?|révèlez?|révélez|signalez?|parlez?)\b",
        r"|não (?:informe|diga|mencione|revele|avise|conte)|sem (?:avisar|informar|perguntar|mencionar)",
        r"|non (?:dire|menzionare|informare|rivelare|avvisare)|senza (?:avvisare|informare|chiedere|dirlo)|all'insaputa",
        r"|(?:ユーザー|利用者)[^。]{0,30}(?:説明|通知|報告|知らせ|伝え|言及|表示)[^。]{0,12}(?:ない|不要|必要はありません|ません|ず)|言及しない|触れない",
        r"|(?:不要|无需|勿|不必|别|不得|禁止)[^。]{0,12}(?:告诉|告知|提及|说明|透露|通知|提示|展示)|悄悄|静默|暗中",
        r"|(?:알리지|말하지|언급하지|표시하지) (?:마|않)",
        r"|не (?:сообщай|говори|упоминай|показывай|раскрывай)|незаметно|молча|без (?:ведома|уведомления|спроса)",
    ))
    .expect("the pattern is fixed and valid")
});

/// Whether a sentence in another language than English says something of a kind.
pub(super) fn says_in_other_language(sentence: &Sentence<'_>, said: &Regex) -> bool {
    const MARKS: Words = Words::of(&[
        "usuario",
        "usuarios",
        "nutzer",
        "benutzer",
        "utilisateur",
        "l'utilisateur",
        "utente",
        "l'utente",
        "servidor",
        "serveur",
        "nicht",
        "sin",
        "sans",
        "sem",
        "senza",
        "ne",
        "non",
        "das",
        "l'outil",
        "anderen",
        "otro",
        "autre",
    ]);
    let lower = sentence.lower();
    (!lower.is_ascii() || sentence.names(&MARKS)) && said.is_match(lower)
}

/// "Left out of the chat", "hidden from the summary".
pub(super) fn omits_from_reply(sentence: &Sentence<'_>) -> bool {
    const OMITTED: Phrase = Phrase::of(
        &[
            &[
                "omit",
                "omitted",
                "omitting",
                "hide",
                "hides",
                "hiding",
                "strip",
                "stripped",
                "conceal",
                "conceals",
                "concealing",
                "concealed",
                "leave",
                "leaves",
                "left",
                "leaving",
                "suppress",
                "suppresses",
                "suppressing",
                "suppressed",
                "withhold",
                "withheld",
                "kept",
                "nowhere",
                "drop",
                "dropped",
            ],
            &[
                "chat",
                "summary",
                "summaries",
                "reply",
                "replies",
                "answer",
                "answers",
                "explanation",
                "explanations",
                "transcript",
                "user",
                "user's",
                "conversation",
                "recap",
                "changelog",
                "echoing",
                "human",
                "person",
                "messages",
                "response",
            ],
        ],
        6,
    );
    sentence.find(&OMITTED).is_some()
}

/// "Quietly", "unprompted", "behind the scenes".
pub(super) fn acts_silently(sentence: &Sentence<'_>) -> bool {
    const QUIETLY: Words = Words::of(&[
        "quiet",
        "quietly",
        "silent",
        "silently",
        "silence",
        "covert",
        "covertly",
        "secretly",
        "discreet",
        "discreetly",
        "unprompted",
        "unannounced",
        "stealth",
        "stealthy",
        "stealthily",
        "invisibly",
        "unnoticed",
        "unobtrusive",
        "unobtrusively",
        "surreptitious",
        "surreptitiously",
        "unremarkable",
        "inconspicuous",
        "inconspicuously",
        "undisclosed",
        "behind",
    ]);
    sentence.has(&QUIETLY)
        && (0..sentence.words.len()).any(|index| sentence.fits(index, &QUIETLY) && !sentence.negated(index))
}

/// "Nobody sees it", "the approver may not be informed", "users have opted out of being told".
pub(super) fn keeps_user_unaware(sentence: &Sentence<'_>) -> bool {
    const NOBODY: Phrase = Phrase::of(
        &[
            &["nobody", "no-one", "none"],
            &[
                "see", "sees", "notice", "notices", "know", "knows", "close", "closes", "learn", "learns", "realise",
                "realises", "realize", "realizes",
            ],
        ],
        3,
    );
    const KEPT: Phrase = Phrase::of(
        &[
            &[
                "user",
                "users",
                "person",
                "human",
                "customer",
                "customers",
                "people",
                "they",
                "owner",
                "operator",
                "caller",
                "client",
                "developer",
                "developers",
                "preparer",
                "approver",
                "guest",
                "employee",
                "recipient",
            ],
            &["not", "never", "isn't", "aren't", "without", "unaware", "only", "opted", "needn't", "already", "no"],
            &[
                "told",
                "informed",
                "aware",
                "hear",
                "notice",
                "learn",
                "agreed",
                "consented",
                "realize",
                "realise",
                "find",
                "authorized",
                "authorised",
                "reminded",
            ],
        ],
        4,
    );
    [&NOBODY, &KEPT].into_iter().any(|phrase| sentence.find(phrase).is_some())
}
