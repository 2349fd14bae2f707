//! Draws a chart as SVG. Colours are CSS classes, so only the style sheet distinguishes light and
//! dark.

use std::fmt::Write;

use maud::{Markup, Render, html};

use super::axis::Scale;
use super::{Chart, LEVELS, Mark};
use crate::layout::{number, rough, shown};

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
/// The right margin if there is a colour key.
const RIGHT_WITH_KEY: f64 = 64.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 46.0;

/// Space above the highest bar, as a share of it, for the names of vertical lines.
const HEADROOM: f64 = 0.2;

/// The names of lines: number per row, width of each, and height of a row.
const KEY_COLUMNS: usize = 3;
const KEY_WIDTH: f64 = 122.0;
const KEY_ROW: f64 = 15.0;

/// The length of a stroke of a rug.
const RUG: f64 = 6.0;

/// The width of a letter of a tick.
const LETTER: f64 = 6.0;

/// Letters that fit along an axis.
const MOST_LETTERS: usize = 44;

impl Render for Chart {
    fn render(&self) -> Markup {
        let keyed = self.marks.iter().any(|mark| matches!(mark, Mark::Areas(..)));
        let right = WIDTH - if keyed { RIGHT_WITH_KEY } else { RIGHT };
        let x = Scale::new(self.range(0), [LEFT, right]);
        let named = self.marks.iter().any(|mark| matches!(mark, Mark::Threshold(..)));
        let [low, high] = self.range(1);
        // the names of vertical lines stand above everything else
        let y = Scale::new(
            [low, if named { high + HEADROOM * (high - low) } else { high }],
            [HEIGHT - BOTTOM, TOP],
        );
        let below = key_height(&self.key);
        html! {
            svg viewBox=(format!("0 0 {WIDTH} {}", HEIGHT + below)) role="img" {
                title { (self.title) }
                desc { (self.description) }
                (axes(&x, &y, right))
                @for mark in &self.marks { (drawn(mark, &x, &y, &self.marks)) }
                (names_of_lines(&self.key))
                text.label x=((LEFT + right) / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" {
                    (shown(&self.x, MOST_LETTERS))
                }
                text.label transform=(format!("translate(13 {}) rotate(-90)", (TOP + HEIGHT - BOTTOM) / 2.0))
                    text-anchor="middle" { (shown(&self.y, MOST_LETTERS)) }
            }
        }
    }
}

fn axes(x: &Scale, y: &Scale, right: f64) -> Markup {
    let base = HEIGHT - BOTTOM;
    let tick = |value: f64| number((value * 1e9).round() / 1e9);
    html! {
        path.axis d=(format!("M{LEFT} {TOP}V{base}H{right}")) {}
        @for value in apart(x, &tick) {
            text.tick x=(place(x.place(value))) y=(base + 20.0) text-anchor="middle" { (tick(value)) }
        }
        @for value in y.ticks() {
            path.grid d=(format!("M{LEFT} {}H{right}", place(y.place(value)))) {}
            text.tick x=(LEFT - 6.0) y=(place(y.place(value) + 3.5)) text-anchor="end" { (tick(value)) }
        }
    }
}

/// The ticks along the horizontal axis whose labels do not touch: all, every second, ...
fn apart(x: &Scale, label: &dyn Fn(f64) -> String) -> Vec<f64> {
    let ticks = x.ticks();
    let longest = ticks.iter().map(|v| label(*v).chars().count()).max().unwrap_or(0);
    let gap =
        ticks.windows(2).map(|pair| x.place(pair[1]) - x.place(pair[0])).next().unwrap_or(f64::INFINITY);
    let step = ((longest as f64 + 1.0) * LETTER / gap).ceil().max(1.0) as usize;
    ticks.into_iter().step_by(step).collect()
}

