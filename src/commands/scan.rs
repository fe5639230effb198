//! `capdex scan`: scores local input without a store.

use std::path::Path;
use std::sync::Arc;

use capdex_crawlers::folder::{self, FolderOptions};
use capdex_dataset::finding::{BaselineStatus, Finding, findings};
use capdex_dataset::{bulk, escape};
use capdex_judge::unit::JudgePart;
use capdex_model::approved::ApprovedNames;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::input::LeftOutReason;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::score::Band;
use capdex_model::snapshot::Completeness;
use capdex_model::time::{AsOf, Timestamp};

use crate::approval;
use crate::baseline::{Baseline, BaselineForm, BaselineIndex, BaselineQuery, KnownBand, KnownFinding};
use crate::check::{named_file, target};
use crate::cli::{FailOn, ScanArgs};
use crate::content::LineNeutralContents;
use crate::exit::{Exit, usage};
use crate::formats::JudgedCapability;
use crate::formats::filter::FindingFilter;
use crate::formats::outputs::ScanOutputs;
use crate::formats::place::InputPlace;
use crate::judge_runs::local::{self, LocalJudge};
use crate::judging::JudgedInput;
use crate::operator;
use crate::options::Global;
use crate::output::{self, Out};
use crate::progress::StageProgress;
use crate::{clock, instant, judging};

/// The path that stands for the standard input.
const STANDARD_INPUT: &str = "-";
/// The name of what was read from there, which has none of its own.
const STANDARD_INPUT_NAME: &str = "stdin";

/// Inputs read and scanned before their results are printed: bounds memory.
const BATCH: usize = 64;

