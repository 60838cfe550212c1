"""Shows that other programs read the records that `enbu convert` writes. Not part of
the tests of the workspace. Usage, from a folder of your choice:

    pip install cshogi python-shogi numpy
    npm install tsshogi shogiops json-kifu-format
    python PATH/readers.py ENBU [COUNT [SEED]]

COUNT games (200) are the records in `tests/data/records` that hold legal moves, and
games of random legal moves: even, handicap and midgame starts, with every kind of end.
Each is converted into .kif (Shift_JIS), .kifu (UTF-8), .ki2, .ki2u, CSA 2.2, CSA 3.0 and
JKF. Each reader must find the moves and the end of each game: its word where the reader
knows words (tsshogi, json-kifu-format, and cshogi in CSA), else the winner (cshogi in
KIF, python-shogi); shogiops has no ends. Readers without a column do not read the format.

The faults below are the readers' own, found in their sources; the games that they concern
are counted as `known`. Anything else is printed, and the exit code is 1.
"""
import json
import os
import pathlib
import random
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
    corpus = HERE.parent / "data/records"
    games = {}
    for folder in ("csa", "kif", "ki2", "jkf", "pgn"):
        for line in convert(corpus / folder, "--to", "usi", "--ends").splitlines():
            game = split(line)
            if game[1] and game[2] in ENDS and is_legal(*game[:2]):
                games.setdefault((game[0], tuple(game[1]), game[2]), game)
    # The winner may be stated otherwise than the end implies: formats keep that each in its way.
    usual = [game for game in games.values() if game[3] == winner_of(game[2], turn_after(*game[:2]))]
    return usual[:most]


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
        return {"moves": moves, "winner": winner}
    return {"moves": moves, "word": (parsed.endgame or "%").removeprefix("%") or None}


def by_python_shogi(path, kind):
    parsed = (shogi.KIF if kind == "kif" else shogi.CSA).Parser.parse_file(str(path))[0]
    winner = {"b": "black", "w": "white", "-": "draw"}.get(parsed["win"], "none")
    return {"moves": parsed["moves"], "winner": winner}


