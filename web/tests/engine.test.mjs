// The engine in node: every rule of the ABI `shogihome-wasm-engine/1`, USI, and the loss of Workers.
//
// `ENBU_WEB` is the folder of the engine (`enbu` of the web package), `ENBU_NATIVE` the program of
// the same commit, whose signature and choices with the network of the page must be equal.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test as run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';

const root = new URL('../../', import.meta.url);
const folder = pathToFileURL(`${process.env.ENBU_WEB ?? fileURLToPath(new URL('dist/web/enbu', root))}/`);
const manifest = JSON.parse(readFileSync(new URL('engine.json', folder)));

const test = (name, body) => run(name, { timeout: 120_000 }, body);

// Workers that a test may kill.
const workers = [];
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...values) {
    super(...values);
    workers.push(this);
  }
};
syncBuiltinESMExports();
const { default: enbu, load } = await import(new URL(manifest.module, folder));
const module = await load();

/** An engine with its lines; `until` resolves with the first new line that begins with one of these words. */
async function started(config = {}) {
  const engine = await enbu({ module, ...config });
  const lines = [];
  let waiting = [];
  let read = 0;
  const look = () => {
    waiting = waiting.filter(({ words, resolve }) => {
      for (; read < lines.length; read++) {
        if (words.some(word => lines[read].startsWith(word))) {
          resolve(lines[read++]);
          return false;
        }
      }
      return true;
    });
  };
  engine.addMessageListener(line => {
    lines.push(line);
    look();
  });
  const until = (...words) => new Promise(resolve => {
    waiting.push({ words, resolve });
    look();
  });
  const send = (...sent) => sent.forEach(line => engine.postMessage(line));
  const ask = (line, ...words) => {
    const answer = until(...words);
    send(line);
    return answer;
  };
  return { engine, lines, until, send, ask };
}

const count = (lines, word) => lines.filter(line => line.startsWith(word)).length;
const moved = line => line.split(' ')[1];
const sleep = ms => new Promise(resolve => { setTimeout(resolve, ms); });
const WAYS = [['shared memory', {}], ['no shared memory', { alone: true }]];

test('the folder is small and names what it holds', () => {
  const sizes = readdirSync(folder).map(name => statSync(new URL(name, folder)).size);
  assert.ok(sizes.reduce((sum, size) => sum + size) < 4 << 20);
  assert.equal(manifest.abi, 'shogihome-wasm-engine/1');
  assert.equal(manifest.moduleFormat, 'esm');
  assert.ok(readdirSync(folder).includes(manifest.module.replace(/\.js$/, '.wasm')));
  // Part of users' settings: they never change.
  assert.deepEqual(manifest.presets.map(preset => preset.id), ['enbu-full', 'enbu-level-03', 'enbu-level-08', 'enbu-level-13', 'enbu-level-17']);
});

test('the manifest says what the engine declares, and presets are taken', async () => {
  const begin = performance.now();
  const { engine, lines, ask, until, send } = await started();
  await ask('usi', 'usiok');
  assert.ok(performance.now() - begin < 10_000);
  assert.equal(lines[0], `id name ${manifest.name}`);
  assert.equal(lines[1], `id author ${manifest.author}`);
  const declared = lines.filter(line => line.startsWith('option')).map(line => {
    const [, name, type, rest] = line.match(/^option name (\S+) type (\S+)(.*)$/);
    const value = word => rest.match(new RegExp(` ${word} (\\S+)`))?.[1];
    const vars = [...rest.matchAll(/ var (\S+)/g)].map(found => found[1]);
    const typed = text => (type === 'spin' ? Number(text) : type === 'check' ? text === 'true' : text);
    return { name, type, default: typed(value('default')), ...(type === 'spin' && { min: typed(value('min')), max: typed(value('max')) }), ...(type === 'combo' && { vars }) };
  });
  assert.deepEqual(manifest.options, declared);
  for (const { values } of manifest.presets) {
    Object.entries(values).forEach(([name, value]) => send(`setoption name ${name} value ${value}`));
    send('isready');
    await until('readyok');
  }
  assert.equal(count(lines, 'info string'), 0, lines.join('\n'));
  engine.terminate();
});

test('lines sent right after an answer keep their order', async () => {
  const { engine, ask, until, send } = await started();
  send('setoption name USI_Hash value 1');
  for (let round = 0; round < 300; round++) {
    await ask('go nodes 1', 'bestmove');
    send('position startpos moves 1a1b', 'isready');
    assert.match(await until('info string error', 'readyok'), /^info string error: position/);
    await until('readyok');
    send('go infinite', 'stop', 'isready');
    assert.match(await until('bestmove', 'readyok'), /^bestmove/);
    await until('readyok');
  }
  engine.terminate();
});

