//! `HookClient`: the clients that ask, and the words in which each reads a decision.
//!
//! Sources: the hooks references of Claude Code, Cursor and Gemini CLI; the schemas that Codex 0.169 and Gemini CLI 0.61 carry,
//! read in 2026-11.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::policy::HookDecision;

/// A client of agents whose hooks may stop a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HookClient {
    /// Claude Code: `PreToolUse`, which can ask.
    Claude,
    /// Codex: `PreToolUse`, which can deny and cannot ask.
    Codex,
    /// Cursor: `beforeShellExecution`, which can ask, and `preToolUse`, which cannot.
    Cursor,
    /// Gemini CLI: `BeforeTool`, which can ask.
    Gemini,
}

/// The client by its event; the most common format where the event does not say.
pub fn of_event(event: &Value) -> HookClient {
    let name = event.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    match name {
        "BeforeTool" => HookClient::Gemini,
        _ if name.starts_with(|first: char| first.is_ascii_lowercase()) => HookClient::Cursor,
        _ if event.get("turn_id").is_some() => HookClient::Codex,
        _ => HookClient::Claude,
    }
}

impl HookClient {
    /// The word that names it on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }

    /// True where the client asks before it acts: its other events pass.
    pub fn is_question(self, event_name: &str) -> bool {
        event_name == self.question() || (self == Self::Cursor && event_name == "preToolUse")
    }

    /// The event of the client that asks about a command.
    pub const fn question(self) -> &'static str {
        match self {
            Self::Claude | Self::Codex => "PreToolUse",
            Self::Cursor => "beforeShellExecution",
            Self::Gemini => "BeforeTool",
        }
    }

    fn can_ask(self, event_name: &str) -> bool {
        match self {
            Self::Claude | Self::Gemini => true,
            Self::Codex => false,
            Self::Cursor => event_name != "preToolUse",
        }
    }

    /// The decision as the client reads it; none where it reads nothing as "go on".
    pub fn answer(self, event_name: &str, decision: HookDecision, reason: &str) -> Option<Value> {
        let mut reason = reason.to_owned();
        let mut decision = decision;
        if decision == HookDecision::Ask && !self.can_ask(event_name) {
            decision = HookDecision::Deny;
            reason.push_str(" This client cannot ask from a hook: the user may run it himself, or start the hook with another --unknown.");
        }
        let word = match decision {
            // Never a word of consent: it would take the client's own question away.
            HookDecision::Pass if self == Self::Cursor => "allow",
            HookDecision::Pass => return None,
            HookDecision::Ask => "ask",
            HookDecision::Deny => "deny",
        };
        Some(match self {
            Self::Claude | Self::Codex => json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": reason}}),
            // Cursor takes an answer without a permission for a hook that failed; its own list of commands still asks.
            Self::Cursor if decision == HookDecision::Pass => json!({"permission": word}),
            Self::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
            Self::Gemini => json!({"decision": word, "reason": reason, "systemMessage": reason}),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_by_its_event() {
        for (event, expected) in [
            (json!({"hook_event_name": "PreToolUse", "tool_use_id": "a"}), HookClient::Claude),
            (json!({"hook_event_name": "PreToolUse", "turn_id": "a"}), HookClient::Codex),
            (json!({"hook_event_name": "beforeShellExecution"}), HookClient::Cursor),
            (json!({"hook_event_name": "BeforeTool"}), HookClient::Gemini),
            (json!({}), HookClient::Claude),
        ] {
            assert_eq!(of_event(&event), expected, "{event}");
        }
    }

    #[test]
    fn silence_lets_a_client_go_on_and_consent_is_never_given() {
        assert_eq!(HookClient::Claude.answer("PreToolUse", HookDecision::Pass, ""), None);
        assert_eq!(HookClient::Codex.answer("PreToolUse", HookDecision::Pass, ""), None);
        assert_eq!(HookClient::Gemini.answer("BeforeTool", HookDecision::Pass, ""), None);
        let cursor = HookClient::Cursor.answer("beforeShellExecution", HookDecision::Pass, "");
        assert_eq!(cursor, Some(json!({"permission": "allow"})));
    }

    #[test]
    fn who_cannot_ask_stops_and_says_what_to_do() {
        let codex = HookClient::Codex.answer("PreToolUse", HookDecision::Ask, "why.").expect("an answer");
        assert_eq!(codex["hookSpecificOutput"]["permissionDecision"], "deny");
        let reason = codex["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a reason");
        assert!(reason.starts_with("why. ") && reason.contains("--unknown"), "{reason}");
        let claude = HookClient::Claude.answer("PreToolUse", HookDecision::Ask, "why.").expect("an answer");
        assert_eq!(claude["hookSpecificOutput"]["permissionDecision"], "ask");
        let cursor = HookClient::Cursor.answer("preToolUse", HookDecision::Ask, "why.").expect("an answer");
        assert_eq!(cursor["permission"], "deny");
        let gemini = HookClient::Gemini.answer("BeforeTool", HookDecision::Ask, "why.").expect("an answer");
        assert_eq!((&gemini["decision"], &gemini["reason"]), (&json!("ask"), &json!("why.")));
    }
}
