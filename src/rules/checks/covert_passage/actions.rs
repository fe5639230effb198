//! Actions of a passage that are grave beside concealment, and often honest without it.
//!
//! Must not know how it is concealed.

use super::cues::{HANDED, PassageCue, grave, secret, whole};

/// The actions of a passage; each is searched only around the words that find a passage.
pub(super) static ACTIONS: [PassageCue; 9] = [
    // Secrets.
    grave(2, concat!(r"(?i)", secret!())),
    // What people wrote, all of it.
    grave(2, concat!(r"(?i)", whole!())),
    // Handed to an address.
    grave(2, HANDED),
    // Money and its addresses.
    grave(
        2,
        r"(?i)\bT[1-9A-Za-z]{33}\b|\d+\s*%\s+(?:per|a)\s+(?:day|week)\b|[?&](?:aff|ref|affiliate|tag)=\w|\b0x[0-9a-f]{40}|\bbc1[a-z0-9]{20,}|\b(?:IBAN|BIC|payouts?|wallet\s+address|account\s+(?:number|details)|bank\s+details|beneficiary|payee|affiliate|referral\s+(?:code|link|id)|bitcoin|ledger\s+account|commissions?|kickbacks?|sponsor(?:s|ed)?\b|paid\s+(?:placement|partner))\b",
    ),
    // Destroyed.
    grave(
        2,
        r"(?i)\b(?:archive|remove|close|cancel|delete)\s+(?:all|every|the\s+other)\b|\bdelet\w+\s[^\n]{0,24}?(?:\.git\b|branches|databases?\b|backups?\b|repositor|volumes?\b)|\brm\s+-(?:rf|fr)|\bshred\b|\bTRUNCATE\s|\bDROP\s+(?:TABLE|SCHEMA|DATABASE)|\bdelete[- ](?:trail|detector|shadows|snapshots|all|the\s+(?:repo|branch|database|backup)\w*)|\bwipe\b|\bunpublish|\bforce[- ]push|\bopenssl\s+enc\b|\bencrypt\s+(?:all|every)|--force\b|\bDELETE\s+FROM\b",
    ),
    // Watching and checking switched off.
    grave(
        2,
        r"(?i)\bcloudtrail\b|\baudit\s+(?:logs?|trail|middleware)\b|/var/log\b|\bbranch\s+protection\b|\brate\s+limiting\b|\bcommit\s+signing\b|\badjust\w*\s+the\s+tests?\b|\bsecret\s+scann|\bcontinue-on-error|\bstop-logging\b|\bdisabl(?:e|es|ed|ing)\b|\bsetenforce\s+0|\bsuppress\w*|--no-verify\b|\b(?:turn|switch)(?:ed|es|s)?\s+(?:\w+\s+)?off\b|\bapprovals?\s+off\b|\bskip\s+(?:the\s+)?(?:reviews?|checks?|scans?|verification|tests|opening)\b|\bsecurity\s+warnings?\b|\bwhitelist\w*|\ballowlist\w*|\bverify\s*=\s*False\b|\brelax\b",
    ),
    // A door left open.
    grave(
        2,
        r"(?i)\bbackdoors?\b|\bin\s+a\s+shell\b|\bauthorized_keys\b|\bNOPASSWD\b|\broles/owner\b|\bAdministratorAccess\b|\bsuperuser\b|\badmin(?:istrator)?\s+(?:user|account|rights|role|access)|\bas\s+\W{0,3}(?:writer|editor|owner|admin|collaborator)\b|\bBYPASSRLS\b|\b0\.0\.0\.0/0|\bpassword\s+[`'\x22]|\blets?\s+in\b|\bingress\b|\bservice\s+accounts?\b|\bcollaborators?\b|\bdevice\s+code\b|\b(?:inbox|mailbox|forwarding)\s+rules?\b|\bchmod\s+u\+s|\bmaster\s+(?:password|key)\b|\bdeploy\s+key\b|\breverse\s+tunnel\b",
    ),
    // Orders planted where agents read them.
    grave(
        1,
        r"(?i)\b(?:append|add|insert|write|put|copy|install|replace|edit|repeat|carry|carries|stores?|save|plant|place|inject)\b[^\n]{0,120}?(?:CLAUDE\.md|AGENTS\.md|\.cursorrules|MEMORY\.md|copilot-instructions|GEMINI\.md|SOUL\.md|\.claude/settings|mcp\.json|SKILL\.md|~/\.claude|\bother\s+skills?|\bevery\s+skill|\bmemory\b)",
    ),
    // Reported or rated otherwise than it is.
    grave(
        2,
        r"(?i)\bat\s+least\s+\d[\d.]*\s+(?:stars|points)\b|\bwhether\s+or\s+not\b|\bmade-up\b|\beven\s+if\s+they\b|\b(?:name|call)\s+the\s+(?:function|file|commit|variable|account|branch)\b|\b(?:reduc|stop|taper|skip|replac)\w*\s+(?:\w+\s+){0,3}?(?:medication|medicines?|treatment|insulin|dos(?:e|age)|therapy)\b|\bas\s+(?:passed|passing|done|fixed|clean|approved|resolved|verified|completed|safe)\b|\bno\s+(?:problems?|issues?|findings|risks?)\s+(?:\w+\s+)?(?:found|detected)|\bno\s+(?:problems?|issues?|findings)\b|\bcomes?\s+out\s+(?:first|on\s+top)|\breplac\w+\s+what\b|\bthe\s+official\b|\bdo\s+not\s+name\b|\bunmentioned\b|\b(?:rank|score|rate|land|list|recommend)\w*\s+(?:\w+\s+){0,3}?(?:first|higher|lower|highest|above|below|at\s+the\s+top)\b|\bregardless\s+of\b|\balways\s+(?:recommend|favou?r|prefer|suggest|rank)\w*|\binflat\w+|\bfabricat\w+|\binvent\s",
    ),
];
