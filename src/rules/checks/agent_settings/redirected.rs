//! agent-api-redirected: what an agent sends goes through a stranger, or runs what was not asked for.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::questions::SETTINGS_REDIRECTED;
use crate::{FactSink, vocab};
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations, is_at};
use super::setting::{
    Setting, Spot, Way, documents, foreign, is_client_settings, is_placeholder, is_plain, of_client, way_of,
};

/// What a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Model,
    Proxy,
    Authority,
    Report,
    Prompts,
    Preload,
}

static PURPOSES: LazyLock<BTreeMap<&str, Purpose>> = LazyLock::new(|| {
    let mut purposes = BTreeMap::new();
    for line in vocab::entries(vocab::AGENT_SETTINGS) {
        let mut words = line.split_whitespace();
        let purpose = match words.next() {
            Some("model") => Purpose::Model,
            Some("proxy") => Purpose::Proxy,
            Some("authority") => Purpose::Authority,
            Some("report") => Purpose::Report,
            Some("prompts") => Purpose::Prompts,
            _ => Purpose::Preload,
        };
        purposes.extend(words.map(|name| (name, purpose)));
    }
    purposes
});

static MODEL_HOSTS: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::MODEL_HOSTS));

/// A name, what sets it, and its value.
static SETS: LazyLock<Regex> = LazyLock::new(|| {
    let names: Vec<String> = PURPOSES.keys().map(|name| regex::escape(name)).collect();
    capdex_evidence::expression::of(&format!(
        r#"(?:^|[^\w$.{{-])(?P<name>{})["'\]`]{{0,3}}[ \t]*(?:[:=]|=>|,|[ \t])[ \t]*(?P<value>"[^"\n]{{1,300}}"|'[^'\n]{{1,300}}'|[^\s"'`,;}})]{{1,300}})"#,
        names.join("|")
    ))
});

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for document in documents(subject, &SETTINGS_REDIRECTED) {
        let settings = settings(subject, document);
        for setting in &settings {
            let Some(purpose) = purpose_of(setting) else { continue };
            if let Some(severity) = judged(setting, purpose, &settings, &destinations) {
                facts.found_as(setting.weigh(severity), Confidence::Medium, setting.place(), &setting.evidence());
            }
        }
        marketplaces(subject, document, &destinations, facts);
    }
}

fn settings<'a>(subject: &Subject<'a>, document: &'a Document) -> Vec<Setting<'a>> {
    if is_client_settings(subject, document) && subject.evidence.manifests.contains_key(&document.path) {
        return of_client(subject, document);
    }
    /// A text that sets more than this is a list of names.
    const MOST: usize = 200;
    let found = SETS.captures_iter(&document.text).take(MOST).filter_map(|found| {
        let (name, value) = (found.name("name")?, found.name("value")?);
        let bytes = name.start()..value.end();
        let way = way_of(document, &bytes)?;
        let value = value.as_str().trim_matches(['"', '\'']);
        Some(Setting { document, name: name.as_str().into(), value: value.into(), spot: Spot::Bytes(bytes), way })
    });
    found.collect()
}

fn purpose_of(setting: &Setting<'_>) -> Option<Purpose> {
    // The same key names many things elsewhere: it counts where Codex keeps its providers.
    if let Spot::Pointer(pointer) = &setting.spot
        && setting.name == "base_url"
        && pointer.starts_with("/model_providers/")
    {
        return Some(Purpose::Model);
    }
    PURPOSES.get(setting.name.as_ref()).copied()
}

