//! Opening, middlegame and endgame.
//!
//! A measure of contact decides: the pieces in hand other than pawns and bishops, and the
//! pieces in the opponent's camp other than kings. (Exchanged bishops belong to many
//! openings, pawns in hand as well.) A phase does not end a second time.
//!
//! | phase | begins with the first position of a contact of |
//! |---|---|
//! | opening | 0 |
//! | middlegame | 1 |
//! | endgame | 5 |

use enbu_movegen::{Color, HandPiece, Move, PieceType, Position, Square};

const MIDDLEGAME: u32 = 1;
const ENDGAME: u32 = 5;

/// Numbers of the moves with which middlegame and endgame begin.
pub(crate) fn begin(start: &Position, moves: &[Move]) -> [Option<usize>; 2] {
    let mut position = start.clone();
    let before = contact(&position);
    let mut begins = [MIDDLEGAME, ENDGAME].map(|least| (before >= least).then_some(1));
    for (number, &mv) in (1..).zip(moves) {
        position.do_move(mv);
        let contact = contact(&position);
        for (begin, least) in begins.iter_mut().zip([MIDDLEGAME, ENDGAME]) {
            if contact >= least {
                begin.get_or_insert(number);
            }
        }
    }
    begins
}

fn contact(position: &Position) -> u32 {
    let counted = HandPiece::ALL.into_iter().filter(|piece| !matches!(piece, HandPiece::Pawn | HandPiece::Bishop));
    let in_hand = counted.flat_map(|piece| Color::ALL.map(|color| u32::from(position.hand(color).count(piece))));
    let pieces = Square::ALL.into_iter().filter_map(|square| Some((square, position.piece_at(square)?)));
    let in_camp =
        pieces.filter(|(square, piece)| piece.kind != PieceType::King && square.relative_rank(piece.color) <= 3);
    in_hand.sum::<u32>() + in_camp.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_begin_with_contact() {
        let moves: Vec<Move> =
            ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"].iter().map(|text| text.parse().expect("a move")).collect();
        assert_eq!(begin(&Position::startpos(), &moves[..2]), [None, None]);
        // The horse in the camp is a contact; after its capture bishops in hand are none.
        assert_eq!(begin(&Position::startpos(), &moves), [Some(3), None]);
        let late = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let late = Position::from_setup(&late.parse().expect("an SFEN")).expect("playable");
        assert_eq!(begin(&late, &[]), [Some(1), Some(1)]);
    }
}
