//! Tool commands: shell commands in the words of a surface that read what is secret or send what they find.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::sentences::Marks;

static SENT: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        // A fetch that carries what another command found, or whose answer is run or thrown away.
        r"(?-u)\b(?:curl|wget|invoke-webrequest|iwr|nc|ncat)\b[\t -~]{0,240}(?:\$\(|\|\s*(?:sudo )?(?:ba|z)?sh\b|\|\s*base64|>\s*/dev/null|(?:--data-binary|-d) @(?:[-~/$.]|[\w-]*(?:env|key|secret|credential|passw|token)))",
        // A secret file or the environment, taken by a command.
        r"|\b(?:cat|cp|scp|tar|zip|base64|head|tail|type|strings)\s+[\t -~]{0,60}(?:\.ssh\b|id_rsa\b|id_ed25519\b|\.aws/|\.bash_history|\.zsh_history|\.netrc\b|\.git-credentials|/etc/shadow\b|\.kube/config|\.env\b)",
        r"|\b(?:env|printenv|set)\s*(?:>|\|\s*(?:curl|nc|base64|tee))",
        r"|\brm -rf (?:/|~|\$home|\*)",
    ))
});

/// Where such a command stands in a text in lower case.
pub(super) fn harmful_command(lower: &str, marks: Marks) -> Option<usize> {
    const STROKES: Marks = Marks::of(&['/', '>', '|', '$', '~']);
    marks.any(STROKES).then(|| SENT.find(lower).map(|found| found.start())).flatten()
}
