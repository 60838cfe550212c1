"""Shows that other programs read the records that `enbu convert` writes. Not part of
the tests of the workspace. Usage, from a folder of your choice:

    pip install cshogi python-shogi numpy
    npm install tsshogi shogiops json-kifu-format
    python PATH/readers.py ENBU [COUNT [SEED]]

A third of the COUNT games (200) are those of `tests/data/records` that hold only legal
moves, as far as there are so many; a third are played by `enbu match` at 300 nodes a move
from random openings and converted from its CSA records, with their times and
evaluations; the others are games of random legal moves: even, handicap and midgame
starts, with every kind of end. Each is converted into .kif (Shift_JIS), .kifu (UTF-8),
.ki2, .ki2u, CSA 2.2, CSA 3.0 and JKF. Each reader must find the start position, the moves and the end of each
game: its word where the reader knows words (tsshogi, json-kifu-format, and cshogi in
CSA), else the winner (cshogi in KIF, python-shogi); shogiops has no ends. Readers without
a row do not read the format.

`FAULTS` lists the differences that are put down to a reader: the games concerned, the
difference that each of them shows, and the place in the reader's source that explains it
(cshogi 1.1.0, python-shogi 1.1.1, tsshogi 2.2.0, json-kifu-format 5.5.0). Such games are
counted as `known`. Any other difference is printed, and the exit code is 1.
"""
import importlib.metadata
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import cshogi
import cshogi.CSA
import cshogi.KIF
import shogi
import shogi.CSA
import shogi.KIF

ENBU = sys.argv[1]
COUNT, SEED = (int(text) for text in (sys.argv[2:] + ["200", "1"][len(sys.argv) - 2 :]))
HERE = pathlib.Path(__file__).resolve().parent
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
STARTS = [
    START,
    START,
    START,
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1",
    "4k4/9/3G1G3/3GGG3/9/3s1s3/3sss3/9/4K4 w RBrb2n2l9p 1",
]
# Our words, the words of CSA, and who wins: the side to move, the other, nobody, unknown.
ENDS = {
    "resign": ("TORYO", "other"),
    "abort": ("CHUDAN", None),
    "sennichite": ("SENNICHITE", "draw"),
    "jishogi": ("JISHOGI", "draw"),
    "time_up": ("TIME_UP", "other"),
    "illegal_move": ("ILLEGAL_MOVE", "other"),
    "illegal_action_black": ("+ILLEGAL_ACTION", "white"),
    "illegal_action_white": ("-ILLEGAL_ACTION", "black"),
    "declaration_win": ("KACHI", "turn"),
    "declaration_draw": ("HIKIWAKE", "draw"),
    "mate": ("TSUMI", "other"),
    "no_mate": ("FUZUMI", None),
    "max_moves": ("MAX_MOVES", "draw"),
    "unfinished": (None, None),
}
# Formats: arguments of convert and the extension.
FORMATS = {
    "kif": ["--to", "kif"],
    "kifu": ["--to", "kifu"],
    "ki2": ["--to", "ki2"],
    "ki2u": ["--to", "ki2u"],
    "csa22": ["--to", "csa", "--csa-version", "2.2"],
    "csa30": ["--to", "csa"],
    "jkf": ["--to", "jkf"],
}


# ---- games -------------------------------------------------------------------


def convert(*args):
    run = subprocess.run([ENBU, "convert", *map(str, args)], capture_output=True, text=True, encoding="utf-8")
    return run.stdout


def split(line):
    """Start position, moves, end and winner of a line that `--to usi --ends` writes."""
    words = line.split()
    fields = dict(word.split("=", 1) for word in words if "=" in word)
    words = [word for word in words if "=" not in word]
    cut = words.index("moves") if "moves" in words else len(words)
    start = START if words[0] == "startpos" else " ".join(words[1:cut])
    return start, words[cut + 1 :], fields.get("end", "unfinished"), fields.get("winner", "none")


def other(side):
    return {"black": "white", "white": "black"}[side]


def turn_after(start, moves):
    black = (start.split()[1] == "b") == (len(moves) % 2 == 0)
    return "black" if black else "white"


def winner_of(end, turn):
    winner = ENDS[end][1]
    return {"turn": turn, "other": other(turn), None: "none"}.get(winner, winner)


def random_game(chance, end):
    start = chance.choice(STARTS)
    board, moves = cshogi.Board(start), []
    for _ in range(chance.randrange(8, 120)):
        legal = list(board.legal_moves)
        if not legal:
            break
        move = chance.choice(legal)
        moves.append(cshogi.move_to_usi(move))
        board.push(move)
    return start, moves, end, winner_of(end, turn_after(start, moves))


