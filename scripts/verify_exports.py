#!/usr/bin/env python3
"""Reads exported PackedSfenValue and hcpe files with cshogi and compares them with ours.

    enbu selfplay export data/selfplay/first --limit 10000 --out /tmp/a.psv
    enbu selfplay export data/selfplay/first --limit 10000 --out /tmp/a.hcpe
    enbu selfplay export data/selfplay/first --limit 10000 --out /tmp/a.tsv
    pip install cshogi numpy
    python3 scripts/verify_exports.py /tmp/a.psv /tmp/a.hcpe /tmp/a.tsv

Every position, move, score and result must be the same in all three; every move must be
legal. Exit code 0 and a line with the number of records when they are.
"""

import sys

import cshogi
import numpy


def winner_for_side(result, black_to_move):
    """The winner that a result for the side to move means."""
    if result == 0:
        return "draw"
    return "black" if (result > 0) == black_to_move else "white"


def main():
    psv_path, hcpe_path, tsv_path = sys.argv[1:]
    psv = numpy.fromfile(psv_path, dtype=cshogi.PackedSfenValue)
    hcpe = numpy.fromfile(hcpe_path, dtype=cshogi.HuffmanCodedPosAndEval)
    with open(tsv_path, encoding="ascii") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    assert len(psv) == len(hcpe) == len(lines) > 0, (len(psv), len(hcpe), len(lines))
    board = cshogi.Board()
    for number, (ours, one, other) in enumerate(zip(lines, psv, hcpe), 1):
        sfen, move, score, winner = ours
        place, ply = sfen.rsplit(" ", 1)
        where = f"record {number}: {sfen}"

        assert board.set_psfen(numpy.ascontiguousarray(one["sfen"])) in (None, True), where
        assert board.sfen().rsplit(" ", 1)[0] == place, (where, board.sfen())
        found = board.move_from_psv(int(one["move"]))
        assert board.is_legal(found) and cshogi.move_to_usi(found) == move, where
        assert int(one["score"]) == int(score) and int(one["gamePly"]) == int(ply), where
        black = board.turn == cshogi.BLACK
        assert winner_for_side(int(one["game_result"]), black) == winner, where

        assert board.set_hcp(numpy.ascontiguousarray(other["hcp"])) in (None, True), where
        assert board.sfen().rsplit(" ", 1)[0] == place, (where, board.sfen())
        found = board.move_from_move16(int(other["bestMove16"]))
        assert board.is_legal(found) and cshogi.move_to_usi(found) == move, where
        assert int(other["eval"]) == int(score), where
        assert ["draw", "black", "white"][int(other["gameResult"])] == winner, where
    print(f"{len(lines)} records are the same for cshogi")


if __name__ == "__main__":
    main()
