//! Harm: orders that destroy what is the user's, open what protects it, give it away, or plant what serves somebody else.
//!
//! Honest instructions have most of these verbs too. What they lack is that it happens unasked: on every task, or out of
//! sight. A few deeds no task needs that did not ask for them; these are grave by themselves.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::Destinations;
use super::sent::{Receiver, receiver};
use super::{PLACES, Passage, SILENT, STANDING, around, instructions, orders_at, passages, touched};
use crate::pattern::Question;

/// What an order does, and to what.
struct Harm {
    /// The deed that counts where it is done unasked, its verb and object in one clause; none where only a grave one does.
    unasked: Option<Question>,
    /// The words without which the deed is an ordinary one all the same, where there are any.
    words: Option<LazyLock<Regex>>,
    /// True where the deed counts with an address of a stranger's alone.
    to_stranger: bool,
    /// Deeds that are grave however often they are done, each beginning with its verb; none where there are none.
    grave: Option<Question>,
}

impl Harm {
    fn deeds(&self) -> impl Iterator<Item = &Question> {
        self.unasked.iter().chain(&self.grave)
    }
}

static DESTROYS: Harm = Harm {
    unasked: Some(Question::new(concat!(
        r"(?i)\b(?:delete|remove|erase|wipe|overwrite|drop|truncate|encrypt|corrupt|shred|purge|destroy|rm\s+-rf)\b[^.\n]{0,60}\b(?:backups?|databases?|production|home\s+director(?:y|ies)|user(?u:.)s?\s+(?:files|documents|data)|all\s+(?:\w+\s+){0,2}(?:files|documents|data|records|emails|branches|tables|photos|commits)|entire\s+\w+|git\s+history|(?:audit|system|access)\s+logs?|original\s+(?:files?|documents?|data))\b",
        r"|\brm\s+-rf\s+(?:~|/|\$HOME)",
    ))),
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:delet|remov|eras|wip|purg|destroy|shred)(?:e|ing|)\b[^.\n]{0,30}\b(?:all|every|everything|any|the\s+entire)\s+(?:(?:\w+|in|of)(?:(?u:.)s)?\s+){0,5}?(?:home\s+director(?:y|ies)|backups|user(?u:.)s?\s+(?:files|documents|photos|data)|files\s+of\s+the\s+user|(?:other|remote)\s+branches|production)\b",
        r"|(?i)\b(?:delete|drop|destroy|wipe)\s+the\s+production\s+(?:database|cluster|environment|data|bucket|server)\b",
        r"|(?i)\brewrite\b[^.\n]{0,20}\bgit\s+history\b[^.\n]{0,60}\bforce-?push\b",
        r"|(?i)\b(?:delete|clear|wipe|truncate|erase|overwrite|remove|purge)\b[^.\n]{0,30}\b(?:(?:audit|system|access|security|event)\s+logs?|/var/log|shell\s+history|bash\s+history)\b",
        r"|(?i)\bforce-?push\b[^.\n]{0,60}\b(?:main|master|all\s+branches|history)\b[^.\n]{0,60}\b(?:delete|empty|overwrite|erase)\b",
        r"|(?i)\bdrop\s+(?:all|every)\s+(?:\w+\s+)?(?:tables?|databases?|schemas?|collections?)\b",
        r"|(?i)\bencrypt\s+(?:all|every|each|the\s+user(?u:.)s)\b[^.\n]{0,60}(?:\brandom\b|https?://|\b(?:delete|remove)\s+the\s+originals?\b)",
        r"|(?i)\brevoke\b[^.\n]{0,40}\b(?:every|all)\s+(?:other\s+)?(?:users?|members?|admins?|accounts?)\b",
    ))),
};

