//! Outputs and gradients of architectures against their definition in double precision.

use enbu_movegen::Position;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::deep::Deep;
use super::{Architecture, Batch, Workspace};
use crate::entry::Entry;
use crate::game::GameResult;
use crate::loss::Target;
use crate::source::Sample;

pub(crate) fn entry(sfen: &str, score: i16) -> Entry {
    let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
    Entry::new(&Sample { position: &position, score, mv: None, result: GameResult::Draw })
}

/// Positions to evaluate.
pub(crate) fn entries() -> Vec<Entry> {
    vec![
        entry("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 50),
        entry("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", -800),
        entry("1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210", 1300),
    ]
}

/// Initial parameters of a network, without virtual inputs.
pub(crate) fn random(architecture: &impl Architecture) -> Vec<f32> {
    let mut values = architecture.fill(&mut Xoshiro256PlusPlus::seed_from_u64(3), 400.0);
    values.truncate(architecture.len());
    values
}

/// Compares outputs with those of the definition.
pub(crate) fn check_outputs<A: Architecture>(architecture: &A, plain: fn(&A, &[f32], &Entry) -> f64) {
    let (parameters, entries) = (random(architecture), entries());
    for (output, entry) in architecture.outputs(&parameters, &entries).into_iter().zip(&entries) {
        let output = f64::from(output);
        assert!((output - plain(architecture, &parameters, entry)).abs() < 1e-5);
    }
}

/// Compares the derivatives by the `tried` parameters with difference quotients of the
/// definition, summed over all entries.
pub(crate) fn check_gradient<A: Architecture>(
    architecture: &A,
    tried: impl Iterator<Item = usize>,
    plain: fn(&A, &[f32], &Entry) -> f64,
) {
    let (mut parameters, mut workspace) = (random(architecture), Workspace::new(architecture));
    let mut gradient = vec![0.0; architecture.trained()];
    workspace.begin(architecture, &parameters, &entries());
    for (position, entry) in entries().iter().enumerate() {
        workspace.load(position);
        architecture.forward(&parameters, entry, &mut workspace);
        architecture.backward(&parameters, entry, 1.0, &mut workspace, &mut gradient);
        workspace.store(position);
    }
    workspace.end(architecture, &mut gradient);
    let mut seen = 0;
    for index in tried {
        let (value, width) = (parameters[index], 1e-3);
        let mut at = |value| {
            parameters[index] = value;
            entries().iter().map(|entry| plain(architecture, &parameters, entry)).sum::<f64>()
        };
        let slope = (at(value + width) - at(value - width)) / f64::from(2.0 * width);
        parameters[index] = value;
        let found = f64::from(gradient[index]);
        assert!((slope - found).abs() < 2e-3 * slope.abs() + 1e-4, "{index}: {slope} {found}");
        seen += usize::from(found != 0.0);
    }
    assert!(seen > 50, "{seen}");
}

/// The gradient of the loss: a step against it lowers the loss by its squared length.
#[test]
fn losses_fall_along_their_gradient() {
    let own = Deep { width: 64 };
    let (entries, order) = (entries(), [0, 1, 2]);
    let batch = Batch { entries: &entries, order: &order, target: Target { scale: 400.0, result_share: 0.25 } };
    let mut parameters = random(&own);
    let mut gradient = vec![0.0; own.trained()];
    let learn =
        |parameters: &[f32], gradient: &mut [f32]| own.learn(parameters, batch, &mut Workspace::new(&own), gradient);
    let loss = learn(&parameters, &mut gradient);
    let plain = own.outputs(&parameters, &entries).into_iter().zip(&entries).map(|(output, entry)| {
        let share = 1.0 / (1.0 + (-f64::from(output)).exp());
        (share - f64::from(batch.target.of(entry))).powi(2)
    });
    assert!((loss - plain.sum::<f64>()).abs() < 1e-6);
    let squared = gradient.iter().map(|slope| f64::from(slope * slope)).sum::<f64>();
    let step = 1e-2 * loss / squared;
    parameters.iter_mut().zip(&gradient).for_each(|(value, slope)| *value -= step as f32 * slope);
    let lowered = loss - learn(&parameters, &mut vec![0.0; own.trained()]);
    assert!((lowered / (step * squared) - 1.0).abs() < 0.1, "{lowered} {}", step * squared);
}
