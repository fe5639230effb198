//! Unprotected addresses: those that are reached over other networks without encryption.

/// True for an address with one of these schemes that leads out of the local network.
pub(super) fn is_unprotected(address: &str, schemes: &[&str]) -> bool {
    let rest = address.split_once("://").filter(|(scheme, _)| schemes.contains(scheme)).map(|(_, rest)| rest);
    rest.is_some_and(|rest| !is_local(rest))
}

/// Addresses of the machine itself, of a private network, or filled in by the user.
fn is_local(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // `http://localhost@evil.test` goes to `evil.test`: what stands before the sign is a user name.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let bare = if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    let private = ["127.", "10.", "192.168.", "[::1]", "[fc", "[fd", "0.0.0.0", "{", "${", "<"]
        .iter()
        .any(|start| bare.starts_with(start));
    // RFC 1918 reserves 172.16.0.0/12, which no prefix of text can tell.
    let private_range = bare
        .strip_prefix("172.")
        .and_then(|rest| rest.split('.').next()?.parse::<u8>().ok())
        .is_some_and(|second| (16..32).contains(&second));
    private
        || private_range
        || bare == "localhost"
        || bare.ends_with(".local")
        || bare.ends_with(".localhost")
        || bare.ends_with(".internal")
        // A name without a dot is of the local network or of a container's.
        || !bare.contains('.')
}
