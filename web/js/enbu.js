// The shogi engine Enbu for Web Workers, pages and node: lines of USI in and out.
//
// The default export makes an engine; its search blocks a Worker of its own, which runs this same
// file. `stop` reaches it through shared memory where there is some (node, isolated pages). Elsewhere
// the best line so far is the answer, and a Worker kept ready takes the place of the old one.

const ROLE = 'enbu-search';
const isNode = typeof process === 'object' && Boolean(process.versions?.node);
const threads = isNode ? await import('node:worker_threads') : null;

/** Milliseconds from `stop` until an engine that shares memory is replaced. */
const PATIENCE_MS = 1000;
/** Milliseconds between two looks at a search, and looks without a sign of life until it is lost. */
const LOOK_MS = 2000;
const LOOKS = 4;
/** Workers lost one after the other until none is started any more. */
const LOSSES = 3;

/**
 * Starts the module. `take` gets `{line}`, `{answer}`, `{progress}` and, now and then during a search,
 * `{alive}`; `flag` is shared memory for the messages to a search, or null.
 */
export async function start(module, take, flag = null) {
  const KINDS = ['line', 'answer', 'progress'];
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  let memory;
  let beat = 0;
  const env = {
    now: () => performance.now(),
    signal: () => {
      const now = performance.now();
      if (now > beat + 500) {
        beat = now;
        take({ alive: true });
      }
      return flag ? Atomics.load(flag, 0) : -1;
    },
    emit: (kind, at, length) => take({ [KINDS[kind]]: decoder.decode(new Uint8Array(memory.buffer, at, length)) }),
  };
  const { exports } = await WebAssembly.instantiate(module, { env });
  memory = exports.memory;
  return (call, input) => {
    const bytes = typeof input === 'string' ? encoder.encode(input) : input;
    const at = exports.reserve(bytes.length);
    if (!at) throw new Error('not enough memory');
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    exports[call]();
  };
}

/** The work of a Worker: first `{module, flag}`, then one `{call, input}` after the other. */
function serve(port) {
  let call;
  const obey = async data => {
    try {
      if (data.module) call = await start(data.module, message => port.postMessage(message), data.flag);
      else call(data.call, data.input);
      port.postMessage({ done: true });
    } catch (error) {
      const hint = error instanceof WebAssembly.RuntimeError ? ' (a lack of memory, or an error of the engine)' : '';
      port.postMessage({ lost: `${error?.message ?? error}${hint}` });
    }
  };
  // One after the other, while the module starts as well.
  let last = Promise.resolve();
  port.onmessage = ({ data }) => {
    last = last.then(() => obey(data));
  };
}

if (isNode ? !threads.isMainThread && threads.workerData === ROLE : globalThis.name === ROLE && !globalThis.document) {
  serve(isNode ? threads.parentPort : globalThis);
}

/** A Worker with a module: `take` gets its messages, `{lost: reason}` at the end that nobody asked for. */
export function startWorker(module, flag, take, url = import.meta.url) {
  const make = typeof url === 'function' ? url : name => new Worker(url, { type: 'module', name });
  const worker = isNode ? new threads.Worker(new URL(url), { workerData: ROLE, execArgv: [] }) : make(ROLE);
  let ended = false;
  const hear = message => {
    if (!ended) take(message);
  };
  const lost = reason => hear({ lost: reason });
  if (isNode) {
    worker.on('message', hear);
    worker.on('error', error => lost(error.message));
    worker.on('exit', () => lost('it has ended'));
  } else {
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = event => {
      event.preventDefault?.();
      lost(event.message || 'it has ended');
    };
  }
  worker.postMessage({ module, flag });
  return {
    call: (name, input) => worker.postMessage({ call: name, input }),
    ref: () => worker.ref?.(),
    unref: () => worker.unref?.(),
    end: () => {
      ended = true;
      worker.terminate();
    },
  };
}

