//! One report of a fit, from which every front end prints: a terminal its text, a program its JSON,
//! a browser its page.
//!
//! ```text
//! Model + Run -> Report -> text | JSON | page (with Evidence: curves of the model, samples of the table)
//! ```
//!
//! [`Report`] holds every number and every sentence that a reader sees; `text` and `page` only lay them out.
//! What depends on the kind of outcome is in `outcome/`: a new outcome is one file there and one arm of one `match`.
//! The learner knows nothing of this crate.
//!
//! ```
//! use needlenet::{Data, Outcome, Settings, fit};
//! use needlenet_report::{Report, Run};
//! # let x: Vec<f64> = (0..300).map(|i| ((i * i * 31 + 7 * i) % 97) as f64).collect();
//! # let y: Vec<f64> = (0..100).map(|i| x[i] + x[100 + i]).collect();
//! # let names = ["a", "b", "c"].map(String::from).to_vec();
//! # let settings = Settings { hidden: vec![], draws: 200, ..Settings::default() };
//! let model = fit(Data::new(x, names, Outcome::Regression(y))?, &settings)?;
//! let report = Report::new(&model, &Run::default());
//! assert!(report.text().contains("100 samples, 3 inputs, regression"));
//! # Ok::<(), needlenet::Error>(())
//! ```

mod chart;
mod effects;
mod evidence;
mod front;
mod groups;
mod layout;
mod outcome;
mod page;
mod quality;
mod report;
mod rows;
mod sentences;
mod sure;
mod survey;
mod text;
mod threshold;
mod words;

pub use evidence::Evidence;
pub use front::Front;
pub use groups::{GroupRow, LevelRow};
pub use layout::{align, number, plural, shown, wrap};
pub use outcome::{gives_away, task_name};
pub use page::Source;
pub use report::{Report, Run};
pub use rows::{AlwaysRow, Asked, End, Joined, NeedleRow, NeuronRow, PredictorEnd};
pub use sentences::Sentences;
pub use sure::{CopiesRow, CopyRow, SureReport, SureRow};
pub use survey::{Measure, NEAR_COPY, NearCopy, SmallestEffect, Survey, correlation, smallest_effect};
pub use threshold::ThresholdReport;
pub use words::{hidden_layers, shape_name, stop_name, stop_sentence};
