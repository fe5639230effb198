//! The words by which context is told: negation, defence, mention, orders.
//!
//! Every expression is ASCII and runs over windows of bounded size only.

use std::sync::LazyLock;

use regex::bytes::Regex;

pub(super) fn words(pattern: &str) -> Regex {
    regex::bytes::RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(true)
        .build()
        .expect("the vocabulary is a valid pattern")
}

pub(super) static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:never|do not|don't|don\xE2\x80\x99t|dont|does not|doesn't|must not|mustn't|should not|shouldn't|cannot|can't|can not|won't|will not|not to|avoid|refuse to|refuses to|instead of|rather than|isn't|is not|are not|without|no need to|prohibited|forbidden from)\b(?:[^.;:]|[.]{3}|[.:][^ \t\r\n])*$",
    )
});
pub(super) static NEGATED_NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    words(concat!(
        // What comes after "do not begin before" is ordered.
        r"\b(?:hesitate|forget|fail|skip|wait|worry|stop|omit|only|just|bother|need)\b|\bask(?: (?:the )?(?:user|users|anyone|anybody|me|them|him|her))?(?: (?:for )?(?:any |their |further )?(?:permission|confirmation|approval|consent)\b| (?:before|whether|if|first|again|to confirm)\b| questions?\b|[^\w ]|$)|\S\s+(?:before|until|unless|without)\b|\b(?:remove|delete|change|modify|edit|touch|move)(?: (?:this|it|these|below|line|block))?[^\w\n]*\n",
        // "Without asking, run …" orders what follows.
        r"|^without\b[^,\n]{0,50},\s+(?:\w+ ){0,2}(?:run|set|add|install|write|put|use|execute|call|send|post|copy|open|start|make|create|switch|turn|change|append|download|fetch|upload|push)\b",
    ))
});
pub(super) static DEFENCE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:detect(?:s|ed|ing|ion|ions|or)?|flags?|flagged|flagging|blocks?|blocked|blocking|prevent(?:s|ed|ing|ion)?|scan(?:s|ned|ning|ner)?|look(?:s|ing)? for|watch(?:ing)? for|search(?:es|ing)? for|grep|red flags?|examples? of|attack(?:s|er|ers|ing)?|attempts? to|vulnerab\w*|threats?|prompt injections?|injections?|injected|jailbreaks?|jailbreaking|refuse|reject(?:s|ed)?|suspicious|such as|like|e\.g\.|anti-?patterns?|unsafe|insecure|dangerous|bad|wrong|sanitiz\w*|mitigat\w*|guard(?:s|rails?)? against|protects? against|defend\w*|warning signs?|indicators?|red team\w*|cve|cwe|owasp|exploit\w*|audit\w*|forbid\w*|prohibit\w*|disallow\w*|risks?|risky|beware|treat as|untrusted)\b",
    )
});
pub(super) static STRONG_DEFENCE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:detect(?:s|ed|ing|ion|ions|or|ors)?|flag(?:s|ged|ging)?|block(?:s|ed|ing)|prevent(?:s|ed|ing|ion)?|scan(?:s|ned|ning)? for|look(?:s|ing)? for|watch(?:ing)? for|search(?:es|ing)? for|check(?:s|ing)? for|grep|red flags?|examples? of (?:an? |the )?(?:attack|injection|malicious|prompt|bad|unsafe)\w*|attackers? (?:can|could|may|might|will|would|who|tries|controls?)|attempts? to|vulnerab\w*|prompt injections?|injections?|jailbreak (?:attempts?|detection)|refuse|rejects?|rejected|suspicious|anti-?patterns?|sanitiz\w*|mitigat\w*|guards? against|protects? against|defend\w*|warning signs?|red team\w*|cve-\d+|cwe-\d+|owasp|exploit(?:s|ed|ation|able)|auditors?|threat model\w*|such as|phrases? like|patterns? like|text like|strings? like|if (?:you (?:see|encounter|find|notice)|content|text|it contains|an? (?:page|tool|document|email|message)))\b",
    )
});
/// The line that leads in a list of things that are not done.
pub(super) static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:will not|won't|does not|doesn't|must not|never|do not|don'?ts?|avoid|out of scope|not allowed)(?: [a-z']+){0,4}[*_ ]*:[*_ ]*$",
    )
});
/// What stands before a refusal of something else: an order to run what follows. "Run this, and do not tell the user:" leads
/// in what is done.
pub(super) static ORDERED_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:run|execute|start|launch|type|paste|enter|issue|invoke|call|perform|apply|use|do) (?:this|these|that|it|all|them|(?:all )?the (?:following|next|commands?|scripts?|code|blocks?|steps?)|following)\b[^\n]{0,80}?(?:[.,;!]|\b(?:and|but|then)) *(?:(?:and|but|then|so) )?(?:you )?$",
    )
});
/// Refusals that refuse nothing: "never hesitate:" leads in what is done.
pub(super) static NO_REFUSAL: LazyLock<Regex> = LazyLock::new(|| words(r"\b(?:hesitate|forget|fail|wait)\b"));
/// Headings over what is named so that it is not done.
pub(super) static DEFENCE_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:red flags?|attacks?|attack (?:vectors?|patterns?|examples?)|threats?|threat model|vulnerabilit\w*|malicious|anti-?patterns?|dangerous|prohibited|forbidden|never|avoid|don'?ts?|do not|will not|won'?t|must not|out of scope|not allowed|what not to do|injections?|exploit\w*|payloads?|indicators?|warning signs?|bad examples?|unsafe|insecure|rationalizations?|blocked|(?:what|things|signs|patterns) (?:to|we|it|this skill) (?:look|watch|check|search|scan|flag|detect|reject|refuse)\w*(?: for)?|detection (?:rules?|patterns?)|(?:sample|example) (?:reports?|findings?|outputs?))\b|\xE9\x9C\x80\xE8\xA6\x81\xE6\xA3\x80\xE6\x9F\xA5|\xE6\xA3\x80\xE6\x9F\xA5\xE5\x86\x85\xE5\xAE\xB9|\xE6\xA3\x80\xE6\x9F\xA5\xE6\xB8\x85\xE5\x8D\x95|\xE6\xA3\x80\xE6\xB5\x8B|\xE6\x94\xBB\xE5\x87\xBB|\xE6\x81\xB6\xE6\x84\x8F|\xE5\xA8\x81\xE8\x83\x81|\xE5\x8F\xAF\xE7\x96\x91|\xE6\xBC\x8F\xE6\xB4\x9E|\xE5\x8D\xB1\xE9\x99\xA9|\xE6\xB3\xA8\xE5\x85\xA5",
    )
});
/// Headings over lists of attacks.
pub(super) static ATTACK_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:red flags?|attacks?|attack (?:vectors?|patterns?|examples?)|threats?|threat model|vulnerabilit\w*|malicious|anti-?patterns?|injections?|exploit\w*|payloads?|indicators?|warning signs?|rationalizations?|(?:what|things|signs|patterns) (?:to|we|it|this skill) (?:look|watch|check|search|scan|flag|detect|reject|refuse)\w*(?: for)?|detection (?:rules?|patterns?)|(?:sample|example) (?:reports?|findings?|outputs?))\b|\xE9\x9C\x80\xE8\xA6\x81\xE6\xA3\x80\xE6\x9F\xA5|\xE6\xA3\x80\xE6\x9F\xA5\xE5\x86\x85\xE5\xAE\xB9|\xE6\xA3\x80\xE6\x9F\xA5\xE6\xB8\x85\xE5\x8D\x95|\xE6\xA3\x80\xE6\xB5\x8B|\xE6\x94\xBB\xE5\x87\xBB|\xE6\x81\xB6\xE6\x84\x8F|\xE5\xA8\x81\xE8\x83\x81|\xE5\x8F\xAF\xE7\x96\x91|\xE6\xBC\x8F\xE6\xB4\x9E|\xE5\x8D\xB1\xE9\x99\xA9|\xE6\xB3\xA8\xE5\x85\xA5",
    )
});
/// The beginning of a sentence that asks whether somebody else does something.
pub(super) static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^[\s>*#+\-\d.)(_:|]*(?:\[[ x]\]\s*)?(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might)\s+(?:it|its|this|that|these|those|they|the|there|any|an?|each|every|all|some)\b",
    )
});
/// The beginning of a line of a report: how grave a finding is, and the file and line where it stands.
pub(super) static REPORTS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^[\s>*|\-]*[\[(*]*(?:critical|high|medium|low|info|warn(?:ing)?|errors?|fail(?:ed)?|danger|block(?:ed)?)\b[\])*:|\s\-]+(?:[^\n]{0,80}[\s|(])?[\w./\\-]+:\d+\b",
    )
});
/// The beginning of a line that gives a rule's sample or expression.
pub(super) static SAMPLES: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^[ \t]*(?:- )?[\x22']?(?:examples?|patterns?|regex(?:es|p)?|match(?:es)?|samples?|signatures?|strings?|detect(?:s|ion)?|message|description)[\x22']?[ \t]*[:=]",
    )
});
/// The key by which a rule says how grave what it finds is.
pub(super) static GRADES: LazyLock<Regex> =
    LazyLock::new(|| words(r"(?:^|\n)[ \t]*(?:- )?[\x22']?(?:severity|risk|level|confidence)[\x22']?[ \t]*[:=]"));