static OPENS: Harm = Harm {
    unasked: Some(Question::new(
        r"(?i)\b(?:disable|turn\s+off|skip|bypass|switch\s+off|deactivate|suppress|comment\s+out|exempt|remove)\b[^.\n]{0,40}\b(?:authenticat\w+|authori[sz]ation|two-?factor|2fa|mfa|audit\s+log\w*|access\s+controls?|encryption|tls|ssl|certificate\s+(?:verification|validation|checks?)|signature\s+(?:verification|checks?)|firewalls?|anti-?virus|sandbox\w*|permission\s+checks?|security\s+(?:checks?|scans?|headers?|controls?|polic\w+|warnings?|validations?)|branch\s+protection|approval\s+(?:steps?|gates?|checks?)|csrf|rate\s+limit\w*)\b",
    )),
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:disable|turn\s+off|switch\s+off|deactivate|stop|uninstall)\b[^.\n]{0,40}\b(?:two-?factor|2fa|mfa|multi-?factor|anti-?virus|windows\s+defender|gatekeeper|selinux|apparmor|edr|endpoint\s+protection|audit\s+log(?:s|ging)|security\s+monitoring)\b",
        r"|(?i)\bignore\b[^.\n]{0,30}\b(?:security|safety|certificate|permission)\s+(?:warnings?|alerts?|prompts?)\b[^.\n]{0,30}\b(?:continue|proceed|carry\s+on|go\s+on)\b",
        r"|(?i)\bignore\s+(?:it|them|this|these)\s+and\s+(?:continue|proceed)\b[^.\n]{0,80}\bfalse\s+(?:positives?|alarms?)\b",
        r"|(?i)\b(?:run|start|launch|open)\b[^.\n]{0,60}--disable-web-security\b",
    ))),
};

static GRANTS: Harm = Harm {
    unasked: Some(Question::new(concat!(
        r"(?i)\b(?:add|create|invite|grant|share|give|assign|register|enroll)\b[^.\n]{0,80}\b(?:admin\w*|owners?|root|sudo\w*|collaborators?|maintainers?|editors?|(?:write|full|read)\s+access|authorized_keys|ssh\s+key|deploy\s+key|service\s+account|super-?user)\b",
        r"|\b(?:make|set)\b[^.\n]{0,60}\b(?:public(?:ly)?|world-(?:readable|writable)|accessible\s+to\s+(?:any|every)one|777)\b",
    ))),
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:create|add)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:user|account)\b[^.\n]{0,60}\b(?:with\s+(?:passwordless\s+)?(?:sudo|root|administrator)|to\s+the\s+(?:sudo|wheel|administrators)\s+group)\b",
        r"|(?i)\b(?:make|set)\b[^.\n]{0,40}\b(?:storage|bucket|s3|drive|folder|repository|database|share)\b[^.\n]{0,30}\b(?:public(?:ly)?|readable|writable|accessible)\b[^.\n]{0,60}\b(?:any(?:one|body)|every(?:one|body)|the\s+(?:internet|world))\b",
        r"|(?i)\b(?:add|append|install|put)\b[^.\n]{0,40}\b(?:our|my|this|the\s+(?:vendor|support|maintenance|author)(?u:.)?s?)\s+(?:\w+\s+)?(?:public\s+)?key\b[^.\n]{0,40}authorized_keys",
    ))),
};

static EXPOSES: Harm = Harm {
    unasked: Some(Question::new(
        r"(?i)\b(?:include|embed|hard-?code|commit|paste|write|append|print|insert|attach|put|add|save|store|copy|dump|encode|hide)\b[^.\n]{0,60}\b(?:passwords?|secrets?|tokens?|credentials?|api[ _-]?keys?|private\s+keys?|environment\s+variables?|\.env)\b[^.\n]{0,50}\b(?:in(?:to)?|to|as|inside|within)\b[^.\n]{0,40}\b(?:reports?|outputs?|commits?|readme|repositor\w+|comments?|logs?|file\s*names?|documents?|e-?mails?|messages?|responses?|metadata|headers?|footers?|urls?|issues?|pull\s+requests?|images?|spreadsheets?|slides?)\b",
    )),
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:save|upload|post|publish|put|paste|copy|write)\b[^.\n]{0,50}\b(?:customer|client|user|patient|employee|personal|private|confidential|credentials?|api\s+keys?|secrets?)\b[^.\n]{0,40}\b(?:to|in|into|on)\s+(?:an?\s+)?(?:public|open|shared)\s+(?:gist|repositor(?:y|ies)|paste\w*|bucket|folder|page|channel)\b",
        r"|(?i)\b(?:copy|archive|zip|tar|add|include|pack|bundle)\b[^.\n]{0,30}~/\.(?:ssh|aws|gnupg|kube)\b[^.\n]{0,80}\b(?:output|archive|deliver\w*|shared?|upload\w*|zip|bundle|package)\b",
        r"|(?i)\b(?:append|include|add|attach|put|send|insert)\b[^.\n]{0,40}\b(?:user(?u:.)s|their|your|all|any|the)\s+(?:\w+\s+)?(?:api\s+keys?|credentials|passwords?|secrets|access\s+tokens?)\b[^.\n]{0,60}\b(?:header|query\s+string|url|parameter|body|payload)\b[^\n]{0,60}https?://",
    ))),
};

