//! Virtual inputs (factorised inputs, as in nnue-pytorch): rows that many inputs share
//! during training.
//!
//! A promoted rook in its own camp is rare, a promoted rook is not. During training the row
//! of an input on the board or in hand is the sum of a row of its own and of the rows of
//! its virtual inputs, which learn from all their members at once. The file holds the sums
//! alone.
//!
//! | virtual input | members |
//! |---|---|
//! | piece | a kind of piece of one side, on any square; in hand, in any number |
//! | rank | a kind of piece of one side on one rank |
//! | gold | all pieces of one side that move like a gold, on one square |
//!
//! Inputs of K-P networks have the virtual inputs of the same pieces; golds and what moves
//! like them are one piece there, which needs no gold of its own.

use std::ops::Range;

use enbu_eval::nnue::FeatureSet;
use enbu_eval::nnue::classic::k_p_input;
use enbu_eval::nnue::own::{INPUTS, Place};
use enbu_movegen::{Piece, PieceType, Square};

use crate::diagram::PLACES;

const SQUARES: usize = Square::COUNT;
const RANKS: usize = 9;
const KINDS: usize = PieceType::COUNT;

/// Virtual inputs of one side, in the order of the table above.
const PIECES: Range<usize> = 0..KINDS + 7;
const ON_RANKS: Range<usize> = PIECES.end..PIECES.end + KINDS * RANKS;
const GOLDS: Range<usize> = ON_RANKS.end..ON_RANKS.end + SQUARES;

pub(crate) const COUNT: usize = 2 * GOLDS.end;

/// For each input of K-P networks one of Enbu's own with the same piece and place; the gold
/// for all that move like it.
const OURS: [Option<u16>; FeatureSet::Kp.inputs()] = {
    let mut ours = [None; FeatureSet::Kp.inputs()];
    // From the last to the first: the gold overwrites the promoted pieces.
    let mut input = INPUTS;
    while input > 0 {
        input -= 1;
        ours[k_p_input(input as u16) as usize] = Some(input as u16);
    }
    ours
};

/// The virtual inputs that are active with an input.
pub(crate) type VirtualInputs = [Option<usize>; 3];

/// The virtual inputs of an input of K-P networks: those of its piece,
/// golds excepted.
pub(crate) fn of_k_p(input: usize) -> VirtualInputs {
    let ours = OURS[input].map_or([None; 3], |input| of_own(usize::from(input)));
    ours.map(|group| group.filter(|group| !GOLDS.contains(&(group % GOLDS.end))))
}