PYTHON_READERS = {
    "cshogi": (by_cshogi, {"kif": "kif", "csa22": "csa", "csa30": "csa"}),
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

# White's first two ranks in the handicaps whose names every program reads alike.
NAMED = {
    *("lnsgkgsnl/1r5b1 lnsgkgsn1/1r5b1 1nsgkgsnl/1r5b1 lnsgkgsnl/1r7 lnsgkgsnl/7b1 lnsgkgsn1/7b1".split()),
    *("lnsgkgsnl/9 1nsgkgsn1/9 2sgkgsn1/9 1nsgkgs2/9 2sgkgs2/9 3gkg3/9 4k4/9".split()),
}


def is_board(start, moves, end, winner):
    """A start that KIF shows as a board, because no undisputed name is known for it."""
    ranks, rest = "/".join(start.split("/")[:2]), "/".join(start.split("/")[2:])
    turn = "b" if start.startswith("lnsgkgsnl/1r5b1/") else "w"
    return ranks not in NAMED or rest != f"ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {turn} - 1"


def is_disputed(start, *_):
    """Three, five or seven pieces, in whose names programs differ."""
    first, second = start.split("/")[:2]
    return second == "9" and sum(piece in "lns" for piece in first) % 2 == 1


def ends_by(*ends):
    return lambda start, moves, end, winner: end in ends


def has_white_first(start, moves, end, winner):
    return start.split()[1] == "w"


# Faults of the readers: reader, formats, the games concerned, and the fault.
KIF, KI2, CSA = ("kif", "kifu"), ("ki2", "ki2u"), ("csa22", "csa30")
FAULTS = [
    ("cshogi", KIF, is_board, "no start positions as boards, and no handicap of seven pieces"),
    ("cshogi", KIF, ends_by("time_up", "mate"), "no winner by time or mate"),
    ("python-shogi", KIF, is_board, "start positions as boards are refused under the name `その他`"),
    ("python-shogi", KIF, has_white_first, "counts the winner from Black in handicap games"),
    ("python-shogi", KIF, ends_by("declaration_win"), "does not know `入玉勝ち`"),
    ("python-shogi", CSA, ends_by("declaration_win", "mate"), "no winner by declaration or mate"),
    ("python-shogi", CSA, lambda start, *_: start.split()[2] != "-", "drops the letter of pieces in hand of which the start position has two or more"),
    ("tsshogi", KI2 + ("jkf",), is_disputed, "no handicap of three, five or seven pieces"),
    (
        "tsshogi",
        CSA + ("jkf",),
        ends_by("illegal_action_black", "illegal_action_white"),
        "2.2.0 reads `%+ILLEGAL_ACTION` and `%-ILLEGAL_ACTION` the wrong way round (2.3.4 does not)",
    ),
    (
        "json-kifu-format",
        KIF + KI2,
        ends_by("declaration_draw", "declaration_win", "max_moves"),
        "refuses a `まで` line with `引き分け`, `入玉勝ち` or `最大手数`",
    ),
    ("json-kifu-format", KIF + KI2, lambda start, *_: start.split()[-1] != "1", "refuses the line `手数＝40  まで`"),
]


def known_fault(reader, form, game):
    return any(reader == who and form in forms and concerns(*game) for who, forms, concerns, _ in FAULTS)


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


def difference(form, game, result):
    start, moves, end, winner = game
    if "error" in result:
        return result["error"].splitlines()[0][:150]
    if result["moves"] != moves:
        at = next((i for i, (a, b) in enumerate(zip(result["moves"], moves)) if a != b), min(len(result["moves"]), len(moves)))
        return f"moves differ from {at + 1}: {result['moves'][at:at + 2]} for {moves[at:at + 2]}"
    if "word" in result and plain(result["word"], turn_after(start, moves)) != expected_word(form, end, winner):
        return f"end {result['word']} for {end}"
    # Readers that know winners do not tell a draw from a game without a result.
    if "winner" in result and result["winner"].replace("draw", "none") != winner.replace("draw", "none"):
        return f"winner {result['winner']} for {winner} by {end}"
    return None


def main():
    chance = random.Random(SEED)
    games = stored_games(COUNT // 3)
    ends = list(ENDS)
    stored = len(games)
    games += [random_game(chance, ends[i % len(ends)]) for i in range(COUNT - stored)]
    names = [f"{number:04}" for number in range(len(games))]
    work = pathlib.Path(tempfile.mkdtemp())
    (work / "usi").mkdir()
    for name, game in zip(names, games):
        (work / "usi" / f"{name}.usi").write_text(usi_line(*game))
    for form, arguments in FORMATS.items():
        convert(work / "usi", "-o", f"{work / form}{os.sep}", *arguments)
    print(f"{len(games)} games, {stored} of them from the corpus, in {work}")
    found = read_in_python(work, names) | read_in_node(work)
    table, others = {}, {}
    for (reader, form, name), result in found.items():
        game = games[int(name)]
        fault = difference(form, game, result)
        row = table.setdefault((reader, form), [0, 0, 0])
        kind = 0 if fault is None else 1 if known_fault(reader, form, game) else 2
        row[kind] += 1
        if kind == 2:
            others.setdefault((reader, form, fault), []).append(name)
    print(f"{'reader':18} {'format':8} equal known other")
    for (reader, form), (equal, known, rest) in table.items():
        print(f"{reader:18} {form:8} {equal:5} {known:5} {rest:5}")
    for who, forms, _, fault in FAULTS:
        print(f"known: {who}, {', '.join(forms)}: {fault}")
    for (reader, form, fault), concerned in others.items():
        print(f"other: {reader} {form}: {fault} ({len(concerned)} games, first {concerned[0]})")
    sys.exit(len(others) > 0)


main()
