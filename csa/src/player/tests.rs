//! The order of searches, with an engine that records what it is asked.

use enbu_usi::BestMove;
use enbu_usi::client::LastReport;

use super::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

#[derive(Clone, Default)]
struct Script {
    calls: Rc<RefCell<Vec<String>>>,
    answers: Rc<RefCell<VecDeque<&'static str>>>,
}

impl Script {
    fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.borrow_mut())
    }
}

impl Player for Script {
    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }
    fn set_option(&mut self, _: &str, _: Option<&str>) -> Result<(), PlayerError> {
        Ok(())
    }
    fn option_text(&self, _: &str) -> Option<String> {
        None
    }
    fn prepare(&mut self) -> Result<(), PlayerError> {
        self.calls.borrow_mut().push("prepare".to_owned());
        Ok(())
    }
    fn revive(&mut self) -> Result<(), PlayerError> {
        self.calls.borrow_mut().push("revive".to_owned());
        Ok(())
    }
    fn go(&mut self, request: &Request, ponder: Pondering) -> Result<(), PlayerError> {
        let last = request.moves.last().map(ToString::to_string).unwrap_or_default();
        self.calls.borrow_mut().push(format!("go {ponder:?} {last}"));
        Ok(())
    }
    fn ponder_hit(&mut self, _: &Clock, _: Instant) -> Result<(), PlayerError> {
        self.calls.borrow_mut().push("hit".to_owned());
        Ok(())
    }
    fn stop(&mut self) -> Result<(), PlayerError> {
        self.calls.borrow_mut().push("stop".to_owned());
        Ok(())
    }
    fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        match self.answers.borrow_mut().pop_front() {
            Some("dies") => Err(PlayerError::Died(Both::of("died"))),
            Some(text) => Ok(Some(Answer {
                best: Ok(BestMove::Play { best: text.parse().unwrap(), ponder: None }),
                ponder_fault: None,
                at: Instant::now(),
                report: LastReport::default(),
            })),
            None => Ok(None),
        }
    }
    fn game_over(&mut self, _: GameResult) {}
}

fn request(moves: &str) -> Request {
    let moves: Vec<Move> = moves.split(' ').map(|text| text.parse().unwrap()).collect();
    let mut position = Position::startpos();
    moves.iter().for_each(|&mv| _ = position.play(mv).unwrap());
    Request { setup: Setup::startpos(), moves, position, clock: Clock::default(), started: Instant::now() }
}

fn thinker() -> (Thinker, Script) {
    let script = Script::default();
    (Thinker::new(Box::new(script.clone())), script)
}

fn best(thinker: &mut Thinker) -> Option<String> {
    thinker.poll().unwrap().map(|answer| match answer.best {
        Ok(BestMove::Play { best, .. }) => best.to_string(),
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_ponder_hit_goes_on_without_a_new_search() {
    let (mut thinker, script) = thinker();
    thinker.ponder(&request("7g7f 3c3d")).unwrap();
    thinker.think(request("7g7f 3c3d")).unwrap();
    assert_eq!(script.take_calls(), ["go Yes 3c3d", "hit"]);
    script.answers.borrow_mut().push_back("2g2f");
    assert_eq!(best(&mut thinker).as_deref(), Some("2g2f"));
    assert!(matches!(thinker.stage, Stage::Idle));
}

#[test]
fn a_ponder_miss_waits_for_the_stopped_answer() {
    let (mut thinker, script) = thinker();
    thinker.ponder(&request("7g7f 3c3d")).unwrap();
    thinker.think(request("7g7f 8c8d")).unwrap();
    assert_eq!(script.take_calls(), ["go Yes 3c3d", "stop"]);
    assert!(matches!(thinker.stage, Stage::Stopping { next: Some(_) }));
    script.answers.borrow_mut().push_back("2g2f");
    assert_eq!(best(&mut thinker), None, "the answer to the wrong move");
    assert_eq!(script.take_calls(), ["go No 8c8d"]);
    script.answers.borrow_mut().push_back("2g2f");
    assert_eq!(best(&mut thinker).as_deref(), Some("2g2f"));
}

#[test]
fn an_answer_before_the_ponder_hit_is_kept() {
    let (mut thinker, script) = thinker();
    thinker.ponder(&request("7g7f 3c3d")).unwrap();
    script.answers.borrow_mut().push_back("2g2f");
    assert_eq!(best(&mut thinker), None);
    thinker.think(request("7g7f 3c3d")).unwrap();
    assert_eq!(best(&mut thinker).as_deref(), Some("2g2f"));
    assert_eq!(script.take_calls(), ["go Yes 3c3d"]);
    thinker.ponder(&request("7g7f 3c3d")).unwrap();
    script.answers.borrow_mut().push_back("2g2f");
    assert_eq!(best(&mut thinker), None);
    thinker.think(request("7g7f 8c8d")).unwrap();
    assert_eq!(script.take_calls(), ["go Yes 3c3d", "go No 8c8d"], "a miss needs no stop");
}

#[test]
fn an_engine_that_died_is_started_again_for_the_next_game() {
    let (mut thinker, script) = thinker();
    thinker.think(request("7g7f 3c3d")).unwrap();
    script.answers.borrow_mut().push_back("dies");
    assert!(thinker.poll().is_err());
    script.answers.borrow_mut().push_back("dies");
    thinker.prepare().unwrap();
    assert_eq!(script.take_calls(), ["go No 3c3d", "stop", "revive", "prepare"]);
}
