//! Signatures: what is ours, what is another's, and what is hostile.

use proptest::prelude::*;

use super::*;

/// The pair that minisign's own documentation shows, and a signature that its tool made of the four bytes `test`.
const MINISIGN_KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
const MINISIGN_SIGNATURE: &str = "untrusted comment: signature from minisign secret key\n\
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n\
trusted comment: timestamp:1556193335\tfile:test\n\
y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==\n";
/// The same by its old algorithm.
const OLD_SIGNATURE: &str = "untrusted comment: signature from minisign secret key\n\
RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=\n\
trusted comment: timestamp:1555779966\tfile:test\n\
QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==\n";

fn pair() -> (SigningKey, VerifyingKey) {
    let KeyPairTexts { secret, public, .. } = SigningKey::new_pair(None).expect("a pair");
    (SigningKey::of_text(&secret, None).expect("a secret key"), VerifyingKey::of_text(&public).expect("a public key"))
}

fn night() -> capdex_model::time::AsOf {
    "2026-11-21T00:00:00Z".parse().expect("an instant")
}

fn signed(key: &SigningKey, bytes: &[u8]) -> String {
    key.sign(bytes, "dataset", "00ff", night()).expect("signed")
}

#[test]
fn what_minisign_signed_is_accepted_and_its_old_algorithm_is_not() {
    let key = VerifyingKey::of_text(MINISIGN_KEY).expect("a key");
    assert_eq!(key.id(), "E7620F1842B4E81F");
    let comment = key.check(b"test", MINISIGN_SIGNATURE.as_bytes());
    assert_eq!(comment.as_deref(), Ok("timestamp:1556193335\tfile:test"));
    assert_eq!(key.check(b"Test", MINISIGN_SIGNATURE.as_bytes()), Err(SignatureFault::Wrong(key.id())));
    assert_eq!(key.check(b"test", OLD_SIGNATURE.as_bytes()), Err(SignatureFault::OldAlgorithm));
    assert!(!is_own(MINISIGN_SIGNATURE.as_bytes()), "it is the user's");
}

#[test]
fn a_signature_says_what_it_is_of_and_only_its_key_accepts_it() {
    let ((secret, public), (_, other)) = (pair(), pair());
    let text = signed(&secret, b"a manifest");
    let version = env!("CARGO_PKG_VERSION");
    let comment = format!("capdex dataset sha256:00ff night 2026-11-21T00:00:00Z program {version}");
    assert_eq!(public.check(b"a manifest", text.as_bytes()), Ok(comment));
    assert!(is_own(text.as_bytes()));
    let foreign = SignatureFault::Foreign { made_with: public.id(), wanted: other.id() };
    assert_eq!(other.check(b"a manifest", text.as_bytes()), Err(foreign));
    assert_eq!(format!("{secret:?}"), format!("SigningKey(\"{}\")", public.id()), "no secret is printed");
}

#[test]
fn a_password_opens_its_key_and_no_other_does() {
    let KeyPairTexts { secret, public, id } = SigningKey::new_pair(Some("open sesame")).expect("a pair");
    let of = |password: Option<&str>| SigningKey::of_text(&secret, password);
    assert_eq!(of(None).err(), Some(KeyFault::PasswordMissing));
    assert_eq!(of(Some("open")).err(), Some(KeyFault::PasswordWrong));
    let key = of(Some("open sesame")).expect("opened");
    assert_eq!(key.id(), id);
    let public = VerifyingKey::of_text(&public).expect("a key");
    assert!(public.check(b"x", signed(&key, b"x").as_bytes()).is_ok());
    for wrong in ["", "one line", "a\nb", "a\nRWQ=\n", &public_as_secret(&public)] {
        assert_eq!(SigningKey::of_text(wrong, Some("x")).err(), Some(KeyFault::Damaged), "{wrong}");
    }
}

fn public_as_secret(key: &VerifyingKey) -> String {
    format!("untrusted comment: a key\n{}\n", key.0.to_base64())
}

#[test]
fn what_is_no_public_key_is_refused() {
    let whole = format!("untrusted comment: minisign public key\n{MINISIGN_KEY}\n");
    assert!(VerifyingKey::of_text(&whole).is_ok() && VerifyingKey::of_text(&format!(" {MINISIGN_KEY}\n")).is_ok());
    let other_algorithm = format!("A{}", MINISIGN_KEY.get(1..).expect("letters"));
    for wrong in ["", "key.pub", &MINISIGN_KEY[1..], &other_algorithm, &format!("{MINISIGN_KEY}\n{MINISIGN_KEY}")] {
        assert!(VerifyingKey::of_text(wrong).is_err(), "{wrong}");
    }
    let no_base64 = MINISIGN_KEY.replace('f', "*");
    assert_eq!(VerifyingKey::of_text(&no_base64), Err("its line is no base64"));
}

