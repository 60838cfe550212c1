//! Faults of logins, connections, servers and engines, and interruptions of the client.

use super::*;
use crate::socket::Connection;

/// A connection that breaks at the end of `steps`, and then a game; the engine plays 7g7f first.
fn broken(steps: Vec<Step>, answers: &[&str], games: u32) -> Played {
    let mut all = steps;
    all.push(Close);
    all.extend(login());
    all.extend(short_game("after", '+'));
    Scenario::new(all).answers(answers).games(games).play()
}

/// A first login, so that later failures are not final; its connection is closed by the server.
fn logged_in_before() -> Vec<Step> {
    let mut steps = login();
    steps.push(Close);
    steps
}

macro_rules! disconnects {
    ($($name:ident: $steps:expr, $answers:expr, $results:expr;)*) => {
        $(#[test] fn $name() {
            let results: &[&str] = &$results;
            let games = u32::try_from(results.len()).unwrap();
            let played = broken($steps, &$answers, games);
            assert_eq!(played.results(), results, "{:?}", played.notices);
            assert_eq!(played.records.len(), results.len());
            assert!(played.noticed("next login in"), "{:?}", played.notices);
        })*
    };
}

fn playing(side: char, steps: &[Step]) -> Vec<Step> {
    let mut all = login();
    all.extend(begin("g", side));
    all.extend_from_slice(steps);
    all
}

fn after_login(steps: &[Step]) -> Vec<Step> {
    let mut all = login();
    all.extend_from_slice(steps);
    all
}

const CLOSED: &str = "unknown connection lost: closed by the server";

disconnects! {
    cut_before_the_login_is_answered: [logged_in_before(), vec![Accept, expect("LOGIN")]].concat(), [], ["lose RESIGN"];
    cut_while_waiting: login(), [], ["lose RESIGN"];
    cut_within_the_offer: after_login(&[Raw(offer("g", '+', CLOCK).into_bytes()[..200].to_vec())]), [], ["lose RESIGN"];
    cut_after_the_offer: after_login(&[send(&offer("g", '+', CLOCK)), expect("AGREE g")]), [], ["lose RESIGN"];
    cut_on_the_own_turn: playing('+', &[Pause(100)]), ["hangs"], [CLOSED, "lose RESIGN"];
    cut_before_the_echo: playing('+', &[expect("+7776FU")]), ["7g7f"], [CLOSED, "lose RESIGN"];
    cut_on_the_opponents_turn: playing('+', &[expect("+7776FU"), send("+7776FU,T1")]), ["7g7f"], [CLOSED, "lose RESIGN"];
    cut_within_a_line: playing('+', &[expect("+7776FU"), send("+7776FU,T1"), Raw(b"-33".to_vec())]), ["7g7f"],
        ["unknown connection lost: closed by the server, 3 bytes into a line", "lose RESIGN"];
    cut_between_reason_and_result: playing('-', &[send("%TORYO\n#RESIGN")]), [], [CLOSED, "lose RESIGN"];
    rejected_by_the_opponent: after_login(&[send(&offer("g", '+', CLOCK)), expect("AGREE g"), send("REJECT:g by B")]), [], ["lose RESIGN"];
    rejected_by_the_server: after_login(&[send(&offer("g", '+', CLOCK)), expect("AGREE g"), send("REJECT:g by the Server (timed out)")]), [], ["lose RESIGN"];
    an_offer_that_cannot_be_played_is_rejected: after_login(&[send(&offer("g", '+', CLOCK).replace("PI\n", "P1-OU\n")), expect("REJECT g")]), [], ["lose RESIGN"];
    an_offer_without_a_side_is_rejected: after_login(&[send(&offer("g", '*', CLOCK)), expect("REJECT g")]), [], ["lose RESIGN"];
    the_server_restarts: after_login(&[send("##[ERROR] As the service is going to shutdown shortly, starting new games")]), [], ["lose RESIGN"];
    a_login_refused_after_the_first: [logged_in_before(), vec![Accept, expect("LOGIN"), send("LOGIN:incorrect")]].concat(), [], ["lose RESIGN"];
}

#[test]
fn a_game_that_was_cut_is_recorded_as_it_was() {
    let played = broken(playing('+', &[expect("+7776FU"), send("+7776FU,T3\n-3334FU,T1")]), &["7g7f", "hangs"], 2);
    let record = played.records.iter().find(|record| record.contains("$EVENT:g\n")).unwrap();
    assert!(record.contains("-3334FU\nT1\n%CHUDAN\n'*connection lost"), "{record}");
    assert_eq!((played.games[0].moves, played.tally().unknown), (2, 1));
}

