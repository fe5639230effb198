//! The table `coverage`: how much of what each rubric asks could be answered, over all capabilities of a kind.

use capdex_model::score::Score;

use crate::export::table_row::table_row;

table_row! {
    /// how much of what one rubric asks could be answered about the capabilities of one kind
    table coverage: counted;
    pub struct CoverageRow<'a> {
        /// the rubric's id
        key rubric: &'a str,
        /// the kind
        key kind: &'a str,
        /// capabilities of the kind with a score by the rubric
        public capabilities: u64,
        /// those whose score has a value
        public valued: u64,
        /// those of which everything could be looked at
        public analysed: u64,
        /// mean of the column coverage of scores over them, rounded down to thousandths
        public coverage: f64,
    }
}

/// The counts of the scores by one rubric of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreCounts {
    capabilities: u64,
    valued: u64,
    analysed: u64,
    thousandths: u64,
}

impl ScoreCounts {
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

    /// The row of a rubric and a kind.
    pub fn row<'a>(&self, rubric: &'a str, kind: &'a str) -> CoverageRow<'a> {
        // Whole thousandths, rounded down: the same digits on every machine, and never more than was answered.
        let mean = self.thousandths.checked_div(self.capabilities).unwrap_or(0);
        CoverageRow {
            rubric,
            kind,
            capabilities: self.capabilities,
            valued: self.valued,
            analysed: self.analysed,
            coverage: mean as f64 / 1000.0,
        }
    }
}
