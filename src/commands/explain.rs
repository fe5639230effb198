//! `capdex explain`: every finding of one capability, and the arithmetic of every rubric to the last term.

use std::collections::BTreeMap;

use capdex_dataset::annotations;
use capdex_dataset::escape;
use capdex_dataset::judged;
use capdex_db::{CurrentCapability, Reader};
use capdex_model::appeal::Annotation;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Outcome};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::listing::Claim;
use capdex_model::release_line;
use capdex_model::score::{Score, Verdict};
use capdex_model::snapshot::FileEntry;
use capdex_model::surface::{SurfaceInventory, SurfaceRecord, SurfaceRecordKind};
use capdex_model::time::AsOf;
use capdex_rubrics::operator::{OperatorVerdict, Vote};
use capdex_rubrics::{RUBRICS, why_they_differ};

use crate::capability_lookup::{self, NameMatch};
use crate::caret;
use crate::cli::{ExplainArgs, ListFormat};
use crate::exit::Exit;
use crate::judge_words;
use crate::options::Global;
use crate::output::{self, Out};
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::{self, Finding, SeverityCounts, findings};
use capdex_dataset::surface_counts::surface_counts;
use capdex_dataset::variants::variants;

pub(super) fn run(global: &Global, options: &ExplainArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let found = capability_lookup::search(&reader, &options.capability)?;
    // The instant of the last run, so that the scores are those that the export of that night has.
    let as_of = ranked_capability::as_of(global.as_of, &reader)?;
    let current = match found {
        NameMatch::One(current) => *current,
        NameMatch::None(error) => return Err(error),
        NameMatch::Several(several) => match several.package().filter(|_| options.format == ListFormat::Table) {
            Some(names) => {
                super::explain_package::print(&reader, names, as_of, out)?;
                return Ok(Exit::Done);
            }
            None => return Err(several.into()),
        },
    };
    if options.format != ListFormat::Table {
        super::explain_json::print(&reader, &current, as_of, options.format, out)?;
        return Ok(Exit::Done);
    }
    let facts = ranked_capability::facts(&reader, &current)?;
    let (scores, verdict) = ranked_capability::scores(&reader, &current, as_of)?;
    let operator = ranked_capability::operator(&reader, &current, &facts, (&scores, &verdict), as_of)?;
    let annotations = annotations::of(&reader, &current)?;
    head(&current, &verdict, operator.as_ref(), out)?;
    for annotation in annotations::of_whole(&annotations) {
        annotated("  appeal    ", annotation, out)?;
    }
    if let Some(variants) = variants(&current.capability) {
        out.line(format_args!("  variants  {variants}"))?;
    }
    surfaces(reader.surfaces(&current.capability.id)?.as_ref(), out)?;
    also_listed(&reader, &current, out)?;
    signals(&reader, &current, out)?;
    rest_of_package(&reader, &current, as_of, out)?;
    out.line(format_args!("  as of     {as_of}"))?;
    print_findings(&reader, &current, (&facts, operator.as_ref(), &annotations), out)?;
    let word = judged::of(&reader, &current.capability.id)?;
    if let Some(word) = &word {
        out.line("")?;
        judge_words::print(word, "", out)?;
    }
    for score in &scores {
        print_score(score, out)?;
    }
    if let Some(score) = word.as_ref().and_then(|word| word.score(current.capability.kind, &facts)) {
        print_score(&score, out)?;
    }
    bands(&scores, &verdict, out)?;
    Ok(Exit::Done)
}

fn head(
    current: &CurrentCapability,
    verdict: &Verdict,
    operator: Option<&OperatorVerdict>,
    out: &mut Out,
) -> anyhow::Result<()> {
    let capability = &current.capability;
    let band = output::styled(output::band_style(verdict.band), verdict.band.as_str());
    out.line(format_args!("{} {}: {band}", capability.kind, escape::escape(&capability.slug)))?;
    out.line(output::hanging("  because   ", &escape::escape(&verdict.reason)))?;
    if let Some(said) = operator {
        by_the_operator(said, out)?;
    }
    out.line(format_args!("  id        {}", capability.id))?;
    out.line(format_args!("  name      {}", escape::escape(&capability.name)))?;
    let version = current.version.as_deref().unwrap_or("-");
    out.line(format_args!(
        "  listing   {} version {}",
        escape::escape(&current.listing.to_string()),
        escape::escape(version)
    ))?;
    out.line(format_args!("  content   {} in {} files", capability.content, capability.files.len()))?;
    out.line(format_args!("  facts     {} under rule set {}", current.facts, current.ruleset))?;
    out.line(format_args!("  seen      {} to {}", current.first_seen, current.revision_as_of))?;
    out.line(format_args!("  complete  {}", current.completeness.as_str()))?;
    for gap in current.completeness.gaps() {
        out.line(format_args!("            {}", escape::escape(&gap.to_string())))?;
    }
    Ok(())
}

