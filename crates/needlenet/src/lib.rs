//! The learner.
