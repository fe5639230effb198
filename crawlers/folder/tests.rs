//! Local paths in, files and gaps out; and the listing of a watchlist.

use std::fs;

use tempfile::TempDir;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Locator, Validators};

use super::*;
use crate::unpack::archives::{Tar, Zip, gzip};
use crate::{ListedEntry, SourceSettings};

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
    read(path, &FolderOptions { limits, ..FolderOptions::default() }).expect("the path is there")
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
fn a_directory_gives_its_files_without_data_of_git() {
    let config = b"[core]\n\tbare = false\n";
    let folder = folder(&[
        ("SKILL.md", b"S"),
        ("a/b/c", b""),
        (".git/config", config),
        ("sub/.git", b"gitdir: ../.git/modules/sub\n"),
        (".gitignore", b""),
    ]);
    let input = read_all(folder.path());
    assert_eq!((paths(&input), gaps(&input)), (vec![".gitignore", "SKILL.md", "a/b/c"], vec![]));
    assert_eq!(Some(input.name.as_str()), folder.path().file_name().and_then(|name| name.to_str()));
}

/// A loose object of git: a zlib stream.
fn object(content: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&[format!("blob {}\0", content.len()).as_bytes(), content].concat()).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn what_is_not_gits_by_its_bytes_is_read_whatever_it_is_called() {
    let id = "objects/ab/cdef0123456789abcdef0123456789abcdef01";
    let script = b"#!/bin/sh\nid\n";
    let folder = folder(&[
        (".git/HEAD", b"ref: refs/heads/main\n"),
        (&format!(".git/{id}"), &object(b"text")),
        (".git/objects/pack/pack-1.pack", b"PACK\0\0\0\x02\0\0\0\0"),
        (".git/hooks/pre-commit.sample", b"#!/bin/sh\n#\n# An example hook script to verify.\n"),
        (".git/index", b"DIRC\0\0\0\x02"),
        (".git/hooks/post-checkout", script),
        (".git/hooks/b.sample", script),
        (".git/run.sh", script),
        (".git/kit/a", b"x"),
        ("n/.git", script),
        ("m/.git/index", script),
        (&format!("m/.git/{id}"), script),
        ("m/.git/config", b"[core]\n\tfsmonitor = sh x\n"),
    ]);
    let expected = [
        ".git/hooks/b.sample",
        ".git/hooks/post-checkout",
        ".git/kit/a",
        ".git/run.sh",
        "m/.git/config",
        "m/.git/index",
        "m/.git/objects/ab/cdef0123456789abcdef0123456789abcdef01",
        "n/.git",
    ];
    assert_eq!(paths(&read_all(folder.path())), expected);
}

#[test]
fn dependencies_are_left_out_and_told_unless_asked_for() {
    let folder = folder(&[
        ("SKILL.md", b"Run `sh node_modules/x/a.sh` and node_modules/y."),
        ("node_modules/x/a.sh", b"sh ./node_modules/x/b.sh"),
        ("node_modules/x/b.sh", b"B"),
        ("node_modules/x/c.sh", b"C"),
        ("node_modules/y/package.json", b"{}"),
        ("node_modules/y/lib.js", b""),
        ("env/pyvenv.cfg", b"home = /usr\n"),
        ("env/lib/a.py", b""),
        ("docs/api/a.md", b""),
    ]);
    let input = read_all(folder.path());
    let named = ["node_modules/x/a.sh", "node_modules/x/b.sh", "node_modules/y/package.json"];
    assert_eq!(paths(&input), [&["SKILL.md", "docs/api/a.md"][..], &named].concat());
    let told = |input: &FolderInput| -> Vec<String> { input.left_out.iter().map(|one| one.path.clone()).collect() };
    assert_eq!((told(&input), gaps(&input)), (vec!["env".to_owned(), "node_modules".to_owned()], vec![]));
    let all =
        read(folder.path(), &FolderOptions { default_excludes: false, ..FolderOptions::default() }).expect("reads");
    assert_eq!((all.files.len(), told(&all)), (9, vec![]));
    let exclude = ["docs", "*.sh"].map(|pattern| pattern.parse().expect("a pattern")).to_vec();
    let options = FolderOptions { exclude, default_excludes: false, ..FolderOptions::default() };
    let some = read(folder.path(), &options).expect("reads");
    assert_eq!(some.files.len(), 5);
    assert_eq!(told(&some).len(), 4, "one folder and three scripts");
    assert!(some.left_out.iter().all(|one| one.reason == capdex_model::input::LeftOutReason::Excluded));
}