/// How bad a setting is; none where it leads nothing away.
fn judged(
    setting: &Setting<'_>,
    purpose: Purpose,
    all: &[Setting<'_>],
    destinations: &Destinations,
) -> Option<Severity> {
    let has = |wanted: Purpose| all.iter().any(|other| purpose_of(other) == Some(wanted) && is_on(other));
    match purpose {
        Purpose::Model => {
            let foreign = model_host(destinations, &setting.value)?;
            Some(match setting.way {
                Way::Shipped | Way::Kept => Severity::High,
                Way::Variables | Way::Set => Severity::Medium,
                // Whoever copies a sample reads it.
                Way::Sample | Way::Told if foreign == Destination::Throwaway => Severity::Medium,
                Way::Sample | Way::Told => Severity::Low,
            })
        }
        Purpose::Proxy => {
            foreign(destinations, &as_address(&setting.value))?;
            // With a certificate of its own it reads what is encrypted as well.
            Some(match setting.way {
                Way::Shipped | Way::Kept if has(Purpose::Authority) => Severity::High,
                Way::Shipped | Way::Kept => Severity::Medium,
                Way::Set if has(Purpose::Authority) => Severity::Medium,
                _ => Severity::Low,
            })
        }
        Purpose::Report => {
            let is_measured = destinations.judge(&setting.value) == Some(Destination::Measuring);
            foreign(destinations, &setting.value).filter(|_| !is_measured)?;
            Some(match setting.way {
                Way::Shipped | Way::Kept if has(Purpose::Prompts) => Severity::High,
                Way::Shipped | Way::Kept => Severity::Medium,
                _ => Severity::Low,
            })
        }
        Purpose::Preload if runs_first(setting) => match setting.way {
            Way::Shipped => Some(Severity::High),
            Way::Kept => Some(Severity::Medium),
            _ => None,
        },
        Purpose::Preload | Purpose::Authority | Purpose::Prompts => None,
    }
}

/// Who answers in the place of a model's maker; none for makers, known gateways and hosts that are accounted for.
fn model_host(destinations: &Destinations, value: &str) -> Option<Destination> {
    if !value.contains("://") || is_at(value, &MODEL_HOSTS) {
        return None;
    }
    let foreign = foreign(destinations, value)?;
    // Anybody on the way answers as well.
    Some(if is_plain(value) { Destination::Throwaway } else { foreign })
}

/// A proxy may be written without its scheme.
fn as_address(value: &str) -> String {
    let value = value.replace("socks5h://", "http://").replace("socks5://", "http://");
    if value.contains("://") { value } else { format!("http://{value}") }
}

/// True for a switch that is on, and for certificates that are not the machine's.
fn is_on(setting: &Setting<'_>) -> bool {
    let off = matches!(setting.value.as_ref(), "0" | "false" | "" | "off");
    // These two are dangerous where they are off.
    let is_guard =
        matches!(setting.name.as_ref(), "NODE_TLS_REJECT_UNAUTHORIZED" | "http.proxyStrictSSL" | "strict-ssl");
    off == is_guard
}

/// True where a variable has a program of somebody's run before each program.
fn runs_first(setting: &Setting<'_>) -> bool {
    static LOADS: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|-M\w|-r\w)[= ]?\S",
        )
    });
    let value = setting.value.trim();
    match setting.name.as_ref() {
        "NODE_OPTIONS" | "PERL5OPT" | "RUBYOPT" => LOADS.is_match(value),
        // Many programs call something of their own so.
        "ENV" => value.starts_with(['.', '/', '~', '$']) && value.contains('/'),
        "PROMPT_COMMAND" => ["curl", "wget", "nc ", "http", "base64"].iter().any(|word| value.contains(word)),
        _ => value.contains(['/', '.']) && !is_placeholder(&format!("https://{value}.test")),
    }
}

/// Reports marketplaces of others that settings add, whose plugins run in every session.
fn marketplaces(subject: &Subject<'_>, document: &Document, destinations: &Destinations, facts: &mut FactSink<'_>) {
    let Some(manifest) = subject.evidence.manifests.get(&document.path) else { return };
    let Some(added) = manifest.value.get("extraKnownMarketplaces").and_then(Value::as_object) else { return };
    if !is_client_settings(subject, document) {
        return;
    }
    let enabled = manifest.value.get("enabledPlugins").and_then(Value::as_object);
    for (name, market) in added {
        let source = market.get("source").unwrap_or(market);
        let text = |key: &str| source.get(key).and_then(Value::as_str);
        let Some(from) = text("repo").or_else(|| text("url")) else { continue };
        // A repository at a forge is a stranger's too, but others can look at it.
        let is_address = from.contains("://");
        if is_address && foreign(destinations, from).is_none() {
            continue;
        }
        let is_enabled = enabled
            .into_iter()
            .flatten()
            .any(|(plugin, on)| on == &Value::Bool(true) && plugin.ends_with(&format!("@{name}")));
        let severity = match (is_enabled, is_address) {
            (true, true) => Severity::High,
            (true, false) | (false, true) => Severity::Medium,
            (false, false) => Severity::Low,
        };
        let spot = Spot::Pointer(format!("/extraKnownMarketplaces/{}", capdex_evidence::manifest::escape(name)));
        let setting = Setting { document, name: name.into(), value: from.into(), spot, way: Way::Shipped };
        facts.found_as(severity, Confidence::Medium, setting.place(), &setting.evidence());
    }
}
