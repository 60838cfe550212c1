// The page in a headless Chromium, used as a visitor would: a game to mate, analysis, records, mates,
// both languages, wide and narrow, from the disk and from a server. `ENBU_WEB` as in engine.test.mjs;
// `ENBU_SHOTS`, if given, is a folder for pictures.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test as run } from 'node:test';
import { pathToFileURL } from 'node:url';

const test = (name, body) => run(name, { timeout: 150_000 }, body);
const folder = process.env.ENBU_WEB;
const { default: enbu } = await import(pathToFileURL(join(folder, 'enbu.js')));
const page = join(folder, '../index.html');
const shots = process.env.ENBU_SHOTS;
const names = [process.env.ENBU_BROWSER, 'chromium', 'chromium-browser', 'google-chrome'];
const browserPath = names.find(name => name && spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
const scratch = mkdtempSync(join(tmpdir(), 'enbu-page-'));

/** A browser, spoken to over its debugging pipe. */
class Browser {
  constructor() {
    const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${join(scratch, 'profile')}`, '--accept-lang=ja', 'about:blank'];
    this.process = spawn(browserPath, options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.problems = [];
    this.requests = [];
    let text = '';
    this.process.stdio[4].on('data', chunk => {
      const parts = (text + chunk).split('\0');
      text = parts.pop();
      parts.forEach(part => this.take(JSON.parse(part)));
    });
    this.number = 0;
  }

  take({ id, result, error, method, params }) {
    if (id) {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    }
    if (method === 'Runtime.exceptionThrown') this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type !== 'debug') this.problems.push(JSON.stringify(params.args));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.problems.push(params.entry.text);
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
  }

  call(method, params = {}) {
    const id = ++this.number;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(width) {
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.call('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    for (const domain of ['Runtime', 'Log', 'Network', 'Page', 'DOM']) await this.call(`${domain}.enable`);
    await this.size(width);
  }

  size(width) {
    return this.call('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 });
  }

  async load(url) {
    this.requests = [];
    const begin = performance.now();
    await this.call('Page.navigate', { url });
    await this.until("document.querySelectorAll('#moves li').length > 0");
    return performance.now() - begin;
  }

  async run(script) {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', { expression: script, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(script, ms = 60_000) {
    const end = performance.now() + ms;
    for (;;) {
      const value = await this.run(script);
      if (value) return value;
      if (performance.now() > end) throw new Error(`${script}: ${await this.run('document.body.innerText')}`);
      await new Promise(resolve => { setTimeout(resolve, 30); });
    }
  }

  /** Evaluates in the frame of the report, which has an origin and a target of its own. */
  async frame(script) {
    const own = this.session;
    this.session = undefined;
    for (let look = 0; ; look++) {
      const { targetInfos } = await this.call('Target.getTargets');
      const frame = targetInfos.find(target => target.type === 'iframe');
      if (frame) {
        this.session = (await this.call('Target.attachToTarget', { targetId: frame.targetId, flatten: true })).sessionId;
        const value = await this.run(`new Promise(resolve => { const look = () => document.readyState === 'complete' ? resolve(${script}) : setTimeout(look, 20); look(); })`);
        this.session = own;
        return value;
      }
      assert.ok(look < 100, JSON.stringify(targetInfos));
      await new Promise(resolve => { setTimeout(resolve, 50); });
    }
  }

  text(selector) {
    return this.run(`document.querySelector('${selector}').textContent`);
  }

  click(selector) {
    return this.run(`document.querySelector('${selector}').click()`);
  }

  set(selector, value) {
    return this.run(`{ const e = document.querySelector('${selector}'); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event('change')); }`);
  }

  async key(key) {
    const code = { Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9 }[key];
    const params = { key, code: key, windowsVirtualKeyCode: code, text: key === 'Enter' ? '\r' : undefined };
    await this.call('Input.dispatchKeyEvent', { type: 'keyDown', ...params });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...params });
  }

  async shoot(name) {
    if (!shots) return;
    mkdirSync(shots, { recursive: true });
    const { data } = await this.call('Page.captureScreenshot', { captureBeyondViewport: true });
    writeFileSync(join(shots, `${name}.png`), Buffer.from(data, 'base64'));
  }
}

const browser = new Browser();
await browser.open(1280);
after(async () => {
  const ended = new Promise(resolve => { browser.process.on('exit', resolve); });
  browser.process.kill();
  await ended;
  rmSync(scratch, { recursive: true, force: true, maxRetries: 9 });
});

const cell = (file, rank) => `#squares [role=row]:nth-child(${rank}) button:nth-child(${10 - file})`;
const square = usi => cell(Number(usi[0]), usi.charCodeAt(1) - 96);

/** Plays a move by clicks. */
async function move(mv) {
  if (mv[1] === '*') {
    const kinds = { P: '歩', L: '香', N: '桂', S: '銀', G: '金', B: '角', R: '飛' };
    await browser.run(`[...document.querySelectorAll('.player.turn .hand button')].find(b => b.textContent.startsWith('${kinds[mv[0]]}')).click()`);
  } else {
    await browser.click(square(mv));
  }
  await browser.click(square(mv.slice(2)));
  if (await browser.run("document.querySelector('#promotion').open")) await browser.click(`#promotion button[value="${mv.slice(4)}"]`);
}

const game = () => browser.run("JSON.parse(localStorage.getItem('enbu-game'))");
const still = () => browser.run('JSON.stringify([...document.querySelectorAll("#message:not([hidden])")].map(e => e.textContent))');

test('opens from the disk, without a request', async t => {
  const ms = await browser.load(pathToFileURL(page).href);
  t.diagnostic(`ready after ${Math.round(ms)} ms`);
  if (await browser.run('document.documentElement.lang') !== 'ja') await browser.click('#lang');
  assert.equal(await browser.text('#moves li'), '0開始局面');
  const others = browser.requests.filter(url => !/^(file:.*index\.html|blob:|data:)/.test(url));
  assert.deepEqual(others, []);
  await browser.shoot('start-ja-1280');
});

test('a game at level 0 to its mate', async t => {
  const helper = await enbu();
  const answers = [];
  helper.addMessageListener(line => line.startsWith('bestmove') && answers.shift()(line.split(' ')[1]));
  const best = position => new Promise(resolve => {
    answers.push(resolve);
    helper.postMessage(`position ${position}`);
    helper.postMessage('go nodes 10000');
  });
  await browser.set('#level', '0');
  const begin = performance.now();
  await browser.click('#play button');
  let first = null;
  for (;;) {
    await browser.until("!/考えて/.test(document.querySelector('#status').textContent)");
    const { sfen, moves, over } = await game();
    first ??= moves.length ? performance.now() - begin : null;
    if (over) {
      t.diagnostic(`${moves.length} moves, ${JSON.stringify(over)}; first answer ${Math.round(first)} ms after the start`);
      assert.equal(over.winner, 'b');
      break;
    }
    assert.ok(moves.length < 400);
    await move(await best(`sfen ${sfen} moves ${moves.join(' ')}`));
    // The choice of a promotion closes its dialogue first.
    await browser.until(`JSON.parse(localStorage.getItem('enbu-game')).moves.length > ${moves.length}`);
  }
  assert.match(await browser.text('#status'), /先手の勝ち/);
  await browser.shoot('won-ja-1280');
  helper.terminate();
});

test('a take back, a handicap as White, a resignation, and the game after a reload', async () => {
  await browser.set('#level', '1');
  await browser.set('#handicap', '5');
  await browser.click('#play button');
  await browser.until("JSON.parse(localStorage.getItem('enbu-game')).moves.length === 1 && /あなたの番/.test(document.querySelector('#status').textContent)");
  await move('7g7f');
  await browser.until("JSON.parse(localStorage.getItem('enbu-game')).moves.length === 3");
  await browser.click('#undo');
  assert.equal((await game()).moves.length, 1);
  await move('2g2f');
  await browser.until("JSON.parse(localStorage.getItem('enbu-game')).moves.length === 3");
  const before = await game();
  await browser.load(pathToFileURL(page).href);
  assert.deepEqual((await game()).moves, before.moves);
  await browser.click('#resign');
  assert.match(await browser.text('#status'), /投了 後手の勝ち/);
});

test('a pasted record, its lines, its copies, its analysis', async () => {
  const kif = '手合割：平手\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n1 ７六歩(77)\n*最初の手\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n5 投了\n';
  await browser.set('#text', kif);
  await browser.click('#read');
  assert.equal(await browser.run("document.querySelectorAll('#moves li').length"), 5);
  assert.match(await browser.text('#player-black .name'), /甲/);
  await browser.click('#forward');
  assert.match(await browser.text('#comment'), /最初の手/);
  await browser.click('#end');
  for (const [format, part] of [['csa', '-3122GI'], ['kif', '同　銀(31)'], ['ki2', '同　銀'], ['usi', '8h2b+ 3a2b']]) {
    await browser.set('#format', format);
    await browser.click('#copy');
    assert.ok((await browser.run("document.querySelector('#text').value")).includes(part), format);
  }
  await browser.set('#lines', '5');
  await browser.click('#analyse');
  await browser.until("document.querySelectorAll('#pvs .pv').length === 5 && /^[+-]?\\d+$/.test(document.querySelector('#score').textContent)");
  assert.ok(await browser.run("document.querySelectorAll('#arrows .arrow').length") >= 5);
  await browser.shoot('analysis-ja-1280');
  for (let step = 0; step < 4; step++) await browser.click('#back');
  await browser.until("document.querySelectorAll('#pvs .pv').length === 5");
  await browser.click('#analyse');
  await browser.click('#whole');
  await browser.until("!document.querySelector('#report').hidden", 120_000);
  assert.match(await browser.run("document.querySelector('#report iframe').srcdoc"), /精度/);
  assert.match(await browser.frame('document.querySelector("#moves").innerText'), /２二角成/);
  await browser.shoot('report-ja-1280');
  await browser.click('#hide');
  assert.equal(await still(), '[]');
});

test('a problem is solved', async () => {
  await browser.set('#text', 'sfen 7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1');
  await browser.click('#read');
  await browser.click('#mate');
  await browser.until("/3手詰/.test(document.querySelector('#status').textContent)");
  assert.equal(await browser.run("document.querySelectorAll('#pvs button').length"), 3);
});

test('bad records are named, and what is there stays', async () => {
  const before = await game();
  for (const bad of ['Lorem ipsum', '1. e4 e5 2. Nf3', 'x'.repeat(100_000), 'sfen 9/9/9']) {
    await browser.set('#text', bad);
    await browser.click('#read');
    assert.match(await still(), /読めません/, bad.slice(0, 20));
    assert.deepEqual(await game(), before);
    await browser.click('#message button');
  }
  const large = join(scratch, 'large.kif');
  writeFileSync(large, '');
  truncateSync(large, 50 << 20);
  const { root } = await browser.call('DOM.getDocument');
  const { nodeId } = await browser.call('DOM.querySelector', { nodeId: root.nodeId, selector: '#file' });
  await browser.call('DOM.setFileInputFiles', { nodeId, files: [large] });
  await browser.until("/4 MB/.test(document.querySelector('#message').textContent)");
  assert.deepEqual(await game(), before);
  await browser.click('#message button');
});

test('the keyboard plays, and every control has a name', async () => {
  await browser.set('#text', 'startpos');
  await browser.click('#read');
  await browser.run("document.querySelector('#squares button[tabindex=\"0\"]').focus()");
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'Enter', 'ArrowUp', 'Enter']) await browser.key(key);
  assert.deepEqual((await game()).moves, ['7g7f']);
  await browser.run('document.activeElement.blur()');
  await browser.key('ArrowLeft');
  assert.equal((await game()).at, 0);
  const nameless = await browser.run(`[...document.querySelectorAll('button, select, textarea, input')]
    .filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.id)`);
  assert.deepEqual(nameless, []);
});

