//! Rules that are a card and a function: what all of them would otherwise repeat.
//!
//! Must not know any rule.

/// A rule of a name, a card (the text of its description) and the function that looks.
macro_rules! card_rule {
    ($(#[$about:meta])* $name:ident, $card:expr, $check:expr) => {
        $(#[$about])*
        pub(super) struct $name;

        impl $crate::Rule for $name {
            fn meta(&self) -> &$crate::RuleMeta {
                static META: std::sync::LazyLock<$crate::RuleMeta> =
                    std::sync::LazyLock::new(|| toml::from_str($card).expect("the walk over all rules reads the card"));
                &META
            }

            fn check(&self, subject: &::capdex_evidence::subject::Subject<'_>, facts: &mut $crate::FactSink<'_>) {
                let check: fn(&::capdex_evidence::subject::Subject<'_>, &mut $crate::FactSink<'_>) = $check;
                check(subject, facts);
            }
        }
    };
}

pub(super) use card_rule;
