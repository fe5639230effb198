//! `judge status`, `show` and `replay`: what was asked and answered.

use std::collections::BTreeMap;

use capdex_dataset::{bulk, escape, judged};
use capdex_db::StoreError;
use capdex_judge::Unanswered;
use capdex_judge::agreement::Agreement;
use capdex_judge::prompt::Ballot;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use serde_json::{Value, json};

use super::super::list_output;
use crate::capability_lookup;
use crate::cli::{JudgeShowArgs, JudgeStatusArgs};
use crate::exit::Exit;
use crate::judge_runs::replay::replay as replay_all;
use crate::judge_words;
use crate::options::Global;
use crate::output::Out;

/// Differences printed; more are counted.
const SHOWN: usize = 20;

pub(super) fn status(global: &Global, options: &JudgeStatusArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::super::reader(global)?;
    let judge = reader.judge_use()?;
    let (mut used, mut findings, mut fenced, mut unquoted, mut unsure) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    let (mut calls, mut tokens_in, mut tokens_out) = (0_u64, 0_u64, 0_u64);
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let mut marks: BTreeMap<Digest, Vec<String>> = BTreeMap::new();
    let mut agreement = Agreement::default();
    reader.each_judgement(|stored| -> Result<(), StoreError> {
        calls += 1;
        let Some(answer) = stored.answer else {
            *reasons.entry(Unanswered::Interrupted.as_str()).or_default() += 1;
            tokens_in += stored.call.reserved_in;
            tokens_out += stored.call.reserved_out;
            return Ok(());
        };
        tokens_in += answer.tokens_in;
        tokens_out += answer.tokens_out;
        match answer.outcome {
            Ok(reading) => {
                used += 1;
                findings += reading.findings.len() as u64;
                fenced += u64::from(reading.fenced);
                unquoted += u64::from(reading.unquoted);
                unsure += u64::from(reading.unsure);
                let unit = stored.unit.digest();
                match stored.call.ballot {
                    Ballot::Questions => drop(marks.insert(unit, reading.marks)),
                    Ballot::Inverted => {
                        let both = marks.remove(&unit).into_iter().flatten().zip(reading.marks);
                        both.for_each(|(one, other)| agreement.add(&one, &other));
                    }
                }
            }
            Err(why) => *reasons.entry(why.as_str()).or_default() += 1,
        }
        Ok(())
    })?;
    let kinds = judge.as_ref().map_or(&[Kind::McpServer][..], |judge| &judge.kinds);
    let waiting = reader.standing_units(kinds)?.iter().filter(|unit| unit.is_new).count();
    let model = judge.as_ref().map(|judge| judge.model.name.clone());
    let item = json!({
        "schema": "capdex.judge_status/1", "model": model, "votes": judge.as_ref().map(|judge| judge.votes), "requests": calls,
        "used": used, "reasons": reasons, "findings": findings, "fenced": fenced, "unquoted": unquoted, "unsure": unsure,
        "tokens_in": tokens_in, "tokens_out": tokens_out, "units_never_asked": waiting,
        "agreement": { "marks": agreement.marks(), "flips": agreement.flips(), "kappa": agreement.kappa() },
    });
    list_output::print(options.format, "capdex.judge_status/1", &[item], out, |out| {
        let Some(model) = &model else {
            out.line("No judge was ever asked: llm_judge_used: false everywhere.")?;
            return Ok(());
        };
        out.line(format_args!("model {}", escape::escape(model)))?;
        out.line(format_args!(
            "{}, {used} with an answer that counts, {}; {} never asked about",
            escape::count(calls, "request"),
            escape::count(findings, "finding"),
            escape::count(waiting as u64, "unit")
        ))?;
        for (why, count) in &reasons {
            out.line(format_args!("  {count} without: {why}"))?;
        }
        out.line(format_args!(
            "{tokens_in} tokens asked, {tokens_out} answered; {unsure} marks unsure, {unquoted} without a quote"
        ))?;
        if let Some(kappa) = agreement.kappa() {
            out.line(format_args!("both ways to ask agree with kappa {kappa:.2} over {} marks", agreement.marks()))?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

pub(super) fn show(global: &Global, options: &JudgeShowArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::super::reader(global)?;
    let current = capability_lookup::find(&reader, &options.capability)?;
    let word = judged::of(&reader, &current.capability.id)?;
    let parts = word.iter().flat_map(|word| &word.parts).map(|part| {
        json!({ "unit": part.unit.map(|unit| unit.hex()), "tools": part.tools, "asked": part.asked,
                "answered_by": part.answered_by, "llm_judge_used": part.outcome.is_ok(),
                "reason": part.outcome.as_ref().err().map_or("", |why| why.as_str()) })
    });
    let parts: Vec<Value> = parts.collect();
    let item = json!({ "schema": "capdex.judge/1", "slug": current.capability.slug, "judge": word, "parts": parts });
    list_output::print(options.format, "capdex.judge/1", &[item], out, |out| {
        out.line(escape::escape(&current.capability.slug))?;
        let Some(word) = &word else {
            out.line("  llm_judge_used: false; no judge was asked about it")?;
            return Ok(());
        };
        judge_words::print(word, "  ", out)?;
        if word.findings.is_empty() {
            out.line("  It adds nothing, which clears nothing.")?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

pub(super) fn replay(global: &Global, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::super::reader(global)?;
    let replayed = replay_all(&reader, &bulk::pool(global.threads)?)?;
    for difference in replayed.differences.iter().take(SHOWN) {
        out.line(format_args!("differs: {}", escape::escape(difference)))?;
    }
    out.line(format_args!(
        "{} built again, {} read again: {}",
        escape::count(replayed.requests, "request"),
        escape::count(replayed.answers, "answer"),
        match replayed.differences.len() {
            0 => "no difference".into(),
            count => escape::count(count as u64, "difference"),
        }
    ))?;
    Ok(Exit::of(!replayed.differences.is_empty(), false))
}