/** The least contrast of texts with what is behind them. */
const CONTRAST = `(() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
  const found = [...document.querySelectorAll('main *, header *, footer')].filter(e => !e.closest('svg') && e.offsetParent && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => b - a);
    return [(a + 0.05) / (b + 0.05), e.id || e.textContent.slice(0, 20)];
  });
  return found.sort((a, b) => a[0] - b[0])[0];
})()`;

for (const width of [1280, 380]) {
  for (const language of ['ja', 'en']) {
    test(`${language} at ${width} pixels: nothing is cut off, texts can be read`, async t => {
      await browser.size(width);
      if (await browser.run('document.documentElement.lang') !== language) await browser.click('#lang');
      for (const scheme of ['light', 'dark']) {
        await browser.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
        assert.ok(await browser.run('document.scrollingElement.scrollWidth') <= width);
        const [contrast, where] = await browser.run(CONTRAST);
        t.diagnostic(`${scheme}: least contrast ${contrast.toFixed(2)} (${where})`);
        assert.ok(contrast >= 4.5, where);
        await browser.shoot(`${language}-${width}-${scheme}`);
      }
      const other = await browser.run("[...document.querySelectorAll('[data-t]')].filter(e => !e.textContent.trim()).map(e => e.dataset.t)");
      assert.deepEqual(other, []);
    });
  }
}

