//! The walker over JSON Schemas: every string in it with its JSON Pointer, references resolved, within a budget.
//!
//! Must not fetch anything: references that leave the document are recorded, not followed.
