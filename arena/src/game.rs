//! Playing one game between two engines.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use enbu_language::{Both, text};
use enbu_movegen::{Color, Move};
use enbu_usi::client::{Answer, ClientError, Driver, LastReport};
use enbu_usi::{BestMove, Command, GameResult};

use crate::adjudication::{Adjudication, Adjudicator, FactFinder};
use crate::engine_spec::Ponder;
use crate::openings::Opening;
use crate::player::{Player, PlayerError, faults};
use crate::record::{Fault, Faults, GameRecord, LoggedMove, Points, by_color, count, count_all, score_text};
use crate::referee::{Ending, Reason, Referee, Rules};
use crate::stall::stalled;
use crate::time_control::{GameClock, go_request};
use crate::watch::{LiveGame, Seat, Spectators};

/// Longest word of an engine in a message, in characters.
const MAX_WORD: usize = 40;

/// Longest line of play in a message, in plies.
const MAX_LINE: usize = 20;

/// Time after which an interrupt ends a wait.
const PACE_STEP: Duration = Duration::from_millis(50);

pub(crate) struct GameSetup<'m> {
    pub(crate) match_id: &'m str,
    pub(crate) opening: &'m Opening,
    pub(crate) rules: Rules,
    pub(crate) adjudication: Adjudication,
    /// Of Black and White.
    pub(crate) clocks: [GameClock; 2],
    /// Forgiven time for each move.
    pub(crate) slack: Duration,
    /// The colour of engine 1.
    pub(crate) engine1: Color,
    /// The number of the game in the match.
    pub(crate) number: usize,
    pub(crate) spectators: &'m Spectators,
}

/// Something that ends a game before the rules do.
enum Interruption {
    /// An engine cannot be used at all, or the match was interrupted.
    Abandoned(PlayerError),
    /// This side's engine failed.
    Failed(Color, ClientError),
}

impl From<PlayerError> for Interruption {
    fn from(error: PlayerError) -> Self {
        Self::Abandoned(error)
    }
}

/// A game in progress. Pairs are of Black and White.
struct Game<'g, 'm> {
    setup: &'g GameSetup<'m>,
    players: [&'g mut Player<'m>; 2],
    referee: Referee,
    clocks: [GameClock; 2],
    seat: Seat<'m>,
    adjudicator: Adjudicator,
    facts: Option<&'g mut FactFinder>,
    pondering: [Option<Move>; 2],
    log: Vec<LoggedMove>,
    faults: [Faults; 2],
    over: Duration,
    /// Stalls of the machine up to the last `go`.
    stalled: Duration,
    /// Stalls of the machine during a move that was lost on time.
    stall: Duration,
    /// A remark about the end, or about the first fault.
    remark: Option<Both>,
}

/// Plays a game between Black and White; returns its record, and the remark about its end, if any.
pub(crate) fn play<'g, 'm>(
    setup: &'g GameSetup<'m>,
    players: [&'g mut Player<'m>; 2],
    mut facts: Option<&'g mut FactFinder>,
) -> Result<(GameRecord, Option<Both>), PlayerError> {
    facts.iter_mut().for_each(|facts| facts.begin_game());
    let names = players.each_ref().map(|player| player.name.to_owned());
    let mut game = Game {
        setup,
        players,
        seat: setup.spectators.seat(setup.number, || LiveGame::new(names, setup.opening)),
        referee: setup.opening.referee(setup.rules),
        clocks: setup.clocks,
        adjudicator: Adjudicator::new(setup.adjudication),
        facts,
        pondering: [None; 2],
        log: Vec::new(),
        faults: Default::default(),
        over: Duration::ZERO,
        stalled: stalled(),
        stall: Duration::ZERO,
        remark: None,
    };
    let ending = match game.run() {
        Ok(ending) => ending,
        Err(Interruption::Failed(color, ClientError::Cancelled)) => return Err(game.players[color].cancelled()),
        Err(Interruption::Failed(color, error)) => game.failed(color, &error),
        Err(Interruption::Abandoned(abandoned)) => return Err(abandoned),
    };
    for color in Color::ALL {
        game.finish_with(color, ending)?;
    }
    Ok(game.record(ending))
}