#[test]
fn the_password_is_wrong_or_the_name_taken() {
    let played = Scenario::new(vec![Accept, expect("LOGIN enbu"), send("LOGIN:incorrect"), Close]).play();
    let error = played.result.unwrap_err().to_string();
    assert!(error.contains("refused the login of enbu: wrong password, or the name is in use"), "{error}");
}

#[test]
fn a_refused_connection_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let opened = Connection::open("127.0.0.1", port).recv().unwrap();
    assert!(opened.is_err());
}

#[test]
fn an_unknown_game_is_refused() {
    let mut steps = login();
    steps.extend([send(&offer("e+default-1500-0+A+B+1", '+', CLOCK)), expect("REJECT"), Close]);
    let mut scenario = Scenario::new(steps);
    scenario.game = Some("misspelt-60-10".to_owned());
    let error = scenario.play().result.unwrap_err().to_string();
    assert!(error.contains("does not know the game misspelt-60-10"), "{error}");
}

#[test]
fn an_error_line_after_the_login_is_final() {
    let mut steps = login();
    steps.extend([send("##[ERROR] Random turn preference is not allowed for handicapped game"), Close]);
    let error = Scenario::new(steps).play().result.unwrap_err().to_string();
    assert!(error.contains("Random turn preference is not allowed"), "{error}");
}

#[test]
fn faulty_settings_contact_nothing() {
    for (user, game) in [("two words", None), ("", None), ("a", Some("floodgate")), ("a", Some("floodgate-300-10F-B"))]
    {
        let mut scenario = Scenario::new(Vec::new());
        user.clone_into(&mut scenario.user);
        scenario.game = game.map(str::to_owned);
        assert!(
            matches!(
                scenario.play().result,
                Err(ClientError::User(_) | ClientError::UnknownGame(_) | ClientError::NoWish(_))
            ),
            "{user} {game:?}"
        );
    }
}

