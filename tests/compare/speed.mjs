// CPU seconds that tsshogi (npm) takes to read the games of a folder, one a file, as
// KIF (*.kif) or CSA (*.csa): reading the files included, the start of node not.
// Usage: node speed.mjs FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importCSA, importKIF } from "tsshogi";

const [folder] = process.argv.slice(2);
const begin = process.cpuUsage();
let moves = 0;
for (const name of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, name), "utf8");
  const record = name.endsWith(".csa") ? importCSA(text) : importKIF(text);
  if (record instanceof Error) throw record;
  moves += record.moves.filter((node) => node.move.usi).length;
}
const { user, system } = process.cpuUsage(begin);
console.log(`seconds ${((user + system) / 1e6).toFixed(3)} moves ${moves}`);
