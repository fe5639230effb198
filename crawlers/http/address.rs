//! Which addresses may be fetched, checked in the text of an address and again when a connection is made.
//!
//! A name is resolved once, and the address that is checked is the one that is connected to. A name that changes its
//! address between check and connection gains nothing by it. Sources: RFC 6890 and the special-purpose address
//! registries of IANA; documentation ranges are not refused, because nothing of ours can stand there.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use capdex_model::snapshot::GapReason;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::redact;
use crate::CrawlError;

/// Scheme, host and port of an address. Credentials and validators belong to one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of a parsed address; http and https addresses always have one.
    pub(crate) fn of(url: &Url) -> Self {
        Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
        }
    }

    /// Host and port, which is what a rate limit and an exemption are for.
    pub(crate) fn host_and_port(&self) -> (String, u16) {
        (self.host.clone(), self.port)
    }

    /// True where a redirect from here to `next` would give up encryption.
    pub(crate) fn is_downgraded_by(&self, next: &Self) -> bool {
        self.scheme == "https" && next.scheme != "https"
    }
}

/// The host and port that an address asks, as one text; none for text that is no http or https address.
pub fn host_of(address: &str) -> Option<String> {
    let (host, port) = Origin::of(&parse(address).ok()?).host_and_port();
    Some(format!("{host}:{port}"))
}

/// Reads an address and takes user name, password and fragment off: credentials travel only as `Credential`.
///
/// # Errors
/// `Malformed` for text that is no address, `Refused` for a scheme other than http and https.
pub(crate) fn parse(address: &str) -> Result<Url, CrawlError> {
    let mut url = Url::parse(address).map_err(|error| CrawlError::Malformed {
        subject: redact(address),
        reason: GapReason::BadAnswer,
        detail: format!("the address does not parse: {error}"),
    })?;
    // All further checks are of hosts and ports, which only these two schemes always have.
    if !matches!(url.scheme(), "http" | "https") {
        return Err(CrawlError::Refused {
            subject: redact(address),
            detail: "only http and https are fetched".to_owned(),
        });
    }
    // Neither can fail for http and https.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    Ok(url)
}

/// Refuses an address whose host is written as a number that may not be fetched. Names are checked when they are
/// resolved.
pub(crate) fn check_literal(url: &Url) -> Result<(), CrawlError> {
    let address = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
        Some(Host::Domain(_)) | None => return Ok(()),
    };
    match refusal(address) {
        None => Ok(()),
        Some(rule) => {
            Err(CrawlError::Refused { subject: redact(url.as_str()), detail: format!("{address} is {rule}") })
        }
    }
}

/// The time that a name may take to be resolved before a proxy is asked.
const RESOLVE_WITHIN: Duration = Duration::from_secs(5);

/// Refuses a name before it is told to a proxy, which resolves names by itself and stands inside. A name that this machine
/// resolves is judged by its addresses. One that it does not is left to the proxy, unless the name itself says that it is
/// of this machine, of the network inside or of a cloud's metadata (RFC 6761, RFC 6762, RFC 8375, RFC 9476).
///
/// # Errors
/// `Refused` for such a name.
pub(super) async fn check_before_proxy(url: &Url) -> Result<(), CrawlError> {
    let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
    let refused = |detail: String| Err(CrawlError::Refused { subject: redact(url.as_str()), detail });
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if is_of_inside(&name) {
        return refused(format!("{name} is a name of this machine or of the network inside"));
    }
    let port = url.port_or_known_default().unwrap_or_default();
    let resolved = tokio::time::timeout(RESOLVE_WITHIN, tokio::net::lookup_host((name.as_str(), port))).await;
    let addresses: Vec<_> = resolved.ok().and_then(Result::ok).into_iter().flatten().collect();
    // Behind a proxy machines often resolve nothing outside; the name alone is left to judge by then.
    if addresses.is_empty() && METADATA.iter().any(|first| name.starts_with(first)) {
        return refused(format!("{name} is a name of a metadata service"));
    }
    match addresses.iter().find_map(|address| Some((address.ip(), refusal(address.ip())?))) {
        Some((address, rule)) => refused(format!("{name} leads to {address}, {rule}")),
        None => Ok(()),
    }
}

/// How names of metadata services begin.
const METADATA: [&str; 2] = ["metadata.", "instance-data."];

