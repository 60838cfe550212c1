#!/usr/bin/env python3
"""Writes reasons.tsv: mistakes whose facts are known by construction.

Each function builds positions of one theme and knows what must be said about them, with the
piece values of eval/src/piece_value.rs and no other knowledge of the program. Each row is
written twice: as it is, and turned round with the colours exchanged.

    python3 tests/data/reasons.py > tests/data/reasons.tsv
"""

BOARD = dict(P=90, L=260, N=280, S=420, B=640, R=800, G=460)
BOARD.update({"+P": 440, "+L": 430, "+N": 430, "+S": 450, "+B": 900, "+R": 1100})
HAND = dict(P=100, L=290, N=320, S=470, B=720, R=890, G=520)
PAWN = 190
COLUMNS = "theme sfen moves best answer mate_before mate_after fact by pieces given free plies".split()

# Kings behind walls that no slider opens, and pawns for quiet moves.
WHITE = {"1a": "k", "2a": "g", "1b": "s", "2b": "s", "1c": "p", "2c": "p"}
BLACK = {"9i": "K", "8i": "G", "9h": "S", "8h": "S", "9g": "P", "8g": "P"}
WALLS = WHITE | BLACK
QUIET, OTHER, REPLY = "9g9f", "8g8f", "1c1d"

# A square from which each piece of Black reaches 5e.
ORIGIN = {"P": "5f", "L": "5g", "N": "4g", "S": "4f", "G": "5f", "B": "6f", "R": "3e",
          "+P": "4f", "+N": "4f", "+S": "4f", "+B": "6f", "+R": "3e"}


def value(kind):
    """Swing of a capture."""
    return BOARD[kind] + HAND[kind.lstrip("+")]


def sfen(pieces, hand="-", turn="b"):
    rows = []
    for rank in "abcdefghi":
        row, empty = "", 0
        for file in "987654321":
            piece = pieces.get(file + rank)
            if piece is None:
                empty += 1
                continue
            row += (str(empty) if empty else "") + piece
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return f"{'/'.join(rows)} {turn} {hand} 1"


def turned_square(square):
    return str(10 - int(square[0])) + "abcdefghi"["ihgfedcba".index(square[1])]


def turned_move(move):
    if "*" in move:
        return move[:2] + turned_square(move[2:4])
    return turned_square(move[:2]) + turned_square(move[2:4]) + move[4:]


def turned(row):
    row = dict(row)
    board, turn, hand, ply = row["sfen"].split()
    board = board.split("/")
    flat = []
    for rank in board:
        parts, plus = [], ""
        for c in rank:
            if c == "+":
                plus = "+"
            else:
                parts.append(plus + c)
                plus = ""
        flat.append("".join(reversed(parts)))
    row["sfen"] = f"{'/'.join(reversed(flat)).swapcase()} {'w' if turn == 'b' else 'b'} {swapped_hand(hand)} {ply}"
    for name in ("moves", "best", "answer", "mate_before", "mate_after", "by"):
        row[name] = " ".join(turned_move(move) for move in row[name].split())
    row["theme"] += ", turned"
    return row


def swapped_hand(hand):
    """Hands with the colours exchanged, Black's pieces first."""
    if hand == "-":
        return hand
    groups, number = [], ""
    for c in hand:
        if c.isdigit():
            number += c
        else:
            groups.append(number + c.swapcase())
            number = ""
    return "".join(sorted(groups, key=lambda group: group[-1].islower()))


ROWS = []


def row(theme, board, moves, best, answer, fact="-", hand="-", **more):
    """Adds a row; `board` holds pieces by square, upper case for Black, who errs."""
    entry = dict.fromkeys(COLUMNS, "")
    entry.update(theme=theme, sfen=sfen(board, hand), moves=moves, best=best, answer=answer, fact=fact)
    entry.update({name: str(text) for name, text in more.items()})
    ROWS.append(entry)
    ROWS.append(turned(entry))


