//! Rules that are a card and a function: what all of them would otherwise repeat.
//!
//! Must not know any rule.

/// A rule of a name, a card (the text of its description) and the function that looks.
macro_rules! card_rule {
    ($(#[$about:meta])* $name:ident, $card:expr, $check:expr) => {
        $(#[$about])*
        pub(super) struct $name;

        impl $crate::rules::Rule for $name {
            fn meta(&self) -> &$crate::rules::RuleMeta {
                static META: std::sync::LazyLock<$crate::rules::RuleMeta> =
                    std::sync::LazyLock::new(|| toml::from_str($card).expect("the walk over all rules reads the card"));
                &META
            }

            fn check(&self, subject: &$crate::rules::Subject<'_>, facts: &mut $crate::rules::FactSink<'_>) {
                let check: fn(&$crate::rules::Subject<'_>, &mut $crate::rules::FactSink<'_>) = $check;
                check(subject, facts);
            }
        }
    };
}

pub(super) use card_rule;
