//! The book in play: each option with a book made for it, through the protocol.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::session::Session;
use tempfile::TempDir;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

/// After 7g7f.
const WHITE: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

/// A folder with books and a session that plays from one of them.
struct Play {
    folder: TempDir,
    session: Session,
}

/// The reports of a `go` and its answer.
struct Answer {
    lines: Vec<String>,
    best: String,
}

impl Play {
    /// A session with this `.db`, without its header, as the book.
    fn with(text: &str) -> Self {
        let mut play = Self::without();
        let path = play.write("test.db", text);
        play.set("BookFile", &path.to_string_lossy());
        play
    }

    fn without() -> Self {
        let mut session = Session::start();
        session.send("setoption name Eval value PieceSquare");
        session.send("setoption name Threads value 1");
        session.send("setoption name USI_Hash value 1");
        Self { folder: tempfile::tempdir().expect("a folder"), session }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, format!("#YANEURAOU-DB2016 1.00\n{text}")).expect("written");
        path
    }

    fn set(&mut self, name: &str, value: &str) {
        self.session.send(&format!("setoption name {name} value {value}"));
    }

    fn go(&mut self, position: &str, limits: &str) -> Answer {
        self.session.send(&format!("position {position}"));
        let mut tries = 0;
        loop {
            tries += 1;
            self.session.send(&format!("go {limits}"));
            let lines = self.session.until("bestmove");
            let best = lines.last().expect("an answer")["bestmove ".len()..].to_owned();
            let answer = Answer { lines, best };
            // A busy machine may hold up a look-up for the second after which the search answers.
            if tries == 3 || !answer.says("no answer in time") {
                return answer;
            }
        }
    }

    /// The book move for the start position; `None` if the search answers.
    fn book_move(&mut self) -> Option<String> {
        self.go("startpos", "nodes 50").book_move()
    }

    /// The book moves for the start position under many seeds.
    fn book_moves(&mut self) -> BTreeSet<Option<String>> {
        let moves = (1..=40).map(|seed: u32| {
            self.set("SkillSeed", &seed.to_string());
            self.book_move()
        });
        moves.collect()
    }
}

impl Answer {
    fn says(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }

    /// The move, if the book answered.
    fn book_move(&self) -> Option<String> {
        let mv = self.best.split(' ').next().expect("a move");
        self.says(&format!("info string book: {mv}, one of ")).then(|| mv.to_owned())
    }

    /// The last line with a score or a variation.
    fn last_info(&self) -> &str {
        let is_report = |line: &&String| line.starts_with("info ") && line.contains(" pv ");
        self.lines.iter().rev().find(is_report).expect("a report")
    }
}

fn some(moves: &[&str]) -> BTreeSet<Option<String>> {
    moves.iter().map(|mv| Some((*mv).to_owned())).collect()
}

#[test]
fn a_hit_is_played_at_once_and_shown_as_book() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 12 20 3\nsfen {WHITE} 2\n8c8d none 5 20 1\n"));
    play.set("SkillSeed", "77");
    let answer = play.go("startpos", "btime 600000 wtime 600000 byoyomi 10000");
    assert_eq!(answer.best, "1g1f");
    assert!(answer.says("info string book: 1g1f, one of 1 moves, seed 77"), "{:?}", answer.lines);
    let info = answer.last_info();
    assert!(
        info.starts_with("info depth 20 ") && info.contains(" score cp 12 ") && info.ends_with(" pv 1g1f"),
        "{info}"
    );
    let answer = play.go("startpos moves 2g2f", "nodes 50");
    assert!(!answer.says("book:"), "{:?}", answer.lines);
}

#[test]
fn the_expected_reply_comes_from_the_entry_or_from_the_next_position() {
    let mut play = Play::with(&format!("sfen {START} 1\n7g7f 3c3d 12 20 3\nsfen {WHITE} 2\n8c8d none 5 20 1\n"));
    assert_eq!(play.go("startpos", "nodes 50").best, "7g7f ponder 3c3d");
    let mut play = Play::with(&format!("sfen {START} 1\n7g7f none 12 20 3\nsfen {WHITE} 2\n8c8d none 5 20 1\n"));
    assert_eq!(play.go("startpos", "nodes 50").best, "7g7f ponder 8c8d");
    // An illegal reply is not named.
    let mut play = Play::with(&format!("sfen {START} 1\n7g7f 7g7f 12 20 3\n"));
    assert_eq!(play.go("startpos", "nodes 50").best, "7g7f");
}