static PLANTS: Harm = Harm {
    unasked: Some(Question::new(
        r"(?i)\b(?:include|insert|append|add|embed|place|put|mention|recommend|promote|link|redirect|replace|use)\b[^\n]{0,120}https?://",
    )),
    words: Some(pattern!(
        r"(?i)\b(?:(?:every|each|all|any)\s+(?:\w+\s+){0,2}(?:documents?|files?|responses?|answers?|messages?|e-?mails?|outputs?|pages?|reports?|slides?|presentations?|commits?|posts?|images?|links?|urls?)|instead\s+of|regardless)\b"
    )),
    to_stranger: true,
    grave: None,
};

/// What an agent says, rates or writes is to be bent for somebody.
static STEERS: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:recommend|suggest|promote|prefer|favou?r|rate|rank|score)\b[^.\n]{0,80}\b(?:describe|present|portray|mark|rate|rank|label)\b[^.\n]{0,30}\b(?:competitors?|alternatives?|others|rivals?)\b",
        r"|(?i)\b(?:rate|rank|recommend|score|list)\b[^.\n]{0,80}\b(?:higher|first|above|over|best)\b[^.\n]{0,60}\b(?:do\s+not|don(?u:.)t|never|without)\s+(?:mention\w*|disclos\w*|reveal\w*|say)",
        r"|(?i)\b(?:mark|report|approve|pass|accept)\b[^.\n]{0,40}\b(?:reviews?|tests?|audits?|scans?|checks?|findings?|results?)\b[^.\n]{0,40}\b(?:approved|passed|passing|clean|safe|successful)\b[^.\n]{0,30}\b(?:regardless|no\s+matter|even\s+(?:if|when)|whatever|irrespective)\b",
        r"|(?i)\b(?:say|answer|claim|state|tell\s+(?:them|the\s+user)|assure\s+(?:them|the\s+user))\b[^.\n]{0,30}\b(?:it\s+(?:does\s+not|doesn(?u:.)t)|no\s+data|nothing\s+(?:is|was)|everything\s+(?:is|stays))\b[^.\n]{0,40}(?:[.\n]|$|\b(?:sends?|sent|leaves?|shares?d?|collects?|collected|stores?d?|uploads?|local|safe)\b)",
        r"|(?i)\b(?:add|insert|embed|include|hide)\b[^.\n]{0,30}\b(?:hidden|invisible|white-?(?:on-white|text)|zero-?(?:width|size)|transparent)\b[^.\n]{0,40}\b(?:text|paragraph|sentence|prompt|instruction|note)\b",
        r"|(?i)\b(?:omit|hide|leave\s+out|round\s+down|understate|inflate|suppress|falsify|fabricate)\b[^.\n]{0,40}\b(?:losses|negative|debts?|liabilit\w+|risks?|failures?|errors?|side\s+effects|figures|results)\b[^.\n]{0,40}\bwithout\s+(?:not(?:ing|ifying)|say\w*|mention\w*|tell\w*|disclos\w*)",
    ))),
};

