//! The table `coverage`: how much of what each rubric asks could be answered, over all capabilities of a kind.

use capdex_model::score::Score;

use super::{Column, Integer, Number, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};

pub(super) const TABLE: Table = Table {
    name: "coverage",
    about: "how much of what one rubric asks could be answered about the capabilities of one kind",
    columns: COLUMNS,
    rows: Rows::Counted,
};

const COLUMNS: &[Column] = &[
    column("rubric", Text, "the rubric's id"),
    column("kind", Text, "the kind"),
    column("capabilities", Integer, "capabilities of the kind with a score by the rubric"),
    column("valued", Integer, "those whose score has a value"),
    column("analysed", Integer, "those of which everything could be looked at"),
    column("coverage", Number, "mean of the column coverage of scores over them, rounded down to thousandths"),
];

/// What is counted of the scores by one rubric of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    capabilities: u64,
    valued: u64,
    analysed: u64,
    thousandths: u64,
}

impl Asked {
    /// Adds a score.
    pub fn add(&mut self, score: &Score, is_analysed: bool) {
        self.capabilities += 1;
        self.valued += u64::from(score.value.is_some());
        self.analysed += u64::from(is_analysed);
        self.thousandths += u64::from(score.coverage.as_thousandths());
    }

    /// Adds what was counted elsewhere.
    pub fn join(&mut self, other: Self) {
        self.capabilities += other.capabilities;
        self.valued += other.valued;
        self.analysed += other.analysed;
        self.thousandths += other.thousandths;
    }

    /// The row of a rubric and a kind, in the order of the columns.
    pub fn row(&self, rubric: &str, kind: &str) -> Row {
        let mean = self.thousandths.checked_div(self.capabilities).unwrap_or(0);
        vec![
            Cell::text(rubric),
            Cell::text(kind),
            Cell::count(self.capabilities),
            Cell::count(self.valued),
            Cell::count(self.analysed),
            Cell::Number(mean as f64 / 1000.0),
        ]
    }
}