test('the engine in the browser survives its Workers', async () => {
  await browser.size(1280);
  const url = await browser.run(`(async () => {
    const text = document.getElementById('engine').textContent;
    window.killed = [];
    const Own = window.Worker;
    window.Worker = class extends Own { constructor(...values) { super(...values); window.killed.push(this); } };
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const { default: enbu } = await import(url);
    const bytes = Uint8Array.from(atob(document.getElementById('wasm').textContent.trim()), c => c.charCodeAt(0));
    window.lines = [];
    const script = text.replaceAll('import.meta.url', 'location.href').replace(/^export (default )?/gm, '');
    const bootUrl = URL.createObjectURL(new Blob(['(async () => {' + script + '})()'], { type: 'text/javascript' }));
    window.other = await enbu({ module: await WebAssembly.compile(bytes), worker: name => new Worker(bootUrl, { name }) });
    window.other.addMessageListener(line => window.lines.push(line));
    ['setoption name USI_Hash value 1', 'isready'].forEach(line => window.other.postMessage(line));
    return url;
  })()`);
  assert.match(url, /^blob:/);
  const answers = () => browser.run("lines.filter(line => line.startsWith('bestmove')).length");
  for (let round = 0; round < 100; round++) {
    await browser.run(`other.postMessage('position startpos'); other.postMessage('go ${['movetime 30', 'infinite'][round % 2]}')`);
    await new Promise(resolve => { setTimeout(resolve, (round * 7) % 23); });
    // As the page of a Worker that fails: nobody terminates one silently.
    await browser.run(`killed.at(${round % 4 < 2 ? -1 : -2})?.dispatchEvent(new ErrorEvent('error', { message: 'lost' })); ${round % 2 ? "other.postMessage('stop')" : ''}`);
    await browser.until(`lines.filter(line => line.startsWith('bestmove')).length >= ${round + 1}`);
    assert.equal(await answers(), round + 1);
  }
  await browser.run('other.terminate()');
});

