"""Compares `enbu convert` with cshogi and pyffish (PyPI). Not part of the tests of
the workspace. Usage:

    pip install cshogi pyffish
    python records.py ENBU FOLDER

FOLDER holds one game a file as USI lines (`*.usi`), such as `records.mjs` leaves
there. cshogi must read our KIF and CSA as we wrote them, and we its KIF, CSA and
PGN; pyffish must write the moves of our PGN as we do.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cshogi
import cshogi.CSA
import cshogi.KIF
import cshogi.PGN
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
    same = boards = 0
    for name in names:
        start, moves = games[name]
        text = (out / f"{name}.{fmt}").read_text(encoding="utf-8")
        # cshogi reads no boards in KIF.
        if fmt == "kif" and "その他" in text:
            boards += 1
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
    print(f"{fmt}: {same} of {len(names) - boards} of ours read alike by cshogi, {boards} with boards left out")



def their_csa(path, start, moves):
    exporter = cshogi.CSA.Exporter(str(path))
    exporter.info(init_board=cshogi.Board(start))
    board = cshogi.Board(start)
    for move in moves:
        exporter.move(board.push_usi(move))
    exporter.endgame("%TORYO")
    exporter.close()


def their_kif(path, start, moves):
    exporter = cshogi.KIF.Exporter(str(path))
    exporter.header(["a", "b"], handicap=None if start == START else cshogi.Board(start))
    board = cshogi.Board(start)
    for move in moves:
        exporter.move(board.push_usi(move), 3, 3)
    exporter.end("resign")
    exporter.close()


def their_pgn(path, start, moves):
    exporter = cshogi.PGN.Exporter(str(path))
    exporter.tag_pair(["a", "b"], cshogi.BLACK_WIN)
    board = cshogi.Board(start)
    exporter.movetext([board.push_usi(move) for move in moves])
    exporter.close()


for fmt, write in (("csa", their_csa), ("kif", their_kif), ("pgn", their_pgn)):
    theirs = work / f"theirs-{fmt}"
    theirs.mkdir()
    # Its PGN does not tell the start position.
    written = [name for name in names if fmt != "pgn" or games[name][0] == START]
    for name in written:
        write(theirs / f"{name}.{fmt}", *games[name])
    read = dict(zip(written, map(split, convert(theirs, "--to", "usi").splitlines())))
    alike = [name for name in written if read[name][1] == games[name][1] and same_start(read[name][0], games[name][0])]
    for name in sorted(set(written) - set(alike))[:3]:
        print("enbu reads otherwise", theirs / f"{name}.{fmt}", read[name], games[name])
    print(f"{fmt}: {len(alike)} of {len(written)} of cshogi's read alike by enbu")
    wrong += len(written) - len(alike)


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
    text = (out / f"{name}.pgn").read_text(encoding="utf-8")
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
