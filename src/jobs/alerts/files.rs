//! Files that notifiers add to line by line, each line once.
//!
//! Each line is a JSON object with its `id`; nothing else of it is read.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The number of bytes at a file's end that are searched for a line that is there already.
const TAIL_BYTES: u64 = 4 << 20;

/// Adds a line, unless one of the last has its id. Lines are added one at a time, each marked in the store before the next.
/// So after a crash at most one is in doubt. A rest of the line that a crash left is taken away; a line of somebody else's
/// without an end is ended.
pub(super) fn append_line(path: &Path, id: &str, line: &str) -> io::Result<()> {
    // Not in append mode: a torn line at the end is cut off before the new one is written.
    let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    let length = file.metadata()?.len();
    // Only the tail is read: the file grows for as long as the notifier lives, and a line in doubt is one of its last.
    let from = length.saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    // Whatever follows the last line feed is torn: its write ended before the line did.
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (lines, torn) = tail.split_at(whole);
    // The notifier has it already: the process died between this write and the mark in the store.
    if lines.split(|byte| *byte == b'\n').any(|line| has_id(line, id)) {
        return Ok(());
    }
    // A torn rest that our line begins with is our own earlier try; anything else was written by somebody else and stays.
    let is_ours = line.as_bytes().starts_with(torn);
    let end = if is_ours { length - torn.len() as u64 } else { length };
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    let before = if is_ours { "" } else { "\n" };
    file.write_all(format!("{before}{line}\n").as_bytes())?;
    // The caller marks the message as sent next, so the line has to be on the disk before.
    file.sync_all()
}

/// True where a line is an object with this `id`.
fn has_id(line: &[u8], id: &str) -> bool {
    // Reading a line as JSON takes longer than looking for the id in it.
    line.windows(id.len()).any(|part| part == id.as_bytes())
        && serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|value| value.get("id") == Some(&id.into()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn after(before: &str, id: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        fs::write(&path, before).expect("written");
        append_line(&path, id, &format!(r#"{{"id":"{id}","x":1}}"#)).expect("added");
        fs::read_to_string(&path).expect("read")
    }

    #[test]
    fn a_line_is_added_once_whatever_a_crash_left() {
        let (one, two) = ("{\"id\":\"m1\",\"x\":1}\n", "{\"id\":\"m2\",\"x\":1}\n");
        let both = format!("{one}{two}");
        assert_eq!(after("", "m1"), one);
        assert_eq!(after(one, "m2"), both);
        assert_eq!(after(&both, "m1"), both, "something worse was queued since");
        assert_eq!(after(&both, "m2"), both, "the process died before it could say that it was written");
        for cut in 1..two.len() {
            assert_eq!(after(&format!("{one}{}", &two[..cut]), "m2"), both, "{cut} bytes of it were written");
        }
        assert_eq!(after("somebody else's", "m1"), format!("somebody else's\n{one}"));
        assert_eq!(after("not json\n", "m1"), format!("not json\n{one}"));
    }
}