#[test]
fn a_budget_that_ends_takes_nothing_from_a_capability() {
    let blob = vec![b'x'; 400];
    let folder = folder(&[
        ("a/1", &blob),
        ("a/2", &blob),
        ("a/3", &blob),
        ("dist/skills.js", &blob),
        ("zz/skills/n/SKILL.md", b"S"),
        ("zz/skills/n/run.sh", b"R"),
        ("zz/skills/n/in.zip", &Zip::new().file("x", b"X").finish()),
    ]);
    let read = |expanded_bytes| read_with(folder.path(), UnpackLimits { expanded_bytes, ..UnpackLimits::default() });
    let skill = ["zz/skills/n/SKILL.md", "zz/skills/n/in.zip", "zz/skills/n/in.zip!/x", "zz/skills/n/run.sh"];
    for budget in [300, 700, 1100, 1500] {
        let input = read(budget);
        assert!(skill.iter().all(|path| input.files.contains_key(*path)), "{budget}: {:?}", paths(&input));
        let expected: &[(&str, GapReason)] = match budget {
            1500 => &[("dist", GapReason::ExpandedTooLarge)],
            _ => &[("a", GapReason::ExpandedTooLarge), ("dist", GapReason::ExpandedTooLarge)],
        };
        assert_eq!(gaps(&input), expected, "{budget}");
    }
}

#[test]
fn a_directory_keeps_a_single_top_folder_and_opens_archives() {
    let folder = folder(&[("top/in.zip", &Zip::new().file("x", b"X").finish())]);
    let input = read_all(folder.path());
    assert_eq!((paths(&input), gaps(&input)), (vec!["top/in.zip", "top/in.zip!/x"], vec![]));
}

#[test]
fn a_stream_of_nothing_is_recorded_as_empty() {
    let read = |bytes: &[u8]| read_stream("stdin", bytes, &FolderOptions::default()).expect("it can be read");
    assert_eq!((paths(&read(b"")), gaps(&read(b""))), (vec![], vec![(".", GapReason::Empty)]));
    assert_eq!((paths(&read(b" ")), gaps(&read(b" "))), (vec!["stdin"], vec![]));
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
    assert_eq!((paths(&reserved), gaps(&reserved)), (vec!["nul.md"], vec![("nul.md", GapReason::PathRefused)]));
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
    let expected =
        [("dir", GapReason::LinkRefused), ("file", GapReason::LinkRefused), ("socket", GapReason::SpecialRefused)];
    assert_eq!((paths(&input), gaps(&input)), (vec!["a", "near"], expected.to_vec()));
    assert_eq!(input.aliases, [Alias { path: "near".into(), target: "a".into() }]);
}

#[cfg(unix)]
#[test]
fn links_beside_a_named_folder_are_followed_as_far_as_the_project_goes() {
    use std::os::unix::fs::symlink;

    let home = folder(&[
        (".agents/skills/n/SKILL.md", b"S"),
        (".ssh/key", b"secret"),
        ("notes/n/SKILL.md", b"S"),
        (".claude/skills/own/SKILL.md", b"S"),
    ]);
    let skills = home.path().join(".claude/skills");
    symlink("../../.agents/skills/n", skills.join("n")).expect("links");
    symlink("../../.agents/skills/n", skills.join("again")).expect("links");
    symlink("../../.ssh/key", skills.join("own/key")).expect("links");
    symlink("../../notes/n", skills.join("notes")).expect("links");
    symlink("../..", skills.join("up")).expect("links");
    let input = read_all(&skills);
    assert_eq!(paths(&input), ["again/SKILL.md", "own/SKILL.md"]);
    let refused = ["notes", "own/key", "up"].map(|path| (path, GapReason::LinkRefused));
    assert_eq!(gaps(&input), refused);
    // In a repository the whole project counts, but no hidden folder of another program.
    fs::create_dir(home.path().join(".git")).expect("writes");
    let input = read_all(&skills);
    assert_eq!(paths(&input), ["again/SKILL.md", "notes/SKILL.md", "own/SKILL.md"]);
    assert_eq!(gaps(&input), [("own/key", GapReason::LinkRefused), ("up", GapReason::LinkRefused)]);
}