pub(super) fn run(global: &Global, options: &ScanArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(id) = &options.rubric {
        super::known_rubric(id)?;
    }
    // Places in results are text.
    if let Some(odd) = options.paths.iter().find(|path| path.to_str().is_none()) {
        return Err(usage(format!("the name {} is not UTF-8: give it another name", odd.display())));
    }
    let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
    for path in &options.paths {
        // Without following links: a dangling one is there, and is told as what it is.
        if path.as_os_str() != STANDARD_INPUT && path.symlink_metadata().is_err() {
            let text = path.display();
            if target::is_target(&text.to_string()) {
                return Err(usage(format!("scan takes files; use `capdex check {text}`")));
            }
            return Err(usage(format!(
                "there is nothing at {text}; name a folder, an archive or a file, or `-` for standard input"
            )));
        }
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let baseline = options.baseline.as_deref().map(Baseline::read).transpose()?.map(|baseline| baseline.at(at));
    let policy = Arc::new(operator::named(&options.rulings, &options.votes)?);
    let mut draft = options.write_baseline.as_deref().map(|path| NewBaseline::begin(path, options, at)).transpose()?;
    // Before the scan: a wrong format should be told at once.
    let mut outputs = ScanOutputs::open(&options.format, &options.output)?;
    let pool = bulk::pool(global.threads)?;
    // Only where it is asked for: what is scanned may be nobody else's business.
    let model = options.judge.as_deref().map(super::judge::of_schedule).transpose()?;
    // The working folder is taken once, so that all places in the output are relative to the same one.
    let judge = Judge {
        from: std::env::current_dir()?,
        reading: FolderOptions {
            exclude: options.exclude.clone(),
            default_excludes: !options.no_default_excludes,
            ..FolderOptions::default()
        },
        rubric: options.rubric.as_deref(),
        filter: FindingFilter { severity: options.min_severity, confidence: options.min_confidence },
        at,
        baseline: baseline.as_ref(),
        policy,
        approved: ApprovedNames::of(options.approved.clone()),
        needs_contents: baseline.is_some() || draft.is_some(),
        judged_kinds: model.as_ref().map(|(settings, _)| settings.kinds.clone()).unwrap_or_default(),
    };
    let mut model = model.map(|(settings, contact)| LocalJudge::open(settings, &contact, at)).transpose()?;
    let progress = StageProgress::stage("scan", u64::try_from(paths.len()).ok(), global.quiet);
    let (mut met, mut incomplete, mut unread) = (false, false, 0);
    let mut left_out = LeftOutNote::default();
    bulk::ordered(
        &pool,
        &paths,
        BATCH,
        |path| judge.read(path),
        |_, results| {
            for Read { mut judged, is_read, units } in results {
                // Each input counts for itself: an unreadable one is a gap, not the end of the others.
                unread += usize::from(!is_read);
                if let Some(model) = &mut model {
                    for (id, parts) in units {
                        if let Some(one) = judged.iter_mut().find(|one| one.scanned.capability.id == id) {
                            one.judge = model.record(one.scanned.capability.kind, parts, &one.scanned.facts);
                        }
                    }
                }
                for one in &judged {
                    met |= options.fail_on.is_some_and(|threshold| meets(one, threshold, baseline.as_ref()));
                    left_out.take(one);
                    incomplete |= one.scanned.completeness != Completeness::Analysed;
                    if let Some(draft) = &mut draft {
                        // The draft takes findings whether known or not, so that a new baseline holds all that stands.
                        draft.take(one, baseline.as_ref());
                    }
                    outputs.add(one, out)?;
                }
                progress.advance(1);
            }
            Ok(())
        },
    )?;
    progress.finish();
    outputs.finish(out)?;
    if !global.quiet {
        left_out.print();
        hint_at_check(&options.paths);
    }
    // Written after everything was read, or an error would leave a baseline that knows half.
    if let (Some(draft), Some(path)) = (draft, &options.write_baseline) {
        draft.baseline.write(path)?;
    }
    // Nothing at all could be read, which is a failure and no clean result.
    if unread == paths.len() {
        anyhow::bail!("nothing could be read of {}", paths.join(", "));
    }
    Ok(Exit::of(met, incomplete))
}

/// Tells whoever scanned a client's configuration how to judge what it starts: only the file itself was read.
fn hint_at_check(paths: &[std::path::PathBuf]) {
    for path in paths.iter().filter(|path| path.is_file() && named_file::is_configuration(path)) {
        let shown = path.display().to_string();
        if let Ok(Some(targets)) = named_file::read(path, &shown)
            && !targets.is_empty()
        {
            let servers = escape::count(targets.len() as u64, "server");
            let shown = escape::escape(&shown);
            output::say(format_args!("{shown} starts {servers}: `capdex check {shown}` judges what it starts"));
        }
    }
}

/// The means by which inputs are read and judged.
struct Judge<'a> {
    /// The working folder.
    from: std::path::PathBuf,
    reading: FolderOptions,
    rubric: Option<&'a str>,
    filter: FindingFilter,
    at: AsOf,
    baseline: Option<&'a BaselineIndex>,
    policy: Arc<OperatorPolicy>,
    approved: ApprovedNames,
    /// True where a baseline is read or written.
    needs_contents: bool,
    /// The kinds that a model is asked about; none where no model is asked.
    judged_kinds: Vec<Kind>,
}

/// One input, read.
struct Read {
    judged: Vec<JudgedCapability>,
    /// False where it could not be read at all.
    is_read: bool,
    /// What of it a model may be asked about, in parts; none where none is.
    units: Vec<(CapabilityId, Vec<JudgePart>)>,
}

