// Compares `enbu convert` with tsshogi (npm) in both directions, over games that
// this script makes up. Not part of the tests of the workspace. Usage:
//
//   npm install tsshogi
//   node records.mjs ENBU [COUNT [SEED]]
//
// tsshogi writes COUNT games (500) as KIF, KI2, CSA and JKF: even and handicap
// starts, positions from the middle of games, variations, comments, bookmarks, times and
// every kind of end. enbu converts each file into each of the four formats, and
// tsshogi must read that as it reads its own: that is, enbu reads what tsshogi
// writes, and writes what tsshogi reads. What one of the two formats cannot hold
// is left out of the comparison.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ts from "tsshogi";

const [enbu, count = "500", seed = "1"] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "compare-"));

// ---- games -------------------------------------------------------------------

let state = BigInt(seed);
const below = (limit) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(limit));
};
const pick = (list) => list[below(list.length)];

const STARTS = [
  "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
  "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
  "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
  "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
  "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
  "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
  "l4g1nk/1+R4sp1/p1n1+B2pp/2pp1pp2/1p2p3P/2PPPPP2/PP1S1SNP1/2GKG4/L6RL b B2SN2Pgln2p 1",
  "4k4/9/3G1G3/3GGG3/9/3s1s3/3sss3/9/4K4 w RBrb2n2l9p 1",
];
const ENDS = Object.values(ts.SpecialMoveType).filter((type) => type !== "start");

/** A move that can be made, found by trying; undefined where luck fails. */
const anyMove = (position) => {
  const hand = position.hand(position.color);
  for (let attempt = 0; attempt < 3000; attempt++) {
    const to = ts.Square.newByXY(below(9), below(9));
    const held = pick(ts.handPieceTypes);
    const drop = hand.count(held) > 0 && below(6) === 0;
    const move = position.createMove(drop ? held : ts.Square.newByXY(below(9), below(9)), to);
    if (!move) continue;
    const promoted = move.withPromote();
    const chosen = below(2) === 0 && position.isValidMove(promoted) ? promoted : move;
    if (position.isValidMove(chosen)) return chosen;
  }
};

const remark = (record) => {
  if (below(5) === 0) record.current.comment = pick(["好手", "a\nb", "変化：2手", "まで9手で中断", "▲７六歩"]);
  if (below(12) === 0) record.current.bookmark = "しおり";
};

const line = (record, length) => {
  for (let ply = 0; ply < length; ply++) {
    const move = anyMove(record.position);
    if (!move || !record.append(move)) return;
    record.current.setElapsedMs(below(3) === 0 ? 0 : below(400) * 1000);
    remark(record);
  }
};

const game = () => {
  const position = ts.Position.newBySFEN(pick(STARTS));
  const record = new ts.Record(position);
  const set = (key, value) => record.metadata.setStandardMetadata(key, value);
  if (below(2)) set("tournament", "第1回：大会");
  if (below(2)) set("startDatetime", "2026/11/20 10:00:00");
  set(position.color === "white" ? "uwateName" : "whiteName", "後手 太郎");
  remark(record);
  line(record, 10 + below(60));
  if (below(3)) record.append(pick(ENDS));
  for (let branches = below(4); branches > 0; branches--) {
    record.goto(below(record.length));
    line(record, 1 + below(6));
    if (below(4) === 0) record.append(pick(ENDS));
  }
  // Back to the main line: the first of every choice.
  record.goto(0);
  const resetTo = [record.first];
  while (resetTo[0]?.next) {
    let node = resetTo[0].next;
    record.gotoNode(node);
    resetTo[0] = node;
  }
  record.goto(0);
  return record;
};

// ---- what a record says ------------------------------------------------------

// What each format can hold beside moves and ends.
const HOLDS = {
  kif: { variations: true, times: true, bookmarks: true },
  ki2: { variations: true, times: false, bookmarks: true },
  csa: { variations: false, times: true, bookmarks: false },
  jkf: { variations: true, times: true, bookmarks: false },
};

// Ends for which tsshogi has no word in some format and we do, and ends by a foul:
// tsshogi takes `-ILLEGAL_ACTION` for a foul of the side to move, also in its own files.
const SAME_END = {
  any最大手数: "maxMoves",
  any引き分け: "draw",
  anyFUSENSHO: "winByDefault",
  anyFUSENPAI: "loseByDefault",
  foulWin: "foul",
  foulLose: "foul",
};

/** The tree of a record, reduced to what `holds`. */
const tree = (record, holds) => {
  const node = (at) => {
    const end = at.move.usi ? "" : at.move.type + (at.move.name ?? "");
    // tsshogi reads only ASCII behind the `%` of CSA.
    if (holds.asciiEnds && /[^ -~]/.test(SAME_END[end] ?? end)) return undefined;
    const told = { move: at.move.usi ?? SAME_END[end] ?? end };
    const comment = at.comment.trimEnd();
    if (comment) told.comment = comment;
    if (holds.times && at.elapsedMs) told.seconds = Math.floor(at.elapsedMs / 1000);
    if (holds.bookmarks && at.bookmark) told.bookmark = at.bookmark;
    const children = [];
    for (let child = at.next; child; child = child.branch) children.push(child);
    const kept = holds.variations ? children : children.slice(0, 1);
    const next = kept.map(node).filter((child) => child);
    if (next.length > 0) told.next = next;
    return told;
  };
  const [board, turn, hands] = record.initialPosition.sfen.split(" ");
  return JSON.stringify({ start: `${board} ${turn} ${hands}`, root: node(record.first) });
};

// ---- comparison --------------------------------------------------------------

const readers = { kif: ts.importKIF, ki2: ts.importKI2, csa: ts.importCSA, jkf: ts.importJKFString };
const writers = { kif: ts.exportKIF, ki2: ts.exportKI2, csa: (r) => ts.exportCSA(r, { v3: {} }), jkf: ts.exportJKFString };
const convert = (...args) => execFileSync(enbu, ["convert", ...args], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const names = Array.from({ length: Number(count) }, (_, index) => String(index).padStart(4, "0"));
const records = names.map(game);

let wrong = 0;
const tell = (...what) => wrong++ < 8 && console.log(...what);
for (const [from, write] of Object.entries(writers)) {
  const theirs = join(work, `${from}-theirs`);
  mkdirSync(theirs);
  names.forEach((name, index) => writeFileSync(join(theirs, `${name}.${from}`), write(records[index])));
  for (const [to, read] of Object.entries(readers)) {
    const ours = join(work, `${from}-to-${to}`);
    convert(theirs, "-o", `${ours}/`, "--to", to);
    const holds = Object.fromEntries(Object.keys(HOLDS.kif).map((key) => [key, HOLDS[from][key] && HOLDS[to][key]]));
    holds.asciiEnds = from === "csa" || to === "csa";
    let same = 0;
    for (const name of names) {
      const original = readers[from](readFileSync(join(theirs, `${name}.${from}`), "utf8"));
      const converted = read(readFileSync(join(ours, `${name}.${to}`), "utf8"));
      if (original instanceof Error) tell("tsshogi refuses its own", from, name, original.message);
      else if (converted instanceof Error) tell("tsshogi refuses", from, to, name, converted.message);
      else if (tree(original, holds) !== tree(converted, holds))
        tell("otherwise:", join(theirs, `${name}.${from}`), join(ours, `${name}.${to}`), "\n", tree(original, holds), "\n", tree(converted, holds));
      else same++;
    }
    console.log(`tsshogi's ${from}, converted to ${to}: ${same} of ${names.length} alike`);
  }
}
process.exit(wrong ? 1 : 0);
