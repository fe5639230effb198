//! The judge: asks the model of each schedule once, about two planted tools and nothing of anybody's: whether it answers in time and in a
//! form that counts.

use capdex_judge::Unanswered;
use capdex_judge::prompt::{Ballot, Prompt, PromptVersion};
use capdex_judge::unit::JudgeUnit;
use capdex_judge::wire::AnswerFormat;

use super::{DoctorContext, Health, HealthFinding};
use crate::config::Schedule;
use crate::jobs::run::runtime;
use crate::judge_runs::endpoint::JudgeEndpoint;

/// The check, a stable word.
const CHECK: &str = "judge";

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    if !patient.is_online {
        return Vec::new();
    }
    patient.schedules.iter().filter_map(|(file, schedule)| of_schedule(file, schedule)).collect()
}

/// The finding about the judge of a schedule; none where it names none.
fn of_schedule(file: &str, schedule: &Schedule) -> Option<HealthFinding> {
    let fault = |error: &anyhow::Error| {
        let why = (Health::Fail, format!("{error:#}"));
        HealthFinding::new(CHECK, file, why, "mend the [judge] table; docs/config.md has every key")
    };
    let settings = match schedule.judge.settings() {
        Ok(settings) => settings?,
        Err(error) => return Some(fault(&error)),
    };
    let contact = schedule.http.contact.clone().unwrap_or_default();
    let opened = JudgeEndpoint::open(&settings, &contact).and_then(|endpoint| Ok((endpoint, runtime()?)));
    let (endpoint, runtime) = match opened {
        Ok(opened) => opened,
        Err(error) => return Some(fault(&error)),
    };
    let unit = JudgeUnit {
        kind: capdex_model::capability::Kind::McpServer,
        server: "doctor".to_owned(),
        host: String::new(),
        tools: Vec::new(),
    };
    let prompt = Prompt::of(&unit, PromptVersion::CURRENT, Ballot::Questions);
    let mut model = settings.model;
    let mut ask = |format| {
        model.format = format;
        runtime.block_on(endpoint.ask(&model, &prompt, &model.request(&prompt)))
    };
    let mut answer = ask(AnswerFormat::JsonSchema);
    // As a run does with an endpoint that knows no schema.
    if answer.outcome == Err(Unanswered::Rejected) {
        answer = ask(AnswerFormat::JsonObject);
    }
    Some(match answer.outcome {
        Ok(_) => {
            let found = format!("answers within {} ms and tells the planted tools apart", answer.latency_ms);
            HealthFinding::new(CHECK, model.name, (Health::Ok, found), "")
        }
        // A night runs without it.
        Err(why) => {
            let advice =
                "check the address, the key and the model; without an answer a night says llm_judge_used: false";
            HealthFinding::new(CHECK, model.name, (Health::Warn, format!("no answer that counts: {why}")), advice)
        }
    })
}
