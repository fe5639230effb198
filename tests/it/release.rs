//! `deploy/release` over a repository of its own: what is made, the archive's content, checksums, the same bytes twice, and refusals.
//!
//! What users do with the packages is told by `install`.

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
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let repository = Self { folder: TempDir::new().expect("a temporary folder") };
        let packers =
            std::fs::read_dir(root.join("deploy/packages")).expect("a folder").map(|entry| entry.expect("an entry"));
        let packers = packers.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let packers = packers.map(|entry| format!("deploy/packages/{}", entry.file_name().to_string_lossy()));
        let texts = ["README.md", "LICENSE", "CHANGELOG.md", "deploy/release"].map(str::to_owned);
        for name in packers.chain(texts) {
            let to = repository.tree().join(&name);
            std::fs::create_dir_all(to.parent().expect("below the folder")).expect("writes");
            std::fs::copy(root.join(&name), to).expect("copies");
        }
        // A workspace without dependencies, so that Cargo tells what is linked without building or fetching.
        let version = env!("CARGO_PKG_VERSION");
        let package = "[package]\nname = \"capdex\"\nversion.workspace = true\nlicense = \"Apache-2.0\"\ndescription = \"Looks.\"\n";
        repository.write("Cargo.toml", &format!("[workspace.package]\nversion = \"{version}\"\n\n{package}"));
        repository
            .write("Cargo.lock", &format!("version = 4\n\n[[package]]\nname = \"capdex\"\nversion = \"{version}\"\n"));
        std::fs::create_dir(repository.tree().join("src")).expect("a folder");
        repository.write("src/main.rs", "fn main() {}\n");
        repository.git(&["init", "--quiet"]);
        repository.commit();
        repository.compile("capdex", &[]);
        repository
    }

    /// A program that answers as ours does, and is packed in a moment: a debug build takes half a minute to compress.
    fn compile(&self, name: &str, options: &[&str]) {
        let source = self.folder.path().join("stand-in.c");
        let starts = format!("execv(\"{}\", arguments)", env!("CARGO_BIN_EXE_capdex"));
        let text =
            format!("#include <unistd.h>\nint main(int count, char **arguments) {{ (void)count; return {starts}; }}\n");
        std::fs::write(&source, text).expect("writes");
        let mut command = Command::new("cc");
        let output = command.args(options).arg("-o").arg(self.folder.path().join(name)).arg(source).output();
        let output = output.expect("a C compiler, which linking needs anyway");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
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

    /// Every file that was made, with its digest.
    fn made(&self, out: &str) -> BTreeMap<String, String> {
        let listed = std::fs::read_dir(self.folder.path().join(out)).expect("a folder");
        let digest = |path: &Path| capdex_model::digest::Digest::of(&std::fs::read(path).expect("reads")).hex();
        let made = listed.map(|entry| entry.expect("an entry"));
        made.map(|entry| (entry.file_name().to_string_lossy().into_owned(), digest(&entry.path()))).collect()
    }

    /// The only archive of a folder, with its name.
    fn archive(&self, out: &str) -> (String, Vec<u8>) {
        let listed = std::fs::read_dir(self.folder.path().join(out)).expect("a folder");
        let paths = listed.map(|entry| entry.expect("an entry").path());
        let mut archives = paths.filter(|path| path.to_string_lossy().ends_with(".tar.gz"));
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
fn the_checksums_are_those_of_the_files_and_the_same_commit_gives_the_same_bytes() {
    let repository = Repository::new();
    let printed = done(&repository.release("first", &[]));
    done(&repository.release("second", &[]));
    let made = repository.made("first");
    assert_eq!(repository.made("second"), made);
    assert!(made.keys().all(|name| printed.contains(&format!("/{name}\n"))), "{printed}");
    let sums = std::fs::read_to_string(repository.folder.path().join("first/SHA256SUMS")).expect("the sums");
    let expected: String = made
        .iter()
        .filter(|(name, _)| *name != "SHA256SUMS")
        .map(|(name, digest)| format!("{digest}  {name}\n"))
        .collect();
    assert_eq!(sums, expected);
    assert_eq!(made.len(), 8, "{made:?}");
}

#[test]
fn a_package_says_what_its_program_asks_of_a_system() {
    let repository = Repository::new();
    done(&repository.release("out", &[]));
    let wheel = |out: &str| repository.made(out).into_keys().find(|name| name.ends_with(".whl")).expect("a wheel");
    // The stand-in asks for no newer symbol of glibc than that which starts a program, of 2.34.
    let tag = format!("py3-none-manylinux_2_34_{}.whl", std::env::consts::ARCH);
    assert!(wheel("out").ends_with(&tag) || wheel("out").contains("manylinux_2_17"), "{}", wheel("out"));
    repository.compile("capdex", &["-static"]);
    done(&repository.release("static", &[]));
    assert!(
        wheel("static").contains("-manylinux_2_17_") && wheel("static").contains(".musllinux_1_1_"),
        "{}",
        wheel("static")
    );
    let deb = repository.made("static").into_keys().find(|name| name.ends_with(".deb")).expect("a package");
    let bytes = std::fs::read(repository.folder.path().join("static").join(deb)).expect("reads");
    assert!(bytes.starts_with(b"!<arch>\ndebian-binary   "));
    // A library that not every system has.
    std::fs::write(repository.folder.path().join("odd.c"), "int odd(void) { return 1; }\n").expect("writes");
    let library = repository.folder.path().join("libodd.so");
    let made =
        Command::new("cc").args(["-shared", "-o"]).arg(&library).arg(repository.folder.path().join("odd.c")).status();
    assert!(made.is_ok_and(|status| status.success()));
    repository.compile("capdex", &["-Wl,--no-as-needed", library.to_str().expect("text")]);
    let told = refusal(&repository.release("odd", &[]));
    assert!(told.contains("libraries that other machines may lack: ") && told.contains("libodd.so"), "{told}");
}

#[test]
fn a_program_of_another_system_has_an_archive_alone() {
    let repository = Repository::new();
    let program = repository.folder.path().join("capdex");
    std::fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_capdex"))).expect("writes");
    let output = repository.release("out", &[]);
    done(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no packages for pip, npm, Debian and containers"));
    let ends: Vec<String> = repository.made("out").into_keys().collect();
    assert_eq!(ends.len(), 3, "{ends:?}");
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