def lost(fact, by, kind, given=None, protected=False):
    """Columns of a piece that is taken on a square, for one piece or none."""
    gain = value(kind) - (value(given) if given else 0)
    if gain < PAWN:
        return {}
    free = "" if given or protected else "free"
    return dict(fact=fact, by=by, pieces=kind, given=given or "", free=free)


def hanging():
    for kind, origin in ORIGIN.items():
        place, move = {origin: kind}, f"{origin}5e"
        board = WALLS | place | {"5b": "r"}
        row(f"{kind} moves before a rook", board, move, OTHER, "5b5e", **lost("loses_piece", "5b5e", kind))
        knight = {"6g": "N"}
        row(f"{kind} moves before a rook, protected", board | knight, move, OTHER, "5b5e 6g5e",
            **lost("loses_piece", "5b5e", kind, "R"))
        board = WALLS | place | {"5d": "p"}
        row(f"{kind} moves before a pawn", board, move, OTHER, "5d5e", **lost("loses_piece", "5d5e", kind))
        row(f"{kind} moves before a pawn, protected", board | knight, move, OTHER, "5d5e 6g5e",
            **lost("loses_piece", "5d5e", kind, "P"))
        board = WALLS | place | knight | {"6d": "s"}
        row(f"{kind} moves before a silver, protected", board, move, OTHER, "6d5e 6g5e",
            **lost("loses_piece", "6d5e", kind, "S"))
    # The knight on 4g is pinned by the bishop, and cannot take back.
    board = WHITE | {"3h": "K", "9g": "P", "8g": "P", "4g": "N", "6e": "b", "4f": "S", "5b": "r"}
    row("protected by a pinned knight only", board, "4f5e", OTHER, "5b5e", "loses_piece", by="5b5e", pieces="S", free="free")
    # A capture of equal worth.
    board = WALLS | {"4f": "S", "5e": "s", "5b": "r"}
    row("silvers are exchanged", board, "4f5e", OTHER, "5b5e")
    board = WALLS | {"5h": "R", "5e": "s", "5b": "r"}
    row("a rook takes a protected silver", board, "5h5e", OTHER, "5b5e", "loses_piece", by="5b5e", pieces="R", given="S")
    board = WALLS | {"5h": "R", "5e": "r", "5b": "l"}
    row("rooks are exchanged", board, "5h5e", OTHER, "5b5e")


def threats():
    for kind in ("L", "N", "S", "G", "B", "+S"):
        board = WALLS | {"5e": kind, "5b": "r"}
        row(f"{kind} stays attacked", board, QUIET, "G*5f", "5b5e", hand="G", **lost("ignores_threat", "5b5e", kind))
        row(f"{kind} is lost in any case", board, QUIET, f"{OTHER} 5b5e", "5b5e", hand="G")
        guard = {"5f": "G"}
        row(f"{kind} loses its protection", board | guard, "5f5g", OTHER, "5b5e", **lost("unguards", "5b5e", kind))
        row(f"{kind} keeps a protection", board | guard | {"6g": "N"}, "5f5g", OTHER, "5b5e 6g5e")