impl Game<'_, '_> {
    fn run(&mut self) -> Result<Ending, Interruption> {
        for color in Color::ALL {
            let ready = self.players[color].patience.ready;
            let result = self.players[color].driver()?.new_game(ready);
            result.map_err(|error| Interruption::Failed(color, error))?;
            self.collect_noise(color);
        }
        loop {
            if let Some(ending) = self.referee.ending() {
                return Ok(ending);
            }
            if let Some((ending, remark)) = self.facts.as_mut().and_then(|facts| facts.verdict(&self.referee)) {
                self.remark = Some(remark);
                return Ok(ending);
            }
            let began = Instant::now();
            let ending = self.turn()?;
            self.keep_pace(began)?;
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }

    /// Waits until a move has taken the least time for spectators; no clock runs.
    fn keep_pace(&self, began: Instant) -> Result<(), PlayerError> {
        let end = began + self.setup.spectators.pace;
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            thread::sleep(left.min(PACE_STEP));
            let player = &self.players[self.referee.turn()];
            if player.cancel.is_cancelled() {
                return Err(player.cancelled());
            }
        }
        Ok(())
    }

    /// Adds unsolicited output and an error since the last call to the engine's faults.
    fn collect_noise(&mut self, color: Color) {
        let name = self.players[color].name;
        let Some(noise) = self.players[color].running.as_mut().map(Driver::take_noise) else { return };
        count_all(&mut self.faults[color], &faults(&noise));
        if let (Some(error), None) = (noise.error, &self.remark) {
            self.remark = Some(Both::of(text!("{name}: {error}", "{name}：{error}")));
        }
    }

    /// Asks the side to move for its move and judges it.
    fn turn(&mut self) -> Result<Option<Ending>, Interruption> {
        let turn = self.referee.turn();
        let failed = |error| Interruption::Failed(turn, error);
        self.stalled = stalled();
        let began = self.send_go(turn)?;
        let budget = self.clocks[turn].budget();
        let patience = self.players[turn].patience.hang;
        let slack = self.setup.slack;
        let limit = budget.map_or(Duration::ZERO, |budget| budget + slack) + patience;
        let seat = &self.seat;
        seat.show(|live| live.start(self.clocks.each_ref().map(GameClock::left)));
        let heard = |report: &LastReport| seat.show(|live| live.report(turn, report));
        let answer = self.players[turn].driver()?.answer(began, limit, heard);
        self.collect_noise(turn);
        let answer = answer.map_err(failed)?;
        let elapsed = answer.at.saturating_duration_since(began);
        let logged = logged(&answer, elapsed);
        self.seat.show(|live| live.stop(logged.clone()));
        self.log.push(logged);
        if let Some(budget) = budget.filter(|&budget| elapsed > budget + slack) {
            return Ok(Some(self.too_late(turn, elapsed, budget)));
        }
        self.clocks[turn].spend(elapsed);
        self.check_line(turn, &answer);
        let Ok(best) = &answer.best else {
            return Ok(Some(self.illegal(turn, &answer, text!("not a move", "指し手ではありません"))));
        };
        match *best {
            BestMove::Resign => Ok(Some(Ending::win(!turn, Reason::Resign))),
            BestMove::Win => {
                let ending = self.referee.declared();
                if ending.reason == Reason::Illegal {
                    let unmet =
                        text!("the conditions of a declaration are not met", "入玉宣言の条件を満たしていません");
                    self.illegal(turn, &answer, unmet);
                }
                Ok(Some(ending))
            }
            BestMove::Play { best, ponder } => self.play(turn, best, ponder, &answer),
        }
    }

    /// Lets the side to move think; when its clock began to run.
    fn send_go(&mut self, turn: Color) -> Result<Instant, Interruption> {
        let failed = |error| Interruption::Failed(turn, error);
        let go = Command::Go(go_request(&self.clocks, turn)).to_string();
        let position = self.referee.position_line(None);
        if let Some(expected) = self.pondering[turn].take() {
            let early = self.players[turn].driver()?.has_answered();
            count(&mut self.faults[turn], Fault::Early, u32::from(early));
            if self.referee.moves.last() == Some(&expected) {
                self.players[turn].driver()?.send(&Command::PonderHit(None)).map_err(failed)?;
                return Ok(Instant::now());
            }
            self.stop(turn).map_err(failed)?;
        }
        self.players[turn].driver()?.go(&position, &go).map_err(failed)
    }