/// Money is to go elsewhere, or to be spent.
static PAYS: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:replace|change|swap|substitute|rewrite|redirect)\b[^.\n]{0,60}\b(?:iban|bank\s+(?:account|details)|account\s+numbers?|routing\s+numbers?|wallet|crypto\w*|bitcoin|ethereum|payment|deposit)\b[^.\n]{0,60}\b(?:with|to|by|for)\b[^.\n]{0,12}(?:\b[A-Z]{2}\d{2}[ \dA-Z]{10,}|\b(?:bc1|0x|[13])[0-9a-zA-Z]{20,}|\bours?\b|\bthis\s+(?:address|account))",
        r"|(?i)\b(?:purchase|buy|subscribe|upgrade|renew|order)\b[^.\n]{0,60}\b(?:stored|saved|default|user(?u:.)s)\s+(?:credit\s+)?(?:card|payment\s+method|wallet|billing)\b",
        r"|(?i)\b(?:transfer|send|pay|donate|move)\b[^.\n]{0,40}\b(?:funds|balance|tokens|coins|usdc|usdt|eth|btc|sol|money|percent|%)\b[^.\n]{0,40}\bto\b[^.\n]{0,20}\b(?:bc1|0x|[13])[0-9a-zA-Z]{20,}",
    ))),
};

/// The text, or an advertisement of it, is to get into what is not its own.
static SPREADS: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:copy|install|replicate|propagate|duplicate|write|add|e-?mail|send)\b[^.\n]{0,30}\b(?:this\s+(?:skill|plugin|prompt|instruction)|these\s+(?:instructions|lines|rules)|itself)\b[^.\n]{0,40}\b(?:every|all|each|any)\s+(?:other\s+)?(?:\w+\s+)?(?:projects?|repositor(?:y|ies)|skills?|machines?|workspaces?|folders?|users?)\b",
        r"|(?i)\b(?:add|insert|append|include|put)\b[^.\n]{0,60}\b(?:install\w*|recommend\w*|promot\w*|advertis\w*)\b[^.\n]{0,30}\bthis\s+(?:skill|plugin|tool|server)\b[^.\n]{0,40}\b(?:every|each|all|any)\s+(?:\w+\s+)?(?:repositor(?:y|ies)|projects?|readmes?|documents?|files?|commits?|messages?)\b",
        r"|(?i)\b(?:message|e-?mail|send|invite|notify|dm)\b[^.\n]{0,30}\bthis\s+(?:skill|plugin)\b[^.\n]{0,20}\bto\s+(?:all|every|each)\b",
        r"|(?i)\b(?:message|e-?mail|send|invite|notify|dm)\b[^.\n]{0,30}\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:user(?u:.)s\s+)?(?:contacts?|team\s?mates?|colleagues|members|friends|followers)\b[^.\n]{0,60}\b(?:this\s+(?:skill|plugin|tool)|install|link|copy)\b",
    ))),
};

/// The user is to be watched, or a life's worth of data taken.
static WATCHES: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:take|capture|record)\b[^.\n]{0,20}\b(?:screenshots?|the\s+screen|webcam|microphone|audio)\b[^.\n]{0,30}\b(?:every\s+(?:\d+\s+)?(?:second|minute|hour)s?|continuously|periodically|in\s+the\s+background|at\s+intervals)\b",
        r"|(?i)\b(?:record|log|capture|monitor|collect|store)\b[^.\n]{0,20}\b(?:keystrokes?|keyboard\s+input|clipboard\s+(?:contents?|history)|typed\s+text)\b",
        r"|(?i)\b(?:read|extract|export|copy|collect|decrypt|dump|use)\b[^.\n]{0,30}\bbrowser(?:(?u:.)s)?\s+(?:\w+\s+)?(?:saved\s+|stored\s+)?(?:passwords|cookies|logins?|credentials|history)\b",
        r"|(?i)\b(?:read|extract|export|copy|collect|decrypt|dump)\b[^.\n]{0,30}\b(?:(?:saved|stored)\s+passwords|(?:cookies|passwords|logins|history)\s+of\s+(?:the|their|his|her)\s+browser)\b",
        r"|(?i)\b(?:collect|gather|harvest|record)\b[^.\n]{0,40}\b(?:location|contacts|calendar|browsing|messages|photos)\b[^.\n]{0,40}\b(?:location|contacts|calendar|browsing|messages|photos|health)\b[^.\n]{0,60}\b(?:profile|keep|store|save|personali[sz]\w+|advertis\w+|targeting)\b",
    ))),
};

