//! Checks the reasons in reports of `enbu analyse`, JSON lines or `*.analysis.json` files.
//!
//! `claims [--sentences] [--again] FILE...` prints the number of mistakes, of reasons of each fact,
//! and the false ones; it fails if there are any. `--again` finds the reasons anew.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use enbu_analysis::{Analyst, Class, GameReport, Settings, explain};
use enbu_eval::Evaluation;
use enbu_movegen::EnteringKingRule;
use enbu_tests::claims::false_reasons;

#[expect(clippy::print_stdout, reason = "it reports")]
fn main() -> ExitCode {
    let (mut games, mut mistakes, mut false_ones) = (0, 0, 0);
    let mut facts: BTreeMap<String, usize> = BTreeMap::new();
    let (options, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let has = |name: &str| options.iter().any(|option| option == name);
    let settings = Settings { mate_nodes: 2000, hash_mb: 1, ..Settings::default() };
    let mut analyst = Analyst::new(&settings, &Evaluation::default(), "Enbu", Arc::default()).expect("a megabyte");
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a file of reports");
        for mut report in text.lines().filter_map(|line| GameReport::from_json(line).ok()) {
            games += 1;
            if has("--again") {
                report.moves.iter_mut().for_each(|mv| mv.reason = None);
                explain(&mut report, EnteringKingRule::Csa27, &mut analyst);
            }
            for mv in &report.moves {
                if mv.class < Some(Class::Inaccuracy) && mv.missed_mate.is_none() {
                    continue;
                }
                mistakes += 1;
                let Some(reason) = &mv.reason else { continue };
                *facts.entry(format!("{:?}", reason.fact)).or_default() += 1;
                if has("--sentences") {
                    println!("{} {} {}\t{}\t{}", report.source.file, mv.ply, mv.usi, reason.ja, reason.en);
                }
            }
            for error in false_reasons(&report, EnteringKingRule::Csa27) {
                println!("FALSE {error}");
                false_ones += 1;
            }
        }
    }
    let reasons: usize = facts.values().sum();
    facts.iter().for_each(|(fact, count)| println!("{fact}\t{count}"));
    let share = 100.0 * reasons as f64 / mistakes as f64;
    println!("games {games}, mistakes {mistakes}, with a reason {reasons} ({share:.1} %), false {false_ones}");
    ExitCode::from(u8::from(false_ones > 0))
}
