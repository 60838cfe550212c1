"""Compares `enbu convert` with cshogi and pyffish (PyPI). Not part of the tests of
the workspace. Usage:

    pip install cshogi pyffish
    python records.py ENBU FOLDER

FOLDER holds one game a file as USI lines (`*.usi`). cshogi must read our KIF and
CSA as we wrote them, and we its CSA; pyffish must write the moves of our PGN as
we do.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cshogi
import cshogi.CSA
import cshogi.KIF
import pyffish

enbu, folder = sys.argv[1], pathlib.Path(sys.argv[2])
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
names = sorted(path.stem for path in folder.glob("*.usi"))
work = pathlib.Path(tempfile.mkdtemp())


def convert(*args):
    return subprocess.run([enbu, "convert", *map(str, args)], check=True, capture_output=True, text=True).stdout


def split(line):
    start, _, moves = line.strip().partition(" moves ")
    return (START if start == "startpos" else start.removeprefix("sfen ")), moves.split()


def same_start(a, b):
    return a.rsplit(" ", 1)[0] == b.rsplit(" ", 1)[0]


games = dict(zip(names, map(split, convert(folder, "--to", "usi").splitlines())))
wrong = 0
for fmt, parser in (("kif", cshogi.KIF.Parser), ("csa", cshogi.CSA.Parser)):
    out = work / fmt
    convert(folder, "-o", f"{out}/", "--to", fmt)
    same = 0
    for name in names:
        start, moves = games[name]
        text = (out / f"{name}.{fmt}").read_text()
        # cshogi has no boards in KIF.
        if fmt == "kif" and "その他" in text:
            continue
        try:
            parsed = parser.parse_str(text)
            parsed = parsed[0] if isinstance(parsed, list) else parsed
            found = [cshogi.move_to_usi(move) for move in parsed.moves]
        except Exception as error:
            found = [repr(error)]
        if found == moves:
            same += 1
        else:
            wrong += 1
            if wrong < 5:
                print("cshogi reads otherwise", fmt, name, found[:5], moves[:5], len(found), len(moves))
    print(f"{fmt}: {same} of {len(names)} of ours read alike by cshogi")

theirs = work / "theirs"
theirs.mkdir()
for name in names:
    start, moves = games[name]
    exporter = cshogi.CSA.Exporter(str(theirs / f"{name}.csa"))
    exporter.info(init_board=cshogi.Board(start))
    board = cshogi.Board(start)
    for move in moves:
        number = board.push_usi(move)
        exporter.move(number)
    exporter.endgame("%TORYO")
    exporter.close()
read = dict(zip(names, map(split, convert(theirs, "--to", "usi").splitlines())))
same = sum(read[name][1] == games[name][1] and same_start(read[name][0], games[name][0]) for name in names)
print(f"csa: {same} of {len(names)} of cshogi's read alike by enbu")
wrong += same != len(names)


def square(text):
    return chr(ord("a") + 9 - int(text[0])) + str(10 - (ord(text[1]) - ord("a") + 1))


def to_uci(move):
    if move[1] == "*":
        return move[0] + "@" + square(move[2:4])
    return square(move[:2]) + square(move[2:4]) + move[4:]


out = work / "pgn"
convert(folder, "-o", f"{out}/", "--to", "pgn")
same = 0
for name in names:
    start, moves = games[name]
    text = (out / f"{name}.pgn").read_text()
    fen = re.search(r'\[FEN "(.*)"\]', text)
    fen = fen.group(1) if fen else pyffish.start_fen("shogi")
    body = text.split("\n\n", 1)[1].split()[:-1]
    ours = [word for word in body if not re.fullmatch(r"\d+\.+", word)]
    expected = pyffish.get_san_moves("shogi", fen, [to_uci(move) for move in moves], False, pyffish.NOTATION_SAN)
    if ours == list(expected):
        same += 1
    else:
        wrong += 1
        pairs = [(a, b) for a, b in zip(ours, expected) if a != b]
        if wrong < 8:
            print("pyffish writes otherwise", name, pairs[:5], len(ours), len(expected))
print(f"pgn: {same} of {len(names)} of ours written alike by pyffish")
sys.exit(wrong > 0)
