//! Rule delta: findings of attacks that the rules did not report for the package before, as effects.
//!
//! The difference of rules decides, not that of texts: a file may be rewritten from top to bottom and say nothing new.
//! Nothing is known of a rule here but whether it tells an attack or a defect.

use std::collections::BTreeMap;

use super::effect::{Effect, EffectKind};
use super::files::lines_in_blocks;
use super::package_version::{CapabilityVersion, Effectiveness, PackageVersion};
use capdex_evidence::language::Language;
use capdex_model::fact::{Confidence, Fact, Outcome, Severity};

/// Rules that are high for defects, leaked keys of the author's own or weak signs: an ordinary release may bring them.
const DEFECTS: [&str; 25] = [
    "binary-program",
    "file-masquerade",
    "package-deprecated",
    "secret-aws-key",
    "secret-github-token",
    "secret-google-key",
    "secret-npm-token",
    "secret-openai-or-anthropic-key",
    "secret-private-key",
    "secret-slack-token",
    "secret-stripe-key",
    "secret-url-credentials",
    "server-privileged-container",
    "server-secret-in-config",
    "source-command-injection",
    "source-hidden-powershell",
    "source-obfuscated",
    "source-path-composed",
    "source-sql-composed",
    "source-unsafe-deserialization",
    "source-unsafe-eval",
    "destructive-command",
    "tool-annotation-contradiction",
    "tool-brand-claim",
    "tool-name-nonstandard",
];

/// Rules about what a package is called and who answers for it: they rest on claims and change without a byte.
const ABOUT_CLAIMS: [&str; 4] = ["history-", "name-", "repository-", "package-no-"];

/// Rules by what appeared, where it is not words that order a model about.
const KINDS: [(&str, EffectKind); 33] = [
    ("hidden-unicode-bidi", EffectKind::HiddenText),
    ("hidden-unicode-tags", EffectKind::HiddenText),
    ("tool-hidden-text", EffectKind::HiddenText),
    ("concealment-from-user", EffectKind::HiddenText),
    ("hidden-html-comment-instruction", EffectKind::HiddenText),
    ("hidden-markup-instruction", EffectKind::HiddenText),
    ("obfuscated-payload", EffectKind::HiddenText),
    ("conversation-harvest", EffectKind::ConversationParameter),
    ("tool-harvest", EffectKind::ConversationParameter),
    ("source-credential-read-and-send", EffectKind::CredentialSend),
    ("shell-secret-transfer", EffectKind::CredentialSend),
    ("credential-path-transfer", EffectKind::CredentialSend),
    ("environment-dump-transfer", EffectKind::CredentialSend),
    ("secret-read-then-send", EffectKind::CredentialSend),
    ("source-browser-store-read", EffectKind::CredentialSend),
    ("source-host-fingerprint-sent", EffectKind::AttackCode),
    ("package-install-script-network", EffectKind::AttackCode),
    ("source-address-swap", EffectKind::AttackCode),
    ("source-decode-then-execute", EffectKind::AttackCode),
    ("source-download-and-execute", EffectKind::AttackCode),
    ("source-reverse-shell", EffectKind::AttackCode),
    ("source-setup-code", EffectKind::AttackCode),
    ("shell-login-key", EffectKind::AttackCode),
    ("base64-to-shell", EffectKind::AttackCode),
    ("eval-of-download", EffectKind::AttackCode),
    ("pipe-to-shell", EffectKind::AttackCode),
    ("pipe-to-shell-suspicious", EffectKind::AttackCode),
    ("download-then-execute", EffectKind::AttackCode),
    ("reverse-shell", EffectKind::AttackCode),
    ("persistence-payload", EffectKind::AttackCode),
    ("data-file-executed", EffectKind::AttackCode),
    ("hook-remote-command", EffectKind::AttackCode),
    ("hook-auto-approve", EffectKind::AttackCode),
];

