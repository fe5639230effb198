//! `KeptOutline`: the outline of a module that was made while the module was parsed for something else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use oxc_ast::ast::Program;
use rustpython_ruff_python_ast::ModModule;

use super::outline::Outline;
use super::{javascript, python};

/// An outline on its way from the parser that reads what a module does to the program of its package: to parse a bundle
/// twice would take as long again.
#[derive(Debug, Default)]
pub(crate) struct KeptOutline {
    is_wanted: bool,
    outline: Mutex<Option<Outline>>,
}

impl KeptOutline {
    /// Asks whoever parses the module first to outline it.
    pub(super) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Outlines a parsed module of JavaScript or TypeScript, where that is wanted.
    pub(crate) fn keep_javascript(&self, program: &Program<'_>, path: &str) {
        self.keep(|| javascript::outline(program, path));
    }

    /// Outlines a parsed module of Python, where that is wanted.
    pub(crate) fn keep_python(&self, module: &ModModule, path: &str) {
        self.keep(|| python::outline(module, path));
    }

    // A panic costs the outline alone, and not what else the parser reads.
    fn keep(&self, outline: impl FnOnce() -> Outline) {
        if self.is_wanted {
            let made = catch_unwind(AssertUnwindSafe(outline)).ok();
            *self.outline.lock().unwrap_or_else(PoisonError::into_inner) = made;
        }
    }

    /// The outline; none where nobody has parsed the module, or it was taken before.
    pub(super) fn take(&self) -> Option<Outline> {
        self.outline.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
