//! `appeal challenge` and `appeal verify`: the token, and the look for it.

use std::path::Path;

use anyhow::Context as _;
use capdex_crawlers::http::{CrawlRecordingSettings, Http};
use capdex_model::appeal::{Actor, Appeal, AppealDeed, AppealState, ProofMethod};
use capdex_model::time::{AsOf, Timestamp};

use super::{add, known, now, settings};
use crate::analysis;
use crate::appeals::proof::{self, Look};
use crate::appeals::settings::AppealSettings;
use crate::appeals::tend::{fetched_after, was_refused};
use crate::appeals::token::TokenKey;
use crate::appeals::{answer, places, subject_now};
use crate::check::registries::{Question, Registries};
use crate::cli::{AppealOneArgs, AppealVerifyArgs};
use crate::config::Schedule;
use crate::exit::{Exit, usage};
use crate::jobs::run::runtime;
use crate::options::{Global, RecordingArgs};
use crate::output::Out;
use capdex_dataset::escape;

pub(super) fn challenge(global: &Global, options: &AppealOneArgs, out: &mut Out) -> anyhow::Result<()> {
    let (settings, at) = (settings(&options.schedule)?, now(global));
    let key = key(&settings)?;
    let appeal = known(&super::super::reader(global)?, &options.id)?;
    let subject = appeal.filing().subject.clone();
    let places = places::words(&subject);
    if places.is_empty() {
        return Err(usage(format!("there is no place by which control of {subject} can be proved")));
    }
    let expires = Timestamp::from_unix_seconds(at.0.unix_seconds().saturating_add(settings.clocks.lapse));
    let challenged = AppealDeed::Challenged { expires, key: key.name().to_owned() };
    let deeds = match appeal.state() {
        AppealState::Lapsed => vec![AppealDeed::Filed, challenged],
        _ => vec![challenged],
    };
    let appeal = add(global, &options.waiting, appeal, (Actor::Operator, ""), deeds)?;
    out.line(key.token(&subject.identity, &appeal.id(), expires))?;
    out.line(format_args!("Put this line, before {expires}, where only the owner can:"))?;
    for place in places {
        out.line(format_args!("- {}", escape::escape(&place)))?;
    }
    out.line("The next night looks for it; `capdex appeal verify` does so now. A merged change of a stranger's proves as much as any other: look at what you merge")?;
    Ok(())
}

fn key(settings: &AppealSettings) -> anyhow::Result<TokenKey> {
    let key = settings.key.clone();
    key.ok_or_else(|| {
        usage(format!("{} is not set: it holds the key of the tokens, 16 letters at least", settings.key_env))
    })
}

pub(super) fn verify(global: &Global, options: &AppealVerifyArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (settings, at) = (settings(&options.schedule)?, now(global));
    let key = key(&settings)?;
    let reader = super::super::reader(global)?;
    let appeal = known(&reader, &options.id)?;
    let Some((since, expires, _)) = proof::challenge(&appeal) else {
        return Err(usage(format!("no token was given out for {}; `capdex appeal challenge` does", appeal.id())));
    };
    if appeal.state() != AppealState::Challenged {
        return Err(usage(format!("{} is {}: nothing is to be proved", appeal.id(), appeal.state().as_str())));
    }
    let look = match options.offline {
        true => match fetched_after(&reader, &appeal, since)? {
            Some((bundle, content)) => proof::in_bundle(&appeal, &bundle, Some(content), &key, at),
            None => Look::Nothing("the store holds nothing that was fetched since the token was given out".to_owned()),
        },
        false => asked(&reader, &appeal, &settings, &key, at, options)?,
    };
    let id = appeal.id();
    match look {
        Look::Proven(deed) => {
            let words = match &deed {
                AppealDeed::Proven { method, locator, .. } => format!("{}, {locator}", method.as_str()),
                _ => String::new(),
            };
            let answer = AppealDeed::Answered { answer: answer::answer(&reader, &appeal, at)? };
            add(global, &options.waiting, appeal, (Actor::Capdex, ""), vec![deed, answer])?;
            out.line(format_args!("{id} is proven ({}) and answered", escape::escape(&words)))?;
            Ok(Exit::Done)
        }
        Look::Refused(deed) => {
            let reason = match &deed {
                AppealDeed::Refused { method, reason } => format!("{}: {reason}", method.as_str()),
                _ => String::new(),
            };
            if !was_refused(&appeal, &deed) {
                add(global, &options.waiting, appeal, (Actor::Capdex, ""), vec![deed])?;
            }
            out.line(format_args!("{id} is refused: {}", escape::escape(&reason)))?;
            Ok(Exit::Threshold)
        }
        Look::Nothing(why) => {
            let until = if expires > at.0 {
                format!("; its token counts until {expires}")
            } else {
                "; its token is over".to_owned()
            };
            out.line(format_args!("{id} is not proven: {}{until}", escape::escape(&why)))?;
            Ok(Exit::Threshold)
        }
    }
}

/// Asks its source or its host now.
fn asked(
    reader: &capdex_db::Reader,
    appeal: &Appeal,
    settings: &AppealSettings,
    key: &TokenKey,
    at: AsOf,
    options: &AppealVerifyArgs,
) -> anyhow::Result<Look> {
    let identity = &appeal.filing().subject.identity;
    let schedule = Schedule::load(options.schedule.config.as_deref().map(Path::new))?;
    let mut resolved = schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?;
    resolved.http.recording = recording(&options.recording);
    if places::host(identity).is_some() {
        let own: Vec<String> =
            identity.strip_prefix("mcp:").filter(|_| options.own_host).map(str::to_owned).into_iter().collect();
        let http = Http::new(proof::http_settings(resolved.http, &settings.resolvers, &own))
            .context("failed to set up the HTTP client")?;
        return Ok(runtime()?.block_on(proof::at_host(appeal, &http, &settings.resolvers, key, at)));
    }
    let Some(current) = subject_now(reader, appeal)? else {
        return Ok(Look::Nothing("it is not listed any more".to_owned()));
    };
    // A registry lists versions, and the one with the token is another listing: only a walk finds it.
    if places::method(identity) == Some(ProofMethod::RegistryRow) {
        let why = "rows of a registry are read by the nights; after one, --offline looks at what it fetched";
        return Ok(Look::Nothing(why.to_owned()));
    }
    // Asked as the nights ask: by the listing that speaks for it.
    let question = Question { key: current.listing.clone(), commit: None };
    let registries = Registries::open(&resolved, &[], None, at)?;
    Ok(match runtime()?.block_on(registries.package(&question)) {
        Ok(fetched) if fetched.bundle.identity == *identity => {
            let scanned = analysis::scan(&fetched.bundle);
            let subject = scanned.iter().find(|one| appeal.filing().subject.covers(&one.capability));
            proof::in_bundle(appeal, &fetched.bundle, subject.map(|one| one.capability.content), key, at)
        }
        // A row that leads to another thing by now says nothing about this one.
        Ok(fetched) => Look::Nothing(format!("its listing leads to {} now", fetched.bundle.identity)),
        Err(refusal) => Look::Nothing(refusal.reason),
    })
}

fn recording(options: &RecordingArgs) -> Option<CrawlRecordingSettings> {
    match (&options.record, &options.replay) {
        (_, Some(path)) => Some(CrawlRecordingSettings::Replay(path.clone())),
        (Some(path), None) => Some(CrawlRecordingSettings::Record(path.clone())),
        (None, None) => None,
    }
}