    /// Ends a search whose answer is not used.
    fn stop(&mut self, color: Color) -> Result<(), ClientError> {
        let patience = self.players[color].patience.hang;
        if let Some(client) = self.players[color].running.as_mut() {
            client.send(&Command::Stop)?;
            client.answer(Instant::now(), patience, |_| ())?;
        }
        Ok(())
    }

    fn play(
        &mut self,
        turn: Color,
        best: Move,
        ponder: Option<Move>,
        answer: &Answer,
    ) -> Result<Option<Ending>, Interruption> {
        if let Err(error) = self.referee.play(best) {
            return Ok(Some(self.illegal(turn, answer, error)));
        }
        self.seat.show(|live| live.moves.push(best));
        let ending = self.referee.ending();
        if ending.is_none() {
            self.start_pondering(turn, ponder, answer)?;
        }
        let adjudged = self.adjudicator.note(turn, answer.report.score, self.referee.position.ply());
        Ok(ending.or(adjudged))
    }

    /// Checks the move to ponder on, and lets the engine ponder if it does that.
    fn start_pondering(&mut self, turn: Color, ponder: Option<Move>, answer: &Answer) -> Result<(), Interruption> {
        let legal = ponder.filter(|&mv| self.referee.position.is_legal(mv));
        if answer.ponder_fault.is_some() || ponder != legal {
            count(&mut self.faults[turn], Fault::BadPonder, 1);
        }
        let Some(expected) = legal.filter(|_| self.players[turn].spec.ponder == Ponder::On) else { return Ok(()) };
        let mut request = go_request(&self.clocks, turn);
        request.ponder = true;
        let position = self.referee.position_line(Some(expected));
        let asked = self.players[turn].driver()?.go(&position, &Command::Go(request).to_string());
        asked.map_err(|error| Interruption::Failed(turn, error))?;
        self.pondering[turn] = Some(expected);
        Ok(())
    }

    /// Checks the line of play that was reported last, before the move is made.
    fn check_line(&mut self, turn: Color, answer: &Answer) {
        let report = &answer.report;
        let (bad, number) = match (&report.pv_fault, self.referee.first_illegal(&report.pv)) {
            (_, Some(number)) => (report.pv.get(number).map(Move::to_string).unwrap_or_default(), number),
            (Some(word), None) => (word.chars().take(MAX_WORD).collect(), report.pv.len()),
            (None, None) => return,
        };
        count(&mut self.faults[turn], Fault::BadPv, 1);
        if self.remark.is_none() {
            let line: Vec<String> = report.pv.iter().take(number.min(MAX_LINE)).map(Move::to_string).collect();
            let more = if number > MAX_LINE { " ..." } else { "" };
            let (number, line, position) = (number + 1, line.join(" "), &self.referee.position);
            self.remark = Some(Both::of(text!(
                "illegal `{bad}`, move {number} of the pv {line}{more}, at {position}",
                "読み筋 {line}{more} の {number} 手目 `{bad}` は指せません（局面 {position}）"
            )));
        }
    }

    fn illegal(&mut self, turn: Color, answer: &Answer, why: impl Display) -> Ending {
        count(&mut self.faults[turn], Fault::Illegal, 1);
        let said: String = self.log.last().map_or("", |last| &last.answer).chars().take(MAX_WORD).collect();
        let is_move = matches!(answer.best, Ok(BestMove::Play { .. }));
        let said = if is_move { String::new() } else { format!("bestmove `{said}`: ") };
        let position = &self.referee.position;
        self.remark = Some(Both::of(text!("{said}{why} at {position}", "{said}{why}（局面 {position}）")));
        Ending::win(!turn, Reason::Illegal)
    }

    fn too_late(&mut self, turn: Color, elapsed: Duration, budget: Duration) -> Ending {
        count(&mut self.faults[turn], Fault::Time, 1);
        self.over = elapsed.saturating_sub(budget);
        let (used, budget) = (milliseconds(elapsed), budget.as_millis());
        self.note_stall(text!("{used:.1} ms used of {budget}", "{budget} ミリ秒のところ {used:.1} ミリ秒使いました"));
        Ending::win(!turn, Reason::Time)
    }