#[test]
fn own_book_is_the_tick_that_guis_send() {
    for option in ["USI_OwnBook", "OwnBook"] {
        let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 0 20 1\n"));
        assert_eq!(play.book_move().as_deref(), Some("1g1f"));
        play.set(option, "false");
        assert_eq!(play.book_move(), None);
        play.set(option, "true");
        assert_eq!(play.book_move().as_deref(), Some("1g1f"));
    }
}

#[test]
fn a_gui_that_sends_every_option_at_its_default_gets_no_message() {
    let mut session = Session::start();
    session.send("usi");
    let options: Vec<String> = session.until("usiok");
    assert!(options.contains(&"option name USI_OwnBook type check default true".to_owned()), "{options:?}");
    assert!(options.contains(&"option name BookFile type filename default standard_book.db".to_owned()));
    assert!(options.contains(&"option name BookEvalWhiteLimit type spin default -140 min -99999 max 99999".to_owned()));
    for line in options.iter().filter(|line| line.contains("Book")) {
        let words: Vec<&str> = line.split(' ').collect();
        session.send(&format!("setoption name {} value {}", words[2], words[6]));
    }
    session.send("setoption name USI_Hash value 1");
    session.send("isready");
    let said = session.until("readyok");
    assert!(!said.iter().any(|line| line.contains("book")), "{said:?}");
    session.close_input();
    session.exits_cleanly();
}

#[test]
fn a_book_is_named_by_absolute_and_relative_path() {
    let mut play = Play::without();
    let text = format!("sfen {START} 1\n1g1f none 0 20 1\n");
    let path = play.write("deep/a book.db", &text);
    let folder = play.folder.path().to_string_lossy().into_owned();
    for (dir, file) in [
        ("book", path.to_string_lossy().into_owned()),
        (folder.as_str(), "deep/a book.db".into()),
        (&format!("{folder}/deep"), "a book.db".into()),
        ("", path.to_string_lossy().into_owned()),
    ] {
        play.set("BookDir", dir);
        play.set("BookFile", &file);
        assert_eq!(play.book_move().as_deref(), Some("1g1f"), "{dir} {file}");
        play.set("BookFile", "no_book");
        assert_eq!(play.book_move(), None);
    }
}

#[test]
fn a_relative_book_is_found_beside_the_executable_and_in_the_working_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("bin/enbu");
    fs::create_dir_all(program.parent().expect("a folder")).expect("made");
    fs::copy(enbu(), &program).expect("copied");
    let write = |path: &str, mv: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, format!("#YANEURAOU-DB2016 1.00\nsfen {START} 1\n{mv} none 0 20 1\n")).expect("written");
    };
    write("bin/book/standard_book.db", "1g1f");
    write("bin/other/mine.db", "3g3f");
    write("work/book/user_book1.db", "5g5f");
    let play = |options: &[(&str, &str)], mv: &str| {
        let mut session = Session::spawn(Command::new(&program).current_dir(folder.path().join("work")));
        session.send("setoption name Eval value PieceSquare");
        session.send("setoption name USI_Hash value 1");
        for (name, value) in options {
            session.send(&format!("setoption name {name} value {value}"));
        }
        session.send("go nodes 50");
        assert_eq!(session.expect("bestmove"), format!("bestmove {mv}"), "{options:?}");
    };
    play(&[], "1g1f");
    play(&[("BookFile", "user_book1.db")], "5g5f");
    play(&[("BookFile", "other/mine.db")], "3g3f");
    play(&[("BookDir", "other"), ("BookFile", "mine.db")], "3g3f");
}

#[test]
fn a_book_is_opened_at_isready_and_a_fault_is_named_there() {
    let mut play = Play::without();
    let broken = play.folder.path().join("broken.db");
    fs::write(&broken, b"\x00\x01\x02 not a book").expect("written");
    let folder = play.folder.path().to_owned();
    for (file, reason) in [(broken, "not a book"), (PathBuf::from("missing.db"), "No such file"), (folder, "")] {
        play.session.send(&format!("setoption name BookFile value {}", file.display()));
        play.session.send("side");
        let said = play.session.until("black");
        assert_eq!(said.len(), 1, "{said:?}");
        play.session.send("isready");
        let said = play.session.until("readyok");
        let named = said.iter().find(|line| line.starts_with("info string error: book ")).expect("an error");
        assert!(named.contains(reason) && named.ends_with("playing without a book"), "{named}");
        assert_eq!(play.book_move(), None);
    }
}

