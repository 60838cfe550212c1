//! Charts as SVG pictures. That of a match shows Elo with its interval, and the
//! log-likelihood ratio of a test, over the games played.

use std::fmt::Write as _;

use enbu_kifu::markup::escape;
use enbu_language::{pick, text};

use crate::record::GameRecord;
use crate::report::{LEAST_PAIRS, Report};
use crate::sprt::Sprt;

const WIDTH: f64 = 800.0;
const PANEL_HEIGHT: f64 = 240.0;
const MARGIN: f64 = 56.0;
/// More points than pixels show nothing more.
const MAX_POINTS: usize = 700;

/// One line of a panel.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend; empty for none.
    pub name: &'static str,
    /// Its colour in SVG.
    pub color: &'static str,
    /// Units (games played) and the value there.
    pub points: Vec<(f64, f64)>,
}

/// One of the diagrams.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its lines.
    pub series: Vec<Series>,
    /// Values at which a dashed line is drawn.
    pub marks: Vec<f64>,
    /// The least range of values shown.
    pub range: (f64, f64),
}

/// Draws the games of the first pairing in `games`, in their order. Pairs count when
/// both games are there; before the first, the chart is empty.
///
/// ```
/// let svg = enbu_arena::chart::svg(&[], None);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn svg(games: &[GameRecord], sprt: Option<&Sprt>) -> String {
    let mut elo = [const { Vec::new() }; 3];
    let mut llr = Vec::new();
    let mut report = Report::default();
    let mut pairs = 0;
    let mut title = String::new();
    let first = games.first().map(|game| (&game.name1, &game.name2));
    for game in games.iter().filter(|game| Some((&game.name1, &game.name2)) == first) {
        report.add(game);
        let pairing = &report.pairings[0];
        if pairing.pairs.pairs() == pairs {
            continue;
        }
        pairs = pairing.pairs.pairs();
        let at = pairing.all.games() as f64;
        let estimate = pairing.pairs.elo();
        // Of one or two pairs no interval is worth showing, and it would dwarf the rest.
        if pairs >= LEAST_PAIRS {
            for (line, sign) in elo.iter_mut().zip([0.0, -1.0, 1.0]) {
                line.push((at, (estimate.value + sign * estimate.half_width).clamp(-1000.0, 1000.0)));
            }
        }
        llr.extend(sprt.map(|sprt| (at, sprt.llr(&pairing.pairs))));
        let ([name1, name2], line, games) = (&pairing.names, pairing.line(sprt), pairing.all.games());
        title = text!("{name1} against {name2}: {games} games  {line}", "{name1} 対 {name2}：{games}局  {line}")
            .to_string();
    }
    let [value, lower, upper] = elo.map(thinned);
    let band = [lower, upper].map(|points| Series { name: "", color: "#9ab", points });
    let series = band.into_iter().chain([Series { name: "", color: "#036", points: value }]).collect();
    let mut panels = vec![Panel { title: "Elo (95 %)", series, marks: vec![0.0], range: (-20.0, 20.0) }];
    if let Some(sprt) = sprt {
        let (low, high) = sprt.bounds();
        let series = vec![Series { name: "", color: "#630", points: thinned(llr) }];
        panels.push(Panel { title: "LLR", series, marks: vec![low, 0.0, high], range: (low, high) });
    }
    draw(&title, pick("games", "局"), &panels)
}

/// Every n-th point, the last one included, so that at most [`MAX_POINTS`] are left.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MAX_POINTS).max(1);
    let last = points.last().copied();
    let mut thin: Vec<(f64, f64)> = points.into_iter().step_by(step).collect();
    if thin.last() != last.as_ref() {
        thin.extend(last);
    }
    thin
}

/// Draws panels below each other, over `unit`s.
///
/// ```
/// let svg = enbu_arena::chart::draw("a title", "batches", &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn draw(title: &str, unit: &str, panels: &[Panel<'_>]) -> String {
    let height = 40.0 + panels.len() as f64 * PANEL_HEIGHT;
    // Writing to a String cannot fail.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\">{}</text>\n",
        escape(title)
    );
    for (index, panel) in panels.iter().enumerate() {
        draw_panel(&mut svg, panel, unit, 40.0 + index as f64 * PANEL_HEIGHT);
    }
    svg += "</svg>\n";
    svg
}

