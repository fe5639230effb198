//! A folder with files of ours and of the user's, written again, refused, and cut short at every step.

use std::fs;

use capdex_model::digest::Digest;

use super::*;

/// A manifest of lines `<digest> <path>` under a first line.
static KIND: OutputKind = OutputKind { what: "a test", manifest: "list.txt", named };

fn named(bytes: &[u8]) -> Result<FileDigests, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is no text")?;
    let lines = text.strip_prefix("ours\n").ok_or("is none of ours")?.lines();
    Ok(lines.filter_map(|line| line.split_once(' ')).map(|(digest, path)| (path.into(), digest.into())).collect())
}

/// Makes files and their manifest in the scratch folder.
fn make(folder: &OutputFolder, files: &[(&str, &str)]) -> FileDigests {
    let mut digests = FileDigests::new();
    let mut manifest = "ours\n".to_owned();
    for (path, text) in files {
        let whole = folder.scratch().join(path);
        fs::create_dir_all(whole.parent().expect("a parent")).expect("made");
        fs::write(whole, text).expect("written");
        let digest = Digest::of(text.as_bytes()).hex();
        manifest += &format!("{digest} {path}\n");
        digests.insert((*path).to_owned(), digest);
    }
    fs::write(folder.scratch().join(KIND.manifest), manifest).expect("written");
    digests
}

fn write(out: &Path, files: &[(&str, &str)]) -> anyhow::Result<()> {
    let folder = OutputFolder::claim(out, &KIND)?;
    let digests = make(&folder, files);
    folder.put_in_place(digests)
}

