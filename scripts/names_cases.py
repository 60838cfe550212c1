#!/usr/bin/env python3
"""Writes tests/data/names.tsv: games and positions constructed from definitions of names.

Usage: scripts/names_cases.py > tests/data/names.tsv

The moves are built from the definitions in words (docs/names.md), not from the tables of the
program: a castle is the moves of one side that make it, woven with the moves of an opponent who
plays with a rook that stays or ranges; an opening is a line, played as it is, with moves of the
edge pawns between, and by the other side. A near miss lacks one part of the definition.
"""

STATIC = "2g2f 1g1f 9g9f 3i4h 6i7h".split(), "5i6i 6i5i".split()
RANGING = "2h6h 5i4h 4h3h 3h2h 3i3h 1g1f 9g9f 6i5h".split(), "5h4h 4h5h".split()

# Castles: name, opponents, the moves of its side, and the castle that stands before the last move.
BOAT = "2g2f 7g7f 3i4h 5i6h 6h7h 4i5h"
YAGURA = "2g2f 7g7f 7i6h 5g5f 6g6f 4i5h 6i7h 5i6i 6h7g 8h7i 5h6g 7i6h 6i7i 7i8h"
LEFT = "2g2f 7g7f 8h7g 5i6h 6h7h 7h8h"
CROWN = LEFT + " 8g8f 7i7h 7h8g 6i7h"
HOLE = LEFT + " 9i9h 8h9i 7i8h"
RIGHT = "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h"
MINO = RIGHT + " 3i3h 6i5h"
RIGHT_CROWN = RIGHT + " 3i3h 2g2f 3h2g 4i3h"
WALL = "2g2f 7g7f 8h6f 8i7g 7i8h 6i7h 5i6h 6h7i 7i8i"
CASTLES = [
    ("金矢倉", "s", YAGURA, "矢倉囲い"),
    ("矢倉囲い", "s", "2g2f 7g7f 7i6h 5g5f 6h7g 6i7h 8h7i 7i6h 5i6i 6i7i", "-"),
    ("銀矢倉", "s", "2g2f 7g7f 7i6h 5g5f 6g6f 6h7g 6i7h 8h7i 7i6h 5i6i 6i7i 7i8h 3i4h 4h5i 5i5h 5h6g", "矢倉囲い"),
    ("片矢倉", "s", "2g2f 7g7f 7i6h 6g6f 6h7g 5g5f 4i5h 5h6g 6i6h 5i6i 6i7h", "-"),
    ("総矢倉", "s", YAGURA + " 3i4h 4h5g", "金矢倉"),
    ("菱矢倉", "s", YAGURA + " 3i4h 4h5g 6f6e 5g6f", "総矢倉"),
    ("銀立ち矢倉", "sr", YAGURA + " 7f7e 7g7f", "金矢倉"),
    ("矢倉穴熊", "s", YAGURA + " 9i9h 8h9i", "金矢倉"),
    ("菊水矢倉", "s", WALL, "-"),
    ("ミレニアム囲い", "r", WALL, "-"),
    ("居飛車穴熊", "r", HOLE, "-"),
    ("松尾流穴熊", "r", HOLE + " 6i7h 5g5f 3i4h 4h5g 5g6h 6h7i", "居飛車穴熊"),
    ("銀冠", "r", CROWN, "左美濃"),
    ("銀冠", "s", RIGHT_CROWN, "片美濃囲い"),
    ("米長玉", "r", CROWN + " 8h9h", "銀冠"),
    ("銀冠穴熊", "r", CROWN + " 9i9h 8h9i", "銀冠"),
    ("銀冠穴熊", "s", RIGHT_CROWN + " 1i1h 2h1i", "銀冠"),
    ("ビッグ4", "r", CROWN + " 9i9h 8h9i 7h8h 4i5h 5h6h 6h7h 7g6f 5g5f 3i4h 4h5g 5g6h 6h7g", "銀冠穴熊"),
    ("左美濃", "rs", LEFT + " 7i7h", "-"),
    ("天守閣美濃", "r", LEFT + " 8g8f 7i7h 8h8g", "左美濃"),
    ("左高美濃", "r", LEFT + " 7i7h 6g6f 4i5h 5h6g", "左美濃"),
    ("美濃囲い", "s", MINO, "片美濃囲い"),
    ("片美濃囲い", "s", RIGHT + " 3i3h", "-"),
    ("高美濃囲い", "s", MINO + " 4g4f 5h4g", "美濃囲い"),
    ("ダイヤモンド美濃", "s", MINO + " 4g4f 7i7h 7h6g 6g5f 5f4g", "美濃囲い"),
    ("銀美濃", "s", "7g7f 6g6f 2h7h 5i4h 4h3h 3h2h 3i3h 7i6h 6h5i 5i5h", "片美濃囲い"),
    ("木村美濃", "s", "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h 3i4h 4g4f 4h4g 4i3h", "-"),
    ("右矢倉", "r", RIGHT + " 3g3f 3i3h 3h3g 4i3h 4g4f 6i5h 5h4g", "片美濃囲い"),
    ("金無双", "r", "7g7f 6g6f 2h6h 5i4h 4h3h 3i2h 4i4h 6i5h", "-"),
    ("振り飛車穴熊", "s", RIGHT + " 1i1h 2h1i 3i2h", "-"),
    ("雁木囲い", "s", "2g2f 7g7f 6g6f 7i6h 6h6g 5g5f 3i4h 4h5g 6i7h 4i5h 5i6i", "-"),
    ("カニ囲い", "s", "2g2f 7g7f 7i6h 5g5f 6i7h 4i5h 5i6i", "-"),
    ("舟囲い", "r", BOAT, "-"),
    ("箱入り娘", "r", BOAT + " 5h6h", "舟囲い"),
    ("エルモ囲い", "r", "2g2f 7g7f 5i6h 6h7h 7i6h 6i7i", "-"),
    ("中原囲い", "s", "2g2f 7g7f 6i7h 5i6i 3i4h 4i5i", "-"),
    ("アヒル囲い", "s", "2g2f 2f2e 9g9f 8h9g 5i5h 7i6h 3i4h 6i7i 4i3i", "-"),
    ("中住まい", "s", "2g2f 7g7f 6i7h 5i5h 3i3h", "-"),
    ("無敵囲い", "s", "2h5h 7i6h 3i4h", "-"),
    ("右玉", "s", "2g2f 7g7f 6g6f 7i6h 6h7g 6i7h 3i4h 4g4f 4h4g 3g3f 2i3g 2h2i 5i4h", "-"),
]

