//! Damaged input of every kind: whatever is done to it, readers keep their contract.
//!
//! `ENBU_MUTATIONS` sets the number of inputs for each kind (50 without it), `ENBU_SEED`
//! the first of their seeds. A failure names the seed of one input, which
//! `ENBU_MUTATIONS=1 ENBU_SEED=N` repeats.

use enbu_tests::readers::{TARGETS, Target, mutated};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn examine(target: &Target, bytes: &[u8], what: &str) {
    let outcome = std::panic::catch_unwind(|| (target.examine)(bytes));
    assert!(outcome.is_ok(), "{}, {what}: {}", target.name, bytes.escape_ascii());
}

#[test]
fn readers_keep_their_contract_on_damaged_input() {
    let count = enbu_tests::number("ENBU_MUTATIONS").unwrap_or(enbu_tests::fewer(50));
    let first = enbu_tests::number("ENBU_SEED").unwrap_or(1);
    std::thread::scope(|scope| {
        // Networks have damage of their own in `networks.rs`.
        for target in TARGETS.iter().filter(|target| target.name != "networks") {
            scope.spawn(move || {
                let seeds = (target.seeds)();
                seeds.iter().enumerate().for_each(|(index, bytes)| examine(target, bytes, &format!("input {index}")));
                for seed in first..first + count {
                    let bytes = mutated(&seeds, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
                    examine(target, &bytes, &format!("seed {seed}"));
                }
            });
        }
    });
}
