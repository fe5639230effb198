//! Deeds that bend what comes out: figures that a hidden case changes, work that a missing licence destroys, secrets that can
//! be guessed.

use super::deeds::{Deed, called};

/// What changes a figure a little. Nothing in it is repeated without a small bound, so that it is a sign (`sign.rs`).
const BENDS: &str = r"(?:\*=?\s?\(?\s?(?:0?\.[5-9]|1\.[0-3]|\(?1(?:\.0)?\s?[+-]\s?(?:0?\.\d|\w))|[+-]=\s?(?:0?\.\d|[\w.]{1,8}\s?\*\s?0?\.\d))";

/// What cannot be got back.
const DESTROYS: &str = r#"(?:\brmtree\(|\.unlink\(|\bunlinkSync\(|\bos\.(?:remove|unlink)\(|\brmSync\(|\brm%-\w{0,3}[rf]|\bos\.RemoveAll\(|Remove-Item\b|\bFileUtils\.rm|\bDROP%TABLE\b|\bDELETE%FROM\b|\bpush%(?:-f|--force)\b|\btruncate\()"#;

/// The deeds, each with the words by which an honest skill tells of it.
pub(super) fn deeds() -> Vec<Deed> {
    let bent = |name, case: &str, told| {
        let after = r"[^\n]{0,80}(?:\n[^\n]{0,80}){0,2}?[^\n]{0,60}";
        called(name, &format!(r"\b(?:if|elif|unless|when)\b[^\n]{{0,100}}?{case}{after}{BENDS}"), told)
    };
    let destroyed = |case: &str, told| {
        let after = r"[^\n]{0,80}(?:\n[^\n]{0,100}){0,4}?[^\n]{0,80}";
        let done = format!(r"\b(?:if|elif|unless|when)\b[^\n]{{0,80}}?{case}{after}{DESTROYS}");
        called("destroys work in a case of its own", &done, told)
    };
    vec![
        bent(
            "changes figures now and then",
            r"(?:\x25\s?\d{1,4}\s?(?:={2,3}|<|-eq)|\brandom(?:\.random)?\(\)|\bMath\.random\(\)|\brand\(\)|\brand\.Float64\(\)|\bGet-Random\b|\bcrc32\(|\bhash\()",
            r"random|simulat|augment|noise|jitter|mutat|perturb|monte carlo|now and then|every (?:n|\d+)(?:th|rd|nd)|checksum|check digit|luhn",
        ),
        bent(
            "changes figures on some days",
            r"(?:\.weekday\(\)|\.getDay\(\)|\.getMonth\(\)|\.month\s?[=<>i]|\.DayOfWeek\b|\.Weekday\(\)|\bdate%\+)",
            r"week-?days?|week-?end|season|month|calendar|quarter|day of",
        ),
        bent(
            "changes figures where nobody paid",
            r"(?:!|\bnot\b|-not|===?\s?(?:null|None|undefined|nil|false|False|[\x22']{2}))[^\n]{0,40}?\b(?:licen[cs]e|pro_?key|premium)\w*|\b(?:licen[cs]e|pro_?key|premium)\w*[^\n]{0,40}?(?:===?\s?(?:null|None|undefined|nil|false|False|[\x22']{2})|\bis None\b)",
            r"(?:trial|unlicen|without (?:a )?(?:licen|key)|free (?:version|plan|tier))[^.\n]{0,80}(?:limit|round|approximat|reduc|scal|lower)",
        ),
        bent(
            "changes figures for some names",
            r"(?:\.test\(|\bre\.(?:search|match)\(|=~|\.match\?\(|-match\b|\bregexp\.MatchString\()[^\n]{0,60}?(?:name|vendor|supplier|brand|sku|author|e?mail|company|country|domain|team|user|host|client|customer)\w*",
            r"prefer|boost|weight|adjust|discount|surcharge|\brates?\b|\btax|\bvat\b|factor|bonus|penal|multipl|coeffic|reduc|scor",
        ),
        destroyed(
            r"(?:licen[cs]e|\btrial|\bpaid\b|premium|activated|registered|subscri\w+)",
            r"(?:trial|unlicen|licen[cs]e|paid|premium|subscri)\w*[^.\n]{0,120}(?:delet|remov|eras|destroy|clean)",
        ),
        destroyed(
            r"(?:\b(?:runs?|uses?|launches|calls?|invocations?|executions?)\w{0,8}\s?(?:>=?|-g[te])\s?\d|\x25\s?\d{2,4}\s?={2,3}|\brandom(?:\.random)?\(\)\s?<|\bMath\.random\(\)\s?<)",
            r"delet|remov|clean|purg|prune|rotat|expir|older than|evict",
        ),
        called(
            "makes secrets that can be guessed",
            r#"\b(?:token|secret|passw(?:or)?d|api_?key|session_?id|nonce|otp|salt|entropy|seed)\w{0,8}\s{0,2}(?::?=|:)\s{0,2}[^\n]{0,60}?(?:\brandom\.(?:choices?|randint|random|sample|getrandbits)\(|\bMath\.random\(|\bmt_rand\(|\buuid1\(|\brand\.(?:Int|Intn|Int63)\(|\b(?:md5|sha1|sha256|sha512|createHash)\([^\n]{0,60}(?:time|Date|date|user_?id|e?mail|username|hostname)\b)"#,
            r"demo|example|sample|mock|fake|dummy|placeholder|test|insecure|not (?:cryptographically )?secure|predictab|guess|CTF|vulnerab|weak",
        ),
    ]
}
