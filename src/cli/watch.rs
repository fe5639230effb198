//! Options of the commands that show what the passes saw.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

/// Options of `drift`.
#[derive(Debug, Args)]
pub struct DriftArgs {
    /// Only events of this day and later: a date or instant (RFC 3339), `yesterday`, days before the last run (`7d`), or a run's
    /// number.
    #[arg(long, value_name = "DATE|RUN")]
    pub since: Option<String>,
    /// First list, fetch and hash again everything that claims to be unchanged: other bytes under the same version or
    /// validator are drift.
    #[arg(long)]
    pub rehash: bool,
    /// The schedule by whose settings it is fetched (default: the quick start that is compiled in).
    #[arg(long, value_name = "FILE", requires = "rehash")]
    pub config: Option<PathBuf>,
    /// How events are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `clones`.
#[derive(Debug, Args)]
pub struct ClonesArgs {
    /// Only the family of this capability: a slug, `npm:@scope/name#kind:path`, a package URL, or at least 8 hex digits of
    /// the id.
    pub capability: Option<String>,
    /// Only families in which something speaks against a copy.
    #[arg(long)]
    pub changed: bool,
    /// How families are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `campaigns`.
#[derive(Debug, Args)]
pub struct CampaignsArgs {
    /// Only this campaign, by its key or the beginning of it.
    pub campaign: Option<String>,
    /// How campaigns are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `typosquats`.
#[derive(Debug, Args)]
pub struct TyposquatsArgs {
    /// The names to look at, one a line.
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// The names that they may be taken for, one a line.
    #[arg(long, value_name = "FILE", requires = "names")]
    pub popular: Option<PathBuf>,
    /// How leads are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `collisions`.
#[derive(Debug, Args)]
pub struct CollisionsArgs {
    /// How collisions are printed; the table shows those that weigh something.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}