for (const [way, config] of WAYS) {
  test(`a go is answered once, with a legal move (${way})`, async () => {
    const { engine, lines, ask, send, until } = await started(config);
    send('usinewgame', 'position startpos moves 7g7f');
    const legal = (await ask('moves', '')).split(' ');
    for (const go of ['go btime 10000 wtime 10000 byoyomi 1000', 'go movetime 100', 'go nodes 1000', 'go depth 3', 'go rtime 50', 'go btime 0 wtime 0', 'go depth 2 searchmoves 3c3d']) {
      assert.ok(legal.includes(moved(await ask(go, 'bestmove'))), go);
    }
    assert.equal(count(lines, 'bestmove'), 7);
    send('go infinite');
    await until('info depth');
    const begin = performance.now();
    assert.ok(legal.includes(moved(await ask('stop', 'bestmove'))));
    assert.ok(performance.now() - begin < 5000, 'the answer does not wait for a limit');
    // Options and position are those of before.
    assert.equal(await ask('side', 'black', 'white'), 'white');
    engine.terminate();
  });

  test(`stops at once, also before any line (${way})`, async () => {
    const { engine, lines, send, until } = await started(config);
    send('isready');
    await until('readyok');
    for (let round = 1; round <= 8; round++) {
      send('position startpos', 'go infinite', 'position startpos moves 2g2f', 'isready', 'stop');
      await until('bestmove');
      assert.equal(count(lines, 'bestmove'), round);
    }
    engine.terminate();
  });

  test(`an answer is held back until it may come (${way})`, async () => {
    const { engine, lines, send, until, ask } = await started(config);
    send('position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1', 'go infinite');
    await until('info');
    await sleep(300);
    assert.equal(count(lines, 'bestmove'), 0);
    assert.equal(await ask('stop', 'bestmove'), 'bestmove G*5b');
    send('position startpos', 'go ponder btime 0 wtime 0 byoyomi 200');
    await sleep(300);
    assert.equal(count(lines, 'bestmove'), 1);
    await ask('ponderhit', 'bestmove');
    send('go ponder byoyomi 100000');
    await ask('stop', 'bestmove');
    send('go ponder byoyomi 100000');
    await ask('go depth 1', 'bestmove');
    await until('bestmove');
    assert.equal(count(lines, 'bestmove'), 5);
    engine.terminate();
  });

  test(`nothing is sent after the end (${way})`, async () => {
    for (const end of [({ engine }) => engine.terminate(), ({ send }) => send('quit')]) {
      const running = await started(config);
      running.send('position startpos', 'go infinite');
      await running.until('info');
      end(running);
      const known = running.lines.length;
      running.send('isready', 'stop');
      await sleep(300);
      assert.equal(running.lines.length, known);
    }
  });

  test(`a mate search is answered, and stopped (${way})`, async () => {
    const { engine, lines, ask, send, until } = await started(config);
    const rows = readFileSync(new URL('tests/data/tsume.tsv', root), 'utf8').split('\n').filter(line => line && !line.startsWith('#')).slice(1);
    for (const [sfen, plies] of rows.filter((_, at) => at % 12 === 0).map(row => row.split('\t')).filter(row => row[1] < 14)) {
      send('usinewgame', `position sfen ${sfen}`);
      const line = await ask('go mate 60000', 'checkmate');
      assert.equal(line.split(' ').length - 1, Number(plies), `${sfen}: ${line}`);
    }
    send('position startpos');
    assert.equal(await ask('go mate 5000', 'checkmate'), 'checkmate nomate');
    const known = count(lines, 'checkmate');
    send('position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/9/9/4K4 b RB2G2S2N2L9P 1', 'go mate infinite');
    await sleep(100);
    send('stop');
    await until('checkmate');
    assert.equal(count(lines, 'checkmate'), known + 1);
    engine.terminate();
  });

  test(`200 losses of the Worker, each at another moment: one answer a go (${way})`, async () => {
    let seed = 1;
    const random = below => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const { engine, lines, send, until } = await started(config);
    send('setoption name USI_Hash value 1', 'isready');
    await until('readyok');
    let kills = 0;
    for (let round = 0; kills < 100; round++) {
      const answers = count(lines, 'bestmove');
      send(`position startpos moves ${['7g7f', '2g2f', '5g5f'][random(3)]}`, ['go movetime 20', 'go nodes 3000', 'go infinite', 'go depth 5'][round % 4]);
      await sleep(random(25));
      const alive = workers.filter(worker => worker.threadId >= 0);
      const victim = alive[random(alive.length)];
      kills += Number(victim !== undefined);
      victim?.terminate();
      if (round % 4 === 2) send('stop');
      if (count(lines, 'bestmove') === answers) await until('bestmove');
      // A second answer would come while this is answered.
      send('isready');
      await until('readyok');
      assert.equal(count(lines, 'bestmove'), answers + 1, lines.slice(-12).join('\n'));
    }
    engine.terminate();
  });
}

