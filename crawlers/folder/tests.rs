//! Local paths in, files and gaps out; and the listing of a watchlist.

use std::fs;

use tempfile::TempDir;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Locator, Validators};

use super::*;
use crate::ListedEntry;
use crate::unpack::archives::{Tar, Zip, gzip};

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("writes");
        fs::write(path, content).expect("writes");
    }
    folder
}

fn read_with(path: &Path, limits: UnpackLimits) -> FolderInput {
    read(path, &limits).expect("the path is there")
}

fn read_all(path: &Path) -> FolderInput {
    read_with(path, UnpackLimits::default())
}

fn paths(input: &FolderInput) -> Vec<&str> {
    input.files.keys().map(String::as_str).collect()
}

fn gaps(input: &FolderInput) -> Vec<(&str, GapReason)> {
    input.gaps.iter().map(|gap| (gap.subject.as_str(), gap.reason)).collect()
}

#[test]
fn a_directory_gives_its_files_without_version_control() {
    let folder =
        folder(&[("SKILL.md", b"S"), ("a/b/c", b""), (".git/config", b"x"), ("sub/.git", b"x"), (".gitignore", b"")]);
    let input = read_all(folder.path());
    assert_eq!((paths(&input), gaps(&input)), (vec![".gitignore", "SKILL.md", "a/b/c"], vec![]));
    assert_eq!(Some(input.name.as_str()), folder.path().file_name().and_then(|name| name.to_str()));
}

#[test]
fn what_git_did_not_put_into_its_folder_is_read() {
    let folder = folder(&[
        (".git/HEAD", b"x"),
        (".git/objects/ab/cd", b"x"),
        (".git/hooks/pre-commit.sample", b"x"),
        (".git/hooks/post-checkout", b"#!/bin/sh\n"),
        (".git/run.sh", b"#!/bin/sh\n"),
        (".git/kit/a", b"x"),
    ]);
    assert_eq!(paths(&read_all(folder.path())), [".git/hooks/post-checkout", ".git/kit/a", ".git/run.sh"]);
}

#[test]
fn a_directory_keeps_a_single_top_folder_and_opens_archives() {
    let folder = folder(&[("top/in.zip", &Zip::new().file("x", b"X").finish())]);
    let input = read_all(folder.path());
    assert_eq!((paths(&input), gaps(&input)), (vec!["top/in.zip", "top/in.zip!/x"], vec![]));
}

#[test]
fn an_empty_directory_is_recorded_as_empty() {
    assert_eq!(gaps(&read_all(folder(&[]).path())), [(".", GapReason::Empty)]);
}

#[test]
fn an_archive_is_told_by_its_bytes_or_its_name_and_loses_its_root() {
    let tar = Tar::new().file("p-1/a", b"A").finish();
    let zip = Zip::new().file("p-1/a", b"A").finish();
    let folder = folder(&[("p-1.tar.gz", &gzip(&tar)), ("p-1.tar", &tar), ("p.whl", &zip), ("unnamed", &zip)]);
    for (file, name) in [("p-1.tar.gz", "p-1"), ("p-1.tar", "p-1"), ("p.whl", "p"), ("unnamed", "unnamed")] {
        let input = read_all(&folder.path().join(file));
        assert_eq!((input.name.as_str(), paths(&input), gaps(&input)), (name, vec!["a"], vec![]));
    }
}

#[test]
fn a_damaged_archive_is_recorded_and_not_read_as_a_file() {
    let folder = folder(&[("a.zip", b"text"), ("b.tgz", &gzip(b"text")), ("c.tgz", b"text")]);
    for file in ["a.zip", "b.tgz", "c.tgz"] {
        let input = read_all(&folder.path().join(file));
        assert!(input.files.is_empty() && !input.gaps.is_empty(), "{file}");
    }
}