    fn note_stall(&mut self, text: impl Display) {
        self.stall = stalled().saturating_sub(self.stalled);
        let stall = milliseconds(self.stall);
        let text = text!("{text} (stalls of this machine {stall:.0} ms)", "{text}（この PC の停滞 {stall:.0} ミリ秒）");
        self.remark = Some(Both::of(text));
    }

    /// The result when an engine did not answer or ended; its process is ended too.
    fn failed(&mut self, color: Color, error: &ClientError) -> Ending {
        let (fault, reason) = match error {
            ClientError::Silent(..) | ClientError::Deaf(_) => (Fault::Hang, Reason::Hang),
            _ => (Fault::Crash, Reason::Crash),
        };
        count(&mut self.faults[color], fault, 1);
        let name = self.players[color].name;
        let text = text!("{name} {error}", "{name}：{error}");
        if fault == Fault::Hang {
            self.note_stall(text);
        } else {
            self.remark = Some(Both::of(text));
        }
        self.collect_noise(color);
        self.players[color].kill();
        self.pondering[color] = None;
        Ending::win(!color, reason)
    }

    /// Ends a running search and sends the result. A failure
    /// here is its fault, but no longer changes the result.
    fn finish_with(&mut self, color: Color, ending: Ending) -> Result<(), PlayerError> {
        let result = match ending.winner {
            None => GameResult::Draw,
            Some(winner) if winner == color => GameResult::Win,
            Some(_) => GameResult::Lose,
        };
        let ponders = self.pondering[color].take().is_some();
        let mut told = if ponders { self.stop(color) } else { Ok(()) };
        if let Some(client) = self.players[color].running.as_mut() {
            told = told.and_then(|()| client.send(&Command::GameOver(Some(result))));
        }
        self.collect_noise(color);
        let fault = match told {
            Ok(()) => return Ok(()),
            Err(ClientError::Cancelled) => return Err(self.players[color].cancelled()),
            Err(ClientError::Silent(..) | ClientError::Deaf(_)) => Fault::Hang,
            Err(_) => Fault::Crash,
        };
        count(&mut self.faults[color], fault, 1);
        self.players[color].kill();
        Ok(())
    }

    fn record(self, ending: Ending) -> (GameRecord, Option<Both>) {
        let GameSetup { match_id, opening, engine1, number, .. } = *self.setup;
        let base = opening.to_string();
        let [faults1, faults2] = by_color(engine1, self.faults);
        let [tc1, tc2] = by_color(engine1, self.clocks.map(|clock| clock.control.to_string()));
        let [black, white] = self.players.map(|player| player.name.to_owned());
        let [name1, name2] = by_color(engine1, [black.clone(), white.clone()]);
        let moves: Vec<String> = self.referee.moves.iter().map(ToString::to_string).collect();
        let record = GameRecord {
            match_id: match_id.to_owned(),
            game: number,
            pair: number / 2,
            name1,
            name2,
            tc1,
            tc2,
            black,
            white,
            engine1,
            score1: match ending.winner {
                None => Points::Draw,
                Some(winner) if winner == engine1 => Points::Win,
                Some(_) => Points::Loss,
            },
            reason: ending.reason,
            plies: moves.len(),
            opening: base.split(" moves ").next().unwrap_or_default().to_owned(),
            opening_moves: opening.moves().len(),
            moves: moves.join(" "),
            log: self.log,
            over_ms: tenths(self.over),
            stall_ms: tenths(self.stall),
            text: self.remark.as_ref().map_or(String::new(), |remark| remark.english.clone()),
            faults1,
            faults2,
        };
        (record, self.remark)
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// A duration in milliseconds, to the tenth, as in results.
fn tenths(duration: Duration) -> f64 {
    (milliseconds(duration) * 10.0).round() / 10.0
}

fn logged(answer: &Answer, elapsed: Duration) -> LoggedMove {
    let text = match &answer.best {
        Ok(BestMove::Play { best, .. }) => best.to_string(),
        Ok(BestMove::Resign) => "resign".to_owned(),
        Ok(BestMove::Win) => "win".to_owned(),
        Err(text) => text.chars().take(MAX_WORD).collect(),
    };
    let report = &answer.report;
    LoggedMove {
        answer: text,
        ms: tenths(elapsed),
        score: report.score.map(score_text),
        depth: report.depth,
        nodes: report.nodes,
    }
}