def forks():
    for left, right in (("G", "G"), ("S", "G"), ("G", "R"), ("R", "S"), ("S", "S"), ("B", "R")):
        pair = {"4f": left, "6f": right}
        line = "N*5d 8g8f " + ("5d6f" if value(left) <= value(right) else "5d4f")
        row(f"knight attacks {left} and {right}", WALLS | pair, QUIET, OTHER, line, "allows_attack", hand="n",
            by="N*5d", pieces=f"{left} {right}")
        row(f"knight attacks {left} and {right}, and is taken", WALLS | pair | {"5e": "P"}, QUIET, OTHER, "N*5d 5e5d", hand="n")
        pair = {"4d": left.lower(), "6d": right.lower()}
        line = "N*5f 1c1d " + ("5f6d" if value(left) <= value(right) else "5f4d")
        row(f"knight could attack {left} and {right}", WALLS | pair, QUIET, line, REPLY, "missed_attack", hand="N",
            by="N*5f", pieces=f"{left} {right}")
    row("knight attacks protected knights", WALLS | {"4f": "N", "6f": "N", "4g": "P", "6g": "P"}, QUIET, OTHER, "N*5d", hand="n")
    king = WHITE | {"5h": "K", "9g": "P", "8g": "P"}
    row("bishop checks and attacks a rook", king | {"1h": "R"}, QUIET, OTHER, "B*3f 5h5i 3f1h+", "allows_attack", hand="b",
        by="B*3f", pieces="K R")
    row("bishop checks and attacks a silver", king | {"1h": "S"}, QUIET, OTHER, "B*3f 5h5i 3f1h+", "allows_attack", hand="b",
        by="B*3f", pieces="K S")
    row("bishop checks and attacks a protected silver", king | {"1h": "S", "1i": "L"}, QUIET, OTHER, "B*3f 5h5i", hand="b")
    # The knight has two squares; on both a gold takes it.
    board = WALLS | {"5e": "N", "5c": "p", "4b": "g", "6b": "g"}
    row("pawn attacks a knight without a way out", board, QUIET, OTHER, "5c5d 8g8f 5d5e", "allows_attack", by="5c5d", pieces="N")
    board = WALLS | {"5e": "N", "5c": "p", "6b": "g"}
    row("pawn attacks a knight with a way out", board, QUIET, OTHER, "5c5d 5e4c+")
    # A lance attacks a rook behind a gold.
    board = WALLS | {"5f": "G", "5h": "R"}
    row("lance attacks a gold before a rook", board, QUIET, OTHER, "L*5d 8g8f 5d5f", "allows_attack", hand="l", by="L*5d", pieces="G R")


def gains():
    for kind in ("P", "L", "N", "S", "G", "B", "R", "+P", "+R"):
        target = kind.lower()
        board = WALLS | {"6e": "S", "5d": target}
        row(f"silver could take {kind}", board, QUIET, "6e5d", REPLY, **lost("better_capture", "6e5d", kind))
        row(f"silver could take {kind}, protected", board | {"5c": "p"}, QUIET, "6e5d", REPLY,
            **lost("better_capture", "6e5d", kind, "S"))


def promotions():
    for kind, origin in (("p", "5f"), ("b", "3e"), ("r", "5d")):
        board, move = WALLS | {origin: kind}, f"{origin}5g+"
        row(f"{kind} promotes", board, QUIET, "G*5h", move, "allows_promotion", hand="G", by=move)
        row(f"{kind} promotes in any case", board, QUIET, OTHER, move, hand="G")
        row(f"{kind} promotes and is taken", board | {"5h": "G"}, QUIET, OTHER, move)
    for kind, origin in (("P", "5d"), ("B", "3e"), ("R", "5f")):
        board, move = WALLS | {origin: kind}, f"{origin}5c+"
        row(f"{kind} could promote", board, QUIET, move, REPLY, "missed_promotion", by=move)
        row(f"{kind} could promote and be taken", board | {"5b": "g"}, QUIET, move, REPLY)
    board = WALLS | {"5f": "R"}
    row("rook does not promote", board, "5f5c", "5f5c+", REPLY, "promotion_choice", by="5f5c+")
    row("a rook need not be left unpromoted", board, "5f5c+", "5f5c", REPLY)
    row("silver should not promote", WALLS | {"5d": "S"}, "5d5c+", "5d5c", REPLY, "promotion_choice", by="5d5c")


    row("one piece is dropped in place of another", WALLS, "G*5e", "S*5e", REPLY, hand="GS")


