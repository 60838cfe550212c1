//! Tests of the method against its theory, without an engine.

use super::*;
use crate::report::Tally;

fn parameter(name: &str, start: i64, min: i64, max: i64, step: f64) -> Parameter {
    Parameter { name: name.to_owned(), start, min, max, step }
}

/// Three parameters that begin far from where they should be: at 100, 40 and 7.
fn three() -> Vec<Parameter> {
    vec![parameter("a", 60, 0, 200, 8.0), parameter("b", 90, 0, 100, 5.0), parameter("c", 3, 1, 12, 1.0)]
}

const OPTIMUM: [f64; 3] = [100.0, 40.0, 7.0];

/// Strength in Elo: falls with the square of the distance from the optimum, by 100 for
/// twenty steps of the first, ten of the second and four of the third.
fn strength(values: &[i64]) -> f64 {
    let scales = [40.0, 50.0, 4.0];
    let losses = values.iter().zip(OPTIMUM).zip(scales).map(|((&value, best), scale)| {
        let distance = (value as f64 - best) / scale;
        distance * distance
    });
    -200.0 * losses.sum::<f64>()
}

/// Plays a trial by the dice: a third of the games are drawn.
fn play(trial: &Trial, pairs: u32, dice: &mut Xoshiro256PlusPlus) -> Tally {
    let difference = strength(&trial.plus) - strength(&trial.minus);
    let wins = 1.0 / (1.0 + 10_f64.powf(-difference / 400.0));
    let mut games = Tally::default();
    for _ in 0..2 * pairs {
        match (dice.random::<f64>() < 1.0 / 3.0, dice.random::<f64>() < wins) {
            (true, _) => games.drawn += 1,
            (false, true) => games.won += 1,
            (false, false) => games.lost += 1,
        }
    }
    games
}

/// A state and its dice, `iterations` later.
fn go_on(state: &mut State, iterations: u64, dice: &mut Xoshiro256PlusPlus) {
    for _ in 0..iterations {
        let Some(trial) = state.trial() else { break };
        let games = play(&trial, state.plan.pairs, dice);
        state.learn(games);
    }
}

fn tuning(parameters: Vec<Parameter>, plan: Plan) -> Result<State, PlanError> {
    State::new(parameters, plan, Conditions::new())
}

fn begin(iterations: u64, pairs: u32, seed: u64) -> State {
    let conditions = Conditions::from([("tc".to_owned(), "10+0.1".to_owned())]);
    State::new(three(), Plan { iterations, pairs, seed, rate: 0.004 }, conditions).unwrap()
}

#[test]
fn values_find_the_top_of_a_noisy_hill() {
    for (pairs, seed) in [(1, 1), (1, 2), (1, 3), (4, 4), (4, 5), (16, 6)] {
        let mut state = begin(16_000 / u64::from(pairs), pairs, seed);
        go_on(&mut state, u64::MAX, &mut Xoshiro256PlusPlus::seed_from_u64(seed + 100));
        let values = &state.values;
        for ((value, best), tolerance) in values.iter().zip(OPTIMUM).zip([8.0, 8.0, 1.0]) {
            assert!((value - best).abs() < tolerance, "seed {seed}: {values:?}");
        }
    }
}

#[test]
fn gains_are_those_of_fishtest() {
    // c(k), and by how much a game won moves a value, from fishtest's own formulas
    // (c and a for the first iteration, divided by powers of k), computed in Python.
    for (done, perturbation, move_by) in [
        (0, 15.922_087_270_511_703, 0.050_237_728_630_191_6),
        (50, 10.703_736_572_319_114, 0.026_646_760_543_944_26),
        (99, 10.0, 0.02),
    ] {
        let plan = Plan { iterations: 100, pairs: 1, seed: 1, rate: 0.002 };
        let mut spsa = tuning(vec![parameter("a", 500, 0, 1000, 10.0)], plan).unwrap();
        (0..done).for_each(|_| spsa.step(0));
        assert_eq!(spsa.values, [500.0], "draws teach nothing");
        assert!((spsa.perturbation(10.0) - perturbation).abs() < 1e-9);
        spsa.step(1);
        assert!(((spsa.values[0] - 500.0).abs() - move_by).abs() < 1e-9);
    }
}

#[test]
fn pairs_count_in_the_gains_as_iterations_of_one_pair_do() {
    let at = |iterations, pairs, done| {
        let mut spsa = tuning(three(), Plan { iterations, pairs, seed: 1, rate: 0.002 }).unwrap();
        (0..done).for_each(|_| spsa.step(0));
        (spsa.perturbation(3.0), spsa.gain())
    };
    assert_eq!(at(100, 4, 25), at(400, 1, 100));
    assert_ne!(at(100, 4, 25), at(100, 4, 24));
}

