//! `scan --format junit`: a suite for each capability, a failed case for each finding, an error for each gap.
//!
//! The form is the one that CI servers read (the `testsuites` of Ant's reports); it has no schema of a standards body.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use capdex_model::fact::Severity;

use super::{JudgedCapability, Printer, ScanFormat};
use crate::output::Out;
use capdex_dataset::escape::xml;
use capdex_dataset::finding::BaselineStatus;
use capdex_dataset::finding::Finding;

pub(super) struct JunitFormat;

impl ScanFormat for JunitFormat {
    fn id(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "JUnit XML: findings fail, gaps are errors"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(JunitPrinter::default())
    }
}

/// The number of cases, by their ending.
#[derive(Clone, Copy, Default)]
struct JunitCounts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

/// The suites as they grow: the head of the document counts them all.
#[derive(Default)]
struct JunitPrinter {
    tally: JunitCounts,
    body: String,
}

impl Printer for JunitPrinter {
    fn add(&mut self, judged: &JudgedCapability, _: &mut Out) -> anyhow::Result<()> {
        // Gathered first, because the head of a suite says how many cases it has.
        let (tally, cases) = cases(judged)?;
        let capability = &judged.scanned.capability;
        writeln!(
            self.body,
            "  <testsuite name=\"{} {}\"{} file=\"{}\">\n    <properties>\n      \
             <property name=\"band\" value=\"{}\"/>\n      <property name=\"reason\" value=\"{}\"/>\n      <property name=\"content_sha256\" value=\"{}\"/>",
            capability.kind,
            xml(&capability.slug),
            counts(tally),
            xml(&judged.place.join(&capability.path)),
            judged.verdict.band.as_str(),
            xml(&judged.verdict.reason),
            capability.content.hex()
        )?;
        if let Some(said) = &judged.operator {
            let (band, reason) = (said.band.as_str(), xml(&said.reason));
            writeln!(self.body, "      <property name=\"operator\" value=\"{band}: {reason}\"/>")?;
        }
        if judged.not_shown() > 0 {
            let left = judged.not_shown();
            writeln!(self.body, "      <property name=\"findings_not_shown\" value=\"{left}\"/>")?;
        }
        for score in judged.shown() {
            let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
            let (id, grade) = (&score.rubric.id, xml(&score.grade));
            writeln!(self.body, "      <property name=\"{id}\" value=\"{value} {grade}\"/>")?;
        }
        write!(self.body, "    </properties>\n{cases}  </testsuite>\n")?;
        self.tally = JunitCounts {
            tests: self.tally.tests + tally.tests,
            failures: self.tally.failures + tally.failures,
            errors: self.tally.errors + tally.errors,
            skipped: self.tally.skipped + tally.skipped,
        };
        Ok(())
    }

    fn finish(self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        out.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        out.line(format_args!("<testsuites name=\"capdex\"{}>", counts(self.tally)))?;
        out.raw(self.body.as_bytes())?;
        out.line("</testsuites>")?;
        Ok(())
    }
}

fn counts(tally: JunitCounts) -> String {
    let JunitCounts { tests, failures, errors, skipped } = tally;
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"0\"")
}

/// The cases of one capability. One without findings and gaps has a case that passes: an empty suite reads as not run.
fn cases(judged: &JudgedCapability) -> anyhow::Result<(JunitCounts, String)> {
    let (mut tally, mut cases, mut names) = (JunitCounts::default(), String::new(), BTreeMap::new());
    let class = xml(&judged.scanned.capability.slug);
    for finding in &judged.findings() {
        tally.tests += 1;
        let path = judged.place.join(judged.file_of(finding));
        let mut name = format!("{} at {path}:{}:{}{}", finding.rule, finding.line, finding.column, finding.pointer);
        // A reader keeps one of two cases with one name.
        let earlier = names.entry(name.clone()).or_insert(0_u32);
        *earlier += 1;
        if *earlier > 1 {
            write!(name, " ({earlier})")?;
        }
        let (file, name) = (xml(&path), xml(&name));
        write!(
            cases,
            "    <testcase classname=\"{class}\" name=\"{name}\" file=\"{file}\" line=\"{}\">",
            finding.line
        )?;
        cases.push_str(&ending(finding, &mut tally));
        cases.push_str("</testcase>\n");
    }
    for gap in judged.gaps() {
        tally.tests += 1;
        tally.errors += 1;
        let (subject, reason) = (xml(&gap.subject), gap.reason.as_str());
        writeln!(
            cases,
            "    <testcase classname=\"{class}\" name=\"looked at {subject}\"><error type=\"{reason}\" \
             message=\"not looked at, so not known to be clean: {}\"/></testcase>",
            xml(&gap.to_string())
        )?;
    }
    // An empty suite reads as not run.
    if tally.tests == 0 {
        tally.tests = 1;
        writeln!(cases, "    <testcase classname=\"{class}\" name=\"no findings\"/>")?;
    }
    Ok((tally, cases))
}

/// The ending of a finding's case: a known one is skipped, one that is merely worth knowing passes.
fn ending(finding: &Finding<'_>, tally: &mut JunitCounts) -> String {
    let text = |lead: &str| {
        let meta = capdex_rules::INDEX.find(finding.rule);
        let (why, fix) = meta.map_or(("", ""), |meta| (meta.why.as_str(), meta.fix.as_str()));
        // The mark keeps a quoted line from being read as a command by a runner that logs it.
        format!("{lead}> {}\nWhy: {}\nFix: {}", xml(finding.evidence), xml(why), xml(fix))
    };
    if let Some(standing @ BaselineStatus::Known) = finding.baseline {
        tally.skipped += 1;
        return format!("<skipped message=\"{}: {}\"/>", standing.words(), xml(finding.title));
    }
    // Facts without weight must not break a build.
    if finding.severity == Severity::Info {
        return format!("<system-out>{}</system-out>", text(&format!("{}\n", xml(finding.title))));
    }
    tally.failures += 1;
    let (severity, title) = (finding.severity.as_str(), xml(finding.title));
    format!("<failure type=\"{severity}\" message=\"{title}\">{}</failure>", text(""))
}
