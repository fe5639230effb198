//! Standalone cues: actions of a passage that honest text seldom has at all. Each finds a passage by itself.
//!
//! Must not know how it is concealed or excused.

use super::cues::{AWAY, PassageCue, address, away, grave, hand, mailbox, secret, signed, whole};

/// Verbs of putting one thing in the place of another, what a payment goes to, and one as banks write it.
macro_rules! put {
    () => {
        r"\b(?:replac|overwrit|substitut|swap|chang|redirect|put|set|use|write)\w*\b"
    };
}
macro_rules! account {
    () => {
        r"\b(?:IBAN|accounts?|bank|payee|beneficiary|payments?|invoices?)\b"
    };
}
macro_rules! iban {
    () => {
        r"\b(?-i:[A-Z]{2}\d{2}[ ]?[0-9A-Z]{4}[ ]?\d{2})"
    };
}

/// Actions that find a passage.
pub(super) static STANDALONE: [PassageCue; 27] = [
    // A secret goes away, in any order.
    signed(
        1,
        concat!(
            r"(?i)",
            hand!(),
            r"[^.\n]{0,80}?",
            secret!(),
            r"[^\n]{0,120}?",
            away!(),
            "|",
            secret!(),
            r"(?:[^.\n]|\.[^ \n]){0,100}?",
            hand!(),
            r"[^\n]{0,80}?",
            away!(),
            "|",
            hand!(),
            r"[^\n]{0,30}?",
            away!(),
            r"[^\n]{0,60}?",
            secret!()
        ),
        &[AWAY, concat!(r"(?i)", secret!())],
    ),
    // So does everything that somebody wrote.
    signed(
        1,
        concat!(
            r"(?i)",
            hand!(),
            r"[^.\n]{0,60}?",
            whole!(),
            r"[^\n]{0,120}?",
            away!(),
            "|",
            whole!(),
            r"[^\n]{0,100}?",
            hand!(),
            r"[^\n]{0,80}?",
            away!(),
            "|",
            hand!(),
            r"[^\n]{0,30}?",
            away!(),
            r"[^\n]{0,60}?",
            whole!()
        ),
        &[AWAY, concat!(r"(?i)", whole!())],
    ),
    // It goes in the address of a picture, or as a repository.
    grave(
        4,
        r"(?i)!\[[^\]\n]{0,40}\]\(https?://[^\s)]{1,100}[?&]\w+=[^)\s]{0,10}[<{$][^)\n]{0,60}?(?:conversation|summary|secret|key|token|env|user|message|question|history|content|file)|\bgit\s+remote\s+add\b[^\n]{0,120}?https?://[^\n]{0,160}?\bgit\s+push\b[^\n]{0,40}?\s(?:--mirror|--all|--quiet|-q)\b",
    ),
    // A copy of mail to a fixed address.
    grave(
        3,
        concat!(
            r"(?i)\b(?:bcc|cc|blind\s+copy)\w*\b[^\n]{0,110}?",
            mailbox!(),
            "|",
            mailbox!(),
            r"[^\n]{0,40}?\b(?:in|as)\s+(?:the\s+)?bcc\b"
        ),
    ),
    // Traffic is led through an address.
    grave(
        1,
        r"(?i)\b(?:(?:ANTHROPIC|OPENAI|GEMINI|LLM|OLLAMA)_(?:API_)?(?:BASE(?:_URL)?|HOST|ENDPOINT)|HTTPS?_PROXY|GOPROXY|PIP_INDEX_URL|NPM_CONFIG_REGISTRY)\b[\s:=`'\x22]{1,6}(?:to\s+)?[`'\x22]?https?://[\w-]+\.|\binsteadOf\b|\bextra-index-url[ =]https?://|\bregistry\s+https?://[\w-]+\.",
    ),
    // So is everything encrypted.
    grave(
        4,
        r"(?i)\broot\s+(?:certificate|ca)\b[^\n]{0,60}?https?://|\bsystem\s+proxy\b|\bsetsecurewebproxy\b|\bupdate-ca-certificates\b|\badd-trusted-cert\b|\bcertutil\b[^\n]{0,30}-addstore",
    ),
    // A payee is put in another's place.
    signed(
        3,
        concat!(
            r"(?i)",
            put!(),
            r"[^\n]{0,80}?\b(?:0x[0-9a-f]{40}|bc1[a-z0-9]{20,}|",
            account!(),
            r"[^\n]{0,80}?",
            iban!(),
            ")|",
            account!(),
            r"[^\n]{0,60}?",
            put!(),
            r"[^\n]{0,60}?",
            iban!(),
            r"|\bfor\s+unlimited\b|\bunlimited\s+(?:\w+\s+)?(?:approval|allowance|USD[CT]|tokens?)\b",
        ),
        &[concat!(r"(?i)0x[0-9a-f]{40}|bc1|\bunlimited\b|", iban!())],
    ),
    // A fixed stranger is given rights, or a door is opened.
    grave(
        3,
        concat!(
            r"(?i)\b(?:add|invite|grant|bind|assign|give|make|share|member|assignee)\w*\b[^\n]{0,110}?",
            mailbox!(),
            r"[^\n]{0,90}?\b(?:owner|admin\w*|editor|writer|collaborator|full\s+access)\b|\broles/owner\b|\bAdministratorAccess\b|\b(?:22|3389|all\s+ports?)\b[^\n]{0,20}?\b0\.0\.0\.0/0"
        ),
    ),
    // Money is sent.
    grave(
        2,
        r"(?i)\b(?:send|pay|transfer|fund|deposit)\w*\b[^\n]{0,40}?\b\d[\d.,]*\s*(?:ETH|BTC|SOL|USDT|USDC|XMR|TON)\b",
    ),
    // Orders, servers or permissions are planted in what agents load.
    grave(
        1,
        r"(?i)\b(?:append|add|insert|write|put|copy|install|replace|edit|register|set|plant|store|save|remember)\b[^\n]{0,100}?(?:CLAUDE\.md|AGENTS\.md|\.cursorrules|MEMORY\.md|SOUL\.md|HEARTBEAT\.md|copilot-instructions|GEMINI\.md|\.claude/settings\S*|\.cursor/mcp\.json|claude_desktop_config\.json|~/\.claude\S*|\bother\s+skills?\b|\bevery\s+(?:other\s+)?(?:skill|SKILL\.md))",
    ),
    // A permission is remembered, or never asked for.
    grave(
        3,
        r"(?i)\b(?:store|save|remember|note|record|write|put)\s+(?:it\s+)?(?:in|to|into)\s+(?:\w+\s+){0,2}memory\s+that\b|\bauto-?approv(?:e|al)\b|\balwaysAllow\b|\bBash\(\*\)|\bbypassPermissions\b",
    ),
    // An address is asked for orders.
    grave(
        4,
        r"(?i)\b(?:fetch|load|read|get|open|check|poll|pull|retrieve|curl)\b[^\n]{0,40}?https?://[^\s`)]{4,200}[`)]?[^\n]{0,60}?\b(?:follow|obey|act\s+on|carry\s+out|do\s+what|execute\s+(?:it|them|the|what)|apply\s+(?:it|them|what|the)|takes?\s+precedence|treat\s+(?:it|them)|contains\s+the\s+(?:jobs|tasks)|as\s+(?:your\s+)?instructions|complete\s+(?:these|them|the))\b",
    ),
    // A secret is asked for in the chat.
    grave(
        3,
        concat!(
            r"(?i)\b(?:ask|tell|request|require|have|get|prompt|need)\w*\b[^.\n]{0,50}?\b(?:paste|enter|type|share|provide|give|message|export)\b[^.\n]{0,60}?",
            secret!()
        ),
    ),
    // A date, a name or a doubt sets destruction off.
    grave(
        3,
        r"(?i)\b(?:if|when|once|after|as\s+soon\s+as)\b[^\n]{0,100}?\b(?:20\d\d|days|date|licen[cs]e|uninstall\w*|remov\w+|replac\w+|cancel\w*|no\s+longer)\b[^\n]{0,120}?(?:\b(?:delete|wipe|erase|destroy|remove|drop|shred|encrypt)\b[^\n]{0,40}?(?:\.git\b|branch|database|backup|home|volume|history|files|production|repositor)|\bTRUNCATE\b|\brm\s+-rf)",
    ),
    // A result is told otherwise than it is.
    grave(
        3,
        r"(?i)\b(?:counts?|counted|report(?:ed)?|mark(?:ed)?|recorded?|goes\s+into\s+the\s+report|shown?|resolved?|listed)\s+(?:\w+\s+){0,3}?as\s+[\x22\x27`]?(?:passed|passing|successful|done|approved|fixed|clean|safe|green|won.{1,3}t\s+fix)\b|\b(?:is|are|comes?|ranks?|goes?)\s+always\s+(?:\w+\s+){0,3}?(?:first|top|best)\b|\balways\s+(?:in\s+)?(?:the\s+)?(?:first|top|best)\b|\b\d+\s+(?:extra\s+)?points\s+(?:from|off|more)|\b(?:extra|bonus|full)\s+points\b|\bdo\s+not\s+(?:refer|send|direct)\s+(?:them|users?|people|patients)\s+to\b",
    ),
    // A program that others look through, or that runs past every check.
    grave(
        4,
        r"(?i)\b(?:AnyDesk|RustDesk|TeamViewer|ScreenConnect|UltraViewer|ngrok|cloudflared\s+tunnel)\b[^\n]{0,100}?\b(?:unattended|password|ID|url|post|send)\b|--privileged\s[^\n]{0,40}?-v\s+/:/|--remote-debugging-port=\d+\s+--remote-allow-origins|--load-extension=|--install-extension\s+/|\bno-quarantine\b|\bright[- ]click\b[^\n]{0,40}?\b(?:warning|open)\b|\bconfirm\s+the\s+warning\b|\|\s*tar\s+x\w*\s+-C\s+~/\.\w+/skills|\b(?:exec\S{0,3}approvals?|approvals?|exec\.ask)\s+off\b",
    ),
    // Written code is made weak, or takes the stranger's for the real one.
    grave(
        4,
        r"(?i)\baccept\w*\s+(?:tokens?|signatures?|logins?|passwords?|any)\b[^\n]{0,60}?\b(?:none|unsigned|expired|invalid|if|any)\b|\brandom\.seed\(\d|\b(?:skip|disable)\s+(?:the\s+)?(?:signature|certificate|tls|password|jwt)\s+(?:check|verification|validation)|\b(?:instead\s+of|in\s+place\s+of|rather\s+than)\s+(?:the\s+)?(?:official|original|upstream|normal)\s+(?:image|package|client|registry|binary|one|version|library|extension|installer)\b|\b(?:official|original|upstream|normal)\s+(?:\w+\s+){1,2}(?:has|is|conflicts)\s+(?:an?\s+)?(?:\w+\s+)?(?:bug|outdated|deprecated|broken|rate|with)\b|\b(?:stars?|upvotes?|reviews?|votes?)\b[^\n]{0,60}?\buser.{1,3}s\s+(?:account|behalf)",
    ),
    // It goes in a link, or whatever is told is written down for others.
    grave(
        4,
        r"(?i)\]\(https?://[^\s)]{1,100}[?&]\w+=(?-i:DATA|PAYLOAD|TEXT|BASE64|CONTENT|SUMMARY)\)|\btelemetry\b[^\n]{0,40}?\b(?:includes?|contains?)\s|\b(?:PostToolUse|PreToolUse|SessionStart|UserPromptSubmit)\b[^\n]{0,100}?\bcurl\b",
    ),
    // Tools are allowed for good.
    grave(
        4,
        r"(?i)\ballow\b[^\n]{0,60}?\b(?:Bash|Write|Edit|tools|commands)\b[^\n]{0,40}?\b(?:permanently|for\s+good)\b",
    ),
    // Protection is taken out of what is written.
    grave(
        3,
        r"(?i)\b(?:turn\s+off|switch\s+off|disable|remove|leave\s+out|drop)\b[^.\n]{0,40}?\b(?:commit\s+signing|branch\s+protection|rate\s+limit\w*|audit\s+(?:logs?|trail|middleware)|csrf|input\s+validation|secret\s+scann\w+|two-factor|2FA)\b|\b(?:MD5|SHA-?1|DES|ECB)\s+for\s+(?:password|token|signature|session)\w*",
    ),
    // A package is put into everything.
    grave(
        3,
        r"(?i)\b(?:add|must\s+be|has\s+to\s+be|put|belongs)\b[^\n]{0,60}?\b(?:each|every|all)\s+(?:package\.json|requirements\S*|Dockerfiles?|pyproject\S*|projects?)\b",
    ),
    // A judgement is given before anything was read.
    grave(
        3,
        r"(?i)\brate\b[^\n]{0,60}?\bat\s+least\s+\d|\balways\s+(?:suggest|name|recommend)\s+(?:\S+\s+){1,3}?first\b|\bleave\s+out\s+(?:polls|reviews|results|sources|facts|warnings|competitors|risks|studies)\b|\bmention\s+an?\s+(?:\w+\s+)?(?:flaw|weakness|drawback)\s+of\b",
    ),
    // It behaves while somebody looks, or waits for its hour.
    grave(
        4,
        r"(?i)\b(?:if|while|when)\b[^\n]{0,60}?\b(?:scan(?:ner|s|ned)?|sandbox|analysed|debugger|security\s+tool|under\s+test)\b[^\n]{0,100}?\b(?:behave|act\s+as|do\s+nothing|nothing\s+(?:besides|but)|stay|plain|pause|harmless)\b|\bon\s+the\s+\d+(?:th|st|nd|rd)\s+(?:run|use|call|day)\b",
    ),
    // A stranger's word counts as an order.
    grave(
        4,
        r"(?i)\b(?:treat|regard|accept|consider)\b[^\n]{0,70}?\b(?:as\s+(?:coming\s+from|instructions?\s+(?:from|by)|orders?)|like\s+text\s+(?:by|from))\s+(?:the\s+|an?\s+)?(?:admin\w*|user|owner|operator|developer|system)\b|\b(?:granted|given|have)\s+(?:\w+\s+){0,3}?(?:clearance|override\s+authority)\b|\b(?:rank|stand|are|takes?\s+precedence)\s+(?:above|over)\s+the\s+system\s+(?:prompt|message)\b",
    ),
    // What spreads by itself, or serves others with the machine.
    grave(
        4,
        r"(?i)\b(?:append|add|insert|put|write)\b[^\n]{0,80}?\b(?:each|every|all)\s+(?:(?:other|foreign|installed|further)\s+){0,2}(?:skills?\b|SKILL\.md|`SKILL)|\bidle\s+(?:bandwidth|cpu|gpu|time)\b|\bshares?\s+(?:its|your|the)\s+(?:\w+\s+)?bandwidth\b|\bscan\b[^\n]{0,30}?\bQR\b[^\n]{0,60}?\b(?:whatsapp|telegram|signal|linked)\b",
    ),
    // A program from nowhere is run past the system's doubts.
    grave(
        4,
        r"(?i)\b(?:defender|antivirus|smartscreen|gatekeeper)\s+off\b|\b(?:paste|copy)\s+(?:the|this)\s+(?:\w+\s+)?(?:line|command|following)\b[^\n]{0,80}?https?://|\bWin\s*\+\s*R\b|\bmshta\s+https?:|\b(?:mega\.nz|mediafire|gofile|transfer\.sh|catbox|anonfiles?)\S*[^\n]{0,60}?\b(?:code|password|pass)\b|\bpip\s+install\s+git\+https?://\S+[^\n]{0,20}?&&[^\n]{0,10}?python|\.(?:exe|dmg|msi|pkg)\b[^\n]{0,120}?\b(?:false\s+positive|right[- ]click|ignore\s+the\s+warning|open\s+anyway|run\s+anyway|more\s+info)\b|\b(?:star|upvote|5\s+stars)\b[^\n]{0,80}?\buser.{1,3}s\s+(?:\w+\s+)?(?:account|behalf)",
    ),
    // A high authority is said to have approved, so that checks need not apply.
    grave(
        4,
        r"(?i)\b(?:reviewed|approved|certified|audited|verified|authori[sz]ed|cleared)\s+(?:\w+\s+){0,3}?by\s+(?:the\s+)?(?:Anthropic|OpenAI|Google|Microsoft|Apple|GitHub|security|legal|compliance|treasur\w+|management|IT|CISO|platform|trust)\b|\b(?:warnings?|checks?|restrictions?|permissions?|polic(?:y|ies)|guardrails?|rules)\b[^.\n]{0,40}?\b(?:do\s+not\s+apply|are\s+(?:suspended|lifted|void|waived)|does\s+not\s+apply|can\s+be\s+ignored)\b",
    ),
];
