//! `sure` that was stopped goes on from what is finished, with the same bits.
#![allow(clippy::unwrap_used)]

mod made;

use std::sync::Mutex;

use made::{linear, regression};
use needlenet::{
    Error, Finished, Observer, Progress, Settings, SureOptions, fit, sure, sure_missing, sure_piece,
    sure_resumed,
};

/// Keeps what is finished, as lines, and stops after some of it.
struct Keeper {
    lines: Mutex<Vec<String>>,
    patience: usize,
}

impl Observer for Keeper {
    fn step(&self, _: Progress) -> bool {
        self.lines.lock().unwrap().len() < self.patience
    }

    fn finished(&self, piece: &Finished) {
        self.lines.lock().unwrap().push(serde_json::to_string(piece).unwrap());
    }
}

#[test]
fn run_that_was_stopped_goes_on_with_the_same_bits() {
    let (x, y) = linear(80, 5, 21);
    let data = regression(x, y);
    let settings = Settings { hidden: Vec::new(), draws: 300, threads: 1, ..Settings::default() };
    let options = SureOptions { pairs: 4, ..SureOptions::default() };
    let model = fit(data.clone(), &settings).unwrap();
    let whole = sure(&data, &model, &options, &()).unwrap();

    let stopped = Keeper { lines: Mutex::default(), patience: 5 };
    assert_eq!(sure(&data, &model, &options, &stopped), Err(Error::Interrupted));
    let kept: Vec<Finished> =
        stopped.lines.into_inner().unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(kept.len(), 5);

    let further = Keeper { lines: Mutex::default(), patience: usize::MAX };
    assert_eq!(sure_resumed(&data, &model, &options, &kept, &further).unwrap(), whole);
    // two tests and eight halves in all
    assert_eq!(further.lines.into_inner().unwrap().len(), 2 + 8 - 5);
}

#[test]
fn pieces_that_are_done_one_by_one_give_the_same_bits() {
    let (mut x, y) = linear(80, 5, 22);
    // the last input is a near copy of the first, so there is a test of a group
    for i in 0..80 {
        x[4 * 80 + i] = x[i] + 0.05 * x[4 * 80 + i];
    }
    let data = regression(x, y);
    let settings = Settings { hidden: Vec::new(), draws: 300, threads: 2, ..Settings::default() };
    let options = SureOptions { pairs: 2, ..SureOptions::default() };
    let model = fit(data.clone(), &settings).unwrap();
    let whole = sure(&data, &model, &options, &()).unwrap();
    assert!(whole.needles.iter().any(|needle| needle.group.is_some()));

    let mut finished = Vec::new();
    let missing = sure_missing(&data, &model, &options, &finished).unwrap();
    for at in missing.iter().rev() {
        finished.push(sure_piece(&data, &model, &options, *at, &()).unwrap());
    }
    assert_eq!(sure_missing(&data, &model, &options, &finished[1..]).unwrap(), missing[missing.len() - 1..]);
    let none = Keeper { lines: Mutex::default(), patience: usize::MAX };
    assert_eq!(sure_resumed(&data, &model, &options, &finished, &none).unwrap(), whole);
    assert!(none.lines.into_inner().unwrap().is_empty());
    assert!(sure_piece(&data, &model, &options, missing.len(), &()).is_err());
}