fn drawn(mark: &Mark, x: &Scale, y: &Scale, all: &[Mark]) -> Markup {
    let base = HEIGHT - BOTTOM;
    let line = |points: &[[f64; 2]]| path(points.iter().map(|p| [x.place(p[0]), y.place(p[1])]));
    match mark {
        Mark::Dots(points) => {
            let dots = points.iter().fold(String::new(), |mut d, p| {
                let _ = write!(d, "M{} {}h0", place(x.place(p[0])), place(y.place(p[1])));
                d
            });
            html! { path.dots d=(dots) {} }
        }
        Mark::Line(number, points) => {
            html! { path class=(format!("line line{}", number % 6)) d=(line(points)) {} }
        }
        Mark::Guide(points) => html! { path.guide d=(line(points)) {} },
        Mark::Band(points) => {
            let there = points.iter().map(|[at, low, _]| [*at, *low]);
            let back = points.iter().rev().map(|[at, _, high]| [*at, *high]);
            html! { path.band d=(line(&there.chain(back).collect::<Vec<_>>()) + "Z") {} }
        }
        Mark::Bars(bars) => html! {
            @for [left, right, height] in bars {
                @let [left, right, top] = [x.place(*left), x.place(*right), y.place(*height)];
                rect.bar x=(place(left)) y=(place(top)) width=(place((right - left - 0.5).max(0.5)))
                    height=(place((base - top).max(0.0))) {}
            }
        },
        Mark::RugBelow(values) => html! { path.rug d=(rug(values, x, base)) {} },
        Mark::RugAbove(values) => html! { path.rug d=(rug(values, x, TOP)) {} },
        Mark::Threshold(at, name, height) => {
            let (place_x, label_y) = (x.place(*at), TOP + 10.0 + 13.0 * *height as f64);
            let line_to_the_right = |other: &Mark| matches!(other, Mark::Threshold(right, ..) if right > at);
            let on_the_left =
                place_x > WIDTH - 90.0 || (place_x > LEFT + 90.0 && all.iter().any(line_to_the_right));
            let (anchor, gap) = if on_the_left { ("end", -4.0) } else { ("start", 4.0) };
            html! {
                path class=(format!("line line{height}")) d=(format!("M{} {TOP}V{base}", place(place_x))) {}
                text.tick x=(place(place_x + gap)) y=(label_y) text-anchor=(anchor) { (name) }
            }
        }
        Mark::Areas(areas, range) => html! {
            @for (level, rings) in areas {
                path class=(format!("level{level}")) fill-rule="evenodd"
                    d=(rings.iter().map(|ring| line(ring) + "Z").collect::<String>()) {}
            }
            (key(*range))
        },
    }
}

/// The legend of the lines, below the picture, where it hides no curve.
fn names_of_lines(names: &[String]) -> Markup {
    html! {
        @for (at, name) in names.iter().enumerate() {
            @let (row, column) = (at / KEY_COLUMNS, at % KEY_COLUMNS);
            @let (x, y) = (14.0 + KEY_WIDTH * column as f64, HEIGHT + 8.0 + KEY_ROW * row as f64);
            path class=(format!("line line{}", at % 6)) d=(format!("M{x} {}h22", y - 3.5)) {}
            text.tick x=(x + 27.0) y=(y) { (shown(name, 16)) }
        }
    }
}

fn key_height(names: &[String]) -> f64 {
    if names.is_empty() { 0.0 } else { KEY_ROW * names.len().div_ceil(KEY_COLUMNS) as f64 + 4.0 }
}

/// The colour key of areas, from the lowest value to the highest.
fn key([low, high]: [f64; 2]) -> Markup {
    let (left, step) = (WIDTH - RIGHT_WITH_KEY + 10.0, (HEIGHT - TOP - BOTTOM - 30.0) / LEVELS as f64);
    let bottom = HEIGHT - BOTTOM - 14.0;
    html! {
        @for level in 0..LEVELS {
            rect class=(format!("level{level}")) x=(left) y=(place(bottom - step * (level + 1) as f64)) width="12"
                height=(place(step)) {}
        }
        text.tick x=(left) y=(bottom + 12.0) { (rough(low)) }
        text.tick x=(left) y=(TOP + 12.0) { (rough(high)) }
    }
}

fn path(points: impl Iterator<Item = [f64; 2]>) -> String {
    points.enumerate().fold(String::new(), |mut d, (at, [x, y])| {
        let _ = write!(d, "{}{} {}", if at == 0 { "M" } else { "L" }, place(x), place(y));
        d
    })
}

fn rug(values: &[f64], x: &Scale, from: f64) -> String {
    values.iter().filter(|v| x.holds(**v)).fold(String::new(), |mut d, v| {
        let _ = write!(d, "M{} {from}v{}", place(x.place(*v)), if from > TOP { -RUG } else { RUG });
        d
    })
}

/// A tenth of a unit of the picture is finer than any screen.
fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