/// Something is to start by itself from now on, or in every later session.
static STARTS: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: false,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:add|append|write|insert|save)\b[^.\n]{0,60}\b(?:CLAUDE|AGENTS|GEMINI|SOUL|MEMORY)\.md\b[^.\n]{0,60}\b(?:every|each|all|any)\s+(?:\w+\s+)?(?:future\s+|later\s+)?(?:sessions?|conversations?|tasks?|runs?|agents?)\b[^.\n]{0,40}\b(?:sends?|uploads?|runs?|executes?|posts?|forwards?|reports?|downloads?|fetch\w*|skips?|ignores?)\b",
        r"|(?i)\b(?:install|add|create|write|set\s+up|register)\b[^.\n]{0,30}\b(?:pre-?commit|post-?commit|pre-?push|post-?checkout|git)\s+hooks?\b[^.\n]{0,50}\b(?:uploads?|sends?|posts?|forwards?|reports?|pushes|transmits?)\b[^\n]{0,60}https?://",
        r"|(?i)\b(?:append|add|write|insert|put)\b[^\n]{0,60}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|crontab|LaunchAgents|systemd|autostart)\b[^\n]{0,120}\b(?:curl|wget|nc|base64|Invoke-WebRequest|iwr)\s",
        r"|(?i)\b(?:append|add|write|insert|put)\b[^\n]{0,20}`[^`\n]{0,20}\b(?:curl|wget|nc|iwr)\b[^`\n]{0,120}`[^\n]{0,40}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|crontab|cron\b|LaunchAgents|systemd|autostart)",
    ))),
};

/// What a stranger's address serves is to be run or obeyed, whatever it will be then.
static FOLLOWS: Harm = Harm {
    unasked: None,
    words: None,
    to_stranger: true,
    grave: Some(Question::new(concat!(
        r"(?i)\b(?:fetch|get|download|load|read|retrieve|pull|check|visit|open|poll|request)\b[^\n]{0,60}https?://\S+[^\n]{0,60}\b(?:and|then)\s+(?:\w+\s+)?(?:follow|obey|execute|run|apply|carry\s+out|do|launch)\s+",
        r"(?:it|them|this|what(?:ever)?\b|the\s+(?:file|script|program|binary|instructions?|steps|commands?)|(?:any|all)\s+(?:\w+\s+)?(?:commands?|instructions?|directives?|steps))",
    ))),
};

pub(in super::super) fn follows(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &FOLLOWS);
}

pub(in super::super) fn steers(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &STEERS);
}

pub(in super::super) fn pays(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &PAYS);
}

pub(in super::super) fn spreads(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &SPREADS);
}

pub(in super::super) fn watches(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &WATCHES);
}

pub(in super::super) fn starts(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &STARTS);
}

pub(in super::super) fn destroys(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &DESTROYS);
}

pub(in super::super) fn opens(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &OPENS);
}

pub(in super::super) fn grants(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &GRANTS);
}

pub(in super::super) fn exposes(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &EXPOSES);
}

pub(in super::super) fn plants(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &PLANTS);
}

/// Every deed, as the prefilter is to look for it.
pub(in super::super) fn questions() -> impl Iterator<Item = &'static Question> {
    let all = [&DESTROYS, &OPENS, &GRANTS, &EXPOSES, &PLANTS, &STEERS, &PAYS, &SPREADS, &WATCHES, &STARTS, &FOLLOWS];
    all.into_iter().flat_map(Harm::deeds)
}