/// The virtual inputs of an input of Enbu's own networks. None for attacks: few of their
/// inputs are rare.
pub(crate) fn of_own(input: usize) -> VirtualInputs {
    use PieceType::{Gold, ProKnight, ProLance, ProPawn, ProSilver};
    let (color, groups) = match PLACES.get(input) {
        None => return [None; 3],
        Some(&Place::Hand(color, piece, _)) => (color, [Some(KINDS + piece as usize), None, None]),
        Some(&Place::Board(Piece { color, kind }, square)) => {
            let rank = ON_RANKS.start + kind as usize * RANKS + usize::from(square.rank()) - 1;
            let is_gold = matches!(kind, Gold | ProPawn | ProLance | ProKnight | ProSilver);
            (color, [Some(kind as usize), Some(rank), is_gold.then_some(GOLDS.start + square.index())])
        }
    };
    groups.map(|group| group.map(|group| color as usize * GOLDS.end + group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::transformer::Transformer;
    use crate::entry::{Entry, MAX_INPUTS};
    use crate::game::GameResult;
    use crate::source::Sample;
    use enbu_movegen::{HandPiece, Position};

    fn groups(sfen: &str) -> [Vec<Vec<usize>>; 2] {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        let entry = Entry::new(&Sample { position: &position, score: 0, mv: None, result: GameResult::Draw });
        let mut view = [0; MAX_INPUTS];
        [entry.own_view().to_vec(), entry.other_view(&mut view).to_vec()].map(|inputs| {
            let mut all: Vec<Vec<usize>> =
                inputs.iter().map(|&input| of_own(usize::from(input)).into_iter().flatten().collect()).collect();
            all.sort();
            all
        })
    }

    #[test]
    fn groups_are_those_of_the_table() {
        let king = PieceType::King as usize;
        let [own, other] = groups("4k4/9/9/9/9/4+P4/9/9/4K4 b G2p 1");
        let tokin = PieceType::ProPawn as usize;
        // The board is numbered file by file; a king on file 5 is not mirrored.
        let expected = |side: usize, ranks: [usize; 2], pro: usize| {
            let (us, them) = (side * GOLDS.end, (1 - side) * GOLDS.end);
            let hand = |base: usize, piece: usize| vec![base + KINDS + piece];
            let mut all = vec![
                vec![us + king, us + ON_RANKS.start + king * RANKS + ranks[0]],
                vec![them + king, them + ON_RANKS.start + king * RANKS + ranks[1]],
                vec![us + tokin, us + ON_RANKS.start + tokin * RANKS + pro, us + GOLDS.start + 4 * SQUARES / 9 + pro],
                hand(us, HandPiece::Gold as usize),
                hand(them, 0),
                hand(them, 0),
            ];
            all.sort();
            all
        };
        assert_eq!(own, expected(0, [8, 0], 5));
        assert_eq!(other, expected(1, [0, 8], 3));
    }

    #[test]
    fn every_group_has_members_and_sums_go_both_ways() {
        let transformer = Transformer { inputs: INPUTS, width: 64 };
        let rows = vec![1.0; INPUTS * 64];
        let mut groups = vec![0.0; COUNT * 64];
        transformer.gather(of_own, &rows, &mut groups);
        let sizes: Vec<f32> = groups.chunks_exact(64).map(|row| row[0]).collect();
        // Ranks include dead squares: the file has rows for them, too.
        assert!(sizes.iter().all(|&size| [81.0, 9.0, 5.0, 18.0, 4.0, 2.0].contains(&size)), "{sizes:?}");
        let mut rows = vec![0.0; INPUTS * 64];
        transformer.fold(of_own, &[0.25; COUNT * 64], 0.6, 0, &mut rows);
        let (gold, silver, hand) =
            (PieceType::Gold as usize * SQUARES, PieceType::Silver as usize * SQUARES, KINDS * SQUARES);
        for (input, sum) in [(gold, 0.6), (silver, 0.5), (hand, 0.25)] {
            assert_eq!(rows[input * 64], sum);
        }
    }

    #[test]
    fn inputs_of_k_p_networks_belong_to_the_groups_of_their_pieces() {
        let transformer = Transformer { inputs: FeatureSet::Kp.inputs(), width: 32 };
        let rows = vec![1.0; FeatureSet::Kp.inputs() * 32];
        let mut groups = vec![0.0; COUNT * 32];
        transformer.gather(of_k_p, &rows, &mut groups);
        let sizes: Vec<f32> = groups.chunks_exact(32).map(|row| row[0]).collect();
        let small = [PieceType::ProPawn, PieceType::ProLance, PieceType::ProKnight, PieceType::ProSilver];
        for side in [0, GOLDS.end] {
            for kind in 0..KINDS {
                let board = if small.iter().any(|&promoted| promoted as usize == kind) { 0.0 } else { 81.0 };
                assert_eq!(sizes[side + kind], board, "{kind}");
            }
            assert_eq!(sizes[side + KINDS..side + PIECES.end], [18.0, 4.0, 4.0, 4.0, 2.0, 2.0, 4.0]);
            assert!(sizes[side + GOLDS.start..side + GOLDS.end].iter().all(|&size| size == 0.0));
        }
    }
}