/// The lines are passed over, in the wait and in the game.
fn passed_over(bytes: &[u8]) -> Played {
    let mut steps = login();
    steps.push(Raw(bytes.to_vec()));
    steps.extend(begin("g", '+'));
    steps.extend([Raw(bytes.to_vec()), expect("+7776FU"), send("+7776FU,T1"), Raw(bytes.to_vec())]);
    steps.extend([send("-3334FU,T1"), expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    let played = Scenario::new(steps).answers(&["7g7f"]).play();
    assert_eq!(played.results(), ["lose RESIGN"], "{:?}", played.notices);
    played
}

#[test]
fn unknown_lines_are_reported_and_passed_over() {
    assert!(passed_over(b"WHAT IS THIS\n").noticed("unknown line of the server: WHAT IS THIS"));
    assert!(passed_over(b"##[CHAT] hello\n").noticed("##[CHAT] hello"));
    passed_over(b"\n \n\r\n");
    passed_over(b"END Game_Summary\nSTART:other\nAGREE\n");
}

#[test]
fn bytes_of_any_encoding_are_passed_over() {
    passed_over(b"\xff\xfe\x00\x01\n");
    passed_over(b"\x90\xe6\x8e\xe8\n");
}

#[test]
fn lines_over_64_kib_are_passed_over() {
    let mut line = vec![b'+'; 70_000];
    line.push(b'\n');
    assert!(passed_over(&line).noticed("more than 64 KiB"));
}

#[test]
fn floods_are_reported_twenty_times() {
    let played = passed_over("NOISE\n".repeat(5000).as_bytes());
    assert_eq!(played.notices.iter().filter(|notice| notice.contains("NOISE")).count(), 20);
}

#[test]
fn names_in_shift_jis_are_kept_as_far_as_they_can_be() {
    let mut steps = login();
    let mut bytes = Vec::new();
    for line in offer("g", '+', CLOCK).lines() {
        bytes.extend_from_slice(line.as_bytes());
        if line.starts_with("Name-") {
            bytes.extend_from_slice(b"\x90\xe6\x8e\xe8");
        }
        bytes.push(b'\n');
    }
    steps.extend([Raw(bytes), expect("AGREE g"), send("START:g"), expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    assert!(Scenario::new(steps).play().games[0].opponent.starts_with('B'));
}

#[test]
fn an_illegal_move_of_the_opponent_is_named_and_left_to_the_server() {
    for (line, verdict) in
        [("-3335FU,T1", "#ILLEGAL_MOVE\n#WIN"), ("+2726FU,T1", "#ILLEGAL_MOVE\n#WIN"), ("-0055FU,T1", "#WIN")]
    {
        let steps = playing('+', &[expect("+7776FU"), send("+7776FU,T1"), send(line), Silence, send(verdict)]);
        let played = Scenario::new(steps).answers(&["7g7f"]).play();
        assert_eq!(played.games[0].result, "win");
        assert!(played.records[0].contains(&format!("'*illegal move {line}")), "{}", played.records[0]);
        assert!(played.games[0].fault.as_ref().unwrap().contains("illegal move"));
        assert_eq!(played.tally().faults, 0, "no fault of the own engine");
    }
}

/// The own engine fails: the client resigns, names the reason, and counts a fault.
fn fails(answers: &[&str], reason: &str) -> Played {
    let steps = playing('+', &[expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    let played = Scenario::new(steps).answers(answers).play();
    assert_eq!((played.results(), played.tally().faults), (vec!["lose RESIGN".to_owned()], 1));
    assert!(played.records[0].contains(reason), "{}", played.records[0]);
    assert!(played.games[0].fault.as_ref().unwrap().contains(reason) && played.noticed(reason));
    played
}

#[test]
fn an_illegal_move_of_the_own_engine_is_never_sent() {
    fails(&["7g7e"], "the engine played 7g7e, which is illegal");
    fails(&["3c3d"], "the engine played 3c3d, which is illegal");
}

#[test]
fn an_answer_that_is_no_move_is_never_sent() {
    fails(&["nonsense"], "the engine answered `nonsense`, which is no move");
}

#[test]
fn a_false_declaration_of_the_own_engine_is_never_sent() {
    fails(&["win", "win"], "declared a win that the rules do not give");
}

#[test]
fn an_engine_that_dies_resigns_and_is_started_again() {
    let mut steps = playing('+', &[expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE"), Close]);
    steps.extend(login());
    steps.extend(short_game("g2", '+'));
    let played = Scenario::new(steps).answers(&["dies"]).games(2).play();
    assert_eq!((played.results().len(), played.tally().faults), (2, 1));
    assert!(played.records.iter().any(|record| record.contains("ended with signal 6")));
}

#[test]
fn the_first_interruption_ends_the_program_after_the_game() {
    let steps = playing(
        '+',
        &[
            Pause(200),
            Step::Halt(Halt::AfterGame),
            Pause(100),
            expect("+7776FU"),
            send("+7776FU,T1\n-3334FU,T1"),
            expect("%TORYO"),
            send("%TORYO\n#RESIGN\n#LOSE"),
            Step::AwaitClose,
        ],
    );
    let played = Scenario::new(steps).answers(&["7g7f"]).games(5).play();
    assert_eq!((played.results(), played.tally().games), (vec!["lose RESIGN".to_owned()], 1));
    assert!(!played.received.iter().any(|line| line.starts_with("LOGOUT")));
}

#[test]
fn the_second_interruption_resigns_on_the_own_turn() {
    let halt = Step::Halt(Halt::AfterGame);
    let steps = playing('+', &[Pause(100), halt.clone(), halt, expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    let played = Scenario::new(steps).answers(&["hangs"]).games(5).play();
    assert_eq!(played.results(), ["lose RESIGN"]);
    assert!(played.records[0].contains("interrupted by the user"));
}

#[test]
fn a_termination_resigns_when_the_own_turn_comes() {
    let steps = playing(
        '-',
        &[
            Pause(200),
            Step::Halt(Halt::Now),
            Silence,
            send("+7776FU,T1"),
            expect("%TORYO"),
            send("%TORYO\n#RESIGN\n#LOSE"),
        ],
    );
    assert_eq!(Scenario::new(steps).games(5).play().results(), ["lose RESIGN"]);
}

#[test]
fn a_termination_closes_the_connection_where_the_own_turn_does_not_come() {
    let steps = playing('-', &[Pause(200), Step::Halt(Halt::Now), Step::AwaitClose]);
    let played = Scenario::new(steps).games(5).play();
    assert_eq!(played.results(), ["unknown the program was interrupted"]);
    assert_eq!(played.records.len(), 1);
}

#[test]
fn an_interruption_while_waiting_ends_the_program_without_logout() {
    let played =
        Scenario::new(after_login(&[Pause(100), Step::Halt(Halt::AfterGame), Step::AwaitClose])).games(5).play();
    assert_eq!((played.tally().games, played.received.len()), (0, 1));
}

#[test]
fn an_interruption_cancels_the_next_login() {
    let mut steps = login();
    steps.extend([Close, Step::Halt(Halt::AfterGame)]);
    let played = Scenario::new(steps).games(5).play();
    assert_eq!(played.tally().games, 0);
}

#[test]
fn the_server_ends_the_login() {
    let played = broken(after_login(&[send("LOGOUT:completed")]), &[], 1);
    assert_eq!(played.results(), ["lose RESIGN"]);
}

#[test]
fn an_offer_that_is_illegal_is_rejected_with_its_reason() {
    for (position, reason) in [
        ("PI59OU\n+", "Black has no king"),
        ("PI\nP+55FU\n+", "two pawns on file 5 (nifu)"),
        ("P-51OU\nP+52HI59OU\n+", "opponent in check"),
        ("PI\n+\n+7775FU", "illegal move 7g7e"),
    ] {
        let text = offer("g", '+', CLOCK).replace("PI\n+", position);
        let mut steps = after_login(&[send(&text), expect("REJECT g"), Close]);
        steps.extend(login());
        steps.extend(short_game("after", '+'));
        let played = Scenario::new(steps).play();
        assert!(played.noticed("a game was rejected: ") && played.noticed(reason), "{:?}", played.notices);
        assert_eq!(played.results(), ["lose RESIGN"]);
    }
}

#[test]
fn an_offer_without_end_is_given_up() {
    let offered = offer("g", '+', CLOCK).replace("\nEND Game_Summary", "");
    silent(after_login(&[send(&offered)]), &["unused"], "the offer of a game does not end");
}

#[test]
fn lines_that_decide_nothing_do_not_lengthen_the_wait() {
    let mut steps = quick('-');
    for _ in 0..20 {
        steps.extend([send("%TORYO\n#RESIGN"), Pause(200)]);
    }
    silent(steps, &[], "the server is silent");
}

#[test]
fn another_move_than_the_one_sent_is_named() {
    let steps = playing('+', &[expect("+7776FU"), send("+2726FU,T1\n-3334FU,T1"), expect("+7776FU")]);
    let mut scenario = Scenario::new([steps, vec![send("+7776FU,T1\n#TIME_UP\n#WIN")]].concat());
    scenario.ponder = Pondering::Yes;
    let played = scenario.answers(&["7g7f>3c3d", "7g7f"]).play();
    let fault = "the server confirmed 2g2f in place of 7g7f, which was sent";
    assert!(
        played.noticed(fault) && played.records[0].contains(&format!("+2726FU\nT1\n'*{fault}")),
        "{:?}",
        played.records
    );
    assert_eq!(played.games[0].fault.as_deref(), Some(fault));
    assert!(!played.calls.contains(&"hit".to_owned()), "it pondered on another position: {:?}", played.calls);
    let steps = playing('+', &[Pause(100), send("+2726FU,T1\n-3334FU,T1"), expect("+7776FU")]);
    let steps = [steps, vec![send("+7776FU,T1\n#TIME_UP\n#WIN")]].concat();
    let played = Scenario::new(steps).answers(&["hangs", "7g7f"]).play();
    assert!(played.noticed("the server confirmed 2g2f, and no move was sent"), "{:?}", played.notices);
}

#[test]
fn a_start_of_another_game_is_passed_over() {
    let mut steps = login();
    steps.extend([send(&offer("g", '+', CLOCK)), expect("AGREE g"), send("START:h"), Silence, send("START:g")]);
    steps.extend([expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    assert!(Scenario::new(steps).play().noticed("unknown line of the server: START:h"));
}

/// A server that falls silent after `steps`: the client leaves, and logs in again.
fn silent(steps: Vec<Step>, answers: &[&str], reason: &str) -> Played {
    let mut all = steps;
    all.push(Step::AwaitClose);
    all.extend(login());
    all.extend(short_game("after", '+'));
    let mut scenario = Scenario::new(all).answers(answers).impatient(1500);
    let is_begun = answers != ["unused"];
    scenario.games = if is_begun { 2 } else { 1 };
    scenario.answers.retain(|answer| answer != "unused");
    let played = scenario.play();
    assert!(played.noticed(reason), "{:?}", played.notices);
    assert_eq!(played.results().last().unwrap(), "lose RESIGN");
    assert_eq!(played.records.len(), played.games.len());
    played
}

/// Begins a game with a second a move.
fn quick(side: char) -> Vec<Step> {
    let clock = "BEGIN Time\nTotal_Time:0\nByoyomi:1\nEND Time";
    after_login(&[send(&offer("g", side, clock)), expect("AGREE g"), send("START:g")])
}

#[test]
fn a_login_that_is_not_answered_is_given_up() {
    silent([logged_in_before(), vec![Accept, expect("LOGIN")]].concat(), &["unused"], "does not answer the login");
}

#[test]
fn a_game_that_does_not_start_is_given_up() {
    silent(after_login(&[send(&offer("g", '+', CLOCK)), expect("AGREE g")]), &["unused"], "the game does not start");
}

#[test]
fn a_server_silent_on_the_opponents_turn_is_left() {
    let played = silent(quick('-'), &[], "the server is silent");
    assert_eq!(played.results()[0], "unknown the server is silent");
}

#[test]
fn a_server_that_confirms_no_move_is_left() {
    let steps = [quick('+'), vec![expect("+7776FU")]].concat();
    let played = silent(steps, &["7g7f"], "the server is silent");
    assert!(played.records.iter().any(|record| record.contains("%CHUDAN\n'*the server is silent")));
}

#[test]
fn a_server_without_a_verdict_is_left() {
    let steps = [quick('+'), vec![expect("+7776FU"), send("+7776FU,T0\n-3335FU,T0")]].concat();
    silent(steps, &["7g7f"], "no verdict on an illegal move");
}

#[test]
fn an_engine_that_never_answers_resigns_and_is_started_again() {
    let mut steps = quick('+');
    steps.extend([expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE"), Close]);
    steps.extend(login());
    steps.extend(short_game("after", '+'));
    let played = Scenario::new(steps).answers(&["mute"]).games(2).impatient(500).play();
    assert_eq!((played.results().len(), played.tally().faults), (2, 1));
    assert!(played.games[0].fault.as_ref().unwrap().contains("the engine does not answer"));
    assert!(played.calls.contains(&"stop".to_owned()) && played.calls.contains(&"revive".to_owned()));
}

#[test]
fn an_engine_that_never_answers_resigns_without_a_clock_as_well() {
    let clock = "BEGIN Time\nTotal_Time:0\nByoyomi:0\nEND Time";
    let mut steps = after_login(&[send(&offer("g", '+', clock)), expect("AGREE g"), send("START:g")]);
    steps.extend([expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE")]);
    let played = Scenario::new(steps).answers(&["mute"]).impatient(500).play();
    assert!(played.games[0].fault.as_ref().unwrap().contains("the engine does not answer"));
}

#[test]
fn connections_refused_after_the_first_login_are_tried_again() {
    let mut steps = logged_in_before();
    steps.push(Step::Away(400));
    steps.extend(login());
    steps.extend(short_game("after", '+'));
    let played = Scenario::new(steps).play();
    assert!(played.noticed("cannot connect: ") && played.results() == ["lose RESIGN"], "{:?}", played.notices);
}

#[test]
fn pauses_begin_again_after_a_lost_game() {
    let mut steps = [logged_in_before(), logged_in_before(), login()].concat();
    steps.extend(short_game("g", '+'));
    steps.extend(logged_in_before());
    steps.extend(login());
    steps.extend(short_game("after", '+'));
    let mut scenario = Scenario::new(steps).games(2);
    scenario.backoff = Backoff { first: Duration::from_millis(800), longest: Duration::from_secs(60) };
    let played = scenario.play();
    let pauses = played.notices.iter().filter_map(|notice| notice.split_once("next login in "));
    assert_eq!(pauses.map(|(_, pause)| pause).collect::<Vec<_>>(), ["1 s", "2 s", "1 s"]);
}

#[test]
fn a_password_that_the_server_repeats_is_masked() {
    let names = offer(&format!("g{PASSWORD}"), '+', CLOCK).replace("Name-:B", &format!("Name-:B{PASSWORD}"));
    let mut steps = login();
    steps.extend([send(&names), expect("AGREE g"), send(&format!("{PASSWORD}\nSTART:g{PASSWORD}")), expect("+7776FU")]);
    steps.push(send(&format!("+7776FU,T1\n-3335FU,'{PASSWORD}\n#ILLEGAL_MOVE\n#WIN")));
    let played = Scenario::new(steps).answers(&["7g7f"]).play();
    assert_eq!((played.games[0].opponent.as_str(), played.games[0].game_id.as_str()), ("B********", "g********"));
}