#[test]
fn any_other_file_is_that_one_file() {
    let folder = folder(&[("SKILL.md", b"S"), ("log.md.gz", &gzip(b"L")), ("nul.md", b"")]);
    let skill = read_all(&folder.path().join("SKILL.md"));
    assert_eq!((skill.name.as_str(), paths(&skill), gaps(&skill)), ("SKILL.md", vec!["SKILL.md"], vec![]));
    let stream = read_all(&folder.path().join("log.md.gz"));
    assert_eq!((paths(&stream), gaps(&stream)), (vec!["log.md.gz", "log.md.gz!/log.md"], vec![]));
    let reserved = read_all(&folder.path().join("nul.md"));
    assert_eq!((paths(&reserved), gaps(&reserved)), (vec![], vec![("nul.md", GapReason::PathRefused)]));
}

#[cfg(unix)]
#[test]
fn links_and_special_files_are_refused_but_the_input_may_be_a_link() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let outside = folder(&[("secret", b"x")]);
    let folder = folder(&[("a", b"A")]);
    symlink(outside.path(), folder.path().join("dir")).expect("links");
    symlink(outside.path().join("secret"), folder.path().join("file")).expect("links");
    symlink("a", folder.path().join("near")).expect("links");
    let _socket = UnixListener::bind(folder.path().join("socket")).expect("binds");
    let link = outside.path().join("input");
    symlink(folder.path(), &link).expect("links");
    let input = read_all(&link);
    let expected = [
        ("dir", GapReason::LinkRefused),
        ("file", GapReason::LinkRefused),
        ("near", GapReason::LinkRefused),
        ("socket", GapReason::SpecialRefused),
    ];
    assert_eq!((paths(&input), gaps(&input)), (vec!["a"], expected.to_vec()));
}

#[cfg(unix)]
#[test]
fn names_keep_the_rules_of_archives() {
    use std::os::unix::ffi::OsStrExt;

    let folder = folder(&[("a\\b", b""), ("con.md", b""), ("dir./x", b""), ("Same", b""), ("same", b"")]);
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff")), b"").expect("writes");
    let input = read_all(folder.path());
    assert_eq!(paths(&input), ["Same", "same"]);
    let refused = |subject| (subject, GapReason::PathRefused);
    let twice = |subject| (subject, GapReason::DuplicatePath);
    let expected =
        [twice("Same"), refused("a\\b"), refused("con.md"), refused("dir."), twice("same"), refused("\u{fffd}")];
    assert_eq!(gaps(&input), expected);
}

#[test]
fn members_are_capped_and_a_crowded_directory_is_refused_whole() {
    let folder = folder(&[("a", b""), ("b/x", b""), ("b/y", b"")]);
    let read = |members| read_with(folder.path(), UnpackLimits { members, ..UnpackLimits::default() });
    assert_eq!(gaps(&read(5)), []);
    assert_eq!(gaps(&read(4)), []);
    let above = read(3);
    assert_eq!((paths(&above), gaps(&above)), (vec!["a"], vec![(".", GapReason::TooManyMembers)]));
}

#[test]
fn files_and_their_sum_are_capped() {
    let folder = folder(&[("a", b"12345"), ("b", b"123")]);
    let one = |cap| read_with(folder.path(), UnpackLimits { file_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&one(6)), gaps(&one(5))), (vec![], vec![]));
    assert_eq!((paths(&one(4)), gaps(&one(4))), (vec!["b"], vec![("a", GapReason::FileTooLarge)]));
    let all = |cap| read_with(folder.path(), UnpackLimits { expanded_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&all(9)), gaps(&all(8))), (vec![], vec![]));
    assert_eq!((paths(&all(7)), gaps(&all(7))), (vec!["a"], vec![(".", GapReason::ExpandedTooLarge)]));
    let single =
        |cap| read_with(&folder.path().join("a"), UnpackLimits { compressed_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&single(6)), gaps(&single(5))), (vec![], vec![]));
    assert_eq!(gaps(&single(4)), [(".", GapReason::CompressedTooLarge)]);
}

