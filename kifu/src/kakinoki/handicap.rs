//! Handicaps by name.

use enbu_movegen::{Color, Hand, HandPiece, Handicap, PieceType, Setup, Square};

/// A start position that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Standard(Handicap),
    /// Names of lishogi, for what else is taken from the even position.
    Removed(&'static [Square]),
    /// White's back rank without all else: the king, and pawns unless `bare`.
    KingAlone,
    /// A king without pawns, and three pawns in hand.
    ThreePawns,
}

const BOTH_LANCES: [Square; 2] = [Square::S11, Square::S91];
const NINE_PIECES: [Square; 9] = [
    Square::S82,
    Square::S22,
    Square::S11,
    Square::S91,
    Square::S21,
    Square::S81,
    Square::S31,
    Square::S71,
    Square::S41,
];

/// The names; the first of a position is the one that is written.
const NAMES: [(&str, Named); 24] = [
    ("平手", Named::Standard(Handicap::Even)),
    ("香落ち", Named::Standard(Handicap::Lance)),
    ("左香落ち", Named::Standard(Handicap::Lance)),
    ("右香落ち", Named::Standard(Handicap::RightLance)),
    ("角落ち", Named::Standard(Handicap::Bishop)),
    ("飛車落ち", Named::Standard(Handicap::Rook)),
    ("飛落ち", Named::Standard(Handicap::Rook)),
    ("飛香落ち", Named::Standard(Handicap::RookLance)),
    ("二枚落ち", Named::Standard(Handicap::TwoPieces)),
    ("三枚落ち", Named::Standard(Handicap::ThreePieces)),
    ("四枚落ち", Named::Standard(Handicap::FourPieces)),
    ("五枚落ち", Named::Standard(Handicap::FivePieces)),
    ("右五枚落ち", Named::Standard(Handicap::FivePieces)),
    ("左五枚落ち", Named::Standard(Handicap::FivePiecesLeft)),
    ("六枚落ち", Named::Standard(Handicap::SixPieces)),
    ("右七枚落ち", Named::Standard(Handicap::SevenPiecesRight)),
    ("七枚落ち", Named::Standard(Handicap::SevenPiecesRight)),
    ("左七枚落ち", Named::Standard(Handicap::SevenPiecesLeft)),
    ("八枚落ち", Named::Standard(Handicap::EightPieces)),
    ("十枚落ち", Named::Standard(Handicap::TenPieces)),
    ("両香落ち", Named::Removed(&BOTH_LANCES)),
    ("九枚落ち", Named::Removed(&NINE_PIECES)),
    ("裸玉", Named::KingAlone),
    ("歩三兵", Named::ThreePawns),
];

/// Names whose meaning programs dispute, and that are therefore not written.
const DISPUTED: [Handicap; 1] = [Handicap::ThreePieces];

/// The position that a name stands for, which may have blanks, digits and
/// other spellings around; `None` for unknown names.
pub(crate) fn setup_of_name(name: &str) -> Option<Setup> {
    let name = name.trim_end_matches('ち').trim_end_matches('落').trim();
    let plain = |known: &str| known.trim_end_matches('ち').trim_end_matches('落') == name;
    NAMES.into_iter().find(|(known, _)| plain(known)).map(|(_, named)| setup(named))
}

/// The name of a position, among those that every program understands.
pub(crate) fn name_of_setup(position: &Setup) -> Option<&'static str> {
    let common = NAMES
        .into_iter()
        .filter(|(_, named)| matches!(named, Named::Standard(handicap) if !DISPUTED.contains(handicap)));
    common.into_iter().find(|&(_, named)| setup(named) == *position).map(|(name, _)| name)
}

/// The other reading of `三枚落ち`, with the lance on 9a given instead of that on 1a.
pub(crate) fn other_three_pieces() -> Setup {
    removed(&[Square::S82, Square::S22, Square::S91])
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn removed(squares: &[Square]) -> Setup {
    let mut setup = Setup::startpos();
    for &square in squares {
        setup.board[square] = None;
    }
    setup.turn = Color::White;
    setup
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn setup(named: Named) -> Setup {
    let without = |keep: &dyn Fn(PieceType) -> bool| {
        let mut setup = removed(&[]);
        for square in Square::ALL {
            if setup.board[square].is_some_and(|piece| piece.color == Color::White && !keep(piece.kind)) {
                setup.board[square] = None;
            }
        }
        setup
    };
    match named {
        Named::Standard(handicap) => Setup::handicap(handicap),
        Named::Removed(squares) => removed(squares),
        Named::KingAlone => without(&|kind| kind == PieceType::King),
        Named::ThreePawns => {
            let mut setup = without(&|kind| kind == PieceType::King);
            setup.hands[Color::White] = Hand::EMPTY.with_count(HandPiece::Pawn, 3).unwrap_or(Hand::EMPTY);
            setup
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_every_spelling() {
        for (name, sfen) in [
            ("平手", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            ("香落ち", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("二枚落", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("両香落ち", "1nsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
            ("裸玉", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ] {
            assert_eq!(setup_of_name(name).map(|setup| setup.to_string()).as_deref(), Some(sfen), "{name}");
        }
        assert_eq!(setup_of_name("青空将棋"), None);
        assert_eq!(setup_of_name("その他"), None);
    }

    #[test]
    fn only_undisputed_names_are_written() {
        for (name, named) in NAMES {
            let position = setup(named);
            if let Some(written) = name_of_setup(&position) {
                assert_eq!(setup_of_name(written), Some(position), "{name}");
            }
        }
        assert_eq!(name_of_setup(&Setup::startpos()), Some("平手"));
        assert_eq!(name_of_setup(&Setup::handicap(Handicap::ThreePieces)), None);
        assert_eq!(name_of_setup(&other_three_pieces()), None);
    }
}
