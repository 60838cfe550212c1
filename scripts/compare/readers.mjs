// The part of readers.py that runs in Node: reads each file below the folder in the
// argument with tsshogi, json-kifu-format and shogiops, and prints as JSON the start
// position, the moves and the word for the end that each finds, by `reader/format/name`.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import jkf from "json-kifu-format";
import * as ops from "shogiops";
import * as opsCsa from "shogiops/notation/csa";
import * as opsKif from "shogiops/notation/kif";
import { makeSfen } from "shogiops/sfen";
import * as ts from "tsshogi";

const work = process.argv[process.argv.length - 1];
const { JKFPlayer } = jkf;
const found = {};

const WORDS = {
  interrupt: "CHUDAN", resign: "TORYO", impass: "JISHOGI", draw: "HIKIWAKE", repetitionDraw: "SENNICHITE",
  mate: "TSUMI", noMate: "FUZUMI", timeout: "TIME_UP", foulWin: "foulWin", foulLose: "ILLEGAL_MOVE",
  enteringOfKing: "KACHI", winByDefault: "FUSENSHO", loseByDefault: "FUSENPAI", maxMoves: "MAX_MOVES",
  // Words that it keeps as they are.
  "引き分け": "HIKIWAKE", "最大手数": "MAX_MOVES",
};

const byTsshogi = (text, format) => {
  const read = { kif: ts.importKIF, ki2: ts.importKI2, csa: ts.importCSA, jkf: ts.importJKFString }[format.slice(0, 3)];
  const record = read(text);
  if (record instanceof Error) throw record;
  const moves = [];
  let word = null;
  for (let node = record.first.next; node; node = node.next) {
    if (node.move.usi) moves.push(node.move.usi);
    else word = WORDS[node.move.type] ?? WORDS[node.move.name] ?? node.move.name ?? node.move.type;
  }
  // A foul of the side that is not to move.
  if (word === "foulWin") {
    record.goto(moves.length);
    word = record.position.color === "black" ? "-ILLEGAL_ACTION" : "+ILLEGAL_ACTION";
  }
  return { start: record.initialPosition.sfen, moves, word };
};

const KINDS = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
const square = ({ x, y }) => `${x}${"abcdefghi"[y - 1]}`;
const byJkf = (text, format) => {
  const read = { kif: JKFPlayer.parseKIF, ki2: JKFPlayer.parseKI2, csa: JKFPlayer.parseCSA, jkf: JKFPlayer.parseJKF };
  const player = read[format.slice(0, 3)](text);
  const moves = [];
  let word = null;
  for (const { move, special } of player.kifu.moves) {
    if (special) word = special;
    else if (move?.from) moves.push(square(move.from) + square(move.to) + (move.promote ? "+" : ""));
    else if (move) moves.push(`${KINDS[move.piece]}*${square(move.to)}`);
  }
  player.goto(0);
  return { start: player.shogi.toSFENString(1), moves, word };
};

const usi = (move) => ops.makeUsi(move);
const byShogiops = (text, format) => {
  if (format.startsWith("kif")) {
    const start = makeSfen(opsKif.parseKifHeader(text).unwrap());
    const lines = opsKif.normalizedKifLines(text).filter((line) => /^[0-9]/.test(line.trim()));
    return { start, moves: opsKif.parseKifMovesOrDrops(lines).map(usi) };
  }
  const position = opsCsa.parseCsaHeader(text).unwrap();
  const lines = opsCsa.normalizedCsaLines(text).filter((line) => /^[+-]./.test(line));
  return { start: makeSfen(position), moves: opsCsa.parseCsaMovesOrDrops(position, lines).map(usi) };
};

const READERS = {
  tsshogi: [byTsshogi, ["kif", "kifu", "ki2", "ki2u", "csa22", "csa30", "jkf"]],
  "json-kifu-format": [byJkf, ["kif", "kifu", "ki2", "ki2u", "csa22", "jkf"]],
  shogiops: [byShogiops, ["kif", "kifu", "csa22", "csa30"]],
};
for (const [reader, [read, formats]] of Object.entries(READERS)) {
  for (const format of formats) {
    const decoder = new TextDecoder(["kif", "ki2"].includes(format) ? "shift_jis" : "utf-8", { fatal: true });
    for (const file of readdirSync(join(work, format))) {
      const key = `${reader}/${format}/${file.split(".")[0]}`;
      try {
        found[key] = read(decoder.decode(readFileSync(join(work, format, file))), format);
      } catch (error) {
        found[key] = { error: `${error.name}: ${error.message}` };
      }
    }
  }
}
process.stdout.write(JSON.stringify(found));