def is_legal(start, moves):
    # cshogi needs both kings.
    if "k" not in start.split()[0] or "K" not in start.split()[0]:
        return False
    sides = start.split()
    sides[1] = "w" if sides[1] == "b" else "b"
    if cshogi.Board(" ".join(sides)).is_check():
        return False
    board = cshogi.Board(start)
    for text in moves:
        if text not in {cshogi.move_to_usi(move) for move in board.legal_moves}:
            return False
        board.push_usi(text)
    return True


def stored_games(most):
    """Games of the corpus with legal moves and an end of its own."""
    corpus = HERE.parents[1] / "tests/data/records"
    games = {}
    for folder in ("csa", "kif", "ki2", "jkf", "pgn"):
        for line in convert(corpus / folder, "--to", "usi", "--ends").splitlines():
            game = split(line)
            if game[1] and game[2] in ENDS and is_legal(*game[:2]):
                games.setdefault((game[0], tuple(game[1]), game[2]), game)
    # The winner may be stated otherwise than the end implies: formats keep that each in its way.
    usual = [game for game in games.values() if game[3] == winner_of(game[2], turn_after(*game[:2]))]
    assert usual, f"no games in {corpus}"
    return usual[:most]


def played_records(chance, count, work):
    """CSA records of a fast match of the engine against itself."""
    openings = []
    for _ in range((count + 1) // 2):
        board, moves = cshogi.Board(), []
        for _ in range(8):
            moves.append(cshogi.move_to_usi(chance.choice(list(board.legal_moves))))
            board.push_usi(moves[-1])
        openings.append(f"startpos moves {' '.join(moves)}\n")
    (work / "openings").write_text("".join(openings))
    engines = ["--engine", "self", "name=one", "--engine", "self", "name=two", "--each", "option.USI_Hash=16"]
    rules = ["--tc", "nodes=300", "--max-moves", "200", "--games", str(2 * len(openings))]
    files = ["--quiet", "--openings", work / "openings", "--out", work / "match.jsonl", "--csa", work / "match"]
    subprocess.run([ENBU, "match", *engines, *rules, *files], check=True, stdout=subprocess.DEVNULL)
    return sorted((work / "match").glob("*.csa"))[:count]


def usi_line(start, moves, end, winner):
    position = "startpos" if start == START else f"sfen {start}"
    return f"{position} moves {' '.join(moves)} end={end} winner={winner}\n"


# ---- readers -----------------------------------------------------------------


def by_cshogi(path, kind):
    parser = cshogi.KIF.Parser if kind == "kif" else cshogi.CSA.Parser
    parsed = parser.parse_file(str(path))
    parsed = parsed[0] if isinstance(parsed, list) else parsed
    moves = [cshogi.move_to_usi(move) for move in parsed.moves]
    winner = {cshogi.BLACK_WIN: "black", cshogi.WHITE_WIN: "white", cshogi.DRAW: "draw"}.get(parsed.win, "none")
    if kind == "kif":
        return {"start": parsed.sfen, "moves": moves, "winner": winner}
    return {"start": parsed.sfen, "moves": moves, "word": (parsed.endgame or "%").removeprefix("%") or None}


def by_python_shogi(path, kind):
    parsed = (shogi.KIF if kind == "kif" else shogi.CSA).Parser.parse_file(str(path))[0]
    # It does not tell a draw from a game without a result: `-` is its value for both in CSA.
    winner = {"b": "black", "w": "white"}.get(parsed["win"], "draw or none")
    return {"start": parsed["sfen"], "moves": parsed["moves"], "winner": winner}


PYTHON_READERS = {
    "cshogi": (by_cshogi, {"kif": "kif", "kifu": "kif", "csa22": "csa", "csa30": "csa"}),
    "python-shogi": (by_python_shogi, {"kif": "kif", "kifu": "kif", "csa22": "csa", "csa30": "csa"}),
}


def read_in_python(work, names):
    found = {}
    for reader, (read, formats) in PYTHON_READERS.items():
        for form, kind in formats.items():
            for name in names:
                try:
                    result = read(next((work / form).glob(f"{name}.*")), kind)
                except Exception as error:
                    result = {"error": f"{type(error).__name__}: {error}"}
                found[reader, form, name] = result
    return found


def read_in_node(work):
    script = (HERE / "readers.mjs").read_text(encoding="utf-8")
    # Run from the caller's folder, where the packages are.
    run = subprocess.run(
        ["node", "--input-type=module", "-", str(work)], input=script, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True
    )
    return {tuple(key.split("/")): value for key, value in json.loads(run.stdout).items()}


# ---- comparison --------------------------------------------------------------

# White's first two ranks in the handicaps that KIF calls by name; other starts are boards.
NAMED = {
    *("lnsgkgsnl/1r5b1 lnsgkgsn1/1r5b1 1nsgkgsnl/1r5b1 lnsgkgsnl/1r7 lnsgkgsnl/7b1 lnsgkgsn1/7b1".split()),
    *("lnsgkgsnl/9 1nsgkgsn1/9 2sgkgs2/9 3gkg3/9 4k4/9".split()),
}


def is_board(start, *_):
    ranks, rest = "/".join(start.split("/")[:2]), "/".join(start.split("/")[2:])
    turn = "b" if start.startswith("lnsgkgsnl/1r5b1/") else "w"
    return ranks not in NAMED or rest != f"ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {turn} - 1"


def has_several_in_hand(start, *_):
    """A start with two or more pieces of one kind in a hand."""
    return any(letter.isdigit() for letter in start.split()[2])


def has_later_number(start, *_):
    return start.split()[3] != "1"


def ends_by(*ends):
    return lambda start, moves, end, winner: end in ends


def white_first(start, *_):
    return start.split()[1] == "w"


def both(one, other):
    return lambda *game: one(*game) and other(*game)


def but_not(one, other):
    return lambda *game: one(*game) and not other(*game)


FOULS = ("illegal_move", "illegal_action_black", "illegal_action_white")
KIF, KI2, CSA = ("kif", "kifu"), ("ki2", "ki2u"), ("csa22", "csa30")
# Differences that are put down to a reader: reader, formats, the games concerned, the
# difference (a pattern), the fault, and the place in the reader's source that explains it.
FAULTS = [
    (
        "cshogi", KIF, is_board, "^ParserException: Cannot support handycap type",
        "no start positions as boards", "KIF.py, parse_str: `手合割`",
    ),
    (
        "cshogi", KIF, but_not(ends_by("time_up", "mate"), is_board), "^winner none for (black|white) ",
        "no winner by time or mate", "KIF.py, RESULT_RE",
    ),
    (
        "cshogi", KIF, but_not(ends_by("declaration_draw", "max_moves"), is_board), "^winner none for draw ",
        "no draw by `引き分け` or `最大手数`", "KIF.py, RESULT_RE",
    ),
    (
        "python-shogi", KIF, is_board, "^TypeError: 'NoneType'",
        "no start positions as boards under the name `その他`", "KIF.py, parse_str: `手合割`; parse_file hides the error",
    ),
    (
        "python-shogi", KIF, but_not(both(white_first, ends_by("time_up", "mate", *FOULS)), is_board),
        "^winner (black for white|white for black) ",
        "turns the winner round in handicap games that end otherwise than by `投了`", "KIF.py, parse_str: current_turn",
    ),
    (
        "python-shogi", KIF, but_not(ends_by("declaration_win"), is_board), "^winner draw or none for (black|white) ",
        "no winner by `入玉勝ち`", "KIF.py, MOVE_RE and RESULT_RE",
    ),
    (
        "python-shogi", CSA, has_several_in_hand, "^(start |ValueError: The piece is not in hand)",
        "drops the letter of pieces in hand of which the start has several", "CSA.py, Exporter.sfen",
    ),
    (
        "python-shogi", CSA, but_not(ends_by("declaration_win", "mate"), has_several_in_hand),
        "^winner draw or none for (black|white) ",
        "no winner by declaration or mate", "CSA.py, parse_str: `%`",
    ),
    (
        "tsshogi", CSA + ("jkf",), ends_by("illegal_action_black", "illegal_action_white"), "^end .?ILLEGAL_",
        "turns `%+ILLEGAL_ACTION` and `%-ILLEGAL_ACTION` round", "csa.mjs, getSpecialMoveByName",
    ),
    (
        "json-kifu-format", KIF + KI2, but_not(ends_by("declaration_draw", "declaration_win", "max_moves"), has_later_number),
        "^SyntaxError: .* but \"[引入最]\" found",
        "refuses a result line with `引き分け`, `入玉勝ち` or `最大手数`", "kif-parser.pegjs and ki2-parser.pegjs, result",
    ),
    (
        "json-kifu-format", KIF + KI2, has_later_number, "^SyntaxError: Expected \"：\" ",
        "refuses the line `手数＝40  まで`", "kif-parser.pegjs and ki2-parser.pegjs, header",
    ),
]


def known_fault(reader, form, game, difference):
    """Index of the fault that explains the difference."""
    for index, (who, forms, concerns, pattern, *_) in enumerate(FAULTS):
        if reader == who and form in forms and concerns(*game) and re.search(pattern, difference):
            return index
    return None


def expected_word(form, end, winner):
    word = ENDS[end][0]
    if form == "csa22" and word == "MAX_MOVES":
        word = "JISHOGI"
    return f"FOUL won by {winner}" if word and "ILLEGAL" in word else word


def plain(word, turn):
    """Fouls by who won: formats differ in whose foul they name."""
    if word == "ILLEGAL_MOVE":
        return f"FOUL won by {other(turn)}"
    if word in ("+ILLEGAL_ACTION", "-ILLEGAL_ACTION"):
        return f"FOUL won by {'white' if word[0] == '+' else 'black'}"
    return word


def canonical(sfen):
    """An SFEN without its move number, the pieces in hand in a fixed order."""
    board, turn, hands = sfen.split()[:3]
    counts = {piece: int(count or 1) for count, piece in re.findall(r"(\d*)([A-Za-z])", hands)}
    return board, turn, sorted(counts.items())


def difference(form, game, result):
    start, moves, end, winner = game
    if "error" in result:
        return result["error"].splitlines()[0][:150]
    if canonical(result["start"]) != canonical(start):
        return f"start {result['start']} for {start}"
    if result["moves"] != moves:
        at = next((i for i, (a, b) in enumerate(zip(result["moves"], moves)) if a != b), min(len(result["moves"]), len(moves)))
        return f"moves differ from {at + 1}: {result['moves'][at:at + 2]} for {moves[at:at + 2]}"
    if "word" in result and plain(result["word"], turn_after(start, moves)) != expected_word(form, end, winner):
        return f"end {result['word']} for {end}"
    if result.get("winner", winner) not in (winner, "draw or none" if winner in ("draw", "none") else winner):
        return f"winner {result['winner']} for {winner} by {end}"
    return None


def versions():
    packages = [f"{name} {importlib.metadata.version(name)}" for name in ("cshogi", "python-shogi")]
    for name in ("tsshogi", "json-kifu-format", "shogiops"):
        package = pathlib.Path("node_modules", name, "package.json").read_text(encoding="utf-8")
        packages.append(f"{name} {json.loads(package)['version']}")
    return ", ".join(packages)


def prepare(work):
    """Writes the games as files below `work`; returns the games, their names and the number of each kind."""
    chance = random.Random(SEED)
    (work / "source").mkdir()
    games, ends = stored_games(COUNT // 3), list(ENDS)
    stored = len(games)
    records = played_records(chance, COUNT // 3, work)
    games += [random_game(chance, ends[i % len(ends)]) for i in range(COUNT - stored - len(records))]
    for number, game in enumerate(games):
        (work / "source" / f"{number:04}.usi").write_text(usi_line(*game))
    for number, record in enumerate(records, len(games)):
        shutil.copy(record, work / "source" / f"{number:04}.csa")
        games.append(split(convert(record, "--to", "usi", "--ends")))
        assert is_legal(*games[-1][:2])
    return games, [f"{number:04}" for number in range(len(games))], (stored, len(records))


def main():
    work = pathlib.Path(tempfile.mkdtemp())
    games, names, (stored, played) = prepare(work)
    for form, arguments in FORMATS.items():
        convert(work / "source", "-o", f"{work / form}{os.sep}", *arguments)
    print(f"{len(games)} games, {stored} of them from the corpus and {played} played, in {work}; {versions()}")
    found = read_in_python(work, names) | read_in_node(work)
    table, explained, others = {}, [set() for _ in FAULTS], {}
    for (reader, form, name), result in found.items():
        game = games[int(name)]
        row = table.setdefault((reader, form), [0, 0, 0])
        text = difference(form, game, result)
        if text is None:
            row[0] += 1
        elif (index := known_fault(reader, form, game, text)) is not None:
            row[1] += 1
            explained[index].add((form, name))
        else:
            row[2] += 1
            others.setdefault((reader, form, text), []).append(name)
    print(f"{'reader':18} {'format':8} equal known other")
    for (reader, form), (equal, known, rest) in table.items():
        print(f"{reader:18} {form:8} {equal:5} {known:5} {rest:5}")
    for (who, forms, concerns, _, fault, place), seen in zip(FAULTS, explained):
        concerned = sum(concerns(*game) for game in games) * len(forms)
        print(f"known: {who}, {', '.join(forms)}: {fault} ({len(seen)} of {concerned} files; {place})")
    for (reader, form, text), concerned in others.items():
        print(f"other: {reader} {form}: {text} ({len(concerned)} games, first {concerned[0]})")
    sys.exit(len(others) > 0)


main()
