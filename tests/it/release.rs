//! `deploy/release` over a repository of its own: the archive's content, its checksum, the same bytes twice, and refusals.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The instant that everything in an archive has.
const EPOCH: u64 = 1_795_000_000;

/// A repository with the files that a release takes, all committed, and a program to pack.
struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: TempDir::new().expect("a temporary folder") };
        for name in ["Cargo.toml", "README.md", "LICENSE", "CHANGELOG.md", "deploy/release"] {
            let to = repository.tree().join(name);
            std::fs::create_dir_all(to.parent().expect("below the folder")).expect("writes");
            std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(name), to).expect("copies");
        }
        repository.git(&["init", "--quiet"]);
        repository.commit();
        // It answers as the program does, and is packed in a moment: a debug build takes half a minute to compress.
        let program = repository.folder.path().join("capdex");
        let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_capdex"));
        std::fs::write(&program, script).expect("writes");
        let mut mode = std::fs::metadata(&program).expect("written").permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o700);
        std::fs::set_permissions(&program, mode).expect("sets");
        repository
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn git(&self, arguments: &[&str]) {
        let author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.test", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.args(author).args(arguments).current_dir(self.tree()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.output().expect("git starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "all"]);
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.tree().join(name), text).expect("writes");
    }

    /// Runs the script; the archives go to a folder beside the tree.
    fn release(&self, out: &str, options: &[&str]) -> Output {
        let mut command = Command::new(self.tree().join("deploy/release"));
        command.args(["--binary", "capdex", "--out", out]).args(options).current_dir(self.folder.path());
        command.env("SOURCE_DATE_EPOCH", EPOCH.to_string()).output().expect("bash starts")
    }

    /// The only archive of a folder, with its name.
    fn archive(&self, out: &str) -> (String, Vec<u8>) {
        let listed = std::fs::read_dir(self.folder.path().join(out)).expect("a folder");
        let paths = listed.map(|entry| entry.expect("an entry").path());
        let mut archives = paths.filter(|path| path.extension().is_some_and(|end| end == "gz"));
        let path = archives.next().expect("an archive");
        assert_eq!(archives.next(), None);
        (path.file_name().expect("a name").to_string_lossy().into_owned(), std::fs::read(path).expect("reads"))
    }
}

/// What must have gone well, and what it printed.
fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The reason why there is no archive.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file of an archive below its one folder.
#[expect(clippy::disallowed_types, reason = "the archive is one that the script has just made")]
fn files(name: &str, archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let folder = format!("{}/", name.strip_suffix(".tar.gz").expect("an archive"));
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    let mut files = BTreeMap::new();
    let mut paths = Vec::new();
    for entry in tar.entries().expect("a tar") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let header = entry.header();
        assert_eq!(header.mtime().expect("a time"), EPOCH, "{path}");
        assert_eq!(header.uid().expect("an owner"), 0, "{path}");
        assert_eq!(header.gid().expect("a group"), 0, "{path}");
        assert_eq!(header.mode().expect("a mode") & 0o022, 0, "{path}: only its owner writes");
        let inside = path.strip_prefix(&folder).unwrap_or_else(|| panic!("{path} is not below {folder}")).to_owned();
        paths.push(path);
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("reads");
            files.insert(inside, bytes);
        }
    }
    assert!(paths.is_sorted(), "{paths:?}");
    files
}

#[test]
fn an_archive_holds_the_program_its_texts_completions_and_man_pages() {
    let repository = Repository::new();
    done(&repository.release("out", &[]));
    let (name, archive) = repository.archive("out");
    assert!(name.starts_with(concat!("capdex-", env!("CARGO_PKG_VERSION"), "-")), "{name}");
    let files = files(&name, &archive);
    for text in ["README.md", "LICENSE", "CHANGELOG.md"] {
        assert_eq!(files.get(text), std::fs::read(repository.tree().join(text)).ok().as_ref(), "{text}");
    }
    assert_eq!(files.get("capdex"), std::fs::read(repository.folder.path().join("capdex")).ok().as_ref());
    let tops = ["capdex.bash", "capdex.elv", "capdex.fish", "_capdex.ps1", "_capdex"];
    for completion in tops.map(|name| format!("completions/{name}")) {
        assert!(files.get(&completion).is_some_and(|script| !script.is_empty()), "{completion}");
    }
    assert!(files.contains_key("man/man1/capdex.1"));
    assert!(files.contains_key("man/man1/capdex-alerts-ack.1"));
}

#[test]
fn the_checksum_is_the_archives_and_the_same_commit_gives_the_same_bytes() {
    let repository = Repository::new();
    done(&repository.release("first", &[]));
    done(&repository.release("second", &[]));
    let (name, archive) = repository.archive("first");
    assert_eq!(repository.archive("second"), (name.clone(), archive.clone()));
    let sums = std::fs::read_to_string(repository.folder.path().join("first/SHA256SUMS")).expect("the sums");
    assert_eq!(sums, format!("{}  {name}\n", capdex_model::digest::Digest::of(&archive).hex()));
}

#[test]
fn a_tree_with_changes_is_refused_unless_it_is_a_snapshot() {
    let repository = Repository::new();
    repository.write("README.md", "changed\n");
    let told = refusal(&repository.release("out", &[]));
    assert!(told.contains("changes that are not committed"), "{told}");
    let printed = done(&repository.release("out", &["--snapshot"]));
    let (name, _) = repository.archive("out");
    assert!(name.contains("-snapshot-"), "{name}");
    assert!(printed.contains(&name), "{printed}");
}

#[test]
fn a_version_without_its_section_is_refused_and_so_is_a_program_of_another() {
    let repository = Repository::new();
    repository.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
    repository.commit();
    let told = refusal(&repository.release("out", &[]));
    assert!(told.contains(concat!("no section [", env!("CARGO_PKG_VERSION"), "]")), "{told}");
    repository.write("Cargo.toml", "[workspace.package]\nversion = \"9.9.9\"\n");
    let told = refusal(&repository.release("out", &["--snapshot"]));
    assert!(told.contains("Cargo.toml says 9.9.9"), "{told}");
}
