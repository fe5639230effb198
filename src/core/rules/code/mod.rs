//! Rules that need structure, one file each, in one slice.

use super::Rule;

mod text_encoded_blob;
mod text_hidden_unicode;
mod text_obfuscated_payload;
mod text_padding;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &text_encoded_blob::EncodedBlob,
    &text_hidden_unicode::HiddenUnicodeBidi,
    &text_hidden_unicode::HiddenUnicodeTags,
    &text_hidden_unicode::HiddenUnicodeZeroWidth,
    &text_obfuscated_payload::ObfuscatedPayload,
    &text_padding::PaddingEvasion,
];
