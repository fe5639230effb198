//! Flow legs: what a server, a bundle or a skill takes in, reads, hands out and destroys, to see which stand together.
//!
//! Legs are capabilities, not defects. The rules that combine them decide how bad a combination is. Own definitions;
//! the method that counts TS-W009 and TS-W010 asks for keywords anywhere in a file, this asks for a verb with its
//! object, or for a command.

use crate::FactSink;
use crate::pattern::Question;
use crate::questions;
use capdex_evidence::context::Context;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::tool_capabilities::Tags;
use super::tool_texts::surfaces_in;

/// One leg: what shows it, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    /// The tool's name, or the words of a text.
    pub(super) shown: String,
    /// Its place.
    pub(super) place: Place,
}

/// The legs of one thing; for each the first that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Legs {
    /// Takes in what strangers write.
    pub(super) untrusted: Option<Leg>,
    /// Reads mail, messages, money or secrets.
    pub(super) sensitive: Option<Leg>,
    /// Reads the user's own files and stores.
    pub(super) workspace: Option<Leg>,
    /// Hands something outwards.
    pub(super) sink: Option<Leg>,
    /// Changes for good what is shared.
    pub(super) shared: Option<Leg>,
    /// Changes for good what is the user's own.
    pub(super) local: Option<Leg>,
}

impl Legs {
    /// The legs of the tools in files of a capability, or, for a bundle of servers, below its folder.
    pub(super) fn of_tools(subject: &Subject<'_>) -> Self {
        let mut legs = Self::default();
        for surface in surfaces_in(subject) {
            let Some(tool) = surface.tool.and_then(|at| subject.evidence.tools.get(at)) else { continue };
            let tags = Tags::of(surface, tool);
            let leg = || Leg { shown: surface.name.clone(), place: surface.place.clone() };
            let fill = |slot: &mut Option<Leg>, shows: bool| {
                if shows && slot.is_none() {
                    *slot = Some(leg());
                }
            };
            fill(&mut legs.untrusted, tags.has(Tags::UNTRUSTED));
            // Sensitive alone says of what the server is: without reading nothing private gets into the conversation.
            fill(&mut legs.sensitive, tags.has(Tags::SENSITIVE) && tags.has(Tags::READS));
            fill(&mut legs.workspace, tags.has(Tags::WORKSPACE));
            fill(&mut legs.sink, tags.has(Tags::SINK));
            fill(&mut legs.shared, tags.has(Tags::SHARED) && tags.has(Tags::DESTROYS));
            fill(&mut legs.local, tags.has(Tags::LOCAL) && tags.has(Tags::DESTROYS));
        }
        legs
    }

    /// The legs of each SKILL.md of a capability that may leak.
    pub(super) fn of_leaking_skills(subject: &Subject<'_>) -> impl Iterator<Item = Self> {
        skills(subject).filter_map(|document| {
            // Both legs must be there: asked first, they spare most skills the other questions.
            let untrusted = Some(leg(document, &questions::LEGS_UNTRUSTED)?);
            let sink = Some(leg(document, &questions::LEGS_SINK)?);
            let (sensitive, workspace) =
                (leg(document, &questions::LEGS_SENSITIVE), leg(document, &questions::LEGS_WORKSPACE));
            Some(Self { untrusted, sink, sensitive, workspace, ..Self::default() })
        })
    }

    /// The legs of each SKILL.md of a capability that may destroy.
    pub(super) fn of_destroying_skills(subject: &Subject<'_>) -> impl Iterator<Item = Self> {
        skills(subject).filter_map(|document| {
            let shared = Some(leg(document, &questions::LEGS_DESTROY)?);
            Some(Self { untrusted: Some(leg(document, &questions::LEGS_UNTRUSTED)?), shared, ..Self::default() })
        })
    }

    /// Strangers' text beside private data and a way out, with its severity; none where one of them is missing.
    pub(super) fn leak(&self) -> Option<(Severity, Vec<&Leg>)> {
        let (untrusted, sink) = (self.untrusted.as_ref()?, self.sink.as_ref()?);
        let (private, severity) = match (&self.sensitive, &self.workspace) {
            // Mail and money are worse to lose than a project's files, which the agent works on anyway.
            (Some(private), _) => (private, Severity::Medium),
            (None, Some(private)) => (private, Severity::Low),
            (None, None) => return None,
        };
        Some((severity, vec![untrusted, private, sink]))
    }

    /// Strangers' text beside a destructive action, with its severity; none where one of them is missing.
    pub(super) fn destroy(&self) -> Option<(Severity, Vec<&Leg>)> {
        let untrusted = self.untrusted.as_ref()?;
        let (destroys, severity) = match (&self.shared, &self.local) {
            (Some(shared), _) => (shared, Severity::Medium),
            (None, Some(local)) => (local, Severity::Low),
            (None, None) => return None,
        };
        Some((severity, vec![untrusted, destroys]))
    }
}

fn skills<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Document> {
    // Only the skill's own text: words of bundled references are no instruction to act.
    let named = |path: &str| path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    subject.documents().filter(move |document| named(&document.path))
}

/// The most places of a leg that are looked at in one text.
const PLACES: usize = 20;

/// The first words of a skill's own instructions that show a leg.
fn leg(document: &Document, question: &Question) -> Option<Leg> {
    // What is forbidden is no leg: "never `git reset --hard`".
    let mut found = question.all_in(document, PLACES).into_iter();
    let found = found.find(|found| !Context::at(document, found.clone()).negated)?;
    let shown = String::from_utf8_lossy(document.text.as_bytes().get(found.clone())?).into_owned();
    Some(Leg { shown, place: document.place(found.start) })
}

/// Reports a flow where there is one: at its last leg, with all of them in their order.
pub(super) fn report(flow: Option<(Severity, Vec<&Leg>)>, facts: &mut FactSink<'_>) {
    let Some((severity, legs)) = flow else { return };
    let place = legs.last().map(|leg| leg.place.clone()).unwrap_or_default();
    let told: Vec<&str> = legs.iter().map(|leg| leg.shown.as_str()).collect();
    facts.found_as(severity, Confidence::Medium, place, &told.join(" + "));
}
