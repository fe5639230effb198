//! Payloads found in text (base64, hex, percent, escapes), decoded within a budget.
//!
//! The one in-text decoder; must not know what the payload means.
