//! Datasets and sites that an operator signs: his key accepts them, no other does, and his own tool agrees.

use std::path::Path;
use std::process::Command;

use crate::support::capdex::{Capdex, Run};
use crate::support::rig;

const NIGHT: &str = "2026-11-20T01:00:00Z";
const SKILL: &str =
    "---\nname: notes\ndescription: Writes release notes. Use when a release is tagged.\n---\n\nRead the log.\n";

/// A folder with two pairs of keys and a store of one night, whose export `out` the schedule signs.
fn world() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("notes/SKILL.md", SKILL).write(
        "schedule.toml",
        "name = \"x\"\n[sources.folder]\nwatchlist = [\"notes\"]\n[export]\nsign = \"our.key\"\n",
    );
    for name in ["our.key", "other.key"] {
        assert_eq!(capdex.run(&["keys", "new", name]).code, Some(0));
    }
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", NIGHT]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    capdex
}

fn text(capdex: &Capdex, path: &str) -> String {
    std::fs::read_to_string(capdex.path().join(path)).expect("a text")
}

fn verify(capdex: &Capdex, dir: &str, key: &str) -> Run {
    capdex.run(&["verify", dir, "--key", key])
}

/// Refused with one sentence, and nothing was read behind it.
fn is_refused(run: &Run, why: &str) {
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{}", run.stdout);
    assert!(run.stdout.starts_with("refused: ") && run.stdout.contains(why), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[test]
fn a_pair_of_keys_is_for_its_owner_alone_and_never_written_over() {
    let capdex = Capdex::offline();
    let made = capdex.run(&["keys", "new", "our.key"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let (secret, public) = (text(&capdex, "our.key"), text(&capdex, "our.key.pub"));
    let line = public.lines().nth(1).expect("a key");
    assert!(made.stdout.contains(line) && !made.stdout.contains(secret.lines().nth(1).expect("a key")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let about = std::fs::metadata(capdex.path().join("our.key")).expect("a file");
        assert_eq!(about.permissions().mode() & 0o777, 0o600);
    }
    for name in ["our.key", "our"] {
        capdex.write("our.pub", "mine");
        let again = capdex.run(&["keys", "new", name]);
        assert_eq!(again.code, Some(2), "{}", again.stdout);
        assert!(again.stderr.contains("is there already"), "{}", again.stderr);
    }
    assert_eq!((text(&capdex, "our.key"), text(&capdex, "our.pub").as_str()), (secret, "mine"));
    assert!(!capdex.path().join("our").exists(), "half a pair is none");
}

#[test]
fn a_signed_night_is_accepted_by_its_key_and_refused_to_every_other() {
    let capdex = world();
    let signature = text(&capdex, "out/manifest.json.minisig");
    let manifest = text(&capdex, "out/manifest.json");
    let digest = manifest.split("\"manifest_sha256\": \"").nth(1).and_then(|rest| rest.split('"').next());
    let named = format!("capdex dataset sha256:{} night {NIGHT} program ", digest.expect("a digest"));
    let accepted = verify(&capdex, "out", "our.key.pub");
    assert_eq!(accepted.code, Some(0), "{}{}", accepted.stdout, accepted.stderr);
    assert!(accepted.stdout.contains(&named) && accepted.stdout.contains("no difference"), "{}", accepted.stdout);
    assert!(!accepted.stdout.contains("beside the dataset"), "the signature is a part: {}", accepted.stdout);
    let line = text(&capdex, "our.key.pub").lines().nth(1).expect("a key").to_owned();
    assert_eq!(verify(&capdex, "out", &line).code, Some(0), "the key's text is a key too");

    is_refused(&verify(&capdex, "out", "other.key.pub"), "is signed by the key");
    // What is behind the signature is not looked at: neither a manifest that was changed nor one that is none.
    capdex.write("out/manifest.json", manifest.replace("capdex.export", "capdex-export"));
    is_refused(&verify(&capdex, "out", "our.key.pub"), "does not fit its signature");
    capdex.write("out/manifest.json", "<html>");
    is_refused(&verify(&capdex, "out", "our.key.pub"), "does not fit its signature");
    capdex.write("out/manifest.json", &manifest);
    let mut lines: Vec<&str> = signature.lines().collect();
    lines[2] = "trusted comment: capdex dataset sha256:00 night never program 9";
    for (hostile, why) in [
        (lines.join("\n"), "does not fit its signature"),
        ("x".repeat(1 << 20), "a signature of more than 4096 bytes"),
        (signature[..signature.len() / 2].to_owned(), "is no signature of minisign"),
        (String::new(), "is no signature of minisign"),
    ] {
        capdex.write("out/manifest.json.minisig", hostile);
        is_refused(&verify(&capdex, "out", "our.key.pub"), why);
    }
    std::fs::remove_file(capdex.path().join("out/manifest.json.minisig")).expect("removed");
    is_refused(&verify(&capdex, "out", "our.key.pub"), "is not signed");

    // A signature of before goes with the dataset that it was of, and one of the user's own stays.
    assert_eq!(capdex.run(&["export", "out", "--sign", "our.key"]).code, Some(0));
    assert_eq!(verify(&capdex, "out", "our.key.pub").code, Some(0));
    assert_eq!(capdex.run(&["export", "out"]).code, Some(0));
    is_refused(&verify(&capdex, "out", "our.key.pub"), "is not signed");
    let own = signature.replace("trusted comment: capdex", "trusted comment: ann");
    capdex.write("out/manifest.json.minisig", &own);
    assert_eq!(capdex.run(&["export", "out"]).code, Some(0));
    let in_the_way = capdex.run(&["export", "out", "--sign", "our.key"]);
    assert_eq!(in_the_way.code, Some(2), "{}", in_the_way.stdout);
    assert_eq!(text(&capdex, "out/manifest.json.minisig"), own);
}

#[test]
fn a_password_comes_from_a_file_or_the_environment() {
    let capdex = world();
    capdex.write("password", "open sesame\n").write("wrong", "open\n").write("empty", "\n");
    assert_eq!(capdex.run(&["keys", "new", "guarded.key", "--password-file", "password"]).code, Some(0));
    let export = |more: &[&str]| capdex.run(&[&["export", "ranked", "--sign", "guarded.key"], more].concat());
    for (more, why) in [
        (&[][..], "has a password: set CAPDEX_KEY_PASSWORD"),
        (&["--password-file", "wrong"], "has another password"),
        (&["--password-file", "empty"], "the password is empty"),
        (&["--password-file", "nowhere"], "cannot be read"),
    ] {
        let run = export(more);
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        assert!(run.stderr.contains(why), "{}", run.stderr);
        assert!(!capdex.path().join("ranked").exists(), "nothing was written");
    }
    assert_eq!(export(&["--password-file", "password"]).code, Some(0));
    assert_eq!(verify(&capdex, "ranked", "guarded.key.pub").code, Some(0));
    let mut command = capdex.command(&["export", "ranked", "--sign", "guarded.key"]);
    let run = Run::of(&command.env("CAPDEX_KEY_PASSWORD", "open sesame").output().expect("capdex starts"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let no_key = capdex.run(&["export", "ranked", "--sign", "guarded.key.pub"]);
    assert_eq!(
        (no_key.code, no_key.stderr.contains("is no secret key of minisign")),
        (Some(2), true),
        "{}",
        no_key.stderr
    );
}

#[test]
fn a_signed_site_is_checked_file_by_file() {
    let capdex = world();
    assert_eq!(capdex.run(&["report", "site", "--sign", "our.key"]).code, Some(0));
    let whole = verify(&capdex, "site", "our.key.pub");
    assert_eq!(whole.code, Some(0), "{}{}", whole.stdout, whole.stderr);
    assert!(
        whole.stdout.contains("capdex site sha256:") && whole.stdout.ends_with("digested: no difference\n"),
        "{}",
        whole.stdout
    );
    is_refused(&verify(&capdex, "site", "other.key.pub"), "capdex-site.json is signed by the key");
    let page = text(&capdex, "site/index.html");
    capdex.write("site/index.html", page.replace("Overview", "Overlook")).write("site/extra.html", "mine");
    std::fs::remove_file(capdex.path().join("site/rules.html")).expect("removed");
    let changed = capdex.run(&["verify", "site"]);
    assert_eq!(changed.code, Some(1), "{}", changed.stdout);
    for told in ["differs: index.html has other bytes", "differs: rules.html is missing", "no part of it: extra.html"] {
        assert!(changed.stdout.contains(told), "{told}: {}", changed.stdout);
    }
    let list = text(&capdex, "site/capdex-site.json");
    capdex.write("site/capdex-site.json", list.replace("\"alerts.atom\"", "\"../alerts.atom\""));
    is_refused(&verify(&capdex, "site", "our.key.pub"), "does not fit its signature");
    let outside = capdex.run(&["verify", "site"]);
    assert!(outside.stdout.contains("names \"../alerts.atom\", which is no path"), "{}", outside.stdout);
}

/// Runs a program of Python with the package `py-minisign`, whose curve and hash are those of `cryptography` and `hashlib`.
fn minisign(python: &str, folder: &Path, program: &str) {
    let output = Command::new(python).args(["-c", program]).current_dir(folder).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn another_implementation_of_minisign_accepts_ours_and_we_accept_its() {
    let Some(python) = rig::needed("CAPDEX_MINISIGN") else { return };
    let capdex = world();
    capdex.write("password", "open sesame");
    assert_eq!(capdex.run(&["keys", "new", "guarded.key", "--password-file", "password"]).code, Some(0));
    minisign(
        &python,
        capdex.path(),
        r#"
from pathlib import Path
import minisign
# What we signed, by our key.
manifest = Path("out/manifest.json").read_bytes()
signature = minisign.Signature.from_file("out/manifest.json.minisig")
minisign.PublicKey.from_file("our.key.pub").verify(manifest, signature)
assert signature.trusted_comment.startswith("capdex dataset sha256:"), signature.trusted_comment
try:
    minisign.PublicKey.from_file("our.key.pub").verify(manifest + b" ", signature)
except minisign.VerifyError:
    pass
else:
    raise SystemExit("a changed manifest was accepted")
# Our keys, with a password and without, in its hands.
plain = minisign.SecretKey.from_file("our.key")
guarded = minisign.SecretKey.from_file("guarded.key")
guarded.decrypt("open sesame")
Path("ours.minisig").write_bytes(bytes(plain.sign(manifest, trusted_comment="ann")))
Path("guarded.minisig").write_bytes(bytes(guarded.sign(manifest, trusted_comment="ann")))
# And keys of its own.
pair = minisign.KeyPair.generate()
Path("theirs.pub").write_bytes(bytes(pair.public_key))
Path("theirs.minisig").write_bytes(bytes(pair.secret_key.sign(manifest, trusted_comment="by ann")))
pair.secret_key.encrypt("their password")
Path("theirs.key").write_bytes(bytes(pair.secret_key))
"#,
    );
    for (key, signature) in [("our.key.pub", "ours"), ("guarded.key.pub", "guarded"), ("theirs.pub", "theirs")] {
        capdex.write("out/manifest.json.minisig", text(&capdex, &format!("{signature}.minisig")));
        let run = verify(&capdex, "out", key);
        assert_eq!(run.code, Some(0), "{signature}: {}{}", run.stdout, run.stderr);
    }
    capdex.write("their-password", "their password");
    let signed = capdex.run(&["export", "ranked", "--sign", "theirs.key", "--password-file", "their-password"]);
    assert_eq!(signed.code, Some(0), "{}", signed.stderr);
    assert_eq!(verify(&capdex, "ranked", "theirs.pub").code, Some(0));
}

#[test]
fn a_page_that_is_handed_on_is_signed_and_a_changed_one_is_refused() {
    let capdex = world();
    let checked = capdex.run(&["check", "npm:nobody", "--offline", "--report", "page.html"]);
    assert!(capdex.path().join("page.html").is_file(), "{}{}", checked.stdout, checked.stderr);
    let sign = ["keys", "sign", "page.html", "--sign", "our.key", "--as-of", NIGHT];
    for _ in 0..2 {
        let signed = capdex.run(&sign);
        assert_eq!(signed.code, Some(0), "ours is replaced: {}", signed.stderr);
    }
    let accepted = verify(&capdex, "page.html", "our.key.pub");
    assert_eq!(accepted.code, Some(0), "{}{}", accepted.stdout, accepted.stderr);
    assert!(accepted.stdout.contains("capdex page sha256:") && accepted.stdout.contains(NIGHT), "{}", accepted.stdout);
    is_refused(&verify(&capdex, "page.html", "other.key.pub"), "is signed by the key");
    let page = text(&capdex, "page.html");
    capdex.write("page.html", page.replace("</body>", "<!-- --></body>"));
    is_refused(&verify(&capdex, "page.html", "our.key.pub"), "does not fit its signature");
    std::fs::remove_file(capdex.path().join("page.html.minisig")).expect("removed");
    is_refused(&verify(&capdex, "page.html", "our.key.pub"), "is not signed");
    // A file of the user's own stays.
    capdex.write("page.html.minisig", "mine");
    let refused = capdex.run(&sign);
    assert_eq!((refused.code, text(&capdex, "page.html.minisig").as_str()), (Some(2), "mine"), "{}", refused.stderr);
    for (line, why) in [
        (&["keys", "sign", "page.html"][..], "--sign"),
        (&["keys", "sign", "nowhere.html", "--sign", "our.key"], "nowhere.html"),
        (&["keys", "sign", "notes", "--sign", "our.key"], "name the page itself"),
    ] {
        let run = capdex.run(line);
        assert!(run.code == Some(2) && run.stderr.contains(why), "{line:?}: {}", run.stderr);
    }
}