#[test]
fn what_is_not_there_is_gone() {
    let folder = folder(&[("file", b"")]);
    for path in ["missing", "file/below"] {
        let error = read(&folder.path().join(path), &UnpackLimits::default()).expect_err("nothing there");
        assert!(matches!(error, CrawlError::Gone { .. }), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_denied() {
    let folder = folder(&[]);
    let path = folder.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).expect("binds");
    assert!(matches!(read(&path, &UnpackLimits::default()), Err(CrawlError::Denied { .. })));
}

#[test]
fn a_watchlist_is_listed_in_its_order() {
    let folder = folder(&[("one/SKILL.md", b"S"), ("sub/one/x", b""), ("two.zip", b"")]);
    let watchlist = ["one", "sub/one", "two.zip", "three.tgz", "./one/"].map(str::to_owned);
    let base = folder.path().display().to_string();
    let listed = list::list(META.id, &base, &watchlist);
    let [ListedEntry::Changed { listing: one, validators }, ListedEntry::Changed { listing: sub, .. }, two, gone] =
        listed.as_slice()
    else {
        panic!("another shape: {listed:?}");
    };
    let path = folder.path().join("one").display().to_string();
    assert_eq!(one.key, ListingKey::new("folder", "one"));
    assert_eq!(one.locators, [Locator::Folder { source: None, path, name: "one".into() }]);
    assert_eq!((&one.claims, validators), (&Claims::default(), &Validators::default()));
    assert_eq!(sub.key, ListingKey::new("folder", "sub/one"));
    assert!(matches!(two, ListedEntry::Changed { listing, .. } if listing.key == ListingKey::new("folder", "two")));
    assert_eq!(gone, &ListedEntry::Gone(ListingKey::new("folder", "three")));
}

/// The names and gaps that a table of these paths has.
fn names_of(id: &str, base: &str, watchlist: &[&str]) -> Vec<Result<String, GapReason>> {
    let watchlist: Vec<String> = watchlist.iter().map(|path| (*path).to_owned()).collect();
    let name = |entry: ListedEntry| match entry {
        ListedEntry::Changed { listing, .. } => {
            assert!(listing.locators.iter().all(|locator| locator.identity() == listing.key.to_string()));
            Ok(listing.key.to_string())
        }
        ListedEntry::Failed { gap, .. } => Err(gap.reason),
        other => panic!("{other:?}"),
    };
    list::list(id, base, &watchlist).into_iter().map(name).collect()
}

#[test]
fn folders_that_end_alike_are_told_apart_and_patterns_mean_folders_and_archives() {
    let folder = folder(&[
        ("alice/notes/SKILL.md", b"S"),
        ("bob/notes/SKILL.md", b"S"),
        ("bob/pack.tgz", b""),
        ("bob/pack.zip", b""),
        ("bob/README.md", b"R"),
        ("bob/.hidden/SKILL.md", b"S"),
    ]);
    let base = folder.path().display().to_string();
    let ok = |name: &str| Ok(name.to_owned());
    let both = [ok("mine:alice/notes"), ok("mine:bob/notes")];
    assert_eq!(names_of("mine", &base, &["alice/notes", "bob/notes"]), both);
    let all = [both.as_slice(), &[ok("mine:bob/pack"), Err(GapReason::DuplicatePath)]].concat();
    assert_eq!(names_of("mine", &base, &["*/*"]), all);
    // Also written out, they are listed once.
    assert_eq!(names_of("mine", &base, &["*/notes", "bob/notes"]), both);
    assert_eq!(names_of("folder", &base, &["carol/*"]), [Err(GapReason::NotFound)]);
    let whole = |path: &str| folder.path().join(path).display().to_string();
    let (alice, bob) = (whole("alice/notes"), whole("bob/notes"));
    assert_eq!(names_of("folder", "", &[&alice]), [ok("folder:notes")]);
    let of = |path: &str| ok(&format!("folder:{}", path.trim_start_matches('/')));
    assert_eq!(names_of("folder", "", &[&alice, &bob]), [of(&alice), of(&bob)]);
    assert_eq!(names_of("folder", "", &[&whole("*/notes")]), [of(&alice), of(&bob)]);
}

#[test]
fn listed_paths_without_a_base_are_taken_as_they_are() {
    let folder = folder(&[("one/SKILL.md", b"S")]);
    let path = folder.path().join("one").display().to_string();
    let listed = list::list(META.id, "", std::slice::from_ref(&path));
    let expected = [Locator::Folder { source: None, path, name: "one".into() }];
    assert!(matches!(listed.as_slice(), [ListedEntry::Changed { listing, .. }] if listing.locators == expected));
}