fn draw_panel(svg: &mut String, panel: &Panel<'_>, unit: &str, top: f64) {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let games = points().map(|&(games, _)| games).fold(1.0, f64::max);
    let low = points().map(|&(_, value)| value).chain(panel.marks.iter().copied()).fold(panel.range.0, f64::min);
    let high = points().map(|&(_, value)| value).chain(panel.marks.iter().copied()).fold(panel.range.1, f64::max);
    let bottom = top + PANEL_HEIGHT - 40.0;
    let decimals = if high - low < 1.0 { 4 } else { 1 };
    let x = |games_played: f64| MARGIN + games_played / games * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| bottom - (value - low) / (high - low) * (bottom - top - 20.0);
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>", top + 10.0, panel.title);
    for value in [low, high].iter().chain(&panel.marks) {
        let (at, right) = (y(*value), WIDTH - MARGIN);
        let _ = writeln!(
            svg,
            "<path d=\"M{MARGIN} {at:.1}H{right}\" stroke=\"#bbb\" stroke-dasharray=\"4 3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.decimals$}</text>",
            MARGIN - 6.0,
            at + 4.0
        );
    }
    for (games_played, anchor) in [(0.0, "start"), (games, "end")] {
        let (at, below) = (x(games_played), bottom + 18.0);
        let unit = if anchor == "end" { format!(" {unit}") } else { String::new() };
        let _ =
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"{anchor}\">{games_played}{unit}</text>");
    }
    for (index, series) in panel.series.iter().enumerate() {
        let (name_at, name_top) = (MARGIN + 110.0 * (index + 1) as f64, top + 10.0);
        if !series.name.is_empty() {
            let Series { name, color, .. } = series;
            let _ = writeln!(svg, "<text x=\"{name_at:.1}\" y=\"{name_top:.1}\" fill=\"{color}\">{name}</text>");
        }
        let point = |&(games_played, value): &(f64, f64)| format!("{:.1},{:.1}", x(games_played), y(value));
        let line: Vec<String> = series.points.iter().map(point).collect();
        let (line, color) = (line.join(" "), series.color);
        let _ = writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Points;
    use crate::record::tests::game;
    use crate::sprt::EloModel;

    fn games(count: usize) -> Vec<GameRecord> {
        let score = |number: usize| if number.is_multiple_of(3) { Points::Loss } else { Points::Win };
        (0..count)
            .map(|number| GameRecord {
                game: number,
                pair: number / 2,
                score1: score(number),
                name1: "<new> & co".to_owned(),
                ..game()
            })
            .collect()
    }

    #[test]
    fn every_point_lies_in_the_picture() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        for count in [0, 1, 2, 20, 5000] {
            let svg = svg(&games(count), Some(&sprt));
            assert_eq!(svg.matches("<polyline").count(), 4, "{count}");
            let lines = svg.split("points=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            for point in lines.flat_map(str::split_whitespace) {
                let (x, y) = point.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=600.0).contains(&y), "{count}: {point}");
            }
        }
    }

    #[test]
    fn names_are_escaped_and_long_matches_thinned() {
        let svg = svg(&games(5000), None);
        assert!(svg.contains("&lt;new&gt; &amp; co against old: 5000 games"));
        assert!(svg.len() < 100_000, "{}", svg.len());
    }

    #[test]
    fn lines_of_any_length_stay_in_the_picture() {
        for count in [0, 1, 2, 100] {
            let points: Vec<_> = (1..=count).map(|at| (f64::from(at) * 10.0, 0.2 / f64::from(at))).collect();
            let named = |name| Series { name, color: "#036", points: points.clone() };
            let series = vec![named("training"), named("testing")];
            let svg =
                draw("<a> & b", "batches", &[Panel { title: "loss", series, marks: Vec::new(), range: (0.1, 0.2) }]);
            assert!(svg.contains("&lt;a&gt; &amp; b") && svg.contains(">testing</text>") && svg.contains(" batches<"));
            let lines = svg.split("points=\"").skip(1).map(|rest| rest.split('"').next().expect("a quote"));
            let places: Vec<_> = lines.flat_map(str::split_whitespace).collect();
            assert_eq!(places.len(), 2 * count as usize);
            for place in places {
                let (x, y) = place.split_once(',').expect("two numbers");
                let (x, y): (f64, f64) = (x.parse().expect("a number"), y.parse().expect("a number"));
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=40.0 + PANEL_HEIGHT).contains(&y), "{count}: {place}");
            }
        }
    }
}