/// The findings of a capability at high severity and medium confidence at least, where the package before had no such
/// finding. Each rule gives the worst of its findings. A rule that fired more mildly before counts as new. So does one
/// that fired only in what nobody acts on, such as documentation that quotes an attack.
pub(super) fn new_attack_findings(
    before: &PackageVersion<'_>,
    after: (&PackageVersion<'_>, &CapabilityVersion<'_>),
) -> Vec<Effect> {
    let mut worst: BTreeMap<&str, &Fact> = BTreeMap::new();
    let is_new = |fact: &Fact| {
        is_new(before, fact, Effectiveness::of(after.0.evidence, fact)) || left_its_block(before, after.0, fact)
    };
    for fact in after.1.facts.all().filter(|fact| is_attack(fact) && is_new(fact)) {
        let known = worst.entry(fact.rule.as_str()).or_insert(fact);
        if (fact.severity, fact.confidence) > (known.severity, known.confidence) {
            *known = fact;
        }
    }
    worst.into_iter().map(|(rule, fact)| effect(rule, fact)).collect()
}

fn is_new(before: &PackageVersion<'_>, fact: &Fact, reach: Effectiveness) -> bool {
    let was = |reach| before.inventory.rules.get(&(fact.rule.as_str().to_owned(), reach));
    let is_known = |reach| was(reach).is_some_and(|severity| *severity >= Severity::High);
    !is_known(Effectiveness::Live) && (reach == Effectiveness::Live || !is_known(Effectiveness::Kept))
}

/// True where the line of a finding is now less deep in its Python program than it ever was: what stood behind the end of a
/// function did not run.
fn left_its_block(before: &PackageVersion<'_>, after: &PackageVersion<'_>, fact: &Fact) -> bool {
    fn of<'e>(package: &PackageVersion<'e>, path: &str) -> Option<Vec<(usize, &'e str, usize)>> {
        let document = package.evidence.documents.get(path)?;
        (document.language == Language::Python).then(|| lines_in_blocks(&document.text))
    }
    let path = fact.place.file.as_str();
    let at = (fact.place.line as usize).saturating_sub(1);
    let (Some(was), Some(is)) = (of(before, path), of(after, path)) else { return false };
    let Some((_, line, depth)) = is.iter().rev().find(|(number, ..)| *number <= at) else { return false };
    let least = was.iter().filter(|(_, known, _)| known == line).map(|(.., depth)| *depth).min();
    least.is_some_and(|least| *depth < least)
}

fn is_attack(fact: &Fact) -> bool {
    let rule = fact.rule.as_str();
    fact.outcome == Outcome::True
        && fact.severity >= Severity::High
        && fact.confidence >= Confidence::Medium
        && !DEFECTS.contains(&rule)
        && !ABOUT_CLAIMS.iter().any(|family| rule.starts_with(family))
}

fn effect(rule: &str, fact: &Fact) -> Effect {
    let kind = KINDS.iter().find(|(id, _)| *id == rule).map_or(EffectKind::InjectedProse, |(_, kind)| *kind);
    // Words that people cannot see are critical: nobody hides what is meant well.
    let severity = if kind == EffectKind::HiddenText { Severity::Critical } else { fact.severity };
    let place =
        if fact.place.line > 0 { format!("{}:{}", fact.place.file, fact.place.line) } else { fact.place.file.clone() };
    Effect::new(kind, severity, &place, &format!("{rule}: {}", fact.evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_is_named_here_exists() {
        for id in DEFECTS.iter().chain(KINDS.iter().map(|(id, _)| id)) {
            assert!(capdex_rules::INDEX.find(id).is_some(), "{id}");
        }
        for family in ABOUT_CLAIMS {
            assert!(capdex_rules::INDEX.all().iter().any(|meta| meta.id.as_str().starts_with(family)), "{family}");
        }
    }

    #[test]
    fn what_is_named_as_an_attack_is_no_defect() {
        assert!(KINDS.iter().all(|(id, _)| !DEFECTS.contains(id)));
    }
}
