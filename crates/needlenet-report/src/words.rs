//! The one spelling of every shape, stop reason and network.

use needlenet::{Shape, Stop};

/// A shape in one word.
pub fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Rising => "rising",
        Shape::Falling => "falling",
        Shape::Valley => "valley",
        Shape::Peak => "peak",
        Shape::Mixed => "mixed",
    }
}

/// A stop reason for programs.
pub fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::PerfectFit => "perfect_fit",
        Stop::MaxIterations => "max_iterations",
        Stop::Stalled => "stalled",
    }
}

/// A stop reason for people.
pub fn stop_sentence(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::PerfectFit => "perfect fit: the residual is zero",
        Stop::MaxIterations => "NOT CONVERGED: the limit on iterations was reached",
        Stop::Stalled => "NOT CONVERGED: no further decrease in floating-point numbers",
    }
}

/// Widths of the hidden layers: `20,10`, or `none`.
pub fn hidden_layers(widths: &[usize]) -> String {
    if widths.is_empty() {
        return "none".into();
    }
    widths.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_model_file() {
        let of = |value: serde_json::Value| value.as_str().map(str::to_owned);
        for shape in [Shape::Rising, Shape::Falling, Shape::Valley, Shape::Peak, Shape::Mixed] {
            assert_eq!(of(serde_json::json!(shape)).as_deref(), Some(shape_name(shape)));
        }
        for stop in [Stop::Converged, Stop::PerfectFit, Stop::MaxIterations, Stop::Stalled] {
            assert_eq!(of(serde_json::json!(stop)).as_deref(), Some(stop_name(stop)));
            assert_eq!(stop_sentence(stop).starts_with("NOT CONVERGED"), !stop.is_converged());
        }
    }
}
