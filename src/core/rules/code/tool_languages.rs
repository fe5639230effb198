//! Tool languages: the strongest clauses of poisoned text in languages other than English.
//!
//! Must not decide how bad they are. Only clauses that say the same in every context: setting instructions aside, silence
//! towards the user.

use std::sync::LazyLock;

use regex::Regex;

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
