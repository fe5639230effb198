//! The options of `scan`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_crawlers::folder::PathPattern;
use capdex_model::fact::{Confidence, Severity};
use capdex_model::score::Band;
use capdex_rubrics::operator::VOTERS;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::approved;
use crate::formats::FORMATS;

/// The parts of the help.
const INPUT: &str = "What is read";
const OUTPUT: &str = "What is shown";
const THRESHOLD: &str = "What counts";

/// Options of `scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Folders, archives or files, such as a recorded list of tools, prompts or resources; `-` reads one from standard input.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How results are printed.
    #[arg(long, value_parser = formats(), default_value = "table", help_heading = OUTPUT)]
    pub format: String,
    /// Write the results in this format to a file too, such as `sarif=capdex.sarif`. May be given several times.
    #[arg(long, value_name = "FORMAT=FILE", help_heading = OUTPUT)]
    pub output: Vec<ScanOutput>,
    /// Show only findings of this severity or worse (info, low, medium, high, critical). Milder ones are counted, and meet no
    /// severity of --fail-on. The verdict is that of all findings.
    #[arg(long, value_name = "SEVERITY", value_parser = severity, default_value = "info", hide_default_value = true, help_heading = OUTPUT)]
    pub min_severity: Severity,
    /// Show only findings of this confidence or more (low, medium, high). The others are counted, as with --min-severity.
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence, default_value = "low", hide_default_value = true, help_heading = OUTPUT)]
    pub min_confidence: Confidence,
    /// Show only this rubric.
    #[arg(long, value_name = "ID", help_heading = OUTPUT)]
    pub rubric: Option<String>,
    /// Exit with 1 when a band (watch, caution, block) or a severity (info … critical) is met or exceeded.
    #[arg(long, value_name = "BAND_OR_SEVERITY", help_heading = THRESHOLD)]
    pub fail_on: Option<FailOn>,
    /// Known findings: they are shown as such and count for no --fail-on. An entry stops counting when the file changes or its
    /// time is over. Keep this file outside what is scanned: capdex never picks one up by itself.
    #[arg(long, value_name = "FILE", help_heading = THRESHOLD)]
    pub baseline: Option<PathBuf>,
    /// Write what was found as a baseline. What --baseline holds already keeps its end.
    #[arg(long, value_name = "FILE", help_heading = THRESHOLD)]
    pub write_baseline: Option<PathBuf>,
    /// Rulings of yours (OpenVEX): what they set aside is shown as such and counts for no threshold, and what they block is
    /// `block`. Read only where you name them, never from what is scanned. May be given several times.
    #[arg(long, value_name = "FILE", help_heading = THRESHOLD)]
    pub rulings: Vec<PathBuf>,
    /// Ask the language model of this schedule's `[judge]` table about the servers that are found, within its limits. Their names
    /// and the texts of their tools are sent to it. What it says is shown beside the findings and counts for no threshold. Without this,
    /// nothing is ever sent.
    #[arg(long, value_name = "SCHEDULE", help_heading = OUTPUT)]
    pub judge: Option<PathBuf>,
    /// Let these methods have a vote: spiderrating, saferskills, mcpbundles, agentscore. A stricter band of theirs counts.
    #[arg(long, value_name = "METHOD", value_delimiter = ',', value_parser = voters(), help_heading = THRESHOLD)]
    pub votes: Vec<String>,
    /// Your own list of what may be used: names of packages as capdex prints them, such as `npm:@acme/*`; `*` stands for any text.
    /// Everything else has the finding `name-not-approved`. An input has the name that its own manifest states, and `folder:NAME`.
    /// May be given several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = approved::name, help_heading = THRESHOLD)]
    pub approved: Option<Vec<String>>,
    /// Leave out the paths inside a folder that fit: `*` and `?` stand for letters of a name, `**` for any folders; a pattern
    /// without `/` fits a name anywhere. May be given several times. What is left out is told.
    #[arg(long, value_name = "GLOB", help_heading = INPUT)]
    pub exclude: Vec<PathPattern>,
    /// Read installed dependencies and caches of a folder too (`node_modules`, virtual environments, caches of package
    /// managers). Without it only those of their files are read that the folder's own texts name.
    #[arg(long, help_heading = INPUT)]
    pub no_default_excludes: bool,
    /// How long the baseline that is written holds: a date, an instant, or a number of days.
    #[arg(long, value_name = "DATE|DAYS", default_value = "90", requires = "write_baseline", help_heading = THRESHOLD)]
    pub baseline_expires: String,
}

/// The words of `--votes`.
fn voters() -> PossibleValuesParser {
    PossibleValuesParser::new(VOTERS)
}

/// The words of `--format`.
pub(super) fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|format| PossibleValue::new(format.id()).help(format.about())))
}

/// A file that gets the results too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanOutput {
    /// The format, one of [`FORMATS`].
    pub format: String,
    /// The file.
    pub path: PathBuf,
}

impl std::str::FromStr for ScanOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = || FORMATS.iter().map(|format| format.id()).collect::<Vec<_>>().join(", ");
        let (format, path) = text
            .split_once('=')
            .filter(|(_, path)| !path.is_empty())
            .ok_or("give FORMAT=FILE, such as sarif=capdex.sarif")?;
        if FORMATS.iter().all(|one| one.id() != format) {
            return Err(format!("there is no format {format:?}: {}", known()));
        }
        Ok(Self { format: format.to_owned(), path: path.into() })
    }
}

fn severity(text: &str) -> Result<Severity, String> {
    let found = Severity::ALL.into_iter().find(|severity| severity.as_str() == text);
    found.ok_or_else(|| "give info, low, medium, high or critical".to_owned())
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let all = [Confidence::Low, Confidence::Medium, Confidence::High];
    let found = all.into_iter().find(|confidence| confidence.as_str() == text);
    found.ok_or_else(|| "give low, medium or high".to_owned())
}

/// A threshold that turns results into exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// A finding of this severity or worse.
    Severity(Severity),
    /// A verdict of this band or stricter.
    Band(Band),
}

impl std::str::FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let severity = Severity::ALL.into_iter().find(|severity| severity.as_str() == text).map(Self::Severity);
        let band = [Band::Watch, Band::Caution, Band::Block].into_iter().find(|band| band.as_str() == text);
        severity.or(band.map(Self::Band)).ok_or_else(|| {
            "give a severity (info, low, medium, high, critical) or a band (watch, caution, block)".to_owned()
        })
    }
}
