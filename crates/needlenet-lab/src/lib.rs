//! The laboratory: designs whose needles are known, studies that resume, competitors, real tables, summaries.
//!
//! ```text
//! Study = points of a Design x learners x replicates -> one Row each, appended -> Summary
//! ```
//!
//! A row depends only on the study, the point, the learner, the seed and the replicate: not on the number of
//! threads, the order, or the machine.

mod ablation;
mod designs;
mod error;
mod experiment;
mod hay;
mod learners;
mod ledger;
mod over_tables;
mod real;
mod replicate;
mod run;
mod sample;
mod splits;
mod study;
mod summary;

pub use ablation::{ABLATION_DESIGNS, Ablation, AblationRow, IDEAS, Idea, ablation_point, ablation_table};
pub use designs::{Columns, Design, Draw, Law, UnknownDesign};
pub use error::{LabError, Result};
pub use experiment::{Ended, Experiment, Task};
pub use hay::{HayExperiment, HayRow, hay_table, with_hay};
pub use learners::{
    LEARNERS, LassoAnn, LassoZero, Learned, Learner, LinearRefit, Needlenet, NeedlenetOnLabels, SparseGroup,
    Spinn, SpinnDropout, SqrtLassoQut, SqrtLassoValidation, StandardNetwork, UnknownLearner, learner,
};
pub use ledger::{Ledger, ROWS, read_rows, to_csv};
pub use over_tables::{OverTables, TablesEnded};
pub use real::{REAL_LEARNERS, RealRow, RealTable, TARGET, read as read_real, tables, whole_table};
pub use replicate::{Row, VERSION, draw_seed, replicate};
pub use run::Watcher;
pub use sample::Sample;
pub use splits::Split;
pub use study::{Axis, Point, SEEDS_APART, Study, TEST_SAMPLES, UnknownStudy};
pub use summary::{Band, RealSummary, StudySummary, markdown, summarise, summarise_real};
