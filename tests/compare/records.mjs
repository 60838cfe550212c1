// Compares `enbu convert` with tsshogi (npm) in both directions. Not part of the
// tests of the workspace. Usage:
//
//   npm install tsshogi
//   node records.mjs ENBU FOLDER
//
// FOLDER holds one game a file as USI lines (`*.usi`). Each is written by enbu as
// KIF, KI2, CSA and JKF and read by tsshogi, and the other way round; moves and start
// positions must be the same.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ts from "tsshogi";

const [enbu, folder] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "compare-"));
const names = readdirSync(folder).filter((name) => name.endsWith(".usi")).map((name) => name.slice(0, -4));
const readers = { kif: ts.importKIF, ki2: ts.importKI2, csa: ts.importCSA, jkf: ts.importJKFString };
const writers = { kif: ts.exportKIF, ki2: ts.exportKI2, csa: ts.exportCSA, jkf: ts.exportJKFString };
const convert = (...args) => execFileSync(enbu, ["convert", ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
// Hands and counters are written alike by going through one program.
const line = (name) => convert(join(folder, name + ".usi"), "--to", "usi").trim();
const ofTsshogi = (record) => {
  const moves = record.moves.slice(1).map((node) => node.move).filter((move) => move.usi).map((move) => move.usi);
  const start = record.initialPosition.sfen.replace(/ \d+$/, "");
  return (start + " moves " + moves.join(" ")).trim();
};
const normalised = (text) => {
  const [start, moves] = text.replace(/^startpos/, "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").replace(/^sfen /, "").split(" moves ");
  return start.replace(/ \d+$/, "") + " moves " + (moves ?? "");
};

const expected = new Map(names.map((name) => [name, normalised(line(name))]));
let wrong = 0;
const tell = (...what) => wrong++ < 10 && console.log(...what);
for (const [format, read] of Object.entries(readers)) {
  const out = join(work, format);
  mkdirSync(out);
  convert(folder, "-o", out + "/", "--to", format);
  let same = 0;
  for (const name of names) {
    const record = read(readFileSync(join(out, `${name}.${format}`), "utf8"));
    if (record instanceof Error) tell("tsshogi refuses", format, name, record.message);
    else if (ofTsshogi(record) !== expected.get(name)) tell("tsshogi reads otherwise", format, name, "\n", ofTsshogi(record), "\n", expected.get(name));
    else same++;
  }
  console.log(`${format}: ${same} of ${names.length} of ours read alike by tsshogi`);
}
for (const [format, write] of Object.entries(writers)) {
  const out = join(work, "theirs-" + format);
  mkdirSync(out);
  for (const name of names) {
    const record = ts.Record.newByUSI(readFileSync(join(folder, name + ".usi"), "utf8").trim());
    if (record instanceof Error) throw record;
    writeFileSync(join(out, `${name}.${format}`), write(record));
  }
  const lines = convert(out, "--to", "usi").trim().split("\n");
  let same = 0;
  names.forEach((name, index) => {
    if (normalised(lines[index] ?? "") === expected.get(name)) same++;
    else tell("enbu reads otherwise", format, name, "\n", normalised(lines[index] ?? ""), "\n", expected.get(name));
  });
  console.log(`${format}: ${same} of ${names.length} of tsshogi's read alike by enbu`);
}
process.exit(wrong ? 1 : 0);