test('refused lines are named and change nothing', async () => {
  const { engine, lines, ask, send, until } = await started();
  send('position startpos moves 7g7f');
  const sfen = async () => (await ask('d', 'sfen')).slice(5);
  const before = await sfen();
  for (const [line, error] of [
    ['position startpos moves 7g7f 7g7f', /^info string error: position: .*move 2/],
    ['position sfen 9/9/9', /^info string error: position:/],
    ['position sfen 9/9/9/9/9/9/9/9/9 x - 1', /^info string error: position:/],
    ['setoption name USI_Hash value 257', /^info string error: setoption: option USI_Hash: `257` refused/],
    ['setoption name MultiPV value 9', /^info string error: setoption: option MultiPV/],
    ['setoption name Threads value 4', /^info string unknown option `Threads`/],
    ['fly', /^info string error: unknown command `fly`/],
    ['eval', /^info string error: eval:/],
    ['go perft 3', /^info string error: go perft 3:/],
  ]) {
    assert.match(await ask(line, 'info string'), error);
    assert.equal(await sfen(), before, line);
  }
  send('setoption name USI_Hash value 8', 'go mate 1000 searchmoves 3c3d');
  assert.equal(await until('checkmate'), 'checkmate notimplemented');
  assert.equal(count(lines, 'bestmove'), 0);
  engine.terminate();
});

test('listeners come and go', async () => {
  const engine = await enbu({ module });
  const heard = [];
  const one = line => heard.push(line);
  const done = new Promise(resolve => { engine.addMessageListener(line => line === 'readyok' && resolve()); });
  engine.addMessageListener(one);
  engine.removeMessageListener(one);
  engine.postMessage('isready');
  await done;
  assert.deepEqual(heard, []);
  engine.terminate();
});

test('a module that is not there is an error', async () => {
  await assert.rejects(enbu({ locateFile: name => new URL(`missing/${name}`, import.meta.url).href }));
});

test('as many lines as asked for, and levels by their seeds', async () => {
  const { engine, lines, ask, send } = await started();
  send('setoption name MultiPV value 8', 'position startpos');
  await ask('go depth 4', 'bestmove');
  assert.ok(lines.some(line => line.includes(' multipv 8 ')));
  const moves = async () => {
    const found = [];
    for (const sfen of positions().slice(0, 12)) {
      send('usinewgame', `position sfen ${sfen}`);
      found.push(moved(await ask('go nodes 100000', 'bestmove')));
    }
    return found.join(' ');
  };
  send('setoption name MultiPV value 1', 'setoption name SkillLevel value 5', 'setoption name SkillSeed value 7');
  const chosen = await moves();
  assert.equal(await moves(), chosen);
  const options = [`EvalDir value ${fileURLToPath(new URL('web', root))}`, 'EvalFile value network.nnue', 'Eval value File', 'SkillLevel value 5', 'SkillSeed value 7', 'Threads value 1', 'USI_Hash value 32'].map(option => `setoption name ${option}\n`).join('');
  // One process a position: lines that wait end a search.
  const native = positions().slice(0, 12).map(sfen => {
    const input = `${options}isready\nposition sfen ${sfen}\ngo nodes 100000\n`;
    return moved(execFileSync(process.env.ENBU_NATIVE, { input, encoding: 'utf8' }).match(/^bestmove.*$/m)[0]);
  });
  assert.equal(native.join(' '), chosen);
  engine.terminate();
});

const positions = () => readFileSync(new URL('engine/src/commands/bench_positions.sfen', root), 'utf8').split('\n').filter(line => line && !line.startsWith('#'));

test('the signature of the search is that of the program', async t => {
  const { engine, lines, ask, send } = await started();
  ['USI_Hash value 16', 'DrawValueBlack value 0', 'DrawValueWhite value 0'].forEach(option => send(`setoption name ${option}`));
  let [nodes, time] = [0, 0];
  for (const sfen of positions()) {
    send('usinewgame', `position sfen ${sfen}`);
    await ask('go depth 9', 'bestmove');
    const last = lines.findLast(line => line.startsWith('info depth'));
    nodes += Number(last.match(/ nodes (\d+)/)[1]);
    time += Number(last.match(/ time (\d+)/)[1]);
  }
  t.diagnostic(`${nodes} nodes, ${Math.round((1000 * nodes) / time)} nodes/s`);
  const bench = execFileSync(process.env.ENBU_NATIVE, ['bench', '--network', fileURLToPath(new URL('web/network.nnue', root))], { encoding: 'utf8' });
  assert.equal(nodes, Number(bench.match(/^Bench: (\d+)$/m)[1]));
  engine.terminate();
});

test('without the memory a smaller hash table is used; without any, every go has an answer', () => {
  const script = `import enbu from ${JSON.stringify(new URL(manifest.module, folder).href)};
    const engine = await enbu();
    engine.addMessageListener(line => { console.log(line); if (line.startsWith('bestmove')) engine.terminate(); });
    ['setoption name USI_Hash value 256', 'isready', 'position startpos', 'go depth 3'].forEach(line => engine.postMessage(line));`;
  const said = pages => execFileSync(process.execPath, [`--wasm-max-mem-pages=${pages}`, '--input-type=module', '--eval', script], { encoding: 'utf8', timeout: 60_000 });
  assert.match(said(1200), /^info string error: no memory for a hash of 256 MB, using 16 MB\nreadyok\n[^]*bestmove [1-9]/);
  assert.match(said(400), /lack of memory[^]*readyok\n[^]*bestmove resign\n$/);
});
