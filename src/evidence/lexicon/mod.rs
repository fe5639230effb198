//! The lexicon: the families of English words by which text speaks to whoever acts on it.
//!
//! A family is one bit; a word belongs to as many as it fits. Verbs and nouns are listed in their plain form, and every
//! regular form of them is known. A word costs one look-up.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::sentences::hash;

#[cfg(test)]
mod tests;

/// A set of families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(u64);

impl Classes {
    /// No family.
    pub const NONE: Self = Self(0);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True where the sets have a family in common.
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

macro_rules! families {
    ($($(#[$text:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$text])* pub const $name: Classes = Classes(1 << $bit);)*
    };
}

families! {
    /// Turns a statement round.
    NEGATION = 0;
    /// Obliges: must, always, required.
    ORDER = 1;
    /// Makes something other than it was: change, redirect, multiply.
    CHANGE = 2;
    /// Gives something a value or adds to it: set, use, append.
    SET = 3;
    /// Moves something to somebody: send, forward, upload.
    SEND = 4;
    /// Takes something in: read, collect, dump.
    READ = 5;
    /// Starts something: call, run, invoke.
    CALL = 6;
    /// Opens a condition: when, before, every.
    TRIGGER = 7;
    /// Arguments that decide where something goes or how much of it: recipient, path, amount.
    ARGUMENT = 8;
    /// People who are served: user, customer.
    USER = 9;
    /// Things that answer calls: tool, function, server.
    TOOL = 10;
    /// Objects of calls: email, payment, file, query.
    OPERATION = 11;
    /// Speaks: mention, tell, reveal.
    SPEAK = 12;
    /// All of a kind: any, every, all.
    UNIVERSAL = 13;
    /// Things kept from others: password, key, token.
    SECRET = 14;
    /// Words between user and model: conversation, history, context.
    TALK = 15;
    /// Sets aside: ignore, disregard, override.
    OVERRIDE = 16;
    /// Texts that guide the model: instruction, prompt, rule.
    GUIDANCE = 17;
    /// Protections: safety, restriction, guardrail.
    GUARD = 18;
    /// The user's leave: confirmation, approval.
    CONSENT = 19;
    /// Consequences of not obeying: fail, error, corrupt.
    CONSEQUENCE = 20;
    /// Grounds given for an order: security, compliance, audit.
    GROUNDS = 21;
    /// Wishes of the user: requested, specified, original.
    WISH = 22;
    /// Out of sight: silently, secretly, background.
    HIDDEN = 23;
    /// Outputs of the model: answer, response, summary.
    ANSWER = 24;
    /// Steals: exfiltrate, steal, harvest.
    STEAL = 25;
    /// The whole of something: entire, full, verbatim.
    WHOLE = 26;
    /// Destroys: delete, wipe, drop.
    DESTROY = 27;
    /// Others of a kind: other, another, different.
    OTHER = 28;
    /// In place of: instead, regardless.
    INSTEAD = 29;
}

/// Verbs in their plain form.
const VERBS: &[(Classes, &str)] = &[
    (ORDER, "require oblige"),
    (
        CHANGE,
        "change modify replace redirect alter rewrite swap substitute reroute divert multiply double triple inflate tamper overwrite adjust increase decrease reduce falsify spoof shift convert rename truncate exaggerate switch invert hijack intercept postpone",
    ),
    (CHANGE.with(OVERRIDE), "override overrule supersede"),
    (
        SET,
        "set use append add include pass specify assign force default put insert prefix suffix prepend inject embed attach supply provide fill hardcode point direct apply enable disable mark name address grant prepend",
    ),
    (
        SEND,
        "send forward bcc cc submit post upload deliver route report transfer email mail transmit share publish relay export sync push copy dispatch wire notify log stream duplicate leak exfiltrate report return pay",
    ),
    (
        READ,
        "read open cat access load get retrieve fetch collect grab extract copy dump scan list view harvest gather capture record obtain locate find",
    ),
    (CALL, "call use run invoke execute trigger activate consult"),
    (
        SPEAK,
        "mention tell inform reveal disclose notify alert show explain expose acknowledge announce discuss display communicate surface divulge share describe report admit bring",
    ),
    (OVERRIDE, "ignore disregard forget discard bypass circumvent skip neglect suspend disable"),
    (CONSENT, "confirm approve authorize authorise consent ask prompt"),
    (CONSEQUENCE, "fail crash corrupt break error reject block deny lose"),
    (WISH, "request specify provide intend supply choose enter select ask want give state name prefer"),
    (OPERATION, "create book schedule buy purchase sell trade withdraw deposit transfer deploy commit merge invite"),
    (STEAL, "exfiltrate steal harvest siphon"),
    (DESTROY, "delete wipe drop erase destroy purge remove truncate format"),
];

/// Nouns in their singular.
const NOUNS: &[(Classes, &str)] = &[
    (
        ARGUMENT,
        "recipient path amount parameter argument address destination branch flag target account receiver quantity permission url uri host endpoint payee beneficiary wallet filename filepath directory folder location channel port price value field bcc cc subject mode privilege rate currency date addressee sender webhook domain payload command query keyword option header remote repository bucket region limit size number ticker symbol time day assignee author body visibility access role scope balance attendee",
    ),
    (USER, "user customer human operator person anyone client people owner"),
    (TOOL, "tool function server plugin mcp integration"),
    (
        OPERATION,
        "email e-mail mail message sms payment transaction transfer purchase order trade booking reservation file filesystem commit push deployment query request upload download invite post tweet search deletion operation action call invocation command record event meeting document note appointment invoice withdrawal deposit login checkout write read task step session script download database shell terminal network git browser network calendar folder directory process workflow api money fund invoice",
    ),
    (SECRET, "password passphrase key token secret credential mnemonic cookie apikey pin keychain"),
    (TALK, "conversation history context chat transcript prompt message dialogue dialog memory"),
    (GUIDANCE, "instruction prompt directive guideline guidance rule order policy command constraint"),
    (
        GUARD,
        "restriction filter safeguard guardrail protection sandbox limitation control check validation sanitization policy guideline safety security verification rule permission",
    ),
    (CONSENT, "confirmation approval permission consent authorization authorisation"),
    (CONSEQUENCE, "failure error corruption exception violation inconsistency loss"),
    (
        GROUNDS,
        "security compliance audit policy regulation integrity safety authentication authorization verification validation quality gdpr requirement logging monitoring stability compatibility reliability telemetry protocol privacy consistency performance billing maintenance proxying",
    ),
    (ANSWER, "answer response reply summary output message result"),
    (STEAL, "exfiltration theft keylogger"),
];

/// Words that have no other form.
const WORDS: &[(Classes, &str)] = &[
    (
        NEGATION,
        "not never no don't dont doesn't won't can't cannot without shouldn't mustn't isn't nor avoid aren't nothing neither none didn't refrain hardly unless",
    ),
    (
        ORDER,
        "must always shall should mandatory need needs needed ought necessary compulsory essential obligatory imperative never supposed ensure guarantee remember please expected",
    ),
    (CHANGE, "moved overrode overridden overriding rewritten rewrote doubled doubling swapped swapping tripled"),
    (SET, "equal to as"),
    (SEND, "sent paid paying forwarded submitted submitting transferred transferring copied logged logging"),
    (READ, "got getting found scanned scanning"),
    (CALL, "ran running"),
    (
        TRIGGER,
        "when whenever if before after while once upon every each any all prior during until following anytime ahead where",
    ),
    (UNIVERSAL, "any every all each whenever everything anything"),
    (USER, "user's users' customer's they them"),
    (SPEAK, "told shown hide hidden conceal"),
    (WISH, "original originally user's intended desired actual given chosen said supplied wanted asks asking user"),
    (
        HIDDEN,
        "silently secretly quietly covertly discreetly invisibly stealthily unobtrusively hidden secret confidential invisible background unnoticed undetected transparently privately secrecy covert",
    ),
    (WHOLE, "full entire complete whole verbatim all every exact"),
    (OTHER, "other another different others subsequent external third-party remaining"),
    (
        INSTEAD,
        "instead regardless irrespective rather despite matter ignoring overriding disregarding whatever even notwithstanding",
    ),
    (
        CONSENT,
        "pre-approved preapproved auto-approve auto-approved autoapprove pre-authorized preauthorized auto-accept auto-confirm",
    ),
    (CONSEQUENCE, "otherwise lost broken invalid incorrect inaccurate unsafe rejected denied blocked else"),
    (STEAL, "stole stolen stealing exfil"),
    (GUARD, "safe secure"),
];

/// One form of a word.
struct Form {
    hash: u32,
    word: Box<str>,
    classes: Classes,
}

/// All forms, looked up for every word of a text: most are none, and are told from them within a few kilobytes.
struct LexiconTable {
    /// Which folded hashes there are, a bit for each of sixteen bits.
    known: Vec<u64>,
    /// The index at which the forms of each bucket begin among all, and the end of the last ones.
    starts: Vec<usize>,
    forms: Vec<Form>,
}

static TABLE: LazyLock<LexiconTable> = LazyLock::new(|| {
    let mut forms: BTreeMap<(usize, u32, String), Classes> = BTreeMap::new();
    let mut add = |word: String, classes: Classes| {
        // Sorted by bucket, so that the forms of one lie side by side.
        let hash = hash(word.as_bytes());
        let known = forms.entry((bucket(hash), hash, word)).or_default();
        *known = known.with(classes);
    };
    for (classes, words) in VERBS {
        for verb in words.split(' ') {
            verb_forms(verb).into_iter().for_each(|form| add(form, *classes));
        }
    }
    for (classes, words) in NOUNS {
        for noun in words.split(' ') {
            [noun.to_owned(), with_s(noun)].into_iter().for_each(|form| add(form, *classes));
        }
    }
    for (classes, words) in WORDS {
        words.split(' ').for_each(|word| add(word.to_owned(), *classes));
    }
    let form = |((_, hash, word), classes): ((usize, u32, String), Classes)| Form { hash, word: word.into(), classes };
    let forms: Vec<Form> = forms.into_iter().map(form).collect();
    // A bit for each folded hash: eight kilobytes, which stay in a cache.
    let mut known = vec![0; FOLDED / 64];
    for number in forms.iter().map(|form| folded(form.hash)) {
        known.get_mut(number / 64).into_iter().for_each(|bits| *bits |= 1_u64 << (number % 64));
    }
    let starts = (0..=BUCKETS).map(|number| forms.partition_point(|form| bucket(form.hash) < number)).collect();
    LexiconTable { known, starts, forms }
});

const BUCKETS: usize = 4096;
const FOLDED: usize = 1 << 16;

/// The families of a word in lower case with such a hash.
pub(super) fn classes_of(word: &str, hash: u32) -> Classes {
    let LexiconTable { known, starts, forms } = &*TABLE;
    // Most words of a text are in no family, and end here.
    if known.get(folded(hash) / 64).is_none_or(|bits| bits >> (folded(hash) % 64) & 1 == 0) {
        return Classes::NONE;
    }
    let start = |bucket: usize| starts.get(bucket).copied().unwrap_or(0);
    let own = forms.get(start(bucket(hash))..start(bucket(hash) + 1)).unwrap_or_default();
    // Two words may share a hash, so the letters decide.
    let form = own.iter().find(|form| form.hash == hash && *form.word == *word);
    form.map_or(Classes::NONE, |form| form.classes)
}

/// A hash, folded to sixteen bits.
const fn folded(hash: u32) -> usize {
    (hash ^ (hash >> 16)) as usize % FOLDED
}

/// The same, folded to the number of buckets.
const fn bucket(hash: u32) -> usize {
    folded(hash) % BUCKETS
}

/// The plain form with the ending of the third person or plural.
fn with_s(word: &str) -> String {
    match word.strip_suffix('y') {
        // `carry` becomes `carries`, `convey` becomes `conveys`.
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// The forms of a verb: plain, third person, past, and with -ing; with and without a doubled last letter.
fn verb_forms(verb: &str) -> Vec<String> {
    let mut forms = vec![verb.to_owned(), with_s(verb)];
    if let Some(stem) = verb.strip_suffix('e') {
        forms.extend([format!("{verb}d"), format!("{stem}ing")]);
        return forms;
    }
    match verb.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => forms.push(format!("{stem}ied")),
        _ => forms.push(format!("{verb}ed")),
    }
    forms.push(format!("{verb}ing"));
    // English doubles some last letters (`stopped`) and not others: both forms are known, and one is no word.
    let last = verb.chars().next_back().unwrap_or_default();
    if !"aeiouwxy".contains(last) {
        forms.extend([format!("{verb}{last}ed"), format!("{verb}{last}ing")]);
    }
    forms
}
