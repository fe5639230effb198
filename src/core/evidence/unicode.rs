//! Hidden and deceptive Unicode: what is invisible, what changes direction, what looks like something else.
//!
//! Tells emoji sequences, joiners of scripts that need them and right-to-left text apart from hiding. No rules here.