impl Judge<'_> {
    /// Reads, scans and scores one input, and says whether it could be read at all. One that could not is not assessable,
    /// and takes nothing from the others.
    fn read(&self, path: &str) -> Read {
        let is_standard = path == STANDARD_INPUT;
        let given = Path::new(if is_standard { STANDARD_INPUT_NAME } else { path });
        let read = match is_standard {
            true => folder::read_stream(STANDARD_INPUT_NAME, std::io::stdin().lock(), &self.reading),
            false => folder::read(given, &self.reading),
        };
        let is_read = read.is_ok();
        let input = read.unwrap_or_else(|error| folder::FolderInput::unread(given, &error));
        let below = if is_standard { None } else { below_repository(given) };
        let place = InputPlace::of(given, &self.from, is_standard || given.is_file()).in_repository(below);
        // Only where they are asked for, since every file is read for them once more.
        let contents = match self.needs_contents {
            true => LineNeutralContents::of(&input.files),
            false => LineNeutralContents::default(),
        };
        let contents = Arc::new(contents);
        let (aliases, left_out) = (input.aliases, input.left_out);
        let local = Bundle::local(format!("folder:{}", input.name), input.files);
        let mut bundle = Bundle { gaps: input.gaps, named: input.named, ..local };
        bundle.claims.repository_signals.approved = approval::of_bundle(&self.approved, &bundle);
        let (name, policy) = (path.to_owned(), Arc::clone(&self.policy));
        let input =
            JudgedInput { name, place, aliases, left_out, contents, target: None, policy, appeals: Arc::default() };
        let judged = judging::judge(&bundle, &input, self.at).into_iter().map(|mut judged| {
            // After the verdict, which needs every rubric, even where only one is shown.
            judged.scores.retain(|score| self.rubric.is_none_or(|id| score.rubric.id == id));
            judged.filter = self.filter;
            self.compared(judged)
        });
        let units = match self.judged_kinds.as_slice() {
            [] => Vec::new(),
            kinds => local::units(&bundle, kinds),
        };
        Read { judged: judged.collect(), is_read, units }
    }

    /// The same with the standing of each finding against the baseline, where there is one.
    fn compared(&self, judged: JudgedCapability) -> JudgedCapability {
        let Some(baseline) = self.baseline else { return judged };
        let standings = queries(&judged, baseline.form()).iter().map(|one| baseline.status(one.query())).collect();
        JudgedCapability { baseline_statuses: standings, ..judged }
    }
}

/// The path of an input below the repository that it lies in; empty for the repository itself.
fn below_repository(given: &Path) -> Option<String> {
    let path = given.canonicalize().ok()?;
    let root = path.ancestors().find(|folder| folder.join(".git").exists())?;
    let below = path.strip_prefix(root).ok()?.to_str()?;
    Some(below.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// A finding in the terms of a baseline.
struct OwnedQuery {
    fingerprint: String,
    content: Digest,
    severity: Severity,
}

impl OwnedQuery {
    fn query(&self) -> BaselineQuery<'_> {
        BaselineQuery { fingerprint: &self.fingerprint, content: self.content, severity: self.severity }
    }
}

/// The questions to a baseline about the findings of a capability, in their order. The content of a finding is the file
/// that it stands in, else the whole capability.
fn queries(judged: &JudgedCapability, form: BaselineForm) -> Vec<OwnedQuery> {
    let findings = match form {
        BaselineForm::Former => findings(&judged.scanned.facts),
        BaselineForm::Present => judged.all_findings(),
    };
    let whole = whole_content(judged, form);
    let query = |finding: Finding<'_>| {
        // Bound to the file: a change elsewhere in the capability leaves what is known of this one.
        let own = match form {
            BaselineForm::Former => judged.scanned.pins.files.get(finding.file).copied(),
            BaselineForm::Present => judged.contents.file(finding.file),
        };
        OwnedQuery { fingerprint: finding.fingerprint, content: own.unwrap_or(whole), severity: finding.severity }
    };
    findings.into_iter().map(query).collect()
}

/// The digest of a whole capability in the terms of a baseline.
fn whole_content(judged: &JudgedCapability, form: BaselineForm) -> Digest {
    match form {
        BaselineForm::Former => judged.scanned.capability.content,
        BaselineForm::Present => judged.contents.capability(&judged.scanned.capability, &judged.place),
    }
}

