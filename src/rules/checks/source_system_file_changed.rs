//! source-system-file-changed: a program deletes, links, opens up or overwrites a file by which the system knows its users.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let is_bundle =
        |path: &str| subject.evidence.documents.get(path).is_some_and(|document| document.text.len() > LARGEST);
    report_calls(subject, facts, |file, call| {
        (changes(call) && !is_bundle(file.path)).then_some((Severity::High, Confidence::Medium))
    });
}

/// In larger files, which are bundles, one name stands for many things.
const LARGEST: usize = 128 << 10;

fn changes(call: &Call) -> bool {
    let touched = |sources: TaintSources| sources.any(TaintSources::SYSTEM_PATH);
    match call.callee.as_str() {
        "os.remove" | "os.unlink" | "os.rmdir" | "shutil.rmtree" | "os.chmod" | "os.chown" | "os.truncate"
        | "os.lchown" | "shutil.chown" | "fs.unlinkSync" | "fs.unlink" | "fs.rmSync" | "fs.rm" | "fs.chmodSync"
        | "fs.chmod" | "fs.chownSync" | "fs.truncateSync" | "fs.writeFileSync" | "fs.writeFile"
        | "fs.appendFileSync" | "fs.appendFile" => touched(call.taint.first),
        // Whoever reads the link reads the file.
        "os.symlink" | "os.link" | "fs.symlinkSync" | "fs.symlink" | "fs.linkSync" | "fs.link" => {
            touched(call.taint.first)
        }
        // Moved away, or put in its place.
        "os.rename" | "os.replace" | "shutil.move" | "fs.renameSync" | "fs.rename" => touched(call.taint.arguments()),
        "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "fs.copyFileSync" | "fs.copyFile" => {
            touched(call.taint.rest)
        }
        "open" | "io.open" => touched(call.taint.first) && writes(call),
        _ => false,
    }
}

/// True where a file is opened to be written to.
fn writes(call: &Call) -> bool {
    let mode = |text: &str| text.len() <= 3 && text.contains(['w', 'a', 'x', '+']);
    call.arguments.iter().skip(1).any(|argument| match argument {
        Argument::Literal(text) => mode(text),
        Argument::Named(pairs) => pairs.iter().any(|(name, value)| name == "mode" && mode(value)),
        _ => false,
    })
}