#[test]
fn the_seed_decides_the_signs_and_they_are_fair() {
    let trials = |seed| {
        let mut state = begin(2000, 1, seed);
        let mut trials = Vec::new();
        while let Some(trial) = state.trial() {
            assert_eq!(state.trial().as_ref(), Some(&trial), "asking changes nothing");
            trials.push(trial);
            state.learn(Tally { drawn: 2, ..Tally::default() });
        }
        trials
    };
    let first = trials(1);
    assert_eq!(first, trials(1));
    assert_ne!(first, trials(2));
    let sign = |trial: &Trial, index: usize| (trial.plus[index] - trial.minus[index]).signum();
    for index in 0..3 {
        let sum: i64 = first.iter().map(|trial| sign(trial, index)).sum();
        // Five standard deviations of 2000 fair coins.
        assert!(sum.abs() < 224, "parameter {index}: {sum}");
    }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let sum: i64 = first.iter().map(|trial| sign(trial, one) * sign(trial, other)).sum();
        assert!(sum.abs() < 224, "parameters {one} and {other} move together: {sum}");
    }
    let sum: i64 = first.windows(2).map(|two| sign(&two[0], 0) * sign(&two[1], 0)).sum();
    assert!(sum.abs() < 224, "signs follow each other: {sum}");
}

#[test]
fn values_are_rounded_such_that_their_average_is_right() {
    let plan = Plan { iterations: 4000, pairs: 1, seed: 5, rate: 0.002 };
    let mut spsa = tuning(vec![parameter("a", 50, 0, 100, 0.5)], plan).unwrap();
    spsa.values[0] = 50.3;
    let [mut difference, mut middle, mut expected] = [0.0; 3];
    while let Some(trial) = spsa.trial() {
        let (plus, minus) = (trial.plus[0], trial.minus[0]);
        assert_ne!(plus, minus, "the games would say nothing");
        difference += (plus - minus).abs() as f64;
        middle += (plus + minus) as f64 / 2.0;
        expected += 2.0 * spsa.perturbation(0.5);
        spsa.step(0);
    }
    assert!((middle / 4000.0 - 50.3).abs() < 0.05, "{middle}");
    assert!((difference - expected).abs() / 4000.0 < 0.05, "{difference}, not {expected}");
}

#[test]
fn values_never_leave_their_ranges() {
    let wild = || {
        vec![
            parameter("at the end", 10, -10, 10, 20.0),
            parameter("narrow", 0, 0, 1, 0.5),
            parameter("far out", (1 << 40) - 1, -(1 << 40), 1 << 40, 1e12),
        ]
    };
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut spsa = tuning(wild(), Plan { iterations: 3000, pairs: 50, seed: 3, rate: 1.0 }).unwrap();
    while let Some(trial) = spsa.trial() {
        let values = spsa
            .values
            .iter()
            .map(|value| value.ceil() as i64)
            .chain(spsa.values.iter().map(|value| value.floor() as i64));
        let played =
            trial.plus.iter().chain(&trial.minus).copied().chain(values).chain(spsa.rounded().collect::<Vec<_>>());
        for (value, parameter) in played.zip(wild().iter().cycle()) {
            assert!((parameter.min..=parameter.max).contains(&value), "{}: {value}", parameter.name);
        }
        spsa.step(dice.random_range(-100..=100));
    }
    let before = spsa.clone();
    spsa.step(100);
    assert_eq!(spsa, before, "nothing is learnt after the end");
}

#[test]
fn a_tuning_that_was_interrupted_ends_as_if_it_had_not_been() {
    let mut whole = begin(400, 2, 11);
    go_on(&mut whole, u64::MAX, &mut Xoshiro256PlusPlus::seed_from_u64(1));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.json");
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(1);
    begin(400, 2, 11).save(&path).unwrap();
    while State::load(&path).unwrap().trial().is_some() {
        let mut part = State::load(&path).unwrap();
        assert_eq!(part.check_fit(&begin(400, 2, 11)), Ok(()));
        go_on(&mut part, 7, &mut dice);
        part.save(&path).unwrap();
    }
    assert_eq!(State::load(&path).unwrap(), whole);
    assert_eq!((whole.done, whole.games.games()), (400, 1600));
    assert_ne!(whole.values, begin(400, 2, 11).values);
}

#[test]
fn plans_without_games_or_with_a_wild_rate_are_refused() {
    let plan = Plan { iterations: 1, pairs: 1, seed: 1, rate: 0.1 };
    assert_eq!(tuning(Vec::new(), plan), Err(PlanError::NoParameter));
    assert_eq!(tuning(three(), Plan { pairs: 0, ..plan }), Err(PlanError::NoGames));
    assert_eq!(tuning(three(), Plan { iterations: 0, ..plan }), Err(PlanError::NoGames));
    for rate in [f64::NAN, 0.0, -0.1, 1.1] {
        assert_eq!(tuning(three(), Plan { rate, ..plan }), Err(PlanError::Rate));
    }
    let outside = tuning(vec![parameter("a", 5, 6, 8, 1.0)], plan).unwrap_err().to_string();
    assert_eq!(outside, "a: the value 5 is outside its range, 6 to 8");
}