#[test]
fn book_moves_is_the_last_ply_from_the_book() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 0 20 1\nsfen {WHITE} 2\n1c1d none 0 20 1\n"));
    let second = |play: &mut Play| play.go("startpos moves 7g7f", "nodes 50").book_move();
    assert_eq!(second(&mut play).as_deref(), Some("1c1d"));
    play.set("BookMoves", "1");
    assert_eq!((play.book_move().as_deref(), second(&mut play)), (Some("1g1f"), None));
    play.set("BookMoves", "0");
    assert_eq!(play.book_move(), None);
}

#[test]
fn book_ignore_rate_is_a_chance_in_percent() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 0 20 1\n"));
    assert_eq!(play.book_moves(), some(&["1g1f"]));
    play.set("BookIgnoreRate", "50");
    assert_eq!(play.book_moves().len(), 2);
    play.set("BookIgnoreRate", "100");
    assert_eq!(play.book_moves(), BTreeSet::from([None]));
}

#[test]
fn book_eval_diff_bounds_the_loss_against_the_best_move() {
    let mut play = Play::with(&format!(
        "sfen {START} 1\n7g7f none 50 20 1\n2g2f none 20 20 1\n5g5f none 19 20 1\n1g1f none 0 20 1\n"
    ));
    assert_eq!(play.book_moves(), some(&["7g7f", "2g2f"]));
    play.set("BookEvalDiff", "0");
    assert_eq!(play.book_moves(), some(&["7g7f"]));
    play.set("BookEvalDiff", "31");
    assert_eq!(play.book_moves(), some(&["7g7f", "2g2f", "5g5f"]));
}

#[test]
fn each_side_has_a_lowest_value() {
    let mut play = Play::with(&format!(
        "sfen {START} 1\n1g1f none -1 20 1\nsfen {WHITE} 2\n1c1d none -140 20 1\n9c9d none -141 20 1\n"
    ));
    let white = |play: &mut Play| play.go("startpos moves 7g7f", "nodes 50");
    let answer = play.go("startpos", "nodes 50");
    assert_eq!(answer.book_move(), None);
    assert!(answer.says("book: no move played: value -1 of 1g1f is below BookEvalBlackLimit 0"));
    assert_eq!(white(&mut play).book_move().as_deref(), Some("1c1d"));
    play.set("BookEvalBlackLimit", "-1");
    assert_eq!(play.book_move().as_deref(), Some("1g1f"));
    play.set("BookEvalWhiteLimit", "-139");
    assert!(white(&mut play).says("value -140 of 1c1d is below BookEvalWhiteLimit -139"));
    play.set("BookEvalWhiteLimit", "-99999");
    let moves: BTreeSet<Option<String>> = (1..=20)
        .map(|seed: u32| {
            play.set("SkillSeed", &seed.to_string());
            white(&mut play).book_move()
        })
        .collect();
    assert_eq!(moves, some(&["1c1d", "9c9d"]));
}

#[test]
fn book_depth_limit_refuses_shallow_books_and_passes_those_without_depths() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 0 15 1\n"));
    let answer = play.go("startpos", "nodes 50");
    assert_eq!(answer.book_move(), None);
    assert!(answer.says("book: no move played: depth 15 of 1g1f is below BookDepthLimit 16"), "{:?}", answer.lines);
    for limit in ["15", "0"] {
        play.set("BookDepthLimit", limit);
        assert_eq!(play.book_move().as_deref(), Some("1g1f"));
    }
    assert_eq!(Play::with(&format!("sfen {START} 1\n1g1f none 0\n")).book_move().as_deref(), Some("1g1f"));
}

#[test]
fn book_on_the_fly_searches_a_sorted_file_and_refuses_an_unsorted_one() {
    let (first, second) =
        (format!("sfen {START} 1\n1g1f none 0 20 1\n"), format!("sfen {WHITE} 2\n1c1d none 0 20 1\n"));
    assert!(START > WHITE);
    let mut play = Play::with(&format!("{second}{first}"));
    play.set("BookOnTheFly", "true");
    assert_eq!(play.book_move().as_deref(), Some("1g1f"));
    assert_eq!(play.go("startpos moves 7g7f", "nodes 50").book_move().as_deref(), Some("1c1d"));
    let mut play = Play::with(&format!("{first}{second}"));
    play.set("BookOnTheFly", "true");
    let answer = play.go("startpos", "nodes 50");
    assert!(answer.says("enbu book sort"), "{:?}", answer.lines);
    assert_eq!(answer.book_move(), None);
    play.set("BookOnTheFly", "false");
    assert_eq!(play.book_move().as_deref(), Some("1g1f"));
}

