//! The packages of a release, each installed by the tool of its users on a machine without a Rust toolchain, and used.
//!
//! `tests/run` names the tools: `CAPDEX_VERDACCIO`, `CAPDEX_INSTALLERS` (a Python with pip, and uv beside it),
//! `CAPDEX_CYCLONEDX_SCHEMA`; npm, dpkg and python3 are those of the PATH.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::rig::{Rig, needed};
use crate::support::shipped::{Machine, digest_of, done, file, release};
use crate::support::verdaccio::Verdaccio;

/// A package index for pip and uv: folders, each a page of links.
fn index(machine: &Machine) -> Rig {
    let folder = machine.path().join("index/simple/capdex");
    fs::create_dir_all(&folder).expect("a folder");
    let wheel = file("capdex-", ".whl");
    fs::hard_link(&wheel, folder.join(wheel.file_name().expect("a name")))
        .or_else(|_| fs::copy(&wheel, folder.join(wheel.file_name().expect("a name"))).map(|_| ()))
        .expect("the wheel");
    let arguments =
        |port: u16| ["-m", "http.server", "--bind", "127.0.0.1", &port.to_string()].map(str::to_owned).to_vec();
    Rig::start("python3", &machine.path().join("index"), arguments)
}

#[test]
fn every_file_has_its_checksum() {
    let listed = fs::read_dir(release()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names: BTreeSet<String> = listed.map(|name| name.to_string_lossy().into_owned()).collect();
    assert_eq!(names.len(), 8, "{names:?}");
    done(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(release()));
    let sums = fs::read_to_string(release().join("SHA256SUMS")).expect("the sums");
    assert_eq!(sums.lines().count(), names.len() - 1, "{sums}");
}

#[test]
fn the_archive_is_unpacked_and_used() {
    let Some(machine) = Machine::with(&[]) else { return };
    let archive = file("capdex-", ".tar.gz");
    done(Command::new("tar").arg("-xzf").arg(archive).args(["--strip-components", "1"]).current_dir(machine.bin()));
    machine.proves(|| machine.command(machine.bin().join("capdex")));
}

#[test]
fn pip_installs_the_wheel() {
    let Some(python) = needed("CAPDEX_INSTALLERS") else { return };
    let Some(machine) = Machine::with(&[]) else { return };
    let index = index(&machine);
    done(machine.command(&python).args(["-m", "venv", "own"]));
    let address = format!("{}/simple/", index.url());
    let options = ["install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--pre", "--index-url"];
    done(machine.command(machine.path().join("own/bin/pip")).args(options).args([&address, "capdex"]));
    machine.proves(|| machine.command(machine.path().join("own/bin/capdex")));
    let packages = PathBuf::from(done(
        machine
            .command(machine.path().join("own/bin/python"))
            .args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"]),
    ));
    let told = fs::read_dir(packages).expect("packages").map(|entry| entry.expect("an entry").path());
    let info = told.into_iter().find(|path| path.to_string_lossy().contains("capdex-")).expect("its own folder");
    assert!(info.join("sboms/capdex.cdx.json").is_file() && info.join("licenses/LICENSE").is_file());
}

#[test]
fn uvx_starts_the_wheel() {
    let Some(python) = needed("CAPDEX_INSTALLERS") else { return };
    let Some(machine) = Machine::with(&[]) else { return };
    let index = index(&machine);
    let uvx = Path::new(&python).with_file_name("uvx");
    let address = format!("{}/simple/", index.url());
    let start = |options: &[&str]| {
        let mut command = machine.command(&uvx);
        command.args(["--quiet", "--no-cache", "--prerelease", "allow", "--index-url", &address, "--python", &python]);
        command.args(options).arg("capdex");
        command
    };
    machine.proves(|| start(&[]));
    // The file itself, as the README has it.
    let wheel = file("capdex-", ".whl");
    assert!(done(start(&["--from", wheel.to_str().expect("text")]).arg("--version")).starts_with("capdex "));
}

#[test]
fn npx_starts_the_package_of_this_platform() {
    let Some(verdaccio) = needed("CAPDEX_VERDACCIO") else { return };
    let Some(machine) = Machine::with(&["node", "npm", "npx"]) else { return };
    let registry = Verdaccio::start(&verdaccio, machine.path());
    let host = registry.url().replace("http:", "");
    // npm wants to know who publishes; the registry takes everybody.
    machine.capdex.write(".npmrc", format!("registry={}/\n{host}/:_authToken=nobody\n", registry.url()));
    let started = |program: &str| {
        let mut command = machine.command(machine.bin().join(program));
        // By the environment: `npx` takes the word after an option that it does not know for its value.
        for (option, value) in
            [("globalconfig", "/dev/null"), ("update_notifier", "false"), ("audit", "false"), ("fund", "false")]
        {
            command.env(format!("npm_config_{option}"), value);
        }
        command
    };
    let npm = || started("npm");
    let main = file("capdex-0", ".tgz");
    for package in [file("capdex-linux-", ".tgz"), main.clone()] {
        done(npm().args(["publish", "--tag", "latest"]).arg(package));
    }
    let version = main.file_name().expect("a name").to_string_lossy().replace("capdex-", "").replace(".tgz", "");
    let wanted = format!("capdex@{version}");
    machine.proves(|| {
        let mut command = started("npx");
        command.args(["--yes", &wanted]);
        command
    });
    // Installed for good, and without what is optional: it says what is missing, and does not look clean.
    done(npm().args(["install", "--prefix", "own", "--ignore-scripts", &wanted]));
    let version_of = |path: &str| done(machine.command(machine.path().join(path)).arg("--version"));
    assert!(version_of("own/node_modules/.bin/capdex").starts_with("capdex "));
    // From the files, as the README has it, where no registry answers.
    let files = [file("capdex-linux-", ".tgz"), main.clone()];
    done(npm().args(["install", "--global", "--offline", "--prefix", "global"]).args(files));
    assert!(version_of("global/bin/capdex").starts_with("capdex "));
    done(npm().args(["install", "--prefix", "bare", "--omit=optional", &wanted]));
    let bare = machine.command(machine.path().join("bare/node_modules/.bin/capdex")).output().expect("starts");
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert!(bare.status.code() == Some(4) && said.contains("is not installed"), "{}: {said}", bare.status);
}

#[test]
fn dpkg_installs_the_debian_package() {
    let Some(machine) = Machine::with(&["dpkg", "dpkg-deb", "dpkg-split", "tar", "diff"]) else { return };
    let (package, root) = (file("capdex_", ".deb"), machine.path().join("root"));
    let needs = done(machine.command("dpkg-deb").arg("--field").arg(&package).arg("Depends"));
    assert!(needs.starts_with("libc6 (>= 2."), "{needs}");
    fs::create_dir_all(root.join("var/lib/dpkg/updates")).expect("a folder");
    fs::create_dir_all(root.join("var/lib/dpkg/info")).expect("a folder");
    fs::write(root.join("var/lib/dpkg/status"), "").expect("writes");
    if is_root() {
        // Nothing else is installed below that root, the C library neither.
        let mut dpkg = machine.command("dpkg");
        let more = "/usr/sbin:/sbin";
        dpkg.env("PATH", format!("{}:{more}", machine.bin().display()));
        done(dpkg.arg(format!("--root={}", root.display())).args(["--force-depends", "--install"]).arg(&package));
        let listed =
            done(machine.command("dpkg").arg(format!("--root={}", root.display())).args(["--verify", "capdex"]));
        assert_eq!(listed, "", "every file is as the package says");
    } else {
        done(machine.command("dpkg-deb").arg("--extract").arg(&package).arg(&root));
    }
    assert!(root.join("usr/share/man/man1/capdex.1.gz").is_file());
    assert!(root.join("usr/share/bash-completion/completions/capdex").is_file());
    machine.proves(|| machine.command(root.join("usr/bin/capdex")));
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

/// The blobs of an OCI archive by their digests, and its index.
#[expect(clippy::disallowed_types, reason = "the archive is one that the script has just made")]
fn image(path: &Path) -> (Value, impl Fn(&Value) -> Vec<u8> + use<>) {
    let mut archive = tar::Archive::new(fs::File::open(path).expect("opens"));
    let mut files = std::collections::BTreeMap::new();
    for entry in archive.entries().expect("a tar") {
        let mut entry = entry.expect("an entry");
        let (name, mut bytes) = (entry.path().expect("a path").to_string_lossy().into_owned(), Vec::new());
        entry.read_to_end(&mut bytes).expect("reads");
        files.insert(name, bytes);
    }
    let index = serde_json::from_slice(files.get("index.json").expect("an index")).expect("JSON");
    let blob = move |entry: &Value| {
        let digest = entry["digest"].as_str().expect("a digest");
        let bytes = files.get(&format!("blobs/{}", digest.replace(':', "/"))).expect("a blob");
        assert_eq!(format!("sha256:{}", capdex_model::digest::Digest::of(bytes).hex()), digest);
        assert_eq!(entry["size"].as_u64(), u64::try_from(bytes.len()).ok());
        bytes.clone()
    };
    (index, blob)
}

#[test]
fn the_image_holds_all_that_its_program_needs() {
    let Some(machine) = Machine::with(&[]) else { return };
    let (index, blob) = image(&file("capdex-", ".oci.tar"));
    let manifest: Value = serde_json::from_slice(&blob(&index["manifests"][0])).expect("JSON");
    let config: Value = serde_json::from_slice(&blob(&manifest["config"])).expect("JSON");
    assert_eq!(config["config"]["Entrypoint"][0], "/usr/local/bin/capdex");
    assert_eq!(config["config"]["User"], "65532:65532");
    machine.capdex.write("layer.tar.gz", blob(&manifest["layers"][0]));
    let root = machine.path().join("root");
    fs::create_dir(&root).expect("a folder");
    done(Command::new("tar").args(["-xzf", "layer.tar.gz", "-C", "root"]).current_dir(machine.path()));
    for made in ["skills", "setup", "shipped.toml"] {
        done(Command::new("cp").arg("-r").arg(made).arg(&root).current_dir(machine.path()));
    }
    let start = || {
        let mut command = match is_root() {
            true => Command::new("chroot"),
            false => {
                let mut command = Command::new("unshare");
                command.args(["--user", "--map-root-user", "chroot"]);
                command
            }
        };
        command.env_remove("LD_LIBRARY_PATH").arg(&root).arg("/usr/local/bin/capdex");
        command
    };
    machine.proves(start);
}

#[test]
fn the_list_of_what_is_linked_fits_its_schema_and_names_no_tool_of_the_tests() {
    let path = file("capdex-", ".cdx.json");
    let document: Value = serde_json::from_slice(&fs::read(&path).expect("reads")).expect("JSON");
    let components = document["components"].as_array().expect("components");
    let names: BTreeSet<&str> = components.iter().filter_map(|one| one["name"].as_str()).collect();
    for linked in ["rusqlite", "libsqlite3-sys", "capdex-evidence", "tokio", "ring"] {
        assert!(names.contains(linked), "{linked} is linked");
    }
    for other in ["insta", "proptest", "jsonschema", "roxmltree", "tempfile", "cc"] {
        assert!(!names.contains(other), "{other} is not linked");
    }
    for one in components {
        let is_ours = one["name"].as_str().is_some_and(|name| name.starts_with("capdex-"));
        assert!(is_ours || one["hashes"][0]["content"].is_string(), "{one}");
        assert!(one["licenses"][0]["expression"].is_string(), "{one}");
    }
    let Some(schema) = needed("CAPDEX_CYCLONEDX_SCHEMA") else { return };
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(Path::new(&schema).with_file_name(name)).expect("a schema");
        serde_json::from_str(&text).expect("JSON")
    };
    let mut registry = jsonschema::Registry::new();
    // It refers to them by the names of their files, beside its own address.
    for name in ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"] {
        registry = registry.add(format!("http://cyclonedx.org/schema/{name}"), read(name)).expect("a schema");
    }
    let registry = registry.prepare().expect("schemas");
    let name = Path::new(&schema).file_name().expect("a name").to_string_lossy().into_owned();
    let validator = jsonschema::options().with_registry(&registry).build(&read(&name)).expect("a schema");
    let wrong: Vec<String> = validator.iter_errors(&document).map(|error| format!("{error}")).collect();
    assert_eq!(wrong, [""; 0]);
    assert_eq!(digest_of(&path), capdex_model::digest::Digest::of(&fs::read(&path).expect("reads")).hex());
}
