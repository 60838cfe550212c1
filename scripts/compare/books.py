"""Shows that books written by `enbu book` are what other programs expect, and that it
reads theirs. Not part of the tests of the workspace. Usage, from a folder of your choice:

    pip install cshogi protobuf
    python PATH/books.py ENBU [COUNT [SEED]]

COUNT positions (10 000) of games of random legal moves are written as a `.db` and converted
by `enbu book convert`. cshogi computes the packed position and the move bits of each record
of the `.ybb`, and the key and the move bits of each record of the `book.bin`; the protobuf
library decodes the `.sbk`, whose graph must lead to every position with its moves. Then
this script writes the same book in each format, and `enbu book convert` must give the `.db`
that it gives for its own file. The exit code is 1 after a difference.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import cshogi
import numpy
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
# Names in the order of the numbers in .sbk; promoted pieces are 8 higher.
SBK_PIECES = "PLNSGBRK"


def enbu(*args):
    run = subprocess.run([ENBU, "book", *map(str, args)], capture_output=True, text=True, encoding="utf-8", check=False)
    if run.returncode:
        sys.exit(run.stderr)


def positions(chance, count):
    """Positions by key (SFEN without ply) with their SFEN and moves; each leads back to the start."""
    found = {}
    while len(found) < count:
        board = cshogi.Board()
        for _ in range(chance.randrange(5, 80)):
            moves = list(board.legal_moves)
            if not moves or len(found) >= count:
                break
            key = board.sfen().rsplit(" ", 1)[0]
            entry = found.setdefault(key, (board.sfen(), {}))
            move = chance.choice(moves)
            entry[1].setdefault(move, (chance.randrange(-30000, 30000), chance.randrange(1, 60), chance.randrange(1, 60000)))
            board.push(move)
    return found


def write_db(path, book):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("#YANEURAOU-DB2016 1.00\n")
        for key in sorted(book):
            sfen, moves = book[key]
            out.write(f"sfen {sfen}\n")
            for move, (value, depth, count) in moves.items():
                out.write(f"{cshogi.move_to_usi(move)} none {value} {depth} {count}\n")


def packed(board):
    psfen = numpy.zeros(32, dtype=numpy.uint8)
    board.to_psfen(psfen)
    return psfen.tobytes()


def ybb_bytes(book):
    records = []
    for sfen, moves in book.values():
        board = cshogi.Board(sfen)
        records.append((packed(board), int(sfen.rsplit(" ", 1)[1]), moves))
    records.sort(key=lambda record: record[0])
    index, tail = [], []
    for psfen, ply, moves in records:
        index.append(psfen + struct.pack("<QHH", 6 * len(tail), ply, len(moves)))
        for move, (value, depth, _) in moves.items():
            tail.append(struct.pack("<HhH", cshogi.move16_to_psv(cshogi.move16(move)), value, depth))
    return b"YANE-BINBOOK-V1\0" + struct.pack("<QQ", len(records), 1) + b"".join(index) + b"".join(tail)


def apery_bytes(book):
    records = []
    for sfen, moves in book.values():
        key = cshogi.Board(sfen).book_key()
        records += [(key, struct.pack("<QHHi", key, cshogi.move16(move), count, value)) for move, (value, _, count) in moves.items()]
    records.sort(key=lambda record: record[0])
    return b"".join(record for _, record in records)


def sbk_messages():
    """The messages of .sbk, by the field numbers of BookConv's book.proto."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="sbk.proto", package="sbk", syntax="proto2")
    kinds = {"i": field.TYPE_INT32, "u": field.TYPE_UINT32, "U": field.TYPE_UINT64, "l": field.TYPE_INT64, "s": field.TYPE_STRING}
    layout = {
        "Move": "bits:i judgement:i weight:i next:i",
        "Eval": "value:i depth:i seldepth:i nodes:l line:s engine:s",
        "State": "id:i board:U hand:u games:i black:i white:i position:s comment:s moves:Move evals:Eval",
        "Book": "author:s description:s states:State",
    }
    optional = {"position", "comment", "engine"}
    for name, fields in layout.items():
        message = file.message_type.add(name=name)
        for number, text in enumerate(fields.split(), 1):
            title, kind = text.split(":")
            if kind in layout:
                message.field.add(name=title, number=number, type=field.TYPE_MESSAGE, type_name=f".sbk.{kind}", label=field.LABEL_REPEATED)
            else:
                label = field.LABEL_OPTIONAL if title in optional else field.LABEL_REQUIRED
                message.field.add(name=title, number=number, type=kinds[kind], label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"sbk.{name}")) for name in layout}


