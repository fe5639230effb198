//! The commands of `rulings`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_model::ruling::RulingStatus;
use clap::{Args, Subcommand};

use super::{ListFormat, WaitArgs};

/// The commands of `rulings`.
#[derive(Debug, Subcommand)]
pub enum RulingsCommand {
    /// Every ruling, with what became of it.
    #[command(after_help = "Examples:\n  capdex rulings list\n  capdex rulings list --format jsonl")]
    List {
        /// How rulings are printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
    /// Rule on a capability, on what one rule finds in it, or on one finding. It is bound to the content that stands now.
    #[command(
        after_help = "Examples:\n  capdex rulings give npm:@acme/notes#skill:skills/notes accepted --author ann --reason \"read it\"\n  capdex rulings give 1f2e3d4c false_positive --finding 9a8b7c6d --author ann --reason \"a test page\" --expires 90\n  capdex rulings give npm:acme blocked --package --any-content --author ann --reason \"we use the fork\""
    )]
    Give(RulingsGiveArgs),
    /// Take a ruling back. It stays in the history.
    #[command(after_help = "Example:\n  capdex rulings withdraw 3 --author ann --reason \"it was true after all\"")]
    Withdraw {
        /// Its number, as `rulings list` shows it.
        number: u64,
        /// Who takes it back.
        #[arg(long, value_name = "NAME")]
        author: String,
        /// Why.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        waiting: WaitArgs,
    },
    /// Take the rulings of an OpenVEX document. Statements about what capdex does not name are left out.
    #[command(after_help = "Example:\n  capdex rulings import rulings.openvex.json")]
    Import {
        /// The document.
        file: PathBuf,
        /// Take statements too that are bound to no content: they hold for whatever the product becomes.
        #[arg(long)]
        any_content: bool,
        #[command(flatten)]
        waiting: WaitArgs,
    },
    /// Write the rulings that stand as an OpenVEX document, to standard output where no file is named.
    #[command(
        after_help = "Examples:\n  capdex rulings export --author \"Acme security\" > rulings.openvex.json\n  capdex rulings export rulings.openvex.json --author ops"
    )]
    Export {
        /// The file.
        file: Option<PathBuf>,
        /// Who issues the document; each statement also says who gave it.
        #[arg(long, value_name = "NAME")]
        author: String,
    },
}

/// Options of `rulings give`.
#[derive(Debug, Args)]
pub struct RulingsGiveArgs {
    /// A slug, `npm:@scope/name#kind:path`, a package URL, or at least 8 hex digits of the id.
    pub capability: String,
    /// accepted (true, and we live with it), not_affected (true of the text, harmless here), false_positive (not true),
    /// blocked (nobody may use it).
    #[arg(value_parser = status)]
    pub status: RulingStatus,
    /// Only what this rule finds.
    #[arg(long, value_name = "ID", conflicts_with = "finding")]
    pub rule: Option<String>,
    /// Only the finding with this fingerprint, or at least 8 digits of it; `explain` prints it.
    #[arg(long, value_name = "FINGERPRINT")]
    pub finding: Option<String>,
    /// Rule on the whole package: on each of its capabilities as it is now, or with --any-content on whatever it becomes.
    #[arg(long, conflicts_with = "finding")]
    pub package: bool,
    /// Let it hold whatever the content becomes. What sets something aside must then say until when.
    #[arg(long)]
    pub any_content: bool,
    /// Who rules.
    #[arg(long, value_name = "NAME")]
    pub author: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Until when: a date, an instant, or a number of days (default: while the content stays).
    #[arg(long, value_name = "DATE|DAYS")]
    pub expires: Option<String>,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

fn status(text: &str) -> Result<RulingStatus, String> {
    let status: RulingStatus = text.parse().map_err(|error| format!("{error}"))?;
    // It is given by its number, so that nobody takes back what he does not see.
    if status == RulingStatus::Withdrawn {
        return Err("use `capdex rulings withdraw NUMBER`".to_owned());
    }
    Ok(status)
}