/// The operator's word beside the verdict: the band, and who said what.
fn by_the_operator(said: &OperatorVerdict, out: &mut Out) -> anyhow::Result<()> {
    let text = format!("{}, because: {}", said.band.as_str(), escape::escape(&said.reason));
    out.line(output::hanging("  operator  ", &text))?;
    for Vote { method, band, grade } in &said.votes {
        out.line(format_args!(
            "            {method} has a vote and says {} ({})",
            band.as_str(),
            escape::escape(grade)
        ))?;
    }
    for ruling in &said.rulings {
        let bound = if ruling.content.is_some() { "this content" } else { "any content" };
        let text = format!("{} ({bound}): {}", ruling.scope, ruling.words());
        out.line(output::hanging("            ", &escape::escape(&text)))?;
    }
    Ok(())
}

/// Surfaces shown; the table `surfaces` of an export has all.
const SURFACES: usize = 40;
/// Letters shown of the name of a surface.
const SURFACE_NAME: usize = 100;

/// What a model reads of it, and what of that could not be read.
fn surfaces(inventory: Option<&SurfaceInventory>, out: &mut Out) -> anyhow::Result<()> {
    let Some(inventory) = inventory else {
        out.line("  surfaces  not recorded: it was scanned before they were listed")?;
        return Ok(());
    };
    out.line(format_args!("  surfaces  {}", surface_counts(inventory).unwrap_or_else(|| "none".to_owned())))?;
    for record in inventory.records.iter().take(SURFACES) {
        let SurfaceRecord { kind, name, file, line, .. } = record;
        let name = escape::shorten(&escape::escape(name), SURFACE_NAME);
        let lacks = lacks(record);
        out.line(format_args!("            {} {name}  {}:{line}{lacks}", kind.as_str(), escape::escape(file)))?;
    }
    let more = inventory.records.len().saturating_sub(SURFACES);
    if more > 0 {
        out.line(format_args!("            and {more} more"))?;
    }
    Ok(())
}

/// What a surface does not say, or what of it is unknown; empty where it says all and all was read.
fn lacks(record: &SurfaceRecord) -> String {
    // Resources and instructions have no schema by their nature.
    let has_schema = record.schema || record.kind != SurfaceRecordKind::Tool;
    let lacks = [
        (!record.description).then_some("no description"),
        (!has_schema).then_some("no schema"),
        (!record.complete).then_some("not read to its end"),
    ];
    let lacks: Vec<&str> = lacks.into_iter().flatten().collect();
    if lacks.is_empty() { String::new() } else { format!("  ({})", lacks.join(", ")) }
}

/// Tells whoever looks at a part about the rest: files that no capability of the package claims are judged as one more thing.
fn rest_of_package(reader: &Reader, current: &CurrentCapability, as_of: AsOf, out: &mut Out) -> anyhow::Result<()> {
    let rest = CapabilityId::of(&current.identity, Kind::Package, "");
    // The rest itself was asked for, and would be told about itself.
    if rest == current.capability.id {
        return Ok(());
    }
    let Some(rest) = reader.current_of(&rest)? else { return Ok(()) };
    let (_, verdict) = ranked_capability::scores(reader, &rest, as_of)?;
    let band = output::styled(output::band_style(verdict.band), verdict.band.as_str());
    out.line(format_args!(
        "  rest      {} {band}: what no capability of the package claims",
        escape::escape(&rest.capability.slug)
    ))?;
    Ok(())
}

/// Other listings shown; the table `entities` of an export has all.
const ALSO_LISTED: usize = 20;

/// The other names under which the same thing is listed, with the reasons why it is the same.
fn also_listed(reader: &Reader, current: &CurrentCapability, out: &mut Out) -> anyhow::Result<()> {
    let others = reader.same_entity(&current.listing)?;
    let others: Vec<_> = others.into_iter().filter(|of| of.listing != current.listing).collect();
    for (at, of) in others.iter().take(ALSO_LISTED).enumerate() {
        // Relations join nothing, and would make a claim look like a proof.
        let joins = of.edges.iter().filter(|edge| edge.reason.joins());
        let reasons = joins.map(|edge| match edge.note.as_str() {
            "" => format!("{} {}", edge.reason.as_str(), edge.to),
            note => format!("{} {}: {note}", edge.reason.as_str(), edge.to),
        });
        let head = if at == 0 { "also listed as" } else { "           and" };
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let listing = of.listing.to_string();
        out.line(format_args!("  {head} {} ({})", escape::escape(&listing), escape::escape(&reasons)))?;
    }
    let more = others.len().saturating_sub(ALSO_LISTED);
    if more > 0 {
        out.line(format_args!("             and {more} more"))?;
    }
    Ok(())
}

