//! The status of a project: an index that put it in quarantine gives its files to nobody.
//!
//! Source: PEP 792 (markers of the status of a project in the simple index).

use serde_json::Value;

use crate::CrawlError;

/// The words for the quarantine of a project that a status and its reason tell of; none for another status.
pub(super) fn of(status: Option<&str>, reason: Option<&str>) -> Option<String> {
    let is_quarantined = status.is_some_and(|status| status.trim().eq_ignore_ascii_case("quarantined"));
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    is_quarantined.then(|| match reason {
        Some(reason) => format!("quarantined by the registry: {reason}"),
        None => "quarantined by the registry".to_owned(),
    })
}

/// The same of an answer in JSON, the simple index's or the project's own.
pub(super) fn quarantined(value: &Value) -> Option<String> {
    let status = ["/project-status", "/info/project-status"].iter().find_map(|at| value.pointer(at))?;
    of(status.get("status").and_then(Value::as_str), status.get("reason").and_then(Value::as_str))
}

/// Refuses a project that is in quarantine.
///
/// # Errors
/// `TakenDown` where it is.
pub(super) fn refuse_quarantined(value: &Value, subject: &str) -> Result<(), CrawlError> {
    match quarantined(value) {
        Some(detail) => Err(CrawlError::TakenDown { subject: subject.to_owned(), detail }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_quarantine_takes_a_project_down() {
        let words = |value: Value| quarantined(&value);
        let status = json!({"status": "quarantined", "reason": "reported as malware"});
        let said = "quarantined by the registry: reported as malware";
        assert_eq!(words(json!({"project-status": status})).as_deref(), Some(said));
        assert_eq!(words(json!({"info": {"project-status": status}})).as_deref(), Some(said));
        let bare = json!({"project-status": {"status": "quarantined"}});
        assert_eq!(words(bare).as_deref(), Some("quarantined by the registry"));
        for other in ["active", "archived", "deprecated", ""] {
            assert_eq!(words(json!({"project-status": {"status": other, "reason": "quarantined"}})), None, "{other}");
        }
        assert_eq!(words(json!([])), None);
    }
}