/// True for a name without a dot, and below domains that no public name is in.
fn is_of_inside(name: &str) -> bool {
    const INSIDE: [&str; 7] = ["localhost", "localdomain", "local", "internal", "intranet", "home.arpa", "corp"];
    !name.contains('.') || INSIDE.iter().any(|domain| name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

/// Why an address may not be fetched; none where it may.
pub(crate) fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, d] = address.octets();
    // Services on private networks trust whoever is inside, and an address of a stranger's would borrow that trust.
    match (a, b, c, d) {
        (0, ..) => Some("an address of this network"),
        (10, ..) | (172, 16..=31, ..) | (192, 168, ..) => Some("a private address"),
        (100, 64..=127, ..) => Some("an address behind a carrier's translation"),
        (127, ..) => Some("a loopback address"),
        (169, 254, ..) => Some("a link-local address"),
        // Two clouds keep their metadata outside the link-local range.
        (168, 63, 129, 16) | (192, 0, 0, 192) => Some("a metadata address"),
        (192, 0, 0, _) => Some("an address for protocol assignments"),
        (224..=239, ..) => Some("a multicast address"),
        (255, 255, 255, 255) => Some("the broadcast address"),
        (240..=255, ..) => Some("a reserved address"),
        _ => None,
    }
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        refusal_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("the loopback address"),
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("the unspecified address"),
        // No name has such addresses in good faith, and they only serve to hide what is embedded.
        [0, 0, 0, 0, 0, 0xffff, ..] => Some("a mapped IPv4 address"),
        [0, 0, 0, 0, 0, 0, ..] => Some("a compatible IPv4 address"),
        [0, 0, 0, 0, 0xffff, 0, ..] => Some("a translated IPv4 address"),
        // On a network without IPv4 every public name looks like this, so what is embedded decides.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => embedded(high, low),
        [0x64, 0xff9b, 1, ..] => Some("an address of a local translation"),
        [0x2001, 0, ..] => Some("a tunnel address"),
        [0xfc00..=0xfdff, ..] => Some("a unique local address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xfec0..=0xfeff, ..] => Some("a site-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        _ => None,
    }
}

/// A name led to an address that may not be fetched. Travels inside the client's own error.
#[derive(Debug, thiserror::Error)]
#[error("{name} leads to {address}, {rule}")]
pub(crate) struct RefusedAddress {
    name: String,
    address: IpAddr,
    rule: &'static str,
}

/// Resolves names and refuses those that lead, with any of their addresses, where nothing may be fetched.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckingResolver {
    /// Names that are not checked: those of the proxies that the environment names.
    pub(crate) unchecked: BTreeSet<String>,
}

impl Resolve for CheckingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_checked = !self.unchecked.contains(name.as_str());
        Box::pin(async move {
            // The connection uses these very addresses, so a second answer of the name server changes nothing.
            let addresses: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if is_checked {
                // One refused address among good ones is enough, because the connector may try any of them.
                for address in &addresses {
                    if let Some(rule) = refusal(address.ip()) {
                        let refused = RefusedAddress { name: name.as_str().to_owned(), address: address.ip(), rule };
                        return Err(refused.into());
                    }
                }
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// The refusal inside an error of the client, where there is one.
pub(crate) fn refused_within<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a RefusedAddress> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref::<RefusedAddress>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.192",
            "168.63.129.16",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "::ffff:0:7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(refusal(address.parse().expect("an address")).is_some(), "{address}");
        }
    }

    #[test]
    fn what_is_public_or_documentary_is_not_refused() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.80",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:db8::1",
            "64:ff9b::101:101",
            "2002:101:101::",
        ] {
            assert_eq!(refusal(address.parse().expect("an address")), None, "{address}");
        }
    }

    #[test]
    fn numbers_in_disguise_are_read_as_the_client_reads_them() {
        for address in ["http://0x7f.1/", "http://2130706433/", "http://017700000001/", "http://[::ffff:7f00:1]/"] {
            let url = parse(address).expect("an address");
            assert!(matches!(check_literal(&url), Err(CrawlError::Refused { .. })), "{address}");
        }
        assert_eq!(check_literal(&parse("http://name.test/").expect("an address")), Ok(()));
    }

    #[tokio::test]
    async fn names_of_inside_are_not_told_to_a_proxy() {
        for address in [
            "http://localhost/",
            "http://LOCALHOST./",
            "https://a.localhost/",
            "http://intranet/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://metadata.internal.corp/",
            "http://metadata.cloud.test/latest/",
            "http://printer.local/",
        ] {
            let checked = check_before_proxy(&parse(address).expect("an address")).await;
            assert!(matches!(checked, Err(CrawlError::Refused { .. })), "{address}");
        }
        // Never resolved anywhere (RFC 6761): the proxy may know better.
        for address in ["https://registry.test/x", "https://internal.registry.test/", "http://203.0.113.9/"] {
            assert_eq!(check_before_proxy(&parse(address).expect("an address")).await, Ok(()), "{address}");
        }
    }

    #[test]
    fn only_http_and_https_are_read_and_users_are_dropped() {
        assert!(matches!(parse("file:///etc/passwd"), Err(CrawlError::Refused { .. })));
        assert!(matches!(parse("ftp://registry.example/"), Err(CrawlError::Refused { .. })));
        assert!(matches!(parse("registry.example"), Err(CrawlError::Malformed { .. })));
        let url = parse("https://user:canary@registry.example/a#b").expect("an address");
        assert_eq!(url.as_str(), "https://registry.example/a");
    }
}