/** Reads and compiles the module. */
export async function load(config = {}) {
  const url = String(config.locateFile?.('enbu.wasm') ?? new URL('enbu.wasm', import.meta.url));
  if (isNode && !/^https?:/.test(url)) {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url.startsWith('file:') ? new URL(url) : url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

const wordOf = line => line.trim().split(/\s+/, 1)[0];

/** Commands that end a search, besides `quit`. */
const ENDS = ['stop', 'go', 'usinewgame', 'gameover'];

class Engine {
  #module;
  #url;
  #printErr;
  #flag;
  #listeners = new Set();
  #ended = false;
  /** The Worker that works, and the one that waits: `{calls, end, pending}`. */
  #worker;
  #spare = null;
  /** Lines that wait: `{line}`; those that only restore a state are quiet. */
  #queue = [];
  /** The entry that the Worker works on, null at rest. */
  #busy = { word: '', quiet: true };
  /** The `go` that is owed an answer: its kind and the best line so far. */
  #owed = null;
  /** `stop` or `ponderhit`, sent through shared memory and not seen to have an effect yet. */
  #wanted = null;
  /** Lines that a fresh Worker has to be told. */
  #options = new Map();
  #position = null;
  #losses = 0;
  #settle;
  #timer = null;

  constructor(module, config) {
    this.#module = module;
    this.#url = config.worker ?? import.meta.url;
    this.#printErr = config.printErr ?? (() => {});
    const shares = typeof SharedArrayBuffer === 'function' && (isNode || globalThis.crossOriginIsolated);
    this.#flag = shares && !config.alone ? new Int32Array(new SharedArrayBuffer(4)) : null;
    this.ready = new Promise((resolve, reject) => {
      this.#settle = error => (error ? reject(new Error(error)) : resolve());
    });
    this.#worker = this.#start();
  }

  #start() {
    const worker = { pending: 1 };
    Object.assign(worker, startWorker(this.#module, this.#flag, message => this.#hear(worker, message), this.#url));
    return worker;
  }

  /** Has a Worker ready where `stop` costs one. */
  #prepareSpare() {
    if (this.#flag || this.#spare || this.#ended) return;
    this.#spare = this.#start();
    this.#spare.unref();
    // Reads the network.
    this.#call(this.#spare, 'side');
  }

  #call(worker, line) {
    worker.pending++;
    worker.call('line', line);
  }

  #emit(line) {
    queueMicrotask(() => {
      if (!this.#ended) this.#listeners.forEach(listener => listener(line));
    });
  }

  #hear(worker, message) {
    if (message.done) worker.pending--;
    if (worker === this.#spare && message.lost) {
      this.#printErr(`enbu: a Worker is lost: ${message.lost}`);
      this.#spare = null;
    }
    if (worker !== this.#worker) return;
    if (this.#busy) this.#busy.looks = 0;
    if (message.line !== undefined) this.#take(message.line);
    if (message.done && !worker.pending) this.#done();
    if (message.lost) this.#lose(message.lost);
  }

  #take(line) {
    if (this.#busy?.quiet) return;
    const word = wordOf(line);
    if (line.startsWith('info string error')) this.#busy.isRefused = true;
    if (word === 'bestmove' || word === 'checkmate') this.#owed = null;
    if (word === 'info' && this.#owed) {
      const words = line.split(' ');
      const rank = words.indexOf('multipv');
      const pv = words.indexOf('pv');
      if (pv > 0 && (rank < 0 || words[rank + 1] === '1')) this.#owed.best = words.slice(pv + 1, pv + 3);
    }
    this.#emit(line);
  }

  #done() {
    const { word, line, isRefused, quiet } = this.#busy ?? {};
    clearInterval(this.#timer);
    this.#busy = null;
    if (word === 'setoption' && !isRefused) {
      const name = line.replace(/^\s*setoption\s+name\s+/, '').replace(/\s+value(\s.*)?$/, '');
      this.#options.set(name.toLowerCase(), line);
    }
    if (word === 'position' && !isRefused) this.#position = line;
    if (word === 'usinewgame') this.#position = null;
    if (this.#settle) {
      this.#settle();
      this.#settle = null;
      this.#prepareSpare();
    }
    if (!quiet) this.#losses = 0;
    if (this.#owed && this.#wanted) this.#queue.unshift({ line: this.#wanted });
    this.#wanted = null;
    this.#pump();
  }

  /** Sends the next line, or acts on those that a running search must not wait for. */
  #pump() {
    if (this.#ended) return;
    if (!this.#busy && this.#queue.length) {
      const next = this.#queue[0];
      const word = wordOf(next.line);
      if (this.#owed?.isLate && !next.quiet && (ENDS.includes(word) || word === 'ponderhit')) this.#answer();
      else this.#send(this.#queue.shift());
    }
    // A search that has answered or must is over in a moment: the lines after it keep their order.
    if (this.#busy?.word !== 'go' || !this.#owed || this.#busy.isHalted) return;
    for (let at = 0; at < this.#queue.length; ) {
      const word = wordOf(this.#queue[at].line);
      if (word === 'stop' || word === 'ponderhit' || word === 'isready') this.#queue.splice(at, 1);
      else at++;
      if (word === 'isready') this.#emit('readyok');
      if (word === 'ponderhit' && this.#flag && this.#busy.ponders) this.#signal('ponderhit', 2);
      if (ENDS.includes(word)) return this.#halt();
    }
  }

  #send(entry) {
    const words = entry.line.trim().split(/\s+/);
    const has = word => words.includes(word);
    this.#busy = { ...entry, word: words[0], looks: 0 };
    // A perft is refused, and owed nothing.
    if (words[0] === 'go' && !has('perft')) {
      Object.assign(this.#busy, { isMate: has('mate'), ponders: has('ponder'), isEndless: has('ponder') || has('infinite') });
      this.#owed ??= { isMate: has('mate'), best: null };
      if (this.#flag) Atomics.store(this.#flag, 0, 0);
      this.#timer = setInterval(() => this.#look(), LOOK_MS);
      this.#timer.unref?.();
    }
    this.#call(this.#worker, entry.line);
  }

  #look() {
    if (this.#busy && ++this.#busy.looks > LOOKS) this.#lose('no sign of life');
  }

  #signal(word, number) {
    this.#wanted = word;
    Atomics.store(this.#flag, 0, number);
  }

  /** Makes the running search end. */
  #halt() {
    const busy = this.#busy;
    if (busy.isHalted || !this.#owed) return;
    busy.isHalted = true;
    if (!this.#flag || busy.isMate) {
      this.#replace();
      return this.#answer();
    }
    this.#signal('stop', 1);
    setTimeout(() => {
      if (this.#busy !== busy || this.#ended) return;
      this.#replace();
      this.#answer();
    }, PATIENCE_MS).unref?.();
  }

  /** Answers the `go` by what is known of it; else a fresh Worker looks for any move. */
  #answer() {
    const { isMate, best } = this.#owed;
    this.#queue = this.#queue.filter(({ isHalted }) => !isHalted);
    if (!isMate && !best && this.#losses < LOSSES) {
      this.#owed.isLate = false;
      this.#first({ line: 'go depth 1', isHalted: true });
      return this.#pump();
    }
    this.#owed = null;
    const [move, reply] = best ?? ['resign'];
    this.#emit(isMate ? 'checkmate timeout' : `bestmove ${move}${reply ? ` ponder ${reply}` : ''}`);
    this.#pump();
  }

  /** Queues an entry before all others but those that restore a state. */
  #first(entry) {
    this.#queue.splice(this.#queue.filter(({ quiet }) => quiet).length, 0, entry);
  }

  /** Puts another Worker, with the same options and position, in the place of the present one. */
  #replace() {
    clearInterval(this.#timer);
    this.#wanted = null;
    this.#worker.end();
    this.#worker = this.#spare ?? this.#start();
    this.#worker.ref();
    this.#spare = null;
    this.#busy = this.#worker.pending ? { word: '', quiet: true } : null;
    const state = [...this.#options.values(), this.#position].filter(Boolean);
    this.#queue = [...state.map(line => ({ line, quiet: true })), ...this.#queue.filter(({ quiet }) => !quiet)];
    this.#prepareSpare();
  }

  /** Goes on after the loss of the Worker. */
  #lose(reason) {
    this.#printErr(`enbu: the Worker is lost: ${reason}`);
    const { line, word, quiet, isEndless, isHalted } = this.#busy ?? { quiet: true, isEndless: true };
    if (this.#settle || ++this.#losses > 2 * LOSSES) {
      this.#settle?.(reason);
      this.#listeners.forEach(listener => listener(`info string error: no Worker can be started: ${reason}`));
      return this.terminate();
    }
    this.#emit(`info string error: the engine was lost and is started again: ${reason}`);
    this.#replace();
    if (!quiet && word !== 'go' && this.#losses < LOSSES) this.#first({ line });
    else if (word === 'isready') this.#emit('readyok');
    if (this.#owed && isEndless && !isHalted) this.#owed.isLate = true;
    else if (this.#owed) this.#answer();
    this.#pump();
  }

  postMessage(text) {
    for (const line of String(text).split('\n')) {
      if (this.#ended || !line.trim()) continue;
      if (wordOf(line) === 'quit') return this.terminate();
      this.#queue.push({ line });
      this.#pump();
    }
  }

  addMessageListener(listener) {
    this.#listeners.add(listener);
  }

  removeMessageListener(listener) {
    this.#listeners.delete(listener);
  }

  terminate() {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    this.#worker.end();
    this.#spare?.end();
    this.#listeners.clear();
  }
}

/** Makes an engine; fails where the module cannot be read or a Worker cannot be started. */
export default async function enbu(config = {}) {
  const engine = new Engine(config.module ?? (await load(config)), config);
  await engine.ready;
  return {
    postMessage: line => engine.postMessage(line),
    addMessageListener: listener => engine.addMessageListener(listener),
    removeMessageListener: listener => engine.removeMessageListener(listener),
    terminate: () => engine.terminate(),
  };
}
