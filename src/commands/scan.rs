//! `capdex scan`: scores local input without a store.

use std::path::Path;

use capdex_crawlers::folder;
use capdex_crawlers::unpack::UnpackLimits;
use capdex_dataset::bulk;
use capdex_dataset::finding::BaselineStatus;
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::score::Band;
use capdex_model::snapshot::Completeness;
use capdex_model::time::{AsOf, Timestamp};

use crate::baseline::{Baseline, BaselineIndex, BaselineQuery, KnownBand, KnownFinding};
use crate::cli::{FailOn, ScanArgs};
use crate::exit::{Exit, usage};
use crate::formats::place::InputPlace;
use crate::formats::{FORMATS, JudgedCapability};
use crate::options::Global;
use crate::output::Out;
use crate::progress::StageProgress;
use crate::{analysis, clock, instant};
use capdex_dataset::finding::Finding;

/// Inputs read and scanned before their results are printed: bounds memory.
const BATCH: usize = 64;

pub(super) fn run(global: &Global, options: &ScanArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(id) = &options.rubric {
        super::known_rubric(id)?;
    }
    let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
    for path in &options.paths {
        // Without following links: a dangling one is there, and is told as what it is.
        if path.symlink_metadata().is_err() {
            return Err(usage(format!("there is nothing at {}", path.display())));
        }
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let baseline = options.baseline.as_deref().map(Baseline::read).transpose()?.map(|baseline| baseline.at(at));
    let mut draft = options.write_baseline.as_deref().map(|path| NewBaseline::begin(path, options, at)).transpose()?;
    // Before the scan: a wrong format should be told at once.
    let mut printer = FORMATS
        .iter()
        .find(|format| format.id() == options.format)
        .map(|format| format.printer())
        .ok_or_else(|| usage(format!("there is no format {:?}", options.format)))?;
    let pool = bulk::pool(global.threads)?;
    // The working folder is taken once, so that all places in the output are relative to the same one.
    let judge =
        Judge { from: std::env::current_dir()?, rubric: options.rubric.as_deref(), at, baseline: baseline.as_ref() };
    let progress = StageProgress::stage("scan", u64::try_from(paths.len()).ok(), global.quiet);
    let (mut met, mut incomplete, mut unread) = (false, false, 0);
    bulk::ordered(
        &pool,
        &paths,
        BATCH,
        |path| judge.read(path),
        |_, results| {
            for (judged, is_read) in results {
                // Each input counts for itself: an unreadable one is a gap, not the end of the others.
                unread += usize::from(!is_read);
                for one in &judged {
                    met |= options.fail_on.is_some_and(|threshold| meets(one, threshold, baseline.as_ref()));
                    incomplete |= one.scanned.completeness != Completeness::Analysed;
                    if let Some(draft) = &mut draft {
                        // The draft takes findings whether known or not, so that a new baseline holds all that stands.
                        draft.take(one, baseline.as_ref());
                    }
                    printer.add(one, out)?;
                }
                progress.advance(1);
            }
            Ok(())
        },
    )?;
    progress.finish();
    printer.finish(out)?;
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

/// The means by which inputs are read and judged.
struct Judge<'a> {
    /// The working folder.
    from: std::path::PathBuf,
    rubric: Option<&'a str>,
    at: AsOf,
    baseline: Option<&'a BaselineIndex>,
}

impl Judge<'_> {
    /// Reads, scans and scores one input, and says whether it could be read at all. One that could not is not assessable,
    /// and takes nothing from the others.
    fn read(&self, path: &str) -> (Vec<JudgedCapability>, bool) {
        let given = Path::new(path);
        let read = folder::read(given, &UnpackLimits::default());
        let is_read = read.is_ok();
        let input = read.unwrap_or_else(|error| folder::FolderInput::unread(given, &error));
        let place = InputPlace::of(given, &self.from, given.is_file());
        let bundle = Bundle { gaps: input.gaps, ..Bundle::local(format!("folder:{}", input.name), input.files) };
        let scanned = analysis::scan(&bundle);
        let scores = analysis::score_all(&scanned.iter().map(|one| &one.facts).collect::<Vec<_>>(), self.at);
        let judged = scanned.into_iter().zip(scores).map(|(scanned, all)| {
            // The verdict needs every rubric, even where only one is shown.
            let verdict = analysis::judge(&all, &scanned.completeness);
            let scores = all.into_iter().filter(|score| self.rubric.is_none_or(|id| score.rubric.id == id)).collect();
            let (input, place, standings) = (path.to_owned(), place.clone(), Vec::new());
            self.compared(JudgedCapability { input, place, scanned, scores, verdict, baseline_statuses: standings })
        });
        (judged.collect(), is_read)
    }

    /// The same with the standing of each finding against the baseline, where there is one.
    fn compared(&self, judged: JudgedCapability) -> JudgedCapability {
        let Some(baseline) = self.baseline else { return judged };
        let standings = judged.findings().iter().map(|one| baseline.status(asked(&judged, one))).collect();
        JudgedCapability { baseline_statuses: standings, ..judged }
    }
}

/// The question to a baseline about a finding. Its content is the file that it stands in, else the whole capability.
fn asked<'a>(judged: &JudgedCapability, finding: &'a Finding<'_>) -> BaselineQuery<'a> {
    let content = content_of(judged, finding.file);
    BaselineQuery { fingerprint: &finding.fingerprint, content, severity: finding.severity }
}

fn content_of(judged: &JudgedCapability, file: &str) -> Digest {
    // Bound to the file: a change elsewhere in the capability leaves what is known of this one.
    judged.scanned.pins.files.get(file).copied().unwrap_or(judged.scanned.capability.content)
}

fn meets(judged: &JudgedCapability, threshold: FailOn, baseline: Option<&BaselineIndex>) -> bool {
    let is_new = |finding: &Finding<'_>| finding.baseline != Some(BaselineStatus::Known);
    match threshold {
        // Without a baseline the facts will do, and no finding has to be made.
        FailOn::Severity(severity) if baseline.is_none() => {
            judged.scanned.facts.findings().any(|fact| fact.severity >= severity)
        }
        FailOn::Severity(severity) => judged.findings().iter().any(|one| one.severity >= severity && is_new(one)),
        FailOn::Band(threshold) => {
            let (band, content) = (judged.verdict.band, &judged.scanned.capability.content);
            // A newer rule may find more in the same content without a stricter band.
            let is_known = baseline.is_some_and(|baseline| baseline.knows_band(content, band))
                && !judged.findings().iter().any(|one| one.severity > Severity::Info && is_new(one));
            // Unknown meets no threshold; it is told by the exit code for incomplete results.
            band != Band::Unknown && band >= threshold && !is_known
        }
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
        for finding in &judged.findings() {
            let asked = asked(judged, finding);
            let expires = before.and_then(|before| before.expiry(asked)).unwrap_or(self.expires);
            self.baseline.add(KnownFinding {
                fingerprint: finding.fingerprint.clone(),
                content: asked.content,
                expires,
                severity: finding.severity,
                rule: finding.rule.to_owned(),
                slug: slug.clone(),
                file: finding.file.to_owned(),
            });
        }
        let (content, band) = (judged.scanned.capability.content, judged.verdict.band);
        // A good band needs no exception, and an unknown one must not get one.
        if matches!(band, Band::Watch | Band::Caution | Band::Block) {
            let expires = before.and_then(|before| before.band_expiry(&content, band)).unwrap_or(self.expires);
            self.baseline.add_band(KnownBand { content, expires, band, slug: slug.clone() });
        }
    }
}