#[test]
fn consider_book_move_count_weighs_the_moves() {
    let mut play = Play::with(&format!("sfen {START} 1\n7g7f none 0 20 100000\n2g2f none 0 20 1\n5g5f none 0 20 0\n"));
    assert_eq!(play.book_moves(), some(&["7g7f", "2g2f", "5g5f"]));
    play.set("ConsiderBookMoveCount", "true");
    assert_eq!(play.book_moves(), some(&["7g7f"]));
}

#[test]
fn narrow_book_leaves_rare_moves_out() {
    let mut play = Play::with(&format!("sfen {START} 1\n7g7f none 0 20 80\n2g2f none 0 20 11\n5g5f none 0 20 9\n"));
    assert_eq!(play.book_moves(), some(&["7g7f", "2g2f", "5g5f"]));
    play.set("NarrowBook", "true");
    assert_eq!(play.book_moves(), some(&["7g7f", "2g2f"]));
}

#[test]
fn book_pv_moves_is_the_length_of_the_lines() {
    let third = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b -";
    let mut play = Play::with(&format!(
        "sfen {START} 1\n7g7f 8c8d 0 20 1\nsfen {WHITE} 2\n3c3d none 9 20 1\n8c8d none 0 20 1\nsfen {third} 3\n2g2f 4a3b 0 20 1\n"
    ));
    for (moves, line) in [("8", "7g7f 8c8d 2g2f 4a3b"), ("3", "7g7f 8c8d 2g2f"), ("1", "7g7f")] {
        play.set("BookPvMoves", moves);
        let answer = play.go("startpos", "nodes 50");
        assert!(answer.last_info().ends_with(&format!(" pv {line}")), "{:?}", answer.lines);
        assert_eq!(answer.best, "7g7f ponder 8c8d");
    }
}

#[test]
fn ignore_book_ply_finds_positions_at_any_move_number() {
    let mut play = Play::with(&format!("sfen {START} 5\n1g1f none 0 20 1\n"));
    assert_eq!(play.book_move(), None);
    play.set("IgnoreBookPly", "true");
    assert_eq!(play.book_move().as_deref(), Some("1g1f"));
}

#[test]
fn flipped_book_exchanges_the_sides() {
    // The start position with White to move; White's moves are those of Black, rotated.
    let handicap = format!("sfen {} 1", START.replace(" b ", " w "));
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f 9c9d 30 20 1\n"));
    let answer = play.go(&handicap, "nodes 50");
    assert_eq!((answer.book_move().as_deref(), answer.best.as_str()), (Some("9c9d"), "9c9d ponder 1g1f"));
    assert!(answer.last_info().contains(" score cp 30 "));
    play.set("FlippedBook", "false");
    assert_eq!(play.go(&handicap, "nodes 50").book_move(), None);
}

#[test]
fn the_choice_follows_from_the_seed() {
    let moves = ["7g7f", "2g2f", "5g5f", "1g1f", "9g9f", "3g3f", "4g4f", "6g6f"];
    let entries: String = moves.map(|mv| format!("{mv} none 0 20 1\n")).concat();
    let mut play = Play::with(&format!("sfen {START} 1\n{entries}"));
    play.set("SkillSeed", "5");
    let five: BTreeSet<_> = (0..5).map(|_| play.book_move()).collect();
    assert_eq!(five.len(), 1);
    assert!(play.book_moves().len() > 5);
    // Without a seed each game has another one, which is named and can be set.
    play.set("SkillSeed", "0");
    let mut games = BTreeSet::new();
    for _ in 0..20 {
        play.session.send("usinewgame");
        let answer = play.go("startpos", "nodes 50");
        games.insert(answer.best.clone());
        let named = answer.lines.iter().find_map(|line| line.split_once(" seed ")).expect("a seed").1.to_owned();
        play.set("SkillSeed", &named);
        assert_eq!(play.book_move(), Some(answer.best));
        play.set("SkillSeed", "0");
    }
    assert!(games.len() > 3, "{games:?}");
}