/// Signals shown of those that other listings of the entity state.
const SIGNALS: usize = 40;

/// What other listings of the same thing state of it: the value, who says so since when, and whether the link is proved.
fn signals(reader: &Reader, current: &CurrentCapability, out: &mut Out) -> anyhow::Result<()> {
    let line =
        release_line::of_name(&current.listing.name).filter(|_| release_line::has_lines(&current.listing.source));
    // A release line is lent what its package is.
    let package = line.map(|(package, _)| ListingKey::new(current.listing.source.as_str(), package));
    let Some(signals) = reader.entity_signals(package.as_ref().unwrap_or(&current.listing))? else { return Ok(()) };
    let mut heads = std::iter::once("signals").chain(std::iter::repeat(""));
    let mut line = |said: String, out: &mut Out| out.line(format_args!("  {:<9} {said}", heads.next().unwrap_or("")));
    if let Claim::Known(count) = signals.registries {
        line(
            format!(
                "listed in {}",
                match count {
                    1 => "1 directory".to_owned(),
                    count => format!("{count} directories"),
                }
            ),
            out,
        )?;
    }
    if let Claim::Known(is_approved) = signals.approved {
        line(format!("{} the operator's own list", if is_approved { "on" } else { "not on" }), out)?;
    }
    for lent in signals.lent.iter().take(SIGNALS) {
        let (kind, from) = (lent.kind.as_str(), escape::escape(&lent.from.to_string()).into_owned());
        let (proof, reason) = (lent.proof.as_words(), escape::escape(&lent.reason).into_owned());
        line(format!("{kind} {} by {from} since {} ({proof}: {reason})", lent.value, lent.at), out)?;
    }
    let more = signals.lent.len().saturating_sub(SIGNALS);
    if more > 0 {
        line(format!("and {more} more"), out)?;
    }
    Ok(())
}

/// Prints the findings as a review does: the count, then the worst first. Each has the text that was read and its place,
/// the reason why that is bad, and the advice.
fn print_findings(
    reader: &Reader,
    current: &CurrentCapability,
    (facts, operator, annotations): (&SparseFacts, Option<&OperatorVerdict>, &[Annotation]),
    out: &mut Out,
) -> anyhow::Result<()> {
    let mut findings = findings(facts);
    finding::put_beside(&mut findings, operator, annotations);
    match findings.len() {
        0 => out.line("\nNo findings.")?,
        count => out.line(format_args!(
            "\n{}, the worst first: {}.",
            escape::count(u64::try_from(count)?, "finding"),
            SeverityCounts::of(facts).above_info()
        ))?,
    }
    // What is equally bad stays in the order of the files.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let mut lines = SourceLines { reader, files: reader.files_of(current.snapshot)?, texts: BTreeMap::new() };
    for finding in &findings {
        print_finding(finding, current.capability.kind, lines.of(finding)?.as_deref(), out)?;
    }
    // Told beside the findings, because a rule that could not look has found nothing either.
    let missing = facts.outcomes().into_values().filter(|outcome| *outcome == Outcome::Unavailable).count();
    let scans = reader.capability_history(&current.capability.id)?.len();
    out.line(format_args!("\n{missing} rules lacked data; {} kept.", escape::count(u64::try_from(scans)?, "scan")))?;
    Ok(())
}

/// A larger file is most often generated, and its lines help nobody.
const FILE_BYTES: u64 = 1 << 20;

/// The lines of the stored files that findings are in.
struct SourceLines<'a> {
    reader: &'a Reader,
    files: Vec<FileEntry>,
    /// The files that were read; none for one that is large, no text, or not kept any more.
    texts: BTreeMap<String, Option<String>>,
}

impl SourceLines<'_> {
    fn of(&mut self, finding: &Finding<'_>) -> anyhow::Result<Option<String>> {
        if finding.line == 0 {
            return Ok(None);
        }
        if !self.texts.contains_key(finding.file) {
            let file = self.files.iter().find(|file| file.path == finding.file);
            let bytes = file.map(|file| self.reader.small_blob(&file.digest, FILE_BYTES)).transpose()?.flatten();
            self.texts.insert(finding.file.to_owned(), bytes.and_then(|bytes| String::from_utf8(bytes).ok()));
        }
        let text = self.texts.get(finding.file).and_then(Option::as_ref);
        let line = usize::try_from(finding.line).unwrap_or(usize::MAX);
        Ok(text.and_then(|text| text.lines().nth(line - 1)).map(ToOwned::to_owned))
    }
}

