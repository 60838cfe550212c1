//! The state of a tuning: a line while it runs, the table of parameters at its end.

use std::fmt::Write as _;

use enbu_arena::spsa::{Parameter, State};

/// Number of parameters in a line of progress.
const NAMED: usize = 3;

fn rows(state: &State) -> impl Iterator<Item = (&Parameter, f64)> {
    state.parameters.iter().zip(state.values.iter().copied())
}

/// By how many of its steps a parameter has moved.
fn steps(parameter: &Parameter, value: f64) -> f64 {
    (value - parameter.start as f64) / parameter.step
}

/// Iterations done and the parameters that have moved most.
pub(super) fn line(state: &State) -> String {
    let mut text = summary(state);
    let mut moved: Vec<(&Parameter, f64)> = rows(state).collect();
    moved.sort_by(|one, other| steps(other.0, other.1).abs().total_cmp(&steps(one.0, one.1).abs()));
    for (parameter, value) in moved.into_iter().take(NAMED) {
        let _ = write!(text, "  {} {} -> {value:.1}", parameter.name, parameter.start);
    }
    text
}

fn summary(state: &State) -> String {
    let (done, all, games) = (state.done, state.plan.iterations, state.games);
    format!("iteration {done} of {all}, games +{} ={} -{}", games.won, games.drawn, games.lost)
}

/// The table of parameters, and the lines that make their values the defaults of ours.
pub(super) fn table(state: &State) -> String {
    let width = rows(state).map(|(parameter, _)| parameter.name.len()).max().unwrap_or(0).max("parameter".len());
    let mut text =
        format!("{:<width$} {:>8} {:>11} {:>8} {:>7}  range\n", "parameter", "start", "now", "step", "moved");
    for (parameter, value) in rows(state) {
        let Parameter { name, start, min, max, step } = parameter;
        let moved = steps(parameter, value);
        let _ = writeln!(text, "{name:<width$} {start:>8} {value:>11.2} {step:>8} {moved:>+7.2}  {min} to {max}");
    }
    let _ = writeln!(text, "{} (of one side of the trials against the other)\n", summary(state));
    text.push_str("For search/src/params.rs:\n");
    for ((parameter, _), value) in rows(state).zip(state.rounded()) {
        let Parameter { name, min, max, step, .. } = parameter;
        let _ = writeln!(text, "    {name}: i32 = {value}, {min}..={max}, {:.0};", step.round().max(1.0));
    }
    text
}

#[cfg(test)]
mod tests {
    use enbu_arena::report::Tally;
    use enbu_arena::spsa::{Conditions, Plan};

    use super::*;

    #[test]
    fn the_table_has_start_and_present_values() {
        let parameter = |name: &str, start, step| Parameter { name: name.to_owned(), start, min: -10, max: 2000, step };
        let parameters = vec![parameter("lmr_base", 410, 100.0), parameter("lmr_check", -5, 0.5)];
        let plan = Plan { iterations: 2, pairs: 1, seed: 3, rate: 0.5 };
        let mut state = State::new(parameters, plan, Conditions::new()).unwrap();
        state.learn(Tally { won: 1, drawn: 1, lost: 0 });
        let values = state.values.to_vec();
        assert!((values[0] - 410.0).abs() > 1.0);
        let expected = format!(
            "parameter    start         now     step   moved  range\n\
             lmr_base       410 {:>11.2}      100 {:>+7.2}  -10 to 2000\n\
             lmr_check       -5 {:>11.2}      0.5 {:>+7.2}  -10 to 2000\n\
             iteration 1 of 2, games +1 =1 -0 (of one side of the trials against the other)\n\n\
             For search/src/params.rs:\n    lmr_base: i32 = {}, -10..=2000, 100;\n    lmr_check: i32 = {}, -10..=2000, 1;\n",
            values[0],
            (values[0] - 410.0) / 100.0,
            values[1],
            (values[1] + 5.0) / 0.5,
            values[0].round(),
            values[1].round(),
        );
        assert_eq!(table(&state), expected);
        assert!(line(&state).starts_with("iteration 1 of 2, games +1 =1 -0  lmr_"), "{}", line(&state));
    }
}