# Openings: name, line, pairs of moves before those of edge pawns (negative: not by the other side), near miss, its name.
EXCHANGE = "7g7f 8c8d 2g2f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b"
TEMPO = "7g7f 3c3d 2g2f 9c9d 2f2e 2b8h+ 7i8h 3a2b 3i4h"
SIDE = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d"
CLOSED = "7g7f 3c3d 6g6f 8c8d"
LATE = "2g2f 8c8d 2f2e 8d8e 7g7f 4a3b 8h7g 3c3d 6g6f 7a6b "
OPENINGS = [
    ("横歩取り", SIDE + " 8e8f 8g8f 8b8f 2d3d", 1, SIDE + " 8e8f 8g8f 8b8f 2d2f", "-"),
    ("相掛かり", "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2f", 4, "2g2f 8c8d 7g7f 8d8e 8h7g 3c3d 2f2e", "-"),
    ("角換わり", EXCHANGE, 3, EXCHANGE.replace(" 2b7g+ 6h7g 3a2b", " 7a6b 3i4h"), "-"),
    ("角換わり腰掛け銀", EXCHANGE + " 3i3h 2b3c 4g4f 7a6b 3h4g 6c6d 4g5f 6b6c", 3, EXCHANGE + " 3i3h 2b3c 4g4f 7a6b 3h4g 6c6d", "角換わり"),
    ("角換わり棒銀", EXCHANGE + " 3i3h 2b3c 3h2g 7a7b 2f2e 6c6d 2g2f", 3, EXCHANGE + " 3i3h 2b3c 3h2g 7a7b 2f2e 6c6d", "角換わり"),
    ("角換わり早繰り銀", EXCHANGE + " 3g3f 7a7b 3i4h 2b3c 4h3g 6c6d 3g4f", 3, EXCHANGE + " 3g3f 7a7b 3i4h 2b3c 4h3g", "角換わり"),
    ("一手損角換わり", "7g7f 3c3d 2g2f 4a3b 2f2e 2b8h+ 7i8h 3a2b 3i4h 2b3c 8h7g 8c8d", -3, EXCHANGE + " 3i4h", "角換わり"),
    ("矢倉", "7g7f 8c8d 7i6h 3c3d 6h7g 6a5b 2g2f 7a6b 5g5f 5c5d 3i4h 3a4b 6i7h 4a3b", 5, "7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 2g2f 5c5d", "-"),
    ("雁木", "7g7f 8c8d 2g2f 3c3d 6g6f 7a6b 7i6h 5c5d 6h6g 6a5b 6i7h 4a3b", 5, "7g7f 8c8d 2g2f 3c3d 6g6f 7a6b 7i6h 5c5d 6i7h 4a3b", "-"),
    ("四間飛車", CLOSED + " 2h6h 7a6b 5i4h 5a4b", 2, LATE + "2h6h", "-"),
    ("三間飛車", CLOSED + " 2h7h 7a6b 5i4h 5a4b", 2, LATE + "7g8h 5a4b 2h7h", "-"),
    ("向かい飛車", CLOSED + " 8h7g 8d8e 2h8h 7a6b", 2, LATE + "2h8h", "-"),
    ("四間飛車", CLOSED + " 2h6h 8d8e 8h7g 7a6b", 2, CLOSED + " 2h6h 7a6b 9g9f 5a4b 6h2h 4b3b", "-"),
    ("中飛車", CLOSED + " 2h5h 7a6b 5i4h 5a4b", 2, LATE + "2h5h", "-"),
    ("ツノ銀中飛車", CLOSED + " 2h5h 7a6b 5g5f 5c5d 7i6h 5a4b 6h6g 4b3b 3i4h 6a5b 4g4f 1c1d 4h4g", 4, CLOSED + " 2h5h 7a6b 5g5f 5c5d 7i6h 5a4b 6h6g 4b3b 3i4h", "中飛車"),
    ("ゴキゲン中飛車", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 3i4h 5d5e", -3, "7g7f 3c3d 2g2f 4c4d 3i4h 5c5d 4i5h 8b5b", "中飛車"),
    ("石田流", "7g7f 3c3d 6g6f 8c8d 2h7h 7a6b 7f7e 5a4b 7h7f", 3, "7g7f 3c3d 6g6f 8c8d 2h7h 7a6b 7f7e 5a4b", "三間飛車"),
    ("早石田", "7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h", 1, "7g7f 3c3d 1g1f 8c8d 1f1e 8d8e 2h7h 7a6b 7f7e 6a5b", "三間飛車"),
    ("藤井システム", CLOSED + " 2h6h 7a6b 3i3h 5a4b 1g1f 4b3b 7i7h 6a5b 6i5h 5c5d 4g4f 2b3c 3g3f 3b2b 2i3g", 3, CLOSED + " 2h6h 7a6b 3i3h 5a4b 1g1f 4b3b 5i4h 6a5b 6i5h 5c5d 4g4f 2b3c 3g3f 3b2b 2i3g", "四間飛車"),
    ("立石流四間飛車", CLOSED + " 2h6h 7a6b 6f6e 5a4b 7f7e 4b3b 6h6f 5c5d 6f7f", 3, CLOSED + " 2h6h 7a6b 6f6e 5a4b 6h6f 4b3b", "四間飛車"),
    ("角交換四間飛車", TEMPO + " 8b4b 5i6h 5a6b", -3, "7g7f 3c3d 2g2f 9c9d 2f2e 4c4d 3i4h 8b4b", "四間飛車"),
    ("ダイレクト向かい飛車", TEMPO + " 2b3c 5i6h 8b2b", -3, TEMPO + " 2b3c 5i6h 8b4b 4i5h 4b2b", "角交換四間飛車"),
    ("角交換振り飛車", TEMPO + " 8b3b 5i6h 5a6b", -3, "7g7f 3c3d 2g2f 9c9d 2f2e 4c4d 3i4h 8b3b", "三間飛車"),
    ("相振り飛車", "7g7f 3c3d 6g6f 3d3e 2h6h 8b3b 5i4h 5a6b", 2, "7g7f 3c3d 6g6f 3d3e 2h6h 8b9b", "四間飛車"),
    ("相三間飛車", "7g7f 3c3d 6g6f 3d3e 2h7h 8b3b 5i4h 5a6b", 2, "7g7f 3c3d 6g6f 3d3e 2h7h 8b4b", "相振り飛車"),
    ("相中飛車", "5g5f 5c5d 2h5h 8b5b 5i4h 5a6b", 2, "5g5f 5c5d 2h5h 8b4b", "相振り飛車"),
    ("右四間飛車", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 4g4f 5a6b 4h4g 6b7b 4g5f 7b8b 2h4h", 4, "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 4g4f 5a6b 4h4g 6b7b 2h4h", "四間飛車"),
    ("袖飛車", "2g2f 8c8d 3g3f 8d8e 2h3h 4a3b 3f3e", 2, "2g2f 8c8d 3i4h 8d8e 2h3h", "-"),
    ("棒銀", "2g2f 3c3d 2f2e 2b3c 3i3h 4c4d 3h2g 3a4b 2g2f", 3, "2g2f 3c3d 2f2e 2b3c 3i3h 4c4d 3h2g", "-"),
    ("鬼殺し", "7g7f 3c3d 8i7g 8c8d 7g6e 7a6b 7f7e", 1, "7g7f 3c3d 8i7g 8c8d 2h7h", "三間飛車"),
    ("嬉野流", "7i6h 3c3d 5g5f 8c8d 8h7i 8d8e", -1, "7g7f 3c3d 7i6h 8c8d 8h7i", "-"),
    ("筋違い角", "7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b 4e3d", 1, "7g7f 3c3d 8h2b+ 3a2b B*5e", "-"),
    ("パックマン戦法", "7g7f 4c4d 8h4d 8b4b", -2, "7g7f 3c3d 2g2f 4c4d", "-"),
    ("角頭歩戦法", "7g7f 3c3d 8g8f 8c8d", -3, "7g7f 8c8d 8g8f", "-"),
]

# Lines as they are played: opening, the last castles of Black and White, moves.
LINES = [
    ("矢倉", "金矢倉", "金矢倉", "7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6i7h 5a4a 5i6i 6a5b 6h7g 4b3c 8h7i 2b3a 3g3f 4c4d 5h6g 7c7d 7i6h 5b4c 6i7i 3a6d 4h3g 4a3a 7i8h 3a2b"),
    ("横歩取り", "中住まい", "-", "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b3c 3d3f 8f8d 3f2f P*2b 5i5h 5a4a P*8g 8d8e 3i3h 7a6b"),
    ("四間飛車", "居飛車穴熊", "高美濃囲い", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 7a7b 5g5f 6b7a 4i5h 7a8b 8h7g 3a3b 7h8h 4a5b 2f2e 2b3c 9i9h 6c6d 8h9i 5b6c 7i8h 7c7d"),
    ("角換わり腰掛け銀", "矢倉囲い", "矢倉囲い", "2g2f 8c8d 7g7f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b 3i3h 2b3c 4g4f 7a6b 3h4g 6c6d 3g3f 6b6c 5i6h 7c7d 1g1f 1c1d 9g9f 9c9d 4g5f 6c5d 6h7i 5a4b 4i5h 6a5b 6g6f 4b3a 7i8h 3a2b"),
    ("雁木", "舟囲い", "-", "7g7f 3c3d 2g2f 4c4d 3i4h 3a4b 5g5f 4b4c 2f2e 2b3c 4i5h 8c8d 5i6h 4a3b 6h7h 7a6b 7i6h 6a5b"),
    ("ゴキゲン中飛車", "-", "片美濃囲い", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 3i4h 5d5e 5i6h 2b3c 3g3f 5a6b 4h3g 6b7b 3g4f 7b8b 6h7h 7a7b"),
    ("三間飛車", "エルモ囲い", "片美濃囲い", "7g7f 3c3d 2g2f 4c4d 3i4h 8b3b 5i6h 5a6b 6h7h 6b7b 5g5f 7b8b 4i5h 7a7b 7i6h 3a4b 6i7i"),
    ("右四間飛車", "片美濃囲い", "-", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 6c6d 4h3h 6b6c 3h2h 6c5d 3i3h 8b6b 7i7h 5a4b 7h6g"),
    ("相掛かり", "-", "-", "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2f 7a7b 3i3h 6c6d 7g7f 3c3d"),
    ("相掛かり", "-", "-", "7g7f 8c8d 2g2f 8d8e 2f2e 4a3b 6i7h 8e8f 8g8f 8b8f 2e2d 2c2d 2h2d P*2c 2d2f"),
    ("角交換四間飛車", "-", "-", "7g7f 3c3d 2g2f 8b4b 2f2e 2b8h+ 7i8h 3a2b 3i4h 5a6b 5i6h 6b7b 6h7h 7b8b"),
    ("早石田", "-", "-", "7g7f 3c3d 7f7e 4c4d 2h7h 7a6b 7h7f 5a4b 8i7g 4b3b"),
    ("中飛車", "片美濃囲い", "舟囲い", "5g5f 8c8d 7g7f 6a5b 2h5h 5a4b 5f5e 4b3b 5i4h 3c3d 4h3h 7a6b 3h2h 4a4b 3i3h"),
    ("一手損角換わり", "-", "-", "7g7f 3c3d 2g2f 4a3b 6i7h 2b8h+ 7i8h 3a2b 3i4h 2b3c 3g3f 7a6b 4h3g 6c6d 3g4f 8c8d"),
    ("立石流四間飛車", "-", "舟囲い", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 1g1f 1c1d 7i7h 5a4b 6f6e 4b3b 7f7e 6a5b 6h6f 5c5d 6f7f"),
    ("藤井システム", "-", "舟囲い", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 1g1f 5a4b 1f1e 4b3b 7i7h 5c5d 3i3h 6a5b 4g4f 6b5c 3g3f 2b3c 2i3g 4c4d 6i5h 3b2b"),
    ("筋違い角", "-", "-", "7g7f 3c3d 8h2b+ 3a2b B*4e 6c6d 4e3d 7a6b 3d5f"),
    ("一手損角換わり", "右玉", "-", "7g7f 8c8d 2g2f 3c3d 2f2e 2b8h+ 7i8h 4a3b 8h7g 3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 6c6d 3g3f 6b6c 6i7h 5a4b 2i3g 7c7d 2h2i 8a7c 5i4h 6c5d 4i3h"),
]

# Tactics: name, position of the side to move, its move; then near misses, and their names.
K = "/9/9/9/9/4K4 b "
TACTICS = [
    ("頭金", [("4k4/9/4P4/9" + K + "G", "G*5b"), ("8k/9/8P/9" + K + "G", "G*1b"), ("6k2/9/5GP2/9" + K + "-", "4c3b")],
     [("4k4/9/9/9" + K + "G", "G*5b", "-"), ("4k4/9/3P5/9" + K + "G", "G*6b", "-")]),
    ("吊るし桂", [("7nk/7nl/9/9" + K + "N", "N*2c"), ("7nk/7nl/9/9/6N2/9/9/9/4K4 b -", "3e2c"), ("kn7/ln7/9/9" + K + "N", "N*8c")],
     [("7nk/8l/9/9" + K + "N", "N*2c", "-"), ("7nk/7sl/9/9" + K + "N", "N*2c", "-")]),
    ("王手飛車取り", [("4k4/1r7/9/9" + K + "B", "B*7c"), ("9/7k1/9/9/9/9/9/1r7/4K4 b B", "B*5e"), ("3r1k3/9/9/9" + K + "N", "N*5c")],
     [("4k4/1rp6/9/9" + K + "B", "B*7c", "-"), ("4k4/9/9/9" + K + "B", "B*7c", "-")]),
    ("ふんどしの桂", [("4k4/3g1g3/9/9" + K + "N", "N*5d"), ("k8/9/9/6s1r/9/9/9/6N2/4K4 b -", "3h2f"), ("k8/1s1g5/9/9" + K + "N", "N*7d")],
     [("4k4/3g1p3/9/9" + K + "N", "N*5d", "-"), ("4k4/3g1g3/4p4/9" + K + "N", "N*5d", "-")]),
    ("割り打ちの銀", [("9/2k1g1r2/9/9" + K + "S", "S*4a"), ("9/1k2g1g2/9/9" + K + "S", "S*4a"), ("9/6k2/9/3r1g3" + K + "S", "S*5c")],
     [("6g2/2k1g1r2/9/9" + K + "S", "S*4a", "-"), ("9/2k1g1s2/9/9" + K + "S", "S*4a", "-")]),
    ("田楽刺し", [("4k4/7r1/9/7b1" + K + "L", "L*2e"), ("4k4/6g2/9/6s2" + K + "L", "L*3i"), ("4k4/9/1r7/1b7" + K + "Lp", "L*8e")],
     [("4k4/6g2/9/6s2" + K + "Lp", "L*3i", "-"), ("4k4/9/9/6s2" + K + "L", "L*3e", "-")]),
    ("十字飛車", [("4k4/7b1/9/3s3p1/9/9/9/7R1/4K4 b -", "2h2d"), ("k8/4g4/9/9/1s7/9/9/9/4K4 b R", "R*5e"), ("k8/9/1n7/9/7s1/1R7/9/9/4K4 b -", "8f8e")],
     [("k8/4g4/9/9/9/9/9/9/4K4 b R", "R*5e", "-"), ("k8/4g4/4g4/9/1s7/9/9/9/4K4 b R", "R*5e", "-")]),
    ("両取り", [("k8/9/2g3s2/9" + K + "B", "B*5e"), ("k8/9/9/3s1n3" + K + "G", "G*5d"), ("k8/9/9/2s3n2" + K + "R", "R*5d")],
     [("k8/9/2g6/9" + K + "B", "B*5e", "-"), ("k8/9/2g3s2/4p4" + K + "B", "B*5e", "-")]),
    ("腹銀", [("9/7k1/9/9" + K + "S", "S*3b"), ("9/7k1/9/9" + K + "S", "S*1b"), ("4k4/9/9/9" + K + "S", "S*6a")],
     [("9/7k1/9/9" + K + "S", "S*3c", "-"), ("9/7k1/5S3/9" + K + "-", "4c3b", "-")]),
    ("桂頭の銀", [("4k4/9/2n6/9" + K + "S", "S*7d"), ("4k4/9/6n2/9/5S3/9/9/9/4K4 b -", "4e3d"), ("4k4/9/9/9/1n7/9/9/9/4K4 b S", "S*8f")],
     [("4k4/9/2n6/9" + K + "S", "S*6d", "-"), ("4k4/9/2l6/9" + K + "S", "S*7d", "-")]),
    ("底歩", [("4k4/9/9/9/9/9/9/4G1K2/9 b P", "P*5i"), ("4k4/9/9/9/9/9/9/3G2K2/9 b P", "P*6i"), ("4k4/9/9/9/9/9/9/2G3K2/r8 b P", "P*7i")],
     [("4k4/9/9/9/9/9/9/4S1K2/9 b P", "P*5i", "-"), ("4k4/9/9/9/9/9/4G4/6K2/9 b P", "P*5h", "-")]),
    ("叩きの歩", [("4k4/6g2/9/9" + K + "P", "P*3c"), ("4k4/9/7s1/9" + K + "P", "P*2d"), ("9/7k1/9/9" + K + "P", "P*2c")],
     [("4k4/6g2/9/5S3" + K + "P", "P*3c", "-"), ("4k4/6p2/9/9" + K + "P", "P*3c", "-")]),
    ("垂れ歩", [("4k4/9/9/9" + K + "P", "P*2d"), ("4k4/9/9/9" + K + "P", "P*8c"), ("k8/9/9/9" + K + "P", "P*4b")],
     [("4k4/9/7p1/9" + K + "P", "P*2d", "-"), ("4k4/9/9/9" + K + "P", "P*2e", "-"), ("4k4/9/5g3/9" + K + "P", "P*3d", "-")]),
]


def turned(move):
    """The move of the other side."""
    square = lambda text: f"{10 - int(text[0])}{chr(ord('a') + ord('i') - ord(text[1]))}"
    return (move[:2] if move[1] == "*" else square(move[:2])) + square(move[2:4]) + move[4:]


def turned_sfen(text):
    board, turn, hand, *_ = text.split()
    board = board[::-1].swapcase()
    return f"{board} {'w' if turn == 'b' else 'b'} {hand if hand == '-' else hand.swapcase()}"


def woven(own, plan, is_black):
    """A game of the moves of one side and those of an opponent, who repeats the last ones."""
    first, rest = plan
    other = first + [rest[i % len(rest)] for i in range(len(own))]
    pairs = zip(own, other) if is_black else zip(other, own)
    moves = [move for black, white in pairs for move in (black, turned(white))]
    # The game ends with the move of the side whose castle it is.
    return "startpos moves " + " ".join(moves[:-1] if is_black else moves)


def castle_rows():
    for name, opponents, text, before in CASTLES:
        own = text.split()
        plans = [STATIC if o == "s" else RANGING for o in opponents]
        edge = ["9g9f" if "9g9f" not in own and "9i9h" not in own and "8h9h" not in own else "1g1f"]
        for number, (moves, is_black) in enumerate([(own, True), (own, False), (edge + own, True)]):
            yield "castle", name, "-", "black" if is_black else "white", woven(moves, plans[number % len(plans)], is_black)
        yield "castle", before, name, "black", woven(own[:-1] + ["1g1f" if "1g1f" not in own else "9g9f"], plans[0], True)


def edge_moves(moves):
    """A move of an edge pawn by each side, which the line does not have."""
    return [next(move for move in pair if move not in moves) for pair in (("9g9f", "1g1f"), ("1c1d", "9c9d"))]


def opening_rows():
    for name, line, at, near, near_name in OPENINGS:
        moves = line.split()
        pair = edge_moves(moves)
        games = [moves, moves + [pair[len(moves) % 2]]]
        if at > 0:
            other = [turned(move) for move in moves]
            games.append(edge_moves(other)[:1] + other)
        if at < 0 or at > 2:
            at = max(4, 2 * abs(at))
            games.append(moves[:at] + pair + moves[at:])
        for game in games:
            yield "opening", name, "-", "-", "startpos moves " + " ".join(game)
        yield "opening", near_name, name, "-", "startpos moves " + near


def tactic_rows():
    for name, cases, misses in TACTICS:
        for number, (sfen, move) in enumerate(cases):
            yield "tactic", name, "-", "-", f"sfen {sfen} 1 moves {move}"
            if number == 0:
                yield "tactic", name, "-", "-", f"sfen {turned_sfen(sfen)} 1 moves {turned(move)}"
        for sfen, move, expected in misses:
            yield "tactic", expected, name, "-", f"sfen {sfen} 1 moves {move}"


# The king that stays: both sides in the variation of Side Pawn Capture that takes at once.
FIGHT = " 8e8f 8g8f 8b8f 2d3d 2b8h+ 7i8h P*2h 3i2h B*4e 3d2d P*2c B*7g 8f8h+"
SITTING = [("black", "居玉", SIDE + FIGHT), ("white", "居玉", SIDE + FIGHT), ("black", "居玉", SIDE + FIGHT + " 7g8h 2c2d"),
           ("black", "-", "5i5h 3c3d " + SIDE.replace("7g7f 3c3d", "7g7f 1c1d") + FIGHT)]


def line_rows():
    for opening, black, white, line in LINES:
        for kind, name, side in (("opening", opening, "-"), ("castle", black, "black"), ("castle", white, "white")):
            yield kind, name, "-", side, "startpos moves " + line


if __name__ == "__main__":
    print("kind\texpected\tnear\tside\tgame")
    for row in [*castle_rows(), *opening_rows(), *line_rows(), *tactic_rows()]:
        print("\t".join(row))
    for side, name, line in SITTING:
        print("\t".join(["castle", name, "居玉" if name == "-" else "-", side, "startpos moves " + line]))