/// The heading row of a table of samples.
pub(super) static SHOWS: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:looks? like|examples?|patterns?|samples?|risks?|severity|indicators?|signatures?|attacks?|threats?|class(?:es)?|categor(?:y|ies)|why|red flags?|signs?|search for|meanings?|means)\b|\xE7\xA4\xBA\xE4\xBE\x8B|\xE7\xB1\xBB\xE5\x88\xAB|\xE6\xA8\xA1\xE5\xBC\x8F|\xE9\xA3\x8E\xE9\x99\xA9",
    )
});
/// The beginning of a sentence that tells its reader to do something, and is not the command itself.
pub(super) static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^[\s>*#+\-\d.)(_:]*(?:(?:first|then|next|finally|now|also|please|always|immediately|you (?:must|should|will|shall|need to|have to)|make sure to|be sure to|go ahead and)[\s*_:,]+){0,3}(?:run|execute|read|send|post|upload|collect|gather|include|append|write|fetch|download|forward|transmit|install|paste|open|visit|load|use|copy)\s",
    )
});
/// Headings over defence, under which real orders stand as well: they speak for a mention only where nothing is
/// ordered.
pub(super) static SECURITY_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:security (?:considerations?|checks?|reviews?|notes?|rules?|guidelines?|best practices|audit|warnings?|model|issues?|testing|patterns?)|detect\w*|guardrails?|hardening|pentest\w*|red team\w*|gotchas|pitfalls?|mitigations?|risk\w*|test cases?|findings?)\b",
    )
});
pub(super) static INSTALL_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\b(?:install\w*|set ?up|setting up|getting started|quick ?start|prerequisites?|requirements?|dependenc\w*|development|building|build|bootstrap|deploy\w*|provision\w*|environment)\b",
    )
});
pub(super) static SECURITY_TOPIC: LazyLock<Regex> = LazyLock::new(|| {
    words(
        // "Security" and "audit" alone stand in the description of anything: what is looked at must be said.
        r"(?:\bname:[ \t\x22']*[\w-]*|(?:^|\n)# [^\n]{0,60})\b(?:security|audit(?:or)?)\b|\b(?:(?:cyber|app|application|offensive|defensive|cloud|network|web|api|agent|skill|supply chain|code|infrastructure|container)[ -]?security|security[ -](?:audit\w*|review\w*|test\w*|scan\w*|analys\w*|assess\w*|research\w*|engineer\w*|monitor\w*|operations?|best practices?|findings?|issues?|bugs?|risks?|vulnerab\w*|checks?|guard\w*|tools?|patterns?|architect\w*|incidents?|events?|alerts?|posture|guid\w*|awareness)|(?:audit(?:s|or|ing)?|reviews?|checks?)\b[^.\n]{0,40}\b(?:security|vulnerab\w*|malicious|hostile|injection\w*|smart contracts?|exploit\w*)|vulnerab\w*|exploit\w*|pentest\w*|penetration test\w*|red[ -]?team\w*|threats?|malware|ransomware|forensic\w*|ctf|fuzz\w*|yara|semgrep|codeql|incident response|hardening|prompt[ -]injection|secrets? (?:scan\w*|detect\w*)|owasp|sast|supply.chain|reverse engineer\w*|sandbox\w*|detection|attack\w*|adversar\w*|phishing|hostile|jailbreak\w*)\b",
    )
});
/// The text right before an opening quotation mark where the quotation is named and not said. It is a reporting word,
/// another item of the same list, or the mark of a list item.
pub(super) static MENTION: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"(?:\b(?:says?|said|saying|sentences?|phrases?|texts?|strings?|like|as|patterns?|examples?|asks?|asked|asking|prompts?|messages?|contain(?:s|ed|ing)?|with|called|titled|named|words?|instructions?|commands?|inputs?|quer(?:y|ies)|triggers?|attempts?|claims?|demands?|requests?|or|and|not|than|of|for|to|is|are|for example|e\.g\.|i\.e\.|if|when|using|use when)|[,:;(\[/|=>-]|^[ \t]*(?:[-*+>|]|\d+[.)])*)[ \t*_]*$",
    )
});
/// A heading row of a table whose rows are things to do.
pub(super) static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    words(r"\b(?:steps?|actions?|instructions?|tasks?|phases?|procedure|to ?do|orders?|what to do)\b")
});
/// The beginning of a sentence that orders something: an action, after what may lead it in.
pub(super) static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"^[\s>*#|+\-\d.)(`_:]*(?:[^|\n]{0,40}\|[ \t]*){0,2}(?:(?:step \d+[:.]?|first(?:ly)?|then|next|finally|now|also|and|please|always|silently|secretly|quietly|immediately|automatically|important:?|note:?|required:?|you (?:must|should|will|shall|need to|have to)|(?:the|this) (?:agent|assistant|model|skill|ai) (?:must|should|will|shall)|make sure to|be sure to|go ahead and|(?:to|before|after|when|whenever|once|in order to) [^,.\n]{1,80},)[\s*_:,]*){0,4}(?:read|send|post|upload|run|execute|curl|wget|cat|copy|collect|gather|include|append|write|fetch|download|forward|transmit|encode|exfiltrate|e-?mail|install|paste|open|visit|load|put|tar|zip|scp|rsync|chmod|rm|delete|add|export|echo|call|invoke|extract|harvest|find|scan|search)\b",
    )
});
/// The object that makes an order a real one: an address, or a file of the user's.
pub(super) static REAL_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"(?:https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\w@[\w-]+\.[a-z]|~/\.|\$HOME/\.|/etc/(?:passwd|shadow)|(?:^|[\s`'/(])\.(?:env|ssh|aws|npmrc|netrc|git-credentials)\b|\bid_(?:rsa|ed25519)\b)",
    )
});
