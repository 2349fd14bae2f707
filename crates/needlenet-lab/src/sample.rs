//! Samples in the form of the lab's learners: a table in memory, and parts of it.

use needlenet::{Data, Outcome, Result};

use crate::designs::Draw;

/// Some samples with their outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Column after column.
    pub x: Vec<f64>,
    /// The names of the inputs.
    pub names: Vec<String>,
    /// The outcome.
    pub outcome: Outcome,
}

impl Sample {
    /// The number of samples.
    pub fn n(&self) -> usize {
        self.outcome.len()
    }

    /// The number of inputs.
    pub fn p(&self) -> usize {
        self.names.len()
    }

    /// The values of one input.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.x[j * self.n()..(j + 1) * self.n()]
    }

    /// The table in the form the learner takes.
    pub fn data(&self) -> Result<Data> {
        Data::new(self.x.clone(), self.names.clone(), self.outcome.clone())
    }

    /// Some of the samples, in the order given.
    pub fn rows(&self, rows: &[usize]) -> Sample {
        let outcome = self.outcome.of_rows(rows);
        let x = self.x.chunks(self.n()).flat_map(|column| rows.iter().map(move |&i| column[i])).collect();
        Sample { x, names: self.names.clone(), outcome }
    }
}

impl From<Draw> for Sample {
    fn from(draw: Draw) -> Self {
        Sample { x: draw.x, names: draw.names, outcome: draw.outcome }
    }
}
