//! Archives: what is packed into them, and the folders into which one that was fetched is unpacked.

use super::commands::is_work;
use super::options::{operands, secret_among};
use super::tainted_value::TaintedValue;
use super::trace::{TracedArgument, Tracer};

impl Tracer {
    /// Packs or unpacks files. Gives the archive, where it is printed.
    pub(super) fn packs(&mut self, name: &str, words: &[TracedArgument], input: TaintedValue) -> TaintedValue {
        let first = words.first().map_or("", TracedArgument::text);
        let cluster = if first.starts_with("--") { "" } else { first.trim_start_matches('-') };
        let mut packed = TaintedValue { unknown: true, secret: secret_among(words), ..TaintedValue::default() };
        for word in operands(words) {
            packed.taint(&word.value);
        }
        // A packed folder is the user's work where it is the one at hand, or one of documents.
        packed.work |= operands(words)
            .iter()
            .any(|word| matches!(word.text(), "." | "./" | "$PWD" | "src" | "src/") || is_work(word.text()));
        if packed.secret.is_none() && words.iter().any(|word| matches!(word.text(), "-T" | "-@" | "-")) {
            packed.taint(&input);
        }
        if name.contains("tar") && cluster.contains('x') {
            let to_output = cluster.contains('O') || words.iter().any(|word| word.text() == "--to-stdout");
            let named = words.iter().position(|word| matches!(word.text(), "-f" | "--file"));
            let at = if cluster.contains('f') { Some(1) } else { named.map(|at| at + 1) };
            let archive = at.and_then(|at| words.get(at)).map_or("-", TracedArgument::text);
            let mut content = if archive == "-" { input } else { self.content(archive) };
            content.decoded = to_output.then_some("tar xO");
            let folder = words.iter().zip(words.iter().skip(1)).find(|(option, _)| option.text() == "-C");
            if let (false, Some((_, folder))) = (to_output, folder) {
                self.unpacks(folder.text(), &content);
            }
            return if to_output { content.changed() } else { TaintedValue::default() };
        }
        let archive = if name.contains("tar") {
            let at = words.iter().position(|word| word.text() == "-f" || word.text().starts_with("--file"));
            let at = at.map(|at| at + 1).or_else(|| cluster.contains('f').then_some(1));
            at.and_then(|at| words.get(at)).map(|word| word.text().to_owned())
        } else {
            operands(words).iter().map(|word| word.text()).find(|text| !matches!(*text, "a" | "u")).map(str::to_owned)
        };
        match archive {
            Some(archive) if archive != "-" => {
                // The archive is data: that its files were read does not make it one of them.
                packed.files.clear();
                self.write(&archive, &packed, false);
                TaintedValue::default()
            }
            _ => packed,
        }
    }

    /// Notes that an archive is unpacked into a folder. Of folders where programs live it would mean all of them, so that
    /// only those count that nothing else lies in.
    pub(super) fn unpacks(&mut self, folder: &str, content: &TaintedValue) {
        let is_passing = ["/tmp", "/var/tmp", "/dev/shm", "$TMPDIR"].iter().any(|start| folder.starts_with(start))
            || folder.rsplit('/').next().is_some_and(|name| name.len() > 2 && name.starts_with('.'));
        if content.network && is_passing {
            self.note_folder(folder, TaintedValue { decoded: None, ..content.clone() });
        }
    }
}