#[test]
fn an_analysis_shows_the_book_and_searches_on() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 20 20 1\n9g9f none 25 18 1\n7g7f none -5 20 1\n"));
    play.set("MultiPV", "2");
    play.session.send("position startpos");
    play.session.send("go infinite");
    let listed = play.session.expect("info string book:");
    assert_eq!(listed, "info string book: 3 moves: 9g9f 25, 1g1f 20, 7g7f -5");
    let second = play.session.expect("info");
    assert!(second.contains(" multipv 2 score cp 20 ") && second.ends_with(" pv 1g1f"), "{second}");
    let first = play.session.expect("info");
    assert!(first.contains(" multipv 1 score cp 25 ") && first.ends_with(" pv 9g9f"), "{first}");
    let mut said = play.session.silent_on("bestmove", Duration::from_millis(120));
    play.session.send("stop");
    said.extend(play.session.until("bestmove"));
    assert!(said.iter().any(|line| line.contains(" seldepth ")), "{said:?}");
    // In a game the lines are shown and the chosen move is played.
    play.set("BookEvalDiff", "0");
    let answer = play.go("startpos", "btime 60000 wtime 60000");
    assert_eq!(answer.best, "9g9f");
    assert!(answer.says(" multipv 2 ") && answer.last_info().contains(" multipv 1 "), "{:?}", answer.lines);
}

#[test]
fn a_pondered_book_move_waits_for_the_hit() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 0 20 1\nsfen {WHITE} 2\n1c1d none 0 20 1\n"));
    play.session.send("position startpos moves 7g7f");
    play.session.send("go ponder btime 60000 wtime 60000");
    play.session.silent_on("bestmove", Duration::from_millis(120));
    play.session.send("ponderhit");
    assert_eq!(play.session.expect("bestmove"), "bestmove 1c1d");
    play.set("Stochastic_Ponder", "true");
    play.session.send("position startpos moves 7g7f");
    play.session.send("go ponder btime 60000 wtime 60000");
    play.session.silent_on("bestmove", Duration::from_millis(120));
    play.session.send("ponderhit");
    assert_eq!(play.session.expect("bestmove"), "bestmove 1c1d");
}

#[test]
fn illegal_and_double_entries_are_named_once_and_never_played() {
    let mut play = Play::with(&format!(
        "sfen {START} 1\n7g7e none 900 40 9\n1g1f none 0 20 1\n8h2b+ none 900 40 9\n1g1f none 9 20 1\nP*5e none 900 40 9\n"
    ));
    let answer = play.go("startpos", "nodes 50");
    assert_eq!(answer.book_move().as_deref(), Some("1g1f"));
    for mv in ["7g7e", "8h2b+", "P*5e", "1g1f occurs twice"] {
        let named =
            answer.lines.iter().filter(|line| line.starts_with("info string error: book ") && line.contains(mv));
        assert_eq!(named.count(), 1, "{mv}: {:?}", answer.lines);
    }
    let again = play.go("startpos", "nodes 50");
    assert!(again.book_move().is_some() && !again.says("error"), "{:?}", again.lines);
}

#[test]
fn searchmoves_bound_the_book_as_well() {
    let mut play = Play::with(&format!("sfen {START} 1\n1g1f none 50 20 1\n9g9f none 0 20 1\n"));
    let answer = play.go("startpos", "nodes 50 searchmoves 9g9f 7g7f");
    assert_eq!(answer.book_move().as_deref(), Some("9g9f"));
    assert_eq!(play.go("startpos", "nodes 50 searchmoves 7g7f").book_move(), None);
}

#[test]
fn a_book_move_never_loses_by_perpetual_check() {
    let board = |rook: &str, king: &str, turn: &str| format!("{king}/9/9/9/9/9/9/9/{rook}K4 {turn} -");
    let entry = |ply: u32, mv: &str| format!("sfen {} {ply}\n{mv} none 500 40 1\n", board("1R2", "k8", "b"));
    let mut play = Play::with(&format!("{}{}", entry(1, "8i9i"), entry(5, "8i9i")));
    let start = format!("sfen {} 1", board("1R2", "k8", "b"));
    assert_eq!(play.go(&start, "nodes 50").book_move().as_deref(), Some("8i9i"));
    let answer = play.go(&format!("{start} moves 8i9i 9a8a 9i8i 8a9a"), "nodes 50");
    assert!(answer.says("book: 8i9i loses by repetition and is not played"), "{:?}", answer.lines);
    assert_eq!(answer.book_move(), None);
}

#[test]
fn the_book_of_the_examples_is_valid_and_is_played() {
    let path = workspace_root().join("examples/books/enbu.ybb");
    let verified = Command::new(enbu()).args(["book", "verify"]).arg(&path).output().expect("a process");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let mut play = Play::without();
    play.set("BookFile", &path.to_string_lossy());
    assert!(play.book_move().is_some());
}
