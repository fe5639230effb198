//! Options of the commands that show the store to people and programs: the static site, the service.
//!
//! Must not know what a command does.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::SigningArgs;
use crate::config::web_address;

/// Options of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Where the site goes; replaced as a whole.
    pub dir: PathBuf,
    /// Only the pages of these, with a list of them, to be handed on: capabilities or whole packages, as `capdex explain` takes them.
    #[arg(long, value_name = "ITEM", num_args = 1..)]
    pub only: Vec<String>,
    /// The address under which the site will be found: whole addresses stand in feeds, `sitemap.xml` and the heads of pages then.
    #[arg(long, value_name = "URL", value_parser = base_url, conflicts_with = "only")]
    pub base_url: Option<String>,
    /// The key that signs the list of the site's files.
    #[command(flatten)]
    pub signing: SigningArgs,
}

/// Options of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen. Anything but loopback is for networks that you trust, or behind a proxy.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8710", value_parser = address)]
    pub listen: SocketAddr,
    /// A name under which the service may be asked, beside loopback's own; repeatable. Given on another address, no other is answered.
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// The address under which people find the service, for whole addresses in feeds, `sitemap.xml` and the heads of pages.
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub base_url: Option<String>,
    /// An origin whose pages may read the API in a browser, such as <https://catalogue.example>; `*` is any; repeatable. Badges may be read by all.
    #[arg(long, value_name = "ORIGIN")]
    pub cors: Vec<String>,
    /// Connections at once at most; who comes later waits. One address has three quarters of them at most.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub connections: u32,
    /// Megabytes of answers that are kept ready at most.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub cache_mb: u32,
}

/// An address of the web that paths can stand behind.
fn base_url(text: &str) -> Result<String, String> {
    let plain = web_address(text).filter(|url| {
        url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none()
    });
    let url =
        plain.ok_or("write where the site is found, such as https://capdex.example.org/catalogue, without a query")?;
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an address and a port up to 65535, such as 127.0.0.1:8710".to_owned())
}
