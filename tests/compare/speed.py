"""CPU seconds that cshogi (PyPI) takes to read the games of a folder, one a file, as
KIF (*.kif) or CSA (*.csa): reading the files included, the start of Python not.
Usage: python speed.py FOLDER
"""
import pathlib
import sys
import time

import cshogi.CSA
import cshogi.KIF

begin = time.process_time()
moves = 0
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csa":
        moves += sum(len(game.moves) for game in cshogi.CSA.Parser.parse_str(text))
    else:
        moves += len(cshogi.KIF.Parser.parse_str(text).moves)
print(f"seconds {time.process_time() - begin:.3f} moves {moves}")
