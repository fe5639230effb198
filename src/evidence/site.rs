//! Sites: what of a host somebody had to register, and who therefore answers for everything below it.
//!
//! Decided by the public suffix list, its private section included, and by a short list of platforms that it lacks.
//! Nothing is looked up.

/// Platforms whose customers each get a name below theirs, and which the public suffix list does not count as suffixes.
/// Sorted.
const TENANT_FARMS: [&str; 27] = [
    "amazonaws.com",
    "apify.actor",
    "composio.dev",
    "fly.dev",
    "fourthwall.com",
    "freshdesk.com",
    "glama.ai",
    "glitch.me",
    "klavis.ai",
    "mcpbundles.com",
    "myshopify.com",
    "ngrok.app",
    "ngrok.io",
    "on.aws",
    "pipedream.net",
    "pipeworx.io",
    "railway.app",
    "replit.app",
    "retool.com",
    "smithery.ai",
    "strata.ai",
    "surge.sh",
    "vercel.app",
    "wordpress.com",
    "workers.dev",
    "zapier.com",
    "zendesk.com",
];

/// The beginning of the part of a host that one owner has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The byte of the host at which it begins.
    pub from: usize,
    /// True where the suffix that it stands under is a known one; `.test` is none.
    pub is_known: bool,
}

/// The part of a host that one owner has. `host` is lower-case and has no dot at its ends. None for an address of
/// numbers, a lone label, and a public suffix itself.
pub fn registered(host: &str) -> Option<Registered> {
    // An address has no owner by name.
    if host.split('.').all(|label| label.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let suffix = psl::suffix(host.as_bytes())?;
    // A public suffix alone has nothing before its dot.
    let before = host.len().checked_sub(suffix.as_bytes().len() + 1)?;
    let from = host.get(..before)?.rfind('.').map_or(0, |dot| dot + 1);
    let is_farm = host.get(from..).is_some_and(|domain| TENANT_FARMS.binary_search(&domain).is_ok());
    // One label more below a platform, whose customers are strangers to each other.
    let from = match from.checked_sub(1) {
        Some(before) if is_farm => host.get(..before)?.rfind('.').map_or(0, |dot| dot + 1),
        _ => from,
    };
    Some(Registered { from, is_known: suffix.is_known() })
}

/// The registrable domain of a host, lower-case: what one owner has. The host itself where nobody registered a part of
/// it.
pub fn site_of(host: &str) -> String {
    let host = host.trim_matches('.').to_ascii_lowercase();
    let from = registered(&host).map_or(0, |part| part.from);
    host.get(from..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_what_one_owner_has() {
        assert!(TENANT_FARMS.is_sorted());
        for (host, site) in [
            ("api.acme.test", "acme.test"),
            ("a.b.acme.co.uk", "acme.co.uk"),
            ("203.0.113.9", "203.0.113.9"),
            ("Acme.TEST.", "acme.test"),
            ("localhost", "localhost"),
            ("github.io", "github.io"),
            ("zendesk.com", "zendesk.com"),
            ("a.b.zendesk.com", "b.zendesk.com"),
            ("", ""),
        ] {
            assert_eq!(site_of(host), site);
        }
    }

    #[test]
    fn what_platforms_give_to_strangers_is_apart() {
        let platforms = "com.au co.nz or.jp com.br com.cn co.kr co.in co.za com.tr github.io gitlab.io pages.dev \
                         workers.dev vercel.app netlify.app herokuapp.com onrender.com fly.dev railway.app run.app \
                         web.app firebaseapp.com appspot.com azurewebsites.net cloudfunctions.net cloudfront.net \
                         amazonaws.com on.aws ngrok.io ngrok.app ngrok-free.app trycloudflare.com hf.space replit.app \
                         deno.dev r2.dev surge.sh glitch.me repl.co blogspot.com wordpress.com";
        for platform in platforms.split_whitespace() {
            let [one, other] = ["one", "other"].map(|name| site_of(&format!("{name}.{platform}")));
            assert_ne!(one, other, "{platform}");
        }
    }
}