def kings():
    board = BLACK | {"5f": "k", "1c": "p"}
    row("king enters", board, QUIET, "P*5h", "5f5g", "lets_king_enter", hand="P", by="5f5g")
    row("king enters in any case", board, QUIET, OTHER, "5f5g", hand="P")
    entered = {"5a": "K", "4a": "R", "6a": "R", "4b": "B", "5b": "B", "6b": "G", "4c": "S", "5c": "S", "6c": "S", "3c": "N", "7c": "N"}
    board = entered | {"9i": "k", "9g": "P", "8g": "P", "1g": "p"}
    row("declaration of 28 points", board, QUIET, OTHER, "1g1h", "missed_declaration", hand="2P")
    row("no declaration of 26 points", board, QUIET, OTHER, "1g1h")


def mates():
    quiet = {"9g": "P", "8g": "P"}
    board = quiet | {"5i": "K", "1a": "k", "1c": "p"}
    attack = board | {"5g": "p"}
    row("mate in one is threatened", attack, QUIET, "5i4h", "G*5h", "ignores_mate_threat", hand="g",
        mate_after="G*5h", by="G*5h", plies=1)
    row("a gold leaves the square of the mate", attack | {"4h": "G"}, "4h3h", OTHER, "G*5h", "allows_mate", hand="g",
        mate_after="G*5h", by="G*5h", plies=1)
    board = {"5a": "k", "5c": "P", "9i": "K", "9g": "P", "8g": "P", "1c": "p"}
    row("mate in one is there", board, QUIET, "G*5b", REPLY, "missed_mate", hand="G", mate_before="G*5b", by="G*5b", plies=1)
    board = {"1a": "l", "2a": "n", "2b": "k", "3c": "p", "3e": "N", "5i": "K"}
    row("mate in three is there", board, "5i4i", "S*2c 2b1c G*1d", "2b3b", "missed_mate", hand="GS",
        mate_before="S*2c 2b1c G*1d", by="S*2c", plies=3)
    board = quiet | {"5i": "K", "5f": "s", "1a": "k", "1c": "p"}
    row("silver threatens mate", board, QUIET, "G*5h", "5f5g", "allows_mate_threat", hand="Gg", by="5f5g")
    row("silver threatens mate in any case", board, QUIET, OTHER, "5f5g", hand="Gg")
    board = {"5a": "k", "5d": "S", "9i": "K", "9g": "P", "8g": "P", "1g": "p"}
    row("silver could threaten mate", board, QUIET, "5d5c", "1g1h", "missed_mate_threat", hand="G", by="5d5c")
    row("silver without a gold threatens nothing", board, QUIET, "5d5c", "1g1h")


def lines():
    for kind in ("S", "G", "N"):
        board = WALLS | {"5e": kind, "5b": "r"}
        line = f"{REPLY} 9f9e 5b5e"
        row(f"{kind} is lost two moves later", board, QUIET, OTHER, line, "line_loses", by=REPLY, pieces=kind)
        board = WALLS | {"6e": "S", "5d": kind.lower()}
        row(f"{kind} could be won two moves later", board, QUIET, f"{OTHER} {REPLY} 6e5d", REPLY, "line_wins", by=OTHER, pieces=kind)


def repetitions():
    board = {"5a": "k", "5i": "K", "9i": "R"}
    row("a fourth time", board, " ".join(["5i5h 5a5b 5h5i 5b5a"] * 3), "5b4b", "", "repetition")
    # Each move of Black checks.
    cycle = "4h5h 5a4a 5h4h 4a5a"
    board = {"5a": "k", "9i": "K", "4h": "R"}
    row("a fourth time by checks", board, " ".join([cycle] * 3 + ["4h5h"]), "9i8i", "", "perpetual_check")


if __name__ == "__main__":
    for theme in (hanging, threats, forks, gains, promotions, kings, mates, lines, repetitions):
        theme()
    print("\t".join(COLUMNS))
    for entry in ROWS:
        print("\t".join(entry[name] for name in COLUMNS))
