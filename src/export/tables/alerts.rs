//! The table `alerts`: what was raised for a person.

use capdex_db::Reader;
use capdex_model::alert::Raised;
use serde_json::json;

use super::{Column, Emit, Integer, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table =
    Table { name: "alerts", about: "one alert", columns: COLUMNS, rows: Rows::Stored(rows) };

const COLUMNS: &[Column] = &[
    column("key", Text, "stable over nights"),
    column("pass", Text, "the pass that raised it"),
    column("class", Text, "what the pass saw, a closed word of that pass"),
    column("capability", Text, "the capability's id, where it is about one"),
    column("subject", Text, "what it is about, readable; untrusted"),
    column("severity", Text, "info, low, medium, high or critical"),
    column("title", Text, "one sentence; holds untrusted names"),
    column("why", Text, "why it matters"),
    column("fix", Text, "what to do"),
    column("content_sha256", Text, "the content at which it was raised (hex): what an acknowledgement is bound to"),
    column("details", Json, "the particulars"),
    column("diff", Json, "lines that changed, secrets masked"),
    column("scores", Json, "what became of each rubric's score"),
    column("members", Json, "everything that is raised together with it"),
    column("reproduce", Text, "the command that shows it again"),
    column("reach", Integer, "how many people it may concern, 0 to 1000"),
    column("raised", Text, "as_of of the night that raised it"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_raised(|Raised { alert, at: raised }| {
        emit(vec![
            json!(alert.key),
            json!(alert.pass),
            json!(alert.class),
            json!(alert.capability),
            json!(alert.subject),
            json!(alert.severity),
            json!(alert.title),
            json!(alert.why),
            json!(alert.fix),
            json!(alert.content.map(|digest| digest.hex())),
            json!(alert.details),
            json!(alert.diff),
            json!(alert.scores),
            json!(alert.members),
            json!(alert.reproduce),
            json!(alert.reach),
            json!(raised),
        ])
    })
}
