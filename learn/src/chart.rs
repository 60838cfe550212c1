//! The loss curves of a training as an SVG picture.

use std::fmt::Write as _;

use crate::trainer::Point;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 64.0;

/// A curve: its name, its colour, and the height of each point.
type Line<'a> = (&'static str, &'static str, &'a dyn Fn(&Point) -> f64);

/// Draws the training loss, the validation loss, and the learning rate on its own scale.
///
/// ```
/// let svg = enbu_learn::loss_chart("a training", &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn loss_chart(title: &str, curve: &[Point]) -> String {
    // Writing to a String cannot fail.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\">{}</text>\n",
        escaped(title)
    );
    let losses = || curve.iter().flat_map(|point| [point.training, point.validation]);
    let (low, high) = losses().fold((f64::MAX, f64::MIN), |(low, high), loss| (low.min(loss), high.max(loss)));
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    let last = curve.last().map_or(1.0, |point| point.batch.max(1) as f64);
    let highest_rate = curve.iter().map(|point| point.rate).fold(f64::MIN_POSITIVE, f64::max);
    let bottom = HEIGHT - 40.0;
    let y = |value: f64, low: f64, high: f64| bottom - (value - low) / (high - low) * (bottom - 50.0);
    for value in [low, low.midpoint(high), high] {
        let at = y(value, low, high);
        let _ = writeln!(
            svg,
            "<path d=\"M{MARGIN} {at:.1}H{}\" stroke=\"#bbb\" stroke-dasharray=\"4 3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.4}</text>",
            WIDTH - MARGIN,
            MARGIN - 6.0,
            at + 4.0
        );
    }
    let lines: [Line<'_>; 3] = [
        ("learning rate", "#bbb", &|point| y(point.rate, 0.0, highest_rate)),
        ("training", "#963", &|point| y(point.training, low, high)),
        ("testing", "#036", &|point| y(point.validation, low, high)),
    ];
    for (index, (name, color, height)) in lines.into_iter().enumerate() {
        let points: Vec<String> = curve
            .iter()
            .map(|point| {
                let x = MARGIN + point.batch as f64 / last * (WIDTH - 2.0 * MARGIN);
                format!("{x:.1},{:.1}", height(point))
            })
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>\
             <text x=\"{:.1}\" y=\"40\" fill=\"{color}\">{name}</text>",
            points.join(" "),
            MARGIN + 110.0 * index as f64
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{last} batches</text>",
        WIDTH - MARGIN,
        bottom + 20.0
    );
    svg += "</svg>\n";
    svg
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_in_the_picture() {
        let point = |batch: u64| Point {
            batch: batch * 10,
            training: 0.2 / batch as f64,
            validation: 0.1 + 0.1 / batch as f64,
            rate: 1e-3 / batch as f64,
        };
        for count in [0, 1, 2, 100] {
            let curve: Vec<Point> = (1..=count).map(point).collect();
            let svg = loss_chart("<a> & b", &curve);
            assert!(svg.contains("&lt;a&gt; &amp; b"));
            assert_eq!(svg.matches("<polyline").count(), 3);
            let lines = svg.split("points=\"").skip(1).map(|rest| rest.split('"').next().expect("a quote"));
            let mut seen = 0;
            for place in lines.flat_map(str::split_whitespace) {
                let (x, y) = place.split_once(',').expect("two numbers");
                let (x, y): (f64, f64) = (x.parse().expect("a number"), y.parse().expect("a number"));
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{count}: {place}");
                seen += 1;
            }
            assert_eq!(seen, 3 * count);
        }
    }
}