fn find(subject: &Subject<'_>, facts: &mut FactSink<'_>, harm: &'static Harm) {
    let mut own = None;
    for document in instructions(subject) {
        let places: Vec<Range<usize>> = harm.deeds().flat_map(|deed| deed.all_in(document, PLACES)).collect();
        if places.is_empty() {
            continue;
        }
        let passages = passages(document);
        for at in touched(&passages, &places) {
            let Some(passage) = passages.get(at) else { continue };
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let mut is_foreign = || names_stranger(subject, own.get_or_insert_with(|| Destinations::of(subject)), said);
            let is_grave = harm.grave.as_ref().is_some_and(|grave| is_ordered(grave, passage, said));
            if is_grave && (!harm.to_stranger || is_foreign()) {
                facts.found_as(Severity::High, Confidence::Medium, document.place(passage.bytes.start), said);
                break;
            }
            let Some(deed) = harm.unasked.as_ref().and_then(|deed| deed.first_in(said)) else { continue };
            let binds = passage.binds() || orders_at(said, deed.start);
            if is_forbidden(said, deed.start) || !binds || passage.is_aside() || passage.is_mention() {
                continue;
            }
            let unasked = STANDING.is_match(said);
            let silent = SILENT.is_match(around(&passages, at, 1));
            let is_meant = harm.words.as_ref().is_none_or(|words| words.is_match(said));
            if !is_meant || (harm.to_stranger && !is_foreign()) {
                continue;
            }
            let severity = match (unasked, silent) {
                (_, true) => Severity::High,
                (true, false) if harm.to_stranger => Severity::High,
                (true, false) => Severity::Medium,
                (false, false) => continue,
            };
            facts.found_as(severity, Confidence::Medium, document.place(passage.bytes.start), said);
            break;
        }
    }
}

/// True where a sentence orders a deed that is grave by itself: its verb stands where an order begins, and nothing leaves
/// it to a person, to a test or to a case.
fn is_ordered(grave: &Question, passage: &Passage<'_>, said: &str) -> bool {
    static LEFT: LazyLock<Regex> = pattern!(
        r"(?i)\b(?:ask(?:ing)?|unless|optional(?:ly)?|confirm\w*|only\s+(?:if|when)|whether|e\.g\.|for\s+example|such\s+as|not\s+recommended|temporar\w+|tests?|testing|staging|local\s+development|dev(?:elopment)?\s+(?:environment|server)|sandbox|temp(?:orary)?|cache|build|fixture|component|debug\w*|attackers?|malicious|example\.com|user\s+(?:asks|wants|requests|asked|requested)\s+(?:for\s+(?:it|this|them|that)|to\b|you\s+to)|when\s+asked|upon\s+request|with\s+(?:their|the\s+user.s)\s+(?:permission|consent|approval))\b"
    );
    static OPEN: LazyLock<Regex> =
        pattern!(r"(?i)\b(?:may|might|could|would|can|consider|avoid|never|if\s+you\s+(?:want|need|wish))\b");
    let Some(deed) = grave.first_in(said) else { return false };
    let before = said.get(..deed.start).unwrap_or_default();
    // The name of a host says nothing about the deed.
    let plain = super::sent::ADDRESS.replace_all(said, "");
    orders_at(said, deed.start)
        && !OPEN.is_match(before)
        && !LEFT.is_match(&plain)
        && !is_forbidden(said, deed.start)
        && !passage.is_aside()
        && !passage.is_mention()
}

/// True where a word of forbidding stands before a deed in its clause.
fn is_forbidden(said: &str, deed: usize) -> bool {
    static FORBIDS: LazyLock<Regex> =
        pattern!(r"(?i)\b(?:not|never|don.t|avoid|without|cannot|can.t|no|nor|unless|refuse)\b[^,;:]{0,40}$");
    said.get(..deed).is_some_and(|before| FORBIDS.is_match(before))
}

fn names_stranger(subject: &Subject<'_>, own: &Destinations, said: &str) -> bool {
    super::sent::ADDRESS
        .find(said)
        .is_some_and(|found| receiver(subject, own, found.as_str()) == Some(Receiver::Stranger))
}
