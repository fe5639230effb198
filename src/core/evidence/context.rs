//! Context: whether a stretch of text is negated, quoted, defensive or documentary, so that talk about an attack is
//! told apart from the attack.
//!
//! Must not know any rule.
