"""CPU seconds that cshogi (PyPI) takes to read the games of a folder, one a file, as
KIF (*.kif) or CSA (*.csa). The texts are in memory before the clock starts.
Usage: python speed.py FOLDER
"""
import pathlib
import sys
import time

import cshogi.CSA
import cshogi.KIF

files = sorted(pathlib.Path(sys.argv[1]).iterdir())
texts = [path.read_text(encoding="utf-8") for path in files]
moves = 0
begin = time.process_time()
if files[0].suffix == ".csa":
    for text in texts:
        moves += sum(len(game.moves) for game in cshogi.CSA.Parser.parse_str(text))
else:
    for text in texts:
        moves += len(cshogi.KIF.Parser.parse_str(text).moves)
print(f"seconds {time.process_time() - begin:.3f} moves {moves}")