const WORKER = `import enbu from './enbu/enbu.js';
const engine = await enbu();
engine.addMessageListener(line => line.startsWith('bestmove') && postMessage(line));
onmessage = ({ data }) => engine.postMessage(data);
postMessage('started');`;

test('an engine in a Web Worker of a page, its files from a server', async () => {
  const types = { js: 'text/javascript', wasm: 'application/wasm' };
  const server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', types[url.split('.').at(-1)] ?? 'text/html');
    response.end(url === '/worker.js' ? WORKER : url.startsWith('/enbu/') ? readFileSync(join(folder, url.slice(6))) : '');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => { server.on('listening', resolve); });
  await browser.call('Page.navigate', { url: `http://127.0.0.1:${server.address().port}/` });
  await browser.until("location.protocol === 'http:'");
  const answer = await browser.run(`new Promise(resolve => {
    const worker = new Worker('/worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => data === 'started' ? ['position startpos', 'go depth 3'].forEach(line => worker.postMessage(line)) : resolve(data);
  })`);
  assert.match(answer, /^bestmove [1-9]/);
  server.close();
});

test('from a server as well, and nothing was wrong all the time', async () => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(readFileSync(page));
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => { server.on('listening', resolve); });
  await browser.load(`http://127.0.0.1:${server.address().port}/`);
  await browser.click('#play button');
  await browser.until("document.querySelector('#status').textContent");
  server.close();
  assert.deepEqual(asked, ['/']);
  assert.deepEqual(browser.problems, []);
});
