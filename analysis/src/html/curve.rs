//! The curve of win probability as SVG.

use std::fmt::Write as _;

use crate::class::Class;
use crate::report::GameReport;

pub(super) const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
pub(super) const LEFT: f64 = 48.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 20.0;

/// Distance between two moves.
pub(super) fn step(report: &GameReport) -> f64 {
    (WIDTH - LEFT - 8.0) / report.moves.len().max(1) as f64
}

fn y(win: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - win)
}

/// The curve with marks for bad moves and phases, and a line for the script to move.
pub(super) fn svg(report: &GameReport) -> String {
    let (step, bottom) = (step(report), HEIGHT - BOTTOM);
    let x = |ply: usize| LEFT + step * ply as f64;
    let mut picture = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"curve-title\">\n");
    for (win, label) in [(1.0, "100%"), (0.5, "50%"), (0.0, "0%")] {
        let y = y(win);
        let _ = writeln!(
            picture,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"0\" y=\"{}\">{label}</text>",
            y + 4.0
        );
    }
    for ply in (20..=report.moves.len()).step_by(20) {
        // Half a number must fit beside its place.
        let (x, y) = (x(ply).min(WIDTH - 22.0), HEIGHT - 5.0);
        let _ = writeln!(picture, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{ply}</text>");
    }
    for ply in report.phases.into_iter().flatten() {
        let x = x(ply);
        let _ = writeln!(picture, "<line class=\"phase\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
    }
    let points: Vec<(f64, f64)> =
        report.positions.iter().filter_map(|position| position.win.map(|win| (x(position.ply), y(win)))).collect();
    if let (Some(first), Some(last)) = (points.first(), points.last()) {
        let path: String = points.iter().map(|(x, y)| format!("L{x:.1} {y:.1}")).collect();
        let middle = y(0.5);
        let _ =
            writeln!(picture, "<path class=\"area\" d=\"M{:.1} {middle}{path}L{:.1} {middle}Z\"/>", first.0, last.0);
        let _ = writeln!(picture, "<path class=\"path\" d=\"M{}\"/>", path.trim_start_matches('L'));
    }
    for (mv, position) in report.moves.iter().zip(report.positions.iter().skip(1)) {
        let Some(class) = mv.class.filter(|&class| class >= Class::Inaccuracy) else { continue };
        let Some(win) = position.win else { continue };
        let radius = if report.deciding_ply == Some(mv.ply) { 7 } else { 4 };
        let _ = writeln!(
            picture,
            "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>",
            class.name(),
            x(mv.ply),
            y(win)
        );
    }
    let _ =
        writeln!(picture, "<line class=\"cursor\" x1=\"{LEFT}\" x2=\"{LEFT}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\n</svg>");
    picture
}