def sbk_move(board, move):
    """The bits of a move, as a number with sign."""
    usi = cshogi.move_to_usi(move)
    rank = lambda letter: ord(letter) - ord("a") + 1
    white = board.turn == cshogi.WHITE
    bits = white << 28 | int(usi[2]) << 12 | rank(usi[3]) << 8 | (usi[4:] == "+") << 19
    if usi[1] == "*":
        bits |= SBK_PIECES.index(usi[0]) + 1 << 24
    else:
        bits |= int(usi[0]) << 4 | rank(usi[1])
        number = lambda square: sbk_piece(board.piece(square))
        bits |= number(cshogi.move_from(move)) << 24 | number(cshogi.move_to(move)) << 20
    return bits - (1 << 31) if white else bits


def sbk_piece(piece):
    if piece == cshogi.NONE:
        return 0
    symbol = cshogi.PIECE_SYMBOLS[piece & 15].upper()
    return SBK_PIECES.index(symbol[-1]) + 1 + 8 * symbol.startswith("+")


def sbk_bytes(book, messages):
    numbers = {key: number for number, key in enumerate(book)}
    out = messages["Book"](author="script", description="")
    for key, (sfen, moves) in book.items():
        board = cshogi.Board(sfen)
        state = out.states.add(id=numbers[key], board=0, hand=0, games=0, black=0, white=0)
        if key == START.rsplit(" ", 1)[0]:
            state.position = START
        for move, (_, _, count) in moves.items():
            bits = sbk_move(board, move)
            board.push(move)
            following = numbers.get(board.sfen().rsplit(" ", 1)[0], -1)
            board.pop()
            state.moves.add(bits=bits, judgement=0, weight=count, next=following)
    return out.SerializeToString()


def check_sbk(path, book, messages):
    """Differences between the graph of a file and the book."""
    read = messages["Book"]()
    read.ParseFromString(path.read_bytes())
    assert read.IsInitialized() and [state.id for state in read.states] == list(range(len(read.states)))
    known = {state.id: state.position for state in read.states if state.position}
    queue, faults = list(known), 0
    while queue:
        state = read.states[queue.pop()]
        board = cshogi.Board(known[state.id])
        key = board.sfen().rsplit(" ", 1)[0]
        expected = {sbk_move(board, move): (count, move) for move, (_, _, count) in book[key][1].items()}
        faults += {move.bits: move.weight for move in state.moves} != {bits: count for bits, (count, _) in expected.items()}
        for move in state.moves:
            if move.next >= 0 and move.next not in known and move.bits in expected:
                board.push(expected[move.bits][1])
                known[move.next] = board.sfen()
                board.pop()
                queue.append(move.next)
    return faults + (len(known) != len(book))


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    book, messages = positions(chance, count), sbk_messages()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_db(folder / "made.db", book)
        enbu("sort", folder / "made.db", "-o", folder / "book.db")
        theirs = {"ybb": ybb_bytes(book), "bin": apery_bytes(book), "sbk": sbk_bytes(book, messages)}
        for name, expected in theirs.items():
            ours, other = folder / f"book.{name}", folder / f"other.{name}"
            # The order of the moves is free; that of the script is the one of the unsorted file.
            enbu("convert", folder / "made.db", "-o", ours)
            if name == "sbk":
                same = check_sbk(ours, book, messages) == 0
            else:
                same = ours.read_bytes() == expected
            other.write_bytes(expected)
            enbu("sort", ours, "-o", folder / f"ours-{name}.db")
            enbu("sort", other, "-o", folder / f"theirs-{name}.db")
            alike = (folder / f"ours-{name}.db").read_bytes() == (folder / f"theirs-{name}.db").read_bytes()
            size = (folder / f"theirs-{name}.db").read_text(encoding="utf-8").count("sfen ")
            print(f"{name}: written as expected: {same}; read alike: {alike}, {size} of {len(book)} positions")
            failed |= not (same and alike and size == len(book))
    sys.exit(failed)


if __name__ == "__main__":
    ENBU = os.path.abspath(sys.argv[1])
    main()
