//! A fit can be stopped from outside at any moment.
#![allow(clippy::unwrap_used)]

mod made;

use std::sync::atomic::{AtomicUsize, Ordering};

use needlenet::{Error, Observer, Progress, Settings, fit_observed, threshold_observed};

/// Stops the work when it has been asked so many times.
struct StopAfter {
    asked: AtomicUsize,
    most: usize,
}

impl StopAfter {
    fn new(most: usize) -> Self {
        StopAfter { asked: AtomicUsize::new(0), most }
    }

    fn times_asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Observer for StopAfter {
    fn step(&self, _: Progress) -> bool {
        true
    }

    fn go_on(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) < self.most
    }
}

#[test]
fn a_fit_ends_within_moments_of_being_stopped_wherever_it_is() {
    let (x, y) = made::nonlinear(200, 20, 1);
    let whole = StopAfter::new(usize::MAX);
    fit_observed(made::regression(x.clone(), y.clone()), &Settings::default(), &whole).unwrap();
    let asked = whole.times_asked();
    assert!(asked > 200, "asked only {asked} times: a stop would take long");
    for most in [0, 30, asked / 3, asked / 2, asked - 2] {
        let observer = StopAfter::new(most);
        let result = fit_observed(made::regression(x.clone(), y.clone()), &Settings::default(), &observer);
        assert!(matches!(result, Err(Error::Interrupted)), "stopped at {most} of {asked}");
        let after = observer.times_asked() - most;
        assert!(after <= 60, "it went on for {after} steps after {most} of {asked}");
    }
}

#[test]
fn a_threshold_can_be_stopped() {
    let (x, y) = made::linear(50, 10, 1);
    let result = threshold_observed(made::regression(x, y), &Settings::default(), &StopAfter::new(3));
    assert!(matches!(result, Err(Error::Interrupted)));
}
