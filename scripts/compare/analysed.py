"""Shows that other programs read what `enbu analyse` writes back. Not part of the tests
of the workspace. Usage, from a folder of your choice:

    pip install cshogi
    npm install tsshogi
    python PATH/analysed.py ENBU [COUNT [SEED]]

COUNT games (100) of random legal moves, even and with handicaps, with comments at a fifth
of their moves, are analysed at 60 nodes a position into .kif, .kifu and CSA, once for each
dialect of scores. cshogi and tsshogi must find the moves of each game, the score that the
JSON of the analysis has after each move (30 000 for a mate) and every comment of the
original, at its move. cshogi reads each file in a process of its own, because its reader
of CSA can end with a memory fault; it gathers the plain comments of a CSA record for the
whole game, so they are compared without their moves. The exit code is 1 after a difference.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import cshogi
import cshogi.CSA
import cshogi.KIF

HERE = pathlib.Path(__file__).resolve().parent
STARTS = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
]
COMMENTS = ["良い手", "ここは難しい　△なら▲", "\"quotes\" <b>&amp; 100%", "二行の\n文", "評価が分かれる"]
MATE = 30_000


def enbu(*args):
    run = subprocess.run([ENBU, *map(str, args)], capture_output=True, text=True, encoding="utf-8", check=False)
    if run.returncode:
        sys.exit(run.stderr)


def game(chance):
    """Start position and moves."""
    start = chance.choice(STARTS)
    board, moves = cshogi.Board(start), []
    for _ in range(chance.randrange(10, 60)):
        legal = list(board.legal_moves)
        if not legal:
            break
        moves.append(cshogi.move_to_usi(chance.choice(legal)))
        board.push_usi(moves[-1])
    return start, moves


def written(chance, work, count):
    """Writes games as KIF with comments; returns moves and comments of each."""
    games = {}
    (work / "usi").mkdir()
    for number in range(count):
        start, moves = game(chance)
        comments = [chance.choice(COMMENTS) if chance.random() < 0.2 else None for _ in moves]
        games[f"{number:03}"] = (moves, comments)
        (work / "usi" / f"{number:03}.usi").write_text(f"sfen {start} moves {' '.join(moves)} end=resign\n", encoding="utf-8")
    enbu("convert", work / "usi", "-o", f"{work}/in/", "--to", "kifu")
    for name, (_, comments) in games.items():
        path = next((work / "in").glob(f"{name}.*"))
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            lines.append(line)
            number = re.match(r"\s*(\d+) ", line)
            if number and int(number[1]) <= len(comments) and comments[int(number[1]) - 1]:
                lines += ["*" + part for part in comments[int(number[1]) - 1].splitlines()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return games


def read_by_cshogi(path):
    if path.suffix == ".csa":
        game = cshogi.CSA.Parser.parse_file(str(path))[0]
        found = {"comments": game.comments, "scores": game.scores, "all": game.comment}
    else:
        game = cshogi.KIF.Parser.parse_file(str(path))
        found = {"comments": [text or "" for text in game.comments]}
    return {**found, "moves": [cshogi.move_to_usi(move) for move in game.moves]}


def by_cshogi(path):
    """Reads in a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = read_by_cshogi(path)
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            json.dump(found, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(text) if code == 0 else {"error": f"exit code {code}"}


def by_tsshogi(folder):
    script = (HERE / "analysed.mjs").read_text(encoding="utf-8")
    run = subprocess.run(
        ["node", "--input-type=module", "-", str(folder)], input=script, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True
    )
    return json.loads(run.stdout)


SCORES = [r"^#評価値=(-?\d+)$", r"^\*?対局.*評価値 (-?\d+)", r"^\*?解析.*評価値 (-?\d+)", r"^\*? ?\*? ?(-?\d+)(?: |$)"]


def score_in(comment):
    """The score of a comment in any dialect."""
    for line in comment.splitlines():
        for pattern in SCORES:
            if found := re.search(pattern, line):
                return int(found[1])
    return None


def expected(report):
    """The score after each move."""
    for at in report["positions"][1:]:
        score = at["score"]
        yield score["cp"] if "cp" in score else MATE if score["mate"]["winner"] == "black" else -MATE


def difference(found, moves, comments, scores):
    if "error" in found:
        return found["error"]
    if found["moves"] != moves:
        return "moves"
    texts = found["comments"] + [""] * (len(moves) - len(found["comments"]))
    read = found.get("scores") or [score_in(text) for text in texts]
    for index, (one, other) in enumerate(zip(read, scores)):
        if one != other:
            return f"score {one} for {other} after move {index + 1}: {texts[index]!r}"
    for index, comment in enumerate(comments):
        place = found.get("all", texts[index]).replace("'*", "")
        if any(line not in place for line in (comment or "").splitlines()):
            return f"comment {comment!r} after move {index + 1}: {texts[index]!r}"
    return None


def main():
    work = pathlib.Path(tempfile.mkdtemp())
    games = written(random.Random(SEED), work, COUNT)
    failed = False
    for dialect in ("shogihome", "shogigui", "floodgate"):
        out = work / dialect
        enbu("analyse", work / "in", "-o", out, "--nodes", 60, "--format", "kif,kifu,csa", "--scores", dialect)
        by_node, faults = by_tsshogi(out), {}
        kinds = ("kif", "kifu", "csa") if dialect == "shogihome" else ("kif", "kifu")
        for name, (moves, comments) in games.items():
            scores = list(expected(json.loads((out / f"{name}.analysis.json").read_text(encoding="utf-8"))))
            for kind in kinds:
                file = f"{name}.{kind}"
                for reader, found in (("cshogi", by_cshogi(out / file)), ("tsshogi", by_node[file])):
                    count, texts = faults.setdefault((reader, kind), ([0], []))
                    text = difference(found, moves, comments, scores)
                    count[0] += text is None
                    texts += [f"{file}: {text}"] * (text is not None)
        for (reader, kind), (count, texts) in faults.items():
            print(f"{dialect:9} {kind:4} {reader:7} {count[0]} of {len(games)} equal", *texts[:3], sep="\n    " if texts else " ")
            failed |= bool(texts)
    print(work)
    sys.exit(failed)


ENBU = sys.argv[1]
COUNT, SEED = (int(text) for text in (sys.argv[2:] + ["100", "1"][len(sys.argv) - 2 :]))
main()
