// The part of analysed.py that runs in Node: reads each file of the folder in the argument
// with tsshogi and prints as JSON the moves and comments that it finds, by name.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as ts from "tsshogi";

const work = process.argv[process.argv.length - 1];
const found = {};
for (const name of readdirSync(work).filter((name) => /\.(kifu?|csa)$/.test(name))) {
  const decoder = new TextDecoder(name.endsWith(".kif") ? "shift_jis" : "utf-8", { fatal: true });
  const bytes = readFileSync(join(work, name));
  let text;
  try {
    text = decoder.decode(bytes);
  } catch {
    // Enbu writes UTF-8 where Shift_JIS would lose a character.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  }
  const record = name.endsWith(".csa") ? ts.importCSA(text) : ts.importKIF(text);
  if (record instanceof Error) {
    found[name] = { error: String(record) };
    continue;
  }
  const moves = [], comments = [];
  for (let node = record.first.next; node; node = node.next) {
    if (!node.move.usi) break;
    moves.push(node.move.usi);
    comments.push(node.comment.trimEnd());
  }
  found[name] = { moves, comments };
}
process.stdout.write(JSON.stringify(found));
