//! SFEN in and out.

use enbu_movegen::{Color, Hand, HandPiece, Piece, PieceType, Position, Setup, Square};
use enbu_tests::positions::{STARTPOS, from_sfen, samples};

fn parse(text: &str) -> Setup {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The examples in the SFEN description that this project works from, each with its subject.
const EXAMPLES: [(&str, &str); 4] = [
    (STARTPOS, "the start position"),
    ("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2", "after 7g7f"),
    ("lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b B2P 5", "pieces in hand; twenty pawns in all"),
    ("lnsgkg1nl/1+R5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w S 10", "a promoted piece"),
];

#[test]
fn the_published_examples_are_accepted_and_printed_unchanged() {
    for (sfen, what) in EXAMPLES {
        let setup = parse(sfen);
        let position = Position::from_setup(&setup).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(setup.to_string(), sfen, "{what}");
        assert_eq!(position.to_setup(), setup, "{what}");
    }
    assert_eq!(parse(EXAMPLES[2].0).count(PieceType::Pawn), 20);
}

#[test]
fn an_example_reads_as_described() {
    let setup = parse(EXAMPLES[2].0);
    assert_eq!(setup.turn, Color::Black);
    assert_eq!(setup.ply, 5);
    assert_eq!(setup.hands[Color::White], Hand::EMPTY);
    assert_eq!(setup.hands[Color::Black].count(HandPiece::Bishop), 1);
    assert_eq!(setup.hands[Color::Black].count(HandPiece::Pawn), 2);
    assert_eq!(setup.board[Square::S76], Some(Piece::new(Color::Black, PieceType::Pawn)));
    assert_eq!(setup.board[Square::S77], None);
    let dragon = parse(EXAMPLES[3].0).board[Square::S82];
    assert_eq!(dragon, Some(Piece::new(Color::Black, PieceType::Dragon)));
}

#[test]
fn every_sample_survives_its_text() {
    for sfen in samples() {
        let setup = parse(&sfen);
        let printed = setup.to_string();
        assert_eq!(parse(&printed), setup, "{sfen}");
        assert_eq!(from_sfen(&sfen).to_setup(), setup, "{sfen}");
    }
}

#[test]
fn hands_are_read_in_any_order_and_written_in_one() {
    let hand = |text: &str| format!("4k4/9/9/9/9/9/9/9/4K4 b {text} 1");
    for (given, written) in
        [("GR5pnsg", "RGgsn5p"), ("pP", "Pp"), ("1P", "P"), ("p2P3r", "2P3rp"), ("10P18p", "10P18p"), ("-", "-")]
    {
        assert_eq!(parse(&hand(given)).to_string(), hand(written), "{given}");
    }
}

#[test]
fn missing_fields_have_defaults() {
    let full = parse("4k4/9/9/9/9/9/9/9/4K4 w - 1");
    assert_eq!(parse("4k4/9/9/9/9/9/9/9/4K4 w -"), full);
    assert_eq!(parse("4k4/9/9/9/9/9/9/9/4K4 w"), full);
    assert!("4k4/9/9/9/9/9/9/9/4K4".parse::<Setup>().is_err(), "the side to move has no default");
}

#[test]
fn the_move_number_is_clamped() {
    for (number, ply) in [("0", 1), ("-1", 1), ("65535", 65535), ("65536", 65535), ("9223372036854775808", 65535)] {
        assert_eq!(parse(&format!("4k4/9/9/9/9/9/9/9/4K4 b - {number}")).ply, ply, "{number}");
    }
}

#[test]
fn malformed_text_is_refused_with_the_offending_part() {
    let board = "4k4/9/9/9/9/9/9/9/4K4";
    let cases = [
        (String::new(), ""),
        ("startpos b - 1".to_owned(), ""),
        ("4k4/9/9/9/9/9/9/4K4 b - 1".to_owned(), ""),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), ""),
        ("4k3/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "4k3"),
        ("4k5/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "4k5"),
        ("4x4/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "x"),
        ("4+k4/9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "k"),
        ("4k4/4+G4/9/9/9/9/9/9/4K4 b - 1".to_owned(), "G"),
        ("4k4/+9/9/9/9/9/9/9/4K4 b - 1".to_owned(), "+"),
        ("4k4/8+/9/9/9/9/9/9/4K4 b - 1".to_owned(), "+"),
        ("4k4/0/9/9/9/9/9/9/4K4 b - 1".to_owned(), "0"),
        (format!("{board} x - 1"), "x"),
        (format!("{board} b 99P 1"), "99P"),
        (format!("{board} b 0P 1"), "0P"),
        (format!("{board} b 256P 1"), "256P"),
        (format!("{board} b 4294967297P 1"), "4294967297P"),
        (format!("{board} b 18446744073709551617P 1"), "18446744073709551617P"),
        (format!("{board} b P2 1"), "2"),
        (format!("{board} b K 1"), "K"),
        (format!("{board} b +P 1"), "+"),
        (format!("{board} b - twelve"), "twelve"),
    ];
    for (text, part) in cases {
        let error = text.parse::<Setup>().expect_err(&text).to_string();
        assert!(error.contains(part) && error.is_ascii(), "{text}: {error}");
        assert!(error.len() < 300, "{text}: {error}");
    }
}

#[test]
fn a_long_text_is_quoted_only_in_part() {
    let long = "p".repeat(1 << 20);
    for text in [long.clone(), format!("{STARTPOS} {long}"), format!("4k4/9/9/9/9/9/9/9/4K4 b {long} 1")] {
        if let Err(error) = text.parse::<Setup>() {
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
}

#[test]
fn a_position_whose_king_could_be_taken_is_refused() {
    let setup = parse("4k4/9/9/9/4R4/9/9/9/4K4 b - 1");
    let error = Position::from_setup(&setup).expect_err("White is in check and Black is to move").to_string();
    assert!(error.contains("check"), "{error}");
}

#[test]
fn positions_with_one_king_or_none_are_playable() {
    for sfen in ["4k4/9/4P4/9/9/9/9/9/9 b G 1", "9/9/9/9/9/9/9/9/4K4 b G 1", "9/9/9/9/4G4/9/9/9/9 b P 1"] {
        assert!(!enbu_tests::positions::legal_moves(&from_sfen(sfen)).is_empty(), "{sfen}");
    }
}
