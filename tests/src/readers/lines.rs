//! Lines of GUIs and engines, positions, moves and time controls.

use enbu_arena::TimeControl;
use enbu_kifu::fen;
use enbu_movegen::{Move, Position, Setup};
use enbu_usi::client::parse_reply;
use enbu_usi::{Command, Reply};

use super::check_message;
use crate::positions::legal_moves;

pub(super) fn examine(bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines().take(20) {
        command(line);
        reply(line);
        if let Ok(setup) = line.parse::<Setup>() {
            assert_eq!(setup.to_string().parse::<Setup>().as_ref(), Ok(&setup), "{line}");
            play(&setup);
        }
        if let Ok(setup) = fen::read(line) {
            assert_eq!(fen::read(&fen::write(&setup)).as_ref(), Ok(&setup), "{line}");
        }
        if let Ok(mv) = line.parse::<Move>() {
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
        if let Ok(time) = line.parse::<TimeControl>() {
            assert_eq!(time.to_string().parse().as_ref(), Ok(&time), "{line}");
        }
    }
}

/// Asserts that a command prints as a line that is the same command.
fn command(line: &str) {
    let parsed = Command::parse(line);
    parsed.problems.iter().for_each(check_message);
    if let Some(command) = parsed.command {
        let printed = command.to_string();
        let again = Command::parse(&printed);
        assert_eq!((again.command.as_ref(), again.problems.len()), (Some(&command), 0), "{line:?} as {printed:?}");
    }
}

/// Asserts that a reply prints as one line, and an answer as one that is the same answer.
fn reply(line: &str) {
    let heard = parse_reply(line);
    heard.problem.iter().for_each(check_message);
    let Some(reply) = heard.reply else { return };
    let printed = reply.to_string();
    assert!(!printed.contains(char::is_control), "{printed:?}");
    if matches!(reply, Reply::BestMove(_) | Reply::Checkmate(_) | Reply::UsiOk | Reply::ReadyOk) {
        assert_eq!(parse_reply(&printed).reply.as_ref(), Some(&reply), "{line:?} as {printed:?}");
    }
}

/// Makes and undoes every legal move of a position.
fn play(setup: &Setup) {
    let mut position = match Position::from_setup(setup) {
        Ok(position) => position,
        Err(error) => return check_message(error),
    };
    let before = (position.to_setup(), position.key());
    for mv in legal_moves(&position) {
        position.play(mv).unwrap_or_else(|error| panic!("{mv} in {setup}: {error}"));
        position.undo_move();
        assert_eq!((position.to_setup(), position.key()), before, "{mv} in {setup}");
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    [
        "usi\nisready\nusinewgame\nstop\nquit\n",
        "setoption name Hash value 64\nsetoption name EvalDir value C:/my books\n",
        "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e\n",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 2g2f\n",
        "go btime 60000 wtime 60000 byoyomi 10000\ngo ponder btime 1 wtime 2 binc 3 winc 4\nponderhit\n",
        "go depth 12 nodes 5000 movetime 300\ngo infinite searchmoves 7g7f 2g2f\ngo mate infinite\ngo mate 30000\n",
        "gameover win\nperft 3\neval\nd\n",
        "bestmove 7g7f ponder 3c3d\nbestmove resign\nbestmove win\n",
        "info depth 12 seldepth 20 score cp 31 lowerbound multipv 1 nodes 12345 nps 10000 hashfull 10 time 12 pv 7g7f 3c3d\n",
        "info score mate -3\ninfo string hello\ncheckmate G*5b 4a3b\ncheckmate nomate\ncheckmate timeout\n",
        "option name USI_Hash type spin default 256 min 1 max 1024\noption name A type combo default b var b var c\n",
        "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 71\n",
        "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1\n",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] w - - 0 1\n",
        "10+0.1\n0+1b\nnodes=10000\ndepth=5\nmovetime=100\n",
        "id name Enbu 1\nid author the Enbu developers\nreadyok\nusiok\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