#[cfg(unix)]
#[test]
fn names_keep_the_rules_of_archives() {
    use std::os::unix::ffi::OsStrExt;

    let folder = folder(&[("a\\b", b""), ("con.md", b""), ("dir./x", b""), ("Same", b""), ("same", b"")]);
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff")), b"").expect("writes");
    let input = read_all(folder.path());
    assert_eq!(paths(&input), ["Same", "a\\b", "con.md", "dir./x", "same", "\u{fffd}"]);
    let refused = |subject| (subject, GapReason::PathRefused);
    let twice = |subject| (subject, GapReason::DuplicatePath);
    let expected = [
        twice("Same"),
        refused("a\\b"),
        refused("con.md"),
        refused("dir."),
        refused("dir./x"),
        twice("same"),
        refused("\u{fffd}"),
    ];
    assert_eq!(gaps(&input), expected);
}

#[test]
fn members_are_capped_and_a_crowded_directory_is_refused_whole() {
    let folder = folder(&[("a", b""), ("b/x", b""), ("b/y", b"")]);
    let read = |members| read_with(folder.path(), UnpackLimits { members, ..UnpackLimits::default() });
    assert_eq!((gaps(&read(4)), gaps(&read(3))), (vec![], vec![]));
    let above = read(2);
    assert_eq!((paths(&above), gaps(&above)), (vec!["a", "b/x"], vec![("b", GapReason::TooManyMembers)]));
    for name in 0..17 {
        fs::write(folder.path().join(format!("b/{name}")), b"").expect("writes");
    }
    // Eight times as many entries are listed as may be read.
    let crowded = read(2);
    assert_eq!((paths(&crowded), gaps(&crowded)), (vec!["a"], vec![("b", GapReason::TooManyMembers)]));
}

#[test]
fn files_and_their_sum_are_capped() {
    let folder = folder(&[("a", b"12345"), ("b", b"123")]);
    let one = |cap| read_with(folder.path(), UnpackLimits { file_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&one(6)), gaps(&one(5))), (vec![], vec![]));
    assert_eq!((paths(&one(4)), gaps(&one(4))), (vec!["b"], vec![("a", GapReason::FileTooLarge)]));
    let all = |cap| read_with(folder.path(), UnpackLimits { expanded_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&all(9)), gaps(&all(8))), (vec![], vec![]));
    assert_eq!((paths(&all(7)), gaps(&all(7))), (vec!["b"], vec![("a", GapReason::ExpandedTooLarge)]));
    let single =
        |cap| read_with(&folder.path().join("a"), UnpackLimits { compressed_bytes: cap, ..UnpackLimits::default() });
    assert_eq!((gaps(&single(6)), gaps(&single(5))), (vec![], vec![]));
    assert_eq!(gaps(&single(4)), [(".", GapReason::CompressedTooLarge)]);
}

#[test]
fn what_is_not_there_is_gone() {
    let folder = folder(&[("file", b"")]);
    for path in ["missing", "file/below"] {
        let error = read(&folder.path().join(path), &FolderOptions::default()).expect_err("nothing there");
        assert!(matches!(error, CrawlError::Gone { .. }), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_denied() {
    let folder = folder(&[]);
    let path = folder.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).expect("binds");
    assert!(matches!(read(&path, &FolderOptions::default()), Err(CrawlError::Denied { .. })));
}

fn located(path: String, name: &str) -> Locator {
    Locator::Folder { source: None, path, name: name.to_owned(), exclude: Vec::new(), with_dependencies: false }
}

#[test]
fn a_watchlist_is_listed_in_its_order() {
    let folder = folder(&[("one/SKILL.md", b"S"), ("sub/one/x", b""), ("two.zip", b"")]);
    let watchlist = ["one", "sub/one", "two.zip", "three.tgz", "./one/"].map(str::to_owned);
    let base = folder.path().display().to_string();
    let settings = SourceSettings { base_url: base, watchlist: watchlist.to_vec(), ..SourceSettings::default() };
    let listed = list::list(META.id, &settings);
    let [ListedEntry::Changed { listing: one, validators }, ListedEntry::Changed { listing: sub, .. }, two, gone] =
        listed.as_slice()
    else {
        panic!("another shape: {listed:?}");
    };
    let path = folder.path().join("one").display().to_string();
    assert_eq!(one.key, ListingKey::new("folder", "one"));
    assert_eq!(one.locators, [located(path, "one")]);
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
    let settings = SourceSettings { base_url: base.to_owned(), watchlist, ..SourceSettings::default() };
    list::list(id, &settings).into_iter().map(name).collect()
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
    let settings = SourceSettings { watchlist: vec![path.clone()], ..SourceSettings::default() };
    let listed = list::list(META.id, &settings);
    let expected = [located(path, "one")];
    assert!(matches!(listed.as_slice(), [ListedEntry::Changed { listing, .. }] if listing.locators == expected));
}
