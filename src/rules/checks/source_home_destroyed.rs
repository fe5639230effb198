//! source-home-destroyed: a program deletes the user's home folder or a folder of the user's own files.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::Call;
use capdex_evidence::code::sinks::{runs_shell, text_of};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_actions(subject, facts, |_, call| destroys(call).then_some((Severity::High, Confidence::High)));
}

static DELETED: LazyLock<Regex> = LazyLock::new(|| {
    let own = r"Documents|Desktop|Downloads|Pictures|Music|Movies|[Pp]rojects?|[Cc]ode|src|work|dev|repos";
    capdex_evidence::expression::of(&format!(
        // The folder itself must end the argument: what lies in a folder of its own below is the program's to delete.
        r#"(?-u)\((?:os\.path\.|path\.)?(?:expanduser\(\s*["']~(?:/(?:{own})?)?/?["']\s*\)|(?:pathlib\.)?Path\.home\(\)(?:\s*/\s*["'](?:{own})["'])?|os\.homedir\(\)|homedir\(\)|join\(\s*(?:(?:os\.)?homedir\(\)|os\.path\.expanduser\(["']~["']\)|Path\.home\(\))\s*,\s*["'](?:{own})["']\s*\)|(?:os\.)?homedir\(\)\s*\+\s*["']/(?:{own})/?["']|`\$\{{(?:os\.)?homedir\(\)\}}/(?:{own})/?`)\s*[,)]"#
    ))
});

static BY_SHELL: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?-u)\brm\s+-(?:rf|fr|Rf)\w*\s+["']?(?:~|\$HOME|\$\{HOME\})/?(?:(?:Documents|Desktop|Downloads|Pictures|[Pp]rojects)/?|\*)?["']?(?:\s|$|[;&|])"#,
    )
});

fn destroys(call: &Call) -> bool {
    let deletes = matches!(
        call.callee.as_str(),
        "shutil.rmtree" | "fs.rmSync" | "fs.rm" | "fs.rmdirSync" | "fs-extra.removeSync" | "fs-extra.remove"
    );
    // By the text of the call: a path that is put together has no value that could be compared.
    if deletes {
        return DELETED.is_match(&call.text);
    }
    runs_shell(call) && call.arguments.iter().filter_map(text_of).any(|text| BY_SHELL.is_match(text))
}