fn print_finding(finding: &Finding<'_>, kind: Kind, line: Option<&str>, out: &mut Out) -> anyhow::Result<()> {
    let severity = output::styled(output::severity_style(finding.severity), finding.severity.as_str());
    out.line(format_args!("\n{severity} {}: {}", finding.rule, finding.title))?;
    if !finding.file.is_empty() {
        out.line(format_args!(
            "  at    {}:{}:{} {}",
            escape::escape(finding.file),
            finding.line,
            finding.column,
            escape::escape(finding.pointer)
        ))?;
    }
    if !finding.evidence.is_empty() {
        let (label, quoted) = ("  text  ", escape::escape(finding.evidence));
        let text = output::hanging(label, &quoted);
        out.line(&text)?;
        // Under a broken line it would point at nothing.
        let caret = line.filter(|_| !text.contains('\n'));
        let caret = caret.and_then(|line| caret::under(finding, line, &quoted, label.len()));
        caret.map_or(Ok(()), |caret| out.line(caret))?;
    }
    // A stored finding may be of a rule that this program no longer has.
    if let Some(meta) = capdex_rules::INDEX.find(finding.rule) {
        out.line(output::hanging("  why   ", &meta.why))?;
        out.line(output::hanging("  fix   ", &meta.fix))?;
        out.line(output::hanging("  cites ", &meta.cites.join(", ")))?;
    }
    let sure = match finding.confidence {
        Confidence::High => "high: right unless shown otherwise",
        Confidence::Medium => "medium: usually right",
        Confidence::Low => "low: a lead",
    };
    out.line(format_args!("  sure  {sure}"))?;
    // By it a ruling names the finding.
    out.line(format_args!("  print {}", finding.fingerprint))?;
    if let Some(ruling) = finding.ruling {
        out.line(output::hanging("  aside ", &escape::escape(&ruling.words())))?;
    }
    for annotation in &finding.annotations {
        annotated("  appeal ", annotation, out)?;
    }
    if let Some(rate) = finding.rate(kind) {
        out.line(format_args!("  rate  {rate}"))?;
    }
    Ok(())
}

/// What an appeal comes to: the outcome, then the vendor's words, said to be his.
fn annotated(label: &str, annotation: &Annotation, out: &mut Out) -> anyhow::Result<()> {
    out.line(output::hanging(label, &escape::escape(&annotation.words())))?;
    let words = format!("{}: {}", annotation.speaker(), annotation.vendor);
    out.line(output::hanging(&" ".repeat(label.len()), &escape::escape(&words)))?;
    Ok(())
}

fn print_score(score: &Score, out: &mut Out) -> anyhow::Result<()> {
    let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
    let coverage = f64::from(score.coverage.as_thousandths()) / 10.0;
    out.line(format_args!(
        "\n{} {}: {value} {} (coverage {coverage} %)",
        score.rubric.id, score.rubric.version, score.grade
    ))?;
    out.line(format_args!("  text {}", score.rubric.text))?;
    if !score.reason.is_empty() {
        out.line(format_args!("  {}", escape::escape(&score.reason)))?;
    }
    for part in &score.parts {
        let value = part.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        out.line(format_args!("  [{}] {value}  {}", part.name, escape::escape(&part.note)))?;
    }
    for term in &score.terms {
        out.line(format_args!(
            "  {:>8}  {}  {}",
            term.points.to_string(),
            escape::escape(&term.label),
            escape::escape(&term.note)
        ))?;
        if !term.rules.is_empty() {
            out.line(format_args!("            from {}", term.rules.join(", ")))?;
        }
    }
    // The sum is shown only where there is one; without a value the terms prove nothing.
    if score.value.is_some() {
        out.line(format_args!("  {:>8}  =", value))?;
    }
    for cap in &score.caps {
        out.line(format_args!("  cap: {}", escape::escape(cap)))?;
    }
    Ok(())
}

/// The band of each rubric, when they do not agree, and the reason why the strictest and the mildest differ.
fn bands(scores: &[Score], verdict: &Verdict, out: &mut Out) -> anyhow::Result<()> {
    let Some(disagreement) = verdict.disagreement.filter(|share| share.as_thousandths() > 0) else { return Ok(()) };
    let bands: Vec<String> = RUBRICS
        .iter()
        // A variant is no second opinion.
        .filter(|rubric| rubric.meta().rubric.is_seed())
        .filter_map(|rubric| {
            let score = scores.iter().find(|score| score.rubric.id == rubric.meta().rubric.id)?;
            Some(format!("{} says {} ({})", score.rubric.id, rubric.band(score).as_str(), score.grade))
        })
        .collect();
    out.line(format_args!("\nThe methods disagree, by {} of 1: {}.", disagreement.to_json(), bands.join("; ")))?;
    if let Some(reason) = why_they_differ(scores) {
        out.line(format_args!("Because {}.", escape::escape(&reason)))?;
    }
    Ok(())
}