fn meets(judged: &JudgedCapability, threshold: FailOn, baseline: Option<&BaselineIndex>) -> bool {
    // Without a baseline the facts will do, and no finding has to be made.
    let Some(baseline) = baseline else { return judging::meets(judged, threshold) };
    let is_new = |finding: &Finding<'_>| finding.baseline != Some(BaselineStatus::Known) && finding.ruling.is_none();
    match threshold {
        FailOn::Severity(severity) => judged.findings().iter().any(|one| one.severity >= severity && is_new(one)),
        FailOn::Band(threshold) => {
            // What is in a package speaks for itself, and may be known.
            let band = judged.own_band;
            // A package has another content with every file that changes. Its findings are bound to their own files.
            let is_known = judged.scanned.capability.kind == Kind::Package
                || baseline.knows_band(&whole_content(judged, baseline.form()), band);
            // A newer rule may find more in the same content without a stricter band. A verdict is of all findings.
            let is_known =
                is_known && !judged.all_findings().iter().any(|one| one.severity > Severity::Info && is_new(one));
            // Unknown meets no threshold; it is told by the exit code for incomplete results.
            band != Band::Unknown && band >= threshold && !is_known
        }
    }
}

/// The line about what was left out on purpose.
#[derive(Default)]
struct LeftOutNote {
    places: Vec<String>,
    is_by_default: bool,
}

impl LeftOutNote {
    /// Places that are named; the rest is counted, and stands in the JSON formats.
    const SHOWN: usize = 5;

    fn take(&mut self, judged: &JudgedCapability) {
        self.is_by_default |= judged.left_out.iter().any(|one| one.reason == LeftOutReason::Dependencies);
        self.places.extend(judged.left_out.iter().map(|one| judged.place.join(&one.path)));
    }

    fn print(&self) {
        if self.places.is_empty() {
            return;
        }
        let shown: Vec<_> = self.places.iter().take(Self::SHOWN).map(|place| escape::escape(place)).collect();
        let more = self.places.len() - shown.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let hint = if self.is_by_default { "; --no-default-excludes reads dependencies and caches too" } else { "" };
        output::say(format_args!("left out: {}{more}{hint}", shown.join(", ")));
    }
}

/// A baseline as it is written.
struct NewBaseline {
    baseline: Baseline,
    expires: Timestamp,
}

impl NewBaseline {
    /// Checks first what would only be found out after all the work.
    fn begin(path: &Path, options: &ScanArgs, at: AsOf) -> anyhow::Result<Self> {
        // The file of before must be one of ours, because it will be replaced.
        if path.exists() {
            Baseline::read(path)?;
        }
        let text = &options.baseline_expires;
        let expires = instant::end(text, at).filter(|end| *end > at.0).ok_or_else(|| {
            usage(format!("{text:?} is neither a number of days nor a date to come, such as 2027-01-31"))
        })?;
        Ok(Self { baseline: Baseline::new(at), expires })
    }

    /// Adds the findings of one result. Known ones keep their end: writing again must not make an exception last for ever.
    fn take(&mut self, judged: &JudgedCapability, before: Option<&BaselineIndex>) {
        let slug = &judged.scanned.capability.slug;
        let present = queries(judged, BaselineForm::Present);
        let asked = queries(judged, before.map_or(BaselineForm::Present, BaselineIndex::form));
        let all = judged.all_findings();
        for ((finding, known), asked) in all.iter().zip(present).zip(&asked) {
            // What nobody was shown is accepted by nobody.
            if !judged.filter.shows(finding.severity, finding.confidence) {
                continue;
            }
            let expires = before.and_then(|before| before.expiry(asked.query())).unwrap_or(self.expires);
            self.baseline.add(KnownFinding {
                fingerprint: known.fingerprint,
                content: known.content,
                expires,
                severity: finding.severity,
                rule: finding.rule.to_owned(),
                slug: slug.clone(),
                file: judged.place.fingerprint_path(finding.file),
            });
        }
        let (content, band) = (whole_content(judged, BaselineForm::Present), judged.own_band);
        // A good band needs no exception, and an unknown one must not get one.
        if matches!(band, Band::Watch | Band::Caution | Band::Block) {
            let known = |before: &BaselineIndex| before.band_expiry(&whole_content(judged, before.form()), band);
            let expires = before.and_then(known).unwrap_or(self.expires);
            self.baseline.add_band(KnownBand { content, expires, band, slug: slug.clone() });
        }
    }
}