#[test]
fn hostile_files_are_refused_each_for_its_reason() {
    let (secret, public) = pair();
    let text = signed(&secret, b"bytes");
    let lines: Vec<&str> = text.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let algorithm = format!("AA{}", &lines[1][2..]);
    let cases = [
        (String::new(), "it has not four lines"),
        (lines[..3].join("\n"), "it has not four lines"),
        (format!("{text}more\n"), "it has not four lines"),
        (with(1, "*"), "a line of it is no base64"),
        (with(1, ""), "a line of it has not the length of a signature"),
        // Without its length the checking crate would go beyond its end.
        (with(3, "AAAA"), "a line of it has not the length of a signature"),
        (with(3, lines[1]), "a line of it has not the length of a signature"),
        (with(1, &algorithm), "it is of an algorithm that minisign has not"),
        (with(0, "no comment"), "its lines do not begin as those of minisign"),
        (with(2, "no comment"), "its lines do not begin as those of minisign"),
    ];
    for (hostile, why) in cases {
        assert_eq!(public.check(b"bytes", hostile.as_bytes()), Err(SignatureFault::Damaged(why)), "{hostile}");
    }
    assert_eq!(public.check(b"bytes", b"\xff\xfe"), Err(SignatureFault::Damaged("it is no text")));
    assert_eq!(public.check(b"bytes", &vec![b'a'; 5000]), Err(SignatureFault::TooLarge));
    let comment = with(2, "trusted comment: capdex dataset sha256:11 night never program 9");
    assert_eq!(public.check(b"bytes", comment.as_bytes()), Err(SignatureFault::Wrong(public.id())));
    // The comment that nobody signs may say anything, and is not shown.
    assert!(public.check(b"bytes", with(0, "untrusted comment: mallory").as_bytes()).is_ok());
}

#[test]
fn a_file_is_checked_against_what_lies_beside_it() {
    let (secret, public) = pair();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("m.json"), "bytes").expect("written");
    let check = |max: u64| public.check_file(folder.path(), "m.json", max);
    assert_eq!(check(10).expect("read"), Err(SignatureFault::Missing));
    fs::write(path("m.json.minisig"), vec![b'a'; 1 << 20]).expect("written");
    assert_eq!(check(10).expect("read"), Err(SignatureFault::TooLarge));
    fs::write(path("m.json.minisig"), signed(&secret, b"bytes")).expect("written");
    assert!(check(5).expect("read").is_ok());
    assert!(check(4).is_err(), "a file beyond its bound is not read");
    fs::remove_file(path("m.json")).expect("removed");
    assert!(check(5).is_err());
    #[cfg(unix)]
    {
        fs::remove_file(path("m.json.minisig")).expect("removed");
        std::os::unix::fs::symlink("/dev/zero", path("m.json.minisig")).expect("linked");
        assert!(check(5).is_err(), "a link is not followed");
    }
}

proptest! {
    /// Any bytes are answered, and none but the signature itself is accepted. Only the first comment is not signed.
    #[test]
    fn no_change_of_a_signature_is_accepted(at in 0usize..400, byte in any::<u8>(), cut in 0usize..400, tail in "[\\PC\n]{0,40}") {
        let (secret, public) = pair();
        let text = signed(&secret, b"bytes");
        let signed_from = text.find('\n').expect("lines") + 1;
        let mut changed = text.clone().into_bytes();
        let at = at % changed.len();
        let is_change = changed[at] != byte && at >= signed_from;
        changed[at] = byte;
        if public.check(b"bytes", &changed).is_ok() {
            // Space around a line and the last line's end say nothing.
            let plain = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                text.lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
            };
            prop_assert!(!is_change || plain(&changed) == plain(text.as_bytes()), "{}", String::from_utf8_lossy(&changed));
        }
        let cut = cut % (text.len() - 1);
        let truncated = format!("{}{tail}", text.get(..cut).unwrap_or_default());
        prop_assert!(public.check(b"bytes", truncated.as_bytes()).is_err());
    }

    /// No bytes make it fall over, as a signature, as a public key or as a secret one.
    #[test]
    fn whatever_a_file_holds_is_answered(bytes in proptest::collection::vec(any::<u8>(), 0..600), text in "\\PC{0,80}\n[A-Za-z0-9+/=]{0,240}\n\\PC{0,40}\n[A-Za-z0-9+/=]{0,100}") {
        let (_, public) = pair();
        prop_assert!(public.check(b"bytes", &bytes).is_err());
        prop_assert!(public.check(b"bytes", text.as_bytes()).is_err());
        prop_assert!(!is_own(&bytes));
        let _ = VerifyingKey::of_text(&text);
        prop_assert!(SigningKey::of_text(&text, None).is_err());
    }
}