/// Every file below a folder, by path; folders end with a slash.
fn tree(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
            if path.is_dir() {
                found.push((name + "/", String::new()));
                folders.push(path);
            } else if name != KIND.manifest {
                found.push((name, fs::read_to_string(path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn what_is_ours_is_replaced_and_everything_else_stays() {
    let root = tempfile::tempdir().expect("a folder");
    let out = root.path().join("deep/out");
    write(&out, &[("a", "1"), ("b/c", "2"), ("d", "3")]).expect("a first time");
    fs::write(out.join("letter"), "dear").expect("written");
    fs::create_dir_all(out.join("empty/folder")).expect("made");
    fs::write(out.join("b/note"), "mine").expect("written");
    write(&out, &[("a", "1"), ("b/c", "new"), ("e/f", "4")]).expect("again");
    let expected = [
        ("a", "1"),
        ("b/", ""),
        ("b/c", "new"),
        ("b/note", "mine"),
        ("e/", ""),
        ("e/f", "4"),
        ("empty/", ""),
        ("empty/folder/", ""),
        ("letter", "dear"),
    ];
    assert_eq!(tree(&out), owned(&expected));
    write(&out, &[("a", "1")]).expect("less");
    let expected =
        [("a", "1"), ("b/", ""), ("b/note", "mine"), ("empty/", ""), ("empty/folder/", ""), ("letter", "dear")];
    assert_eq!(tree(&out), owned(&expected), "folders of ours go when they are empty");
    assert_eq!(fs::read_dir(root.path().join("deep")).expect("a folder").count(), 1, "nothing is left beside it");
}

#[test]
fn what_somebody_else_has_there_is_refused_and_left() {
    let root = tempfile::tempdir().expect("a folder");
    let case = |name: &str, prepare: &dyn Fn(&Path)| {
        let out = root.path().join(name);
        fs::create_dir_all(&out).expect("made");
        prepare(&out);
        let before = tree(&out);
        let error = write(&out, &[("a", "1"), ("b/c", "2")]).expect_err(name);
        assert!(error.is::<Refused>(), "{name}: {error:#}");
        assert_eq!(tree(&out), before, "{name}");
        format!("{error:#}")
    };
    let put = |out: &Path, path: &str, text: &str| {
        fs::create_dir_all(out.join(path).parent().expect("a parent")).expect("made");
        fs::write(out.join(path), text).expect("written");
    };
    let ours = |out: &Path| write(out, &[("a", "1"), ("x", "9")]).expect("ours");
    assert!(case("a letter", &|out| put(out, "letter", "")).contains("is not a test"));
    case("a hidden file", &|out| put(out, ".git/HEAD", ""));
    case("another product", &|out| put(out, KIND.manifest, "{\"manifest_version\": 3}"));
    case("no digest", &|out| put(out, KIND.manifest, "ours\nabc a\n"));
    let sealed = |path: &str| format!("ours\n{} {path}\n", Digest::of(b"mine").hex());
    for path in [".git/config", "../outside", "/etc/passwd", "b/../a"] {
        let name = format!("a manifest that names {}", path.replace('/', "_"));
        case(&name, &|out| {
            put(out, ".git/config", "mine");
            put(out, KIND.manifest, &sealed(path));
        });
    }
    let changed = case("a changed file", &|out| {
        ours(out);
        put(out, "x", "of mine");
    });
    assert!(changed.starts_with("x in "), "{changed}");
    let in_the_way = case("a file in the way", &|out| {
        ours(out);
        put(out, "b/c", "of mine");
    });
    assert!(in_the_way.starts_with("b/c in "), "{in_the_way}");
    case("a file where a folder goes", &|out| {
        ours(out);
        put(out, "b", "of mine");
    });
    case("a folder where a file goes", &|out| {
        fs::remove_file(out.join("a")).err();
        ours(out);
        fs::remove_file(out.join("a")).expect("there");
        fs::create_dir(out.join("a")).expect("made");
    });
    #[cfg(unix)]
    {
        let link = |out: &Path, to: &str, name: &str| {
            std::os::unix::fs::symlink(to, out.join(name)).expect("linked");
        };
        case("a link for a file of ours", &|out| {
            ours(out);
            fs::rename(out.join("x"), out.join("y")).expect("moved");
            link(out, "y", "x");
        });
        case("a link for a folder", &|out| {
            ours(out);
            fs::create_dir(out.join("elsewhere")).expect("made");
            link(out, "elsewhere", "b");
        });
        case("a link to nothing", &|out| {
            ours(out);
            link(out, "nowhere", "b");
        });
    }
    let file = root.path().join("a file");
    fs::write(&file, "").expect("written");
    assert!(write(&file, &[]).expect_err("a file").is::<Refused>());
}

#[test]
fn a_refused_or_dropped_writing_leaves_no_folder_behind() {
    let root = tempfile::tempdir().expect("a folder");
    let out = root.path().join("out");
    let folder = OutputFolder::claim(&out, &KIND).expect("claimed");
    make(&folder, &[("a", "1")]);
    assert!(out.is_dir());
    drop(folder);
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0);
}

#[test]
fn two_writings_exclude_each_other() {
    let root = tempfile::tempdir().expect("a folder");
    let out = root.path().join("out");
    let first = OutputFolder::claim(&out, &KIND).expect("claimed");
    let error = OutputFolder::claim(&out, &KIND).expect_err("held");
    assert!(!error.is::<Refused>());
    assert!(error.to_string().contains("another process writes into"), "{error}");
    let digests = make(&first, &[("a", "1")]);
    first.put_in_place(digests).expect("written");
    write(&out, &[("a", "2")]).expect("free again");
}

#[test]
fn a_writing_that_was_cut_short_at_any_step_is_completed() {
    let before = [("a", "1"), ("b", "2"), ("gone", "3")];
    let after = [("a", "new"), ("c/d", "4"), ("b", "2")];
    for (with_scratch, moved) in [(true, 0), (true, 1), (true, 2), (true, 3), (false, 0), (false, 1), (false, 2)] {
        for had_one in [true, false] {
            let root = tempfile::tempdir().expect("a folder");
            let out = root.path().join("out");
            if had_one {
                write(&out, &before).expect("before");
            }
            fs::create_dir_all(&out).expect("made");
            let mut folder = OutputFolder::claim(&out, &KIND).expect("claimed");
            if had_one {
                fs::write(out.join("letter"), "dear").expect("written");
            }
            let mut digests = make(&folder, &after);
            let manifest = fs::read(folder.scratch().join(KIND.manifest)).expect("made");
            digests.insert(KIND.manifest.into(), Digest::of(&manifest).hex());
            // As far as `place` comes before it is killed.
            let journal = Journal::of(&KIND, &folder.scratch, &digests, &folder.there);
            journal.write(folder.lock.dir(), &folder.scratch).expect("written");
            folder.scratch.keep();
            for path in ["a", "c/d", KIND.manifest].into_iter().take(moved) {
                move_into(folder.lock.dir(), folder.scratch.path(), path).expect("moved");
            }
            let scratch = folder.scratch().to_owned();
            drop(folder);
            if !with_scratch {
                fs::remove_dir_all(&scratch).expect("removed");
            }
            let what = format!("scratch {with_scratch}, {moved} moved, before {had_one}");
            let folder = OutputFolder::claim(&out, &KIND).unwrap_or_else(|error| panic!("{what}: {error:#}"));
            let mut expected = owned(&after);
            expected.extend(had_one.then(|| ("letter".to_owned(), "dear".to_owned())));
            expected.push(("c/".into(), String::new()));
            expected.sort();
            if with_scratch {
                assert_eq!(tree(&out), expected, "{what}: completed");
                assert!(!scratch.exists(), "{what}");
            }
            let digests = make(&folder, &after);
            folder.put_in_place(digests).unwrap_or_else(|error| panic!("{what}: {error:#}"));
            assert_eq!(tree(&out), expected, "{what}: written again");
            assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 1, "{what}: nothing is left beside it");
        }
    }
}

#[test]
fn what_a_killed_process_left_is_swept_and_what_only_looks_like_it_is_not() {
    let root = tempfile::tempdir().expect("a folder");
    let out = root.path().join("out");
    let mut killed = OutputFolder::claim(&out, &KIND).expect("claimed");
    make(&killed, &[("a", "1")]);
    killed.scratch.keep();
    let left = killed.scratch().to_owned();
    drop(killed);
    let theirs = root.path().join(".capdex-0123456789abcdef");
    fs::create_dir(&theirs).expect("made");
    fs::write(theirs.join("letter"), "dear").expect("written");
    for name in [".out.old", ".out.new"] {
        fs::create_dir(root.path().join(name)).expect("made");
    }
    write(&out, &[("a", "1")]).expect("written");
    assert!(!left.exists());
    assert!(theirs.join("letter").is_file());
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 4);
}
