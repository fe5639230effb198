//! A report as JUnit's XML: one case a test. A test that was not exercised is skipped, and never a success.

use std::fmt::Write as _;

use capdex_agent_scan::report::{Report, TestVerdict};
use capdex_dataset::escape::xml;
use capdex_dataset::program::{Program, program};

pub(super) fn text(report: &Report) -> String {
    let of = |verdicts: &[TestVerdict]| report.tests.iter().filter(|test| verdicts.contains(&test.verdict)).count();
    let skipped = of(&[TestVerdict::NotExercised, TestVerdict::ControlFailed]);
    let name = xml(&report.pack_name());
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing into a text cannot fail.
    let _ = writeln!(
        text,
        "<testsuites><testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" skipped=\"{skipped}\" errors=\"0\">",
        report.tests.len(),
        of(&[TestVerdict::Observed])
    );
    let Program { engine_version, program_sha256 } = program();
    let digest = xml(program_sha256.as_deref().unwrap_or_default());
    let _ = writeln!(
        text,
        "  <properties><property name=\"engine_version\" value=\"{engine_version}\"/><property name=\"program_sha256\" \
         value=\"{digest}\"/></properties>"
    );
    for test in &report.tests {
        let _ = write!(text, "  <testcase classname=\"{name}\" name=\"{:02} {}\">", test.number, xml(&test.id));
        let wording = xml(&test.wording);
        let _ = match test.verdict {
            TestVerdict::Observed => {
                let (kind, shown) = (test.severity.as_str(), xml(test.extract.as_deref().unwrap_or_default()));
                write!(text, "<failure type=\"{kind}\" message=\"{wording}\">{shown}</failure>")
            }
            TestVerdict::NotObserved => write!(text, "<system-out>{wording}</system-out>"),
            TestVerdict::NotExercised | TestVerdict::ControlFailed => write!(text, "<skipped message=\"{wording}\"/>"),
        };
        text.push_str("</testcase>\n");
    }
    text + "</testsuite></testsuites>\n"
}
