// CPU seconds that tsshogi (npm) takes to read the games of a folder, one a file, as
// KIF (*.kif) or CSA (*.csa). The texts are in memory before the clock starts.
// Usage: node speed.mjs FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importCSA, importKIF } from "tsshogi";

const [folder] = process.argv.slice(2);
const names = readdirSync(folder).sort();
const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
const read = names[0].endsWith(".csa") ? importCSA : importKIF;
const begin = process.cpuUsage();
let moves = 0;
for (const text of texts) {
  const record = read(text);
  if (record instanceof Error) throw record;
  moves += record.moves.filter((node) => node.move.usi).length;
}
const { user, system } = process.cpuUsage(begin);
console.log(`seconds ${((user + system) / 1e6).toFixed(3)} moves ${moves}`);
