// The page of the engine: play, analyse, records, mates. NAMES, HAND, read and arrow are those of board.js.
const $ = id => document.getElementById(id);
const root = document.documentElement;
const text = id => $(id).textContent;

// --- texts -----------------------------------------------------------------------------

const TEXTS = {
  lead: ['インストール不要の将棋エンジン', 'A shogi engine that needs no installation'], board: ['盤面', 'Board'], close: ['閉じる', 'Close'],
  play: ['対局', 'Play'], side: ['手番', 'You play'], black: ['先手', 'Black'], white: ['後手', 'White'], handicap: ['手合割', 'Handicap'],
  level: ['強さ', 'Level'], time: ['最強の思考時間（秒）', 'Seconds a move at full strength'], start: ['対局開始', 'New game'], here: ['この局面から', 'From here'],
  undo: ['待った', 'Take back'], resign: ['投了', 'Resign'], declare: ['入玉宣言', 'Declare a win'],
  kept: ['対局はこのブラウザの中にだけ保存され、次に開いたとき続きから指せます。', 'The game is kept in this browser only, and is there when you come back.'],
  analysis: ['検討', 'Analysis'], analyse: ['検討する', 'Analyse'], lines: ['候補手', 'Lines'], mate: ['詰みを探す', 'Find a mate'],
  record: ['棋譜', 'Record'], paste: ['KIF・KI2・CSA・SFEN・USI などを貼り付けるか、ファイルをここに落としてください。', 'Paste KIF, KI2, CSA, SFEN, USI ... or drop a file here.'],
  read: ['読み込む', 'Read'], file: ['ファイル', 'File'], format: ['形式', 'Format'], copy: ['コピー', 'Copy'],
  nodes: ['一局の解析', 'Whole game'], quick: ['速い', 'quick'], normal: ['普通', 'normal'], thorough: ['詳しい', 'thorough'], whole: ['解析する', 'Analyse the game'], cancel: ['中止', 'Cancel'],
  moves: ['指し手', 'Moves'], save: ['ページを保存', 'Save this page'], promote: ['成りますか？', 'Promote?'], yes: ['成', 'Yes'], no: ['不成', 'No'],
  offline: ['通信はしません。すべてこの端末で計算します。', 'Sends nothing: everything is computed on this device.'],
  first: ['最初へ', 'To the start'], back: ['一手戻る', 'Back'], forward: ['一手進む', 'Forward'], last: ['最後へ', 'To the end'], flip: ['盤の反転', 'Turn the board'],
  full: ['最強', 'Full strength'], you: ['あなた', 'you'], thinking: ['考えています…', 'Thinking ...'], yours: ['あなたの番です', 'Your move'], check: ['王手', 'check'],
  startpos: ['開始局面', 'start position'], searching: ['詰みを探しています…', 'Looking for a mate ...'], nomate: ['詰みはありません。', 'There is no mate.'], unknown: ['分かりませんでした。', 'Not found in time.'],
  copied: ['コピーしました。', 'Copied.'], loading: ['エンジンを準備しています…', 'The engine is starting ...'], none: ['なし', 'none'],
  large: ['ファイルが大きすぎます（4 MB まで）。', 'The file is too large (up to 4 MB).'], empty: ['棋譜がありません。', 'There is no record.'], paused: ['対局を中断しました。「この局面から」で続きを指せます。', 'The game is paused; "From here" goes on with it.'],
};
const HANDICAPS = [['平手', 'Even'], ['香落ち', 'Lance'], ['角落ち', 'Bishop'], ['飛車落ち', 'Rook'], ['飛香落ち', 'Rook and lance'], ['二枚落ち', 'Two pieces'], ['四枚落ち', 'Four pieces'], ['六枚落ち', 'Six pieces'], ['八枚落ち', 'Eight pieces']];
const ENDS = { mate: ['詰み', 'mate'], repetition: ['千日手', 'repetition'], resign: ['投了', 'resignation'], win: ['入玉宣言', 'declaration'] };
const ja = () => root.dataset.lang === 'ja';
const pick = pair => pair[ja() ? 0 : 1];
const t = key => pick(TEXTS[key]);
const side = black => t(black ? 'black' : 'white');

function speak(language) {
  root.dataset.lang = root.lang = language;
  document.querySelectorAll('[data-t]').forEach(e => { e.textContent = t(e.dataset.t); });
  document.querySelectorAll('[data-l]').forEach(e => { e.ariaLabel = e.title = t(e.dataset.l); });
  const keep = [$('handicap').selectedIndex, $('level').value || '5'];
  $('handicap').replaceChildren(...HANDICAPS.map((pair, at) => new Option(pick(pair), at)));
  $('level').replaceChildren(...Array.from({ length: 21 }, (_, n) => new Option(n < 20 ? n : t('full'), n)));
  [$('handicap').selectedIndex, $('level').value] = [Math.max(0, keep[0]), keep[1]];
  if (!game) return;
  $('notes').textContent = '';
  show();
  showLines();
}

function tell(message) {
  $('message').hidden = !message;
  $('message').firstElementChild.textContent = message;
}

// --- engine ----------------------------------------------------------------------------

const url = URL.createObjectURL(new Blob([text('engine')], { type: 'text/javascript' }));
// A page from the disk may start no module as a Worker, and a Worker of it imports none: a script it is.
const script = text('engine').replaceAll('import.meta.url', 'location.href').replace(/^export (default )?/gm, '');
const bootUrl = URL.createObjectURL(new Blob([`(async () => {${script}})()`], { type: 'text/javascript' }));
const worker = name => new Worker(bootUrl, { name });
const bytes = Uint8Array.from(atob(text('wasm').trim()), c => c.charCodeAt(0));
const { default: enbu, start, startWorker } = await import(url);
const module = await WebAssembly.compile(bytes).catch(error => { tell(`WebAssembly: ${error.message}`); throw error; });
const encoder = new TextEncoder();

/** The module that answers the page at once; another one after a failure. */
let asker = null;
let answer = '';
async function asked() {
  asker ??= await start(module, message => { answer = message.answer ?? answer; });
  return asker;
}
function ask(question, content = '') {
  const body = typeof content === 'string' ? encoder.encode(content) : content;
  const head = encoder.encode(question + '\n');
  const input = new Uint8Array(head.length + body.length);
  input.set(head);
  input.set(body, head.length);
  try {
    asker('ask', input);
  } catch (error) {
    asker = null;
    asked();
    return { error: error.message };
  }
  return JSON.parse(answer);
}

let engine = null;
/** The receiver of the engine's lines: that of the search in progress. */
let hear = null;
async function engineReady() {
  if (!engine) {
    engine = await enbu({ module, worker });
    engine.addMessageListener(line => {
      if (line.startsWith('info string error')) tell(line.slice(12));
      hear?.(line);
    });
    engine.postMessage('isready');
  }
  return engine;
}

/** Starts a search; `take` gets its lines. The running one is stopped, its answer dropped. */
let searches = 0;
async function search(options, go, take) {
  const number = ++searches;
  await engineReady();
  if (number !== searches) return;
  quiet();
  searches = number;
  hear = line => {
    if (number !== searches) return;
    if (/^(bestmove|checkmate)/.test(line)) hear = null;
    take(line);
  };
  Object.entries(options).forEach(([name, value]) => engine.postMessage(`setoption name ${name} value ${value}`));
  engine.postMessage(`position ${place()}`);
  engine.postMessage(go);
}

/** Ends the search in progress. */
function quiet() {
  searches++;
  if (hear) engine.postMessage('stop');
  hear = null;
}

// --- the game --------------------------------------------------------------------------

let game = null;
let shown = null;
let chosen = null;
let mode = 'rest';
let flipped = false;
const EVEN = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';

const fresh = (sfen, names = ['', '']) => ({ sfen, moves: [], texts: [], at: 0, names, comments: [], human: null, over: null });
const place = (moves = game.moves.slice(0, game.at)) => `sfen ${game.sfen}${moves.length ? ` moves ${moves.join(' ')}` : ''}`;
const record = () => place(game.moves) + (game.over?.by === 'resign' ? `${game.moves.length ? '' : ' moves'} resign` : '');

function keep() {
  try {
    localStorage.setItem('enbu-game', JSON.stringify(game));
  } catch { /* A page without storage plays on. */ }
}

/** Makes `moves` the line of the game, and shows the position after `at` of them. */
function follow(moves, at) {
  game.moves = moves;
  game.texts = ask('texts', `${game.sfen}\n${moves.join(' ')}`);
  game.at = at;
  show();
}

function play(mv) {
  follow([...game.moves.slice(0, game.at), mv], game.at + 1);
  if (shown.over) finish(shown.over);
  else if (game.human) reply();
}

function finish(over) {
  game.over = over;
  mode = 'rest';
  show();
}

const isYours = () => game.human && !game.over && game.at === game.moves.length && shown.turn === game.human;

/** Lets the engine move where it is its turn. */
function reply() {
  if (game.over || isYours()) return show();
  mode = 'thinking';
  show();
  const [level, seed] = [$('level').value, 1 + Math.floor(Math.random() * 999_999_999)];
  const go = level === '20' ? `go movetime ${$('time').value}` : 'go nodes 10000000';
  search({ SkillLevel: level, SkillSeed: seed, MultiPV: 1, ConsiderationMode: false }, go, line => {
    const [word, mv] = line.split(' ');
    if (word !== 'bestmove') return;
    mode = 'rest';
    if (mv === 'resign' || mv === 'win') finish({ by: mv, winner: mv === 'win' ? shown.turn : game.human });
    else if (shown.moves.includes(mv)) play(mv);
  }).catch(fail);
}

function fail(error) {
  mode = 'rest';
  tell(error.message);
  show();
}

function rest() {
  quiet();
  mode = 'rest';
}

function begin(next, human) {
  rest();
  game = { ...next, human, over: null };
  flipped = human === 'w';
  game.names = human === 'b' ? [t('you'), 'Enbu'] : ['Enbu', t('you')];
  show();
  if (!shown.over) reply();
}

// --- drawing ---------------------------------------------------------------------------

const node = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const squareOf = at => 10 * (9 - at % 9) + Math.floor(at / 9) + 1;
const usiOf = number => `${Math.floor(number / 10)}${String.fromCharCode(96 + number % 10)}`;
const cells = Array.from({ length: 81 }, (_, at) => {
  const cell = node('button', { type: 'button', tabIndex: -1, onclick: () => touch(usiOf(squareOf(at))) });
  cell.setAttribute('role', 'gridcell');
  return cell;
});
for (let row = 0; row < 9; row++) {
  const line = node('div', {}, ...cells.slice(9 * row, 9 * row + 9));
  line.setAttribute('role', 'row');
  $('squares').append(line);
}
let focus = 40;
$('squares').onkeydown = event => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9 }[event.key] * (flipped ? -1 : 1);
  const at = cells.indexOf(document.activeElement) + step;
  if (Number.isNaN(step)) return;
  event.preventDefault();
  event.stopPropagation();
  if (at >= 0 && at < 81 && (Math.abs(step) === 9 || Math.floor(at / 9) === Math.floor((at - step) / 9))) {
    focus = at;
    cells.forEach((cell, index) => { cell.tabIndex = index === focus ? 0 : -1; });
    cells[at].focus();
  }
};

function show() {
  shown = ask('view', place());
  if (shown.error) return tell(shown.error);
  chosen = null;
  const { board } = read(shown.sfen);
  $('picture').innerHTML = shown.board;
  $('turning').classList.toggle('flipped', flipped);
  cells.forEach((cell, at) => {
    const number = squareOf(at), piece = board[number];
    cell.tabIndex = at === focus ? 0 : -1;
    cell.ariaLabel = `${Math.floor(number / 10)}${ja() ? '一二三四五六七八九'[number % 10 - 1] : number % 10} ${piece ? `${side(piece.black)} ${ja() ? NAMES[piece.kind] : piece.kind}` : ''}`;
  });
  for (const [id, turn] of [['black', 'b'], ['white', 'w']]) {
    const player = $(`player-${id}`);
    player.classList.toggle('turn', shown.turn === turn);
    player.querySelector('.name').textContent = `${turn === 'b' ? '▲' : '△'} ${game.names[turn === 'b' ? 0 : 1] || t(id)}`;
    const pieces = shown.hands[turn].toSorted((a, b) => HAND.indexOf(a[0]) - HAND.indexOf(b[0]));
    player.querySelector('.hand').replaceChildren(...pieces.map(([kind, count]) => node('button', {
      type: 'button', textContent: NAMES[kind] + (count > 1 ? count : ''), ariaLabel: `${t(id)} ${ja() ? NAMES[kind] : kind} ${count}`,
      onclick: () => shown.turn === turn && choose(`${kind}*`),
    })));
  }
  const box = $('board').parentElement;
  box.insertBefore($(flipped ? 'player-black' : 'player-white'), $('board'));
  box.insertBefore($(flipped ? 'player-white' : 'player-black'), $('steps'));
  mark();
  const items = game.texts.map((pair, index) => item(index + 1, pick(pair)));
  $('moves').replaceChildren(item(0, t('startpos')), ...items);
  const here = $('moves').children[game.at];
  $('moves').scrollTop = here.offsetTop - $('moves').offsetTop - $('moves').clientHeight / 2;
  $('comment').textContent = game.comments[game.at] ?? '';
  $('undo').disabled = !game.human || game.moves.length < 2;
  $('resign').disabled = !isYours();
  $('resign').textContent = t(shown.declares ? 'declare' : 'resign');
  $('status').textContent = status();
  $('analyse').setAttribute('aria-pressed', mode === 'analysis');
  keep();
}

function item(ply, label) {
  const button = node('button', { type: 'button', onclick: () => step(ply) }, node('span', { className: 'no', textContent: ply }), label);
  if (ply === game.at) button.setAttribute('aria-current', 'true');
  return node('li', {}, button);
}

function status() {
  const last = game.at ? `${game.at} ${pick(game.texts[game.at - 1])}` : t('startpos');
  const over = game.at === game.moves.length && (game.over ?? shown.over);
  const winner = over && over.winner ? (ja() ? `${side(over.winner === 'b')}の勝ち` : `${side(over.winner === 'b')} wins`) : '';
  const what = over ? `${pick(ENDS[over.by])} ${winner}` : mode === 'thinking' ? t('thinking') : isYours() ? t('yours') : '';
  return [last, shown.check ? t('check') : '', what].filter(Boolean).join(' · ');
}

/** Marks what is chosen, and the squares that it may go to. */
function mark() {
  const goals = new Set(chosen ? shown.moves.filter(mv => mv.startsWith(chosen)).map(mv => mv.slice(2, 4)) : []);
  cells.forEach((cell, at) => {
    const usi = usiOf(squareOf(at));
    cell.classList.toggle('chosen', usi === chosen);
    cell.classList.toggle('target', goals.has(usi));
    if (usi === chosen) cell.setAttribute('aria-selected', 'true');
    else cell.removeAttribute('aria-selected');
  });
  document.querySelectorAll('.hand button').forEach(button => button.classList.toggle('chosen', chosen?.[1] === '*' && button.textContent.startsWith(NAMES[chosen[0]]) && button.closest('.player').classList.contains('turn')));
}

const canMove = () => mode !== 'thinking' && (!game.human || isYours());

function choose(from) {
  chosen = canMove() && chosen !== from && shown.moves.some(mv => mv.startsWith(from)) ? from : null;
  mark();
}

async function touch(usi) {
  const moves = chosen ? shown.moves.filter(mv => mv.startsWith(chosen + usi)) : [];
  if (!moves.length) return choose(usi);
  const promotes = moves.length < 2 ? moves[0].slice(4) : await promotion();
  const mv = chosen + usi + promotes;
  if (promotes === null || !shown.moves.includes(mv)) return;
  play(mv);
  if (mode === 'analysis') analyse();
}

function promotion() {
  const dialog = $('promotion');
  return new Promise(resolve => {
    dialog.onclick = ({ target }) => target.value !== undefined && dialog.close(target.value || '-');
    dialog.onclose = () => resolve({ '+': '+', '-': '' }[dialog.returnValue] ?? null);
    dialog.returnValue = '';
    dialog.showModal();
  });
}

/** Arrows for moves, the first one strong. */
function arrows(moves) {
  $('arrows').replaceChildren(...moves.map((mv, at) => arrow(mv, at ? 'better other' : 'better', shown.turn === 'b')));
}

// --- analysis --------------------------------------------------------------------------

let lines = [];
let pause = 0;

function step(ply) {
  game.at = Math.max(0, Math.min(ply, game.moves.length));
  if (mode === 'thinking') {
    rest();
    tell(t('paused'));
  }
  show();
  if (mode === 'analysis') analyse();
  else clearLines();
}

function clearLines() {
  lines = [];
  arrows([]);
  $('pvs').replaceChildren();
  $('score').textContent = '–';
  $('counters').textContent = '';
  $('bar').style.width = '50%';
}

/** Black's value of a score of the side to move: text, and share of the bar. */
function judged(words) {
  const at = words.indexOf('score');
  const sign = shown.turn === 'b' ? 1 : -1;
  if (at < 0) return null;
  const value = words[at + 2];
  if (words[at + 1] === 'cp') {
    const cp = sign * value;
    return { text: (cp > 0 ? '+' : '') + cp, share: 1 / (1 + Math.exp(-cp / 600)) };
  }
  const black = value.startsWith('-') ? sign < 0 : sign > 0;
  const plies = value.replace(/\D/g, '');
  const winner = side(black);
  return { text: ja() ? `${winner}勝ち${plies ? ` ${plies}手詰` : ''}` : `${winner} mates${plies ? ` in ${plies}` : ''}`, share: black ? 1 : 0 };
}

function takeInfo(line) {
  const words = line.split(' ');
  const value = name => words.includes(name) ? Number(words[words.indexOf(name) + 1]) : null;
  const pv = words.indexOf('pv');
  if (words[0] !== 'info' || pv < 0 || words[1] === 'string') return;
  const rank = value('multipv') ?? 1;
  const moves = words.slice(pv + 1).filter(word => /^\d|^[A-Z]\*/.test(word));
  lines[rank - 1] = { words, moves, depth: value('depth'), nodes: value('nodes') };
  cancelAnimationFrame(pause);
  pause = requestAnimationFrame(showLines);
}

function showLines() {
  const known = lines.filter(Boolean);
  const [best] = known;
  if (!best) return;
  const { text: score, share } = judged(best.words) ?? { text: '–', share: 0.5 };
  $('score').textContent = score;
  $('bar').style.width = `${100 * share}%`;
  $('counters').textContent = best.depth ? (ja() ? `深さ ${best.depth} · ${best.nodes} ノード` : `depth ${best.depth} · ${best.nodes} nodes`) : '';
  arrows(known.map(({ moves }) => moves[0]).filter(Boolean));
  const base = game.moves.slice(0, game.at);
  $('pvs').replaceChildren(...known.map(({ words, moves }) => {
    const texts = ask('texts', `${shown.sfen}\n${moves.join(' ')}`);
    const steps = texts.slice(0, 15).map((pair, at) => node('button', {
      type: 'button', textContent: pick(pair), onclick: () => {
        if (game.human) game = { ...game, human: null, over: null };
        follow([...base, ...moves], base.length + at + 1);
        if (mode === 'analysis') analyse();
      },
    }));
    return node('div', { className: 'pv' }, node('b', { textContent: judged(words)?.text ?? '' }), ...steps);
  }));
}

let soon = 0;
function analyse() {
  mode = 'analysis';
  clearTimeout(soon);
  quiet();
  clearLines();
  show();
  if (shown.over) return;
  // Steps through a game are faster than searches.
  soon = setTimeout(() => {
    if (mode !== 'analysis') return;
    search({ SkillLevel: 20, MultiPV: $('lines').value, ConsiderationMode: true }, 'go infinite', takeInfo).catch(fail);
  }, 150);
}

function findMate() {
  rest();
  clearLines();
  show();
  $('status').textContent = t('searching');
  search({}, 'go mate 60000', line => {
    const [word, ...moves] = line.split(' ');
    if (word !== 'checkmate') return takeInfo(line);
    if (!/^[\dA-Z]/.test(moves[0])) {
      $('status').textContent = t(moves[0] === 'nomate' ? 'nomate' : 'unknown');
      return;
    }
    lines = [{ words: ['score', 'mate', String(moves.length)], moves }];
    $('status').textContent = judged(lines[0].words).text;
    showLines();
  }).catch(fail);
}

// --- records ---------------------------------------------------------------------------

const MOST_BYTES = 4 << 20;

function take(content) {
  const size = typeof content === 'string' ? content.length : content.byteLength;
  if (size > MOST_BYTES) return tell(t('large'));
  if (!size) return tell(t('empty'));
  const found = ask(`read ${root.dataset.lang}`, content);
  const error = found.error ?? (found.moves.length ? null : found.errors[0]);
  if (error) return tell(`${ja() ? '読めません：' : 'Cannot be read: '}${error}`);
  rest();
  clearLines();
  tell('');
  game = { ...fresh(found.sfen, found.names), moves: found.moves, texts: found.texts, comments: [found.comment, ...found.comments] };
  flipped = false;
  const notes = [...found.errors, ...found.warnings];
  if (found.games > 1) notes.unshift(ja() ? `${found.games} 局のうち 1 局目です。` : `The first of ${found.games} games.`);
  if (found.left_out) notes.unshift(ja() ? `指せない手があり、最後の ${found.left_out} 手を除きました。` : `The last ${found.left_out} moves cannot be played and are left out.`);
  $('notes').textContent = notes.join('\n');
  show();
}

async function takeFile(file) {
  if (!file) return;
  // Not read at all.
  if (file.size > MOST_BYTES) return tell(`${file.name}: ${t('large')}`);
  take(new Uint8Array(await file.arrayBuffer()));
}

async function copy() {
  const written = ask(`write ${$('format').value}`, [record(), ...game.names].join('\n'));
  if (written.error) return tell(written.error);
  $('text').value = written.text;
  try {
    await navigator.clipboard.writeText(written.text);
  } catch {
    $('text').select();
    document.execCommand('copy');
  }
  $('notes').textContent = t('copied');
}

let judge = null;
function endJudge() {
  judge?.end();
  judge = null;
  $('whole').textContent = t('whole');
  $('progress').textContent = '';
}

/** The whole game, as `enbu analyse` judges it, in a Worker of its own. */
function whole() {
  if (judge) return endJudge();
  const written = ask('write kif', [record(), ...game.names].join('\n'));
  $('whole').textContent = t('cancel');
  const head = encoder.encode(`analyse ${$('nodes').value} ${root.dataset.lang}\n${written.text}`);
  judge = startWorker(module, null, ({ progress, answer: report, lost, line }) => {
    if (progress) $('progress').textContent = progress.replace(' ', ' / ');
    if (line) tell(line);
    if (!report && !lost) return;
    endJudge();
    const { html, error } = report ? JSON.parse(report) : { error: lost };
    if (error) return tell(error);
    $('report').querySelector('iframe').srcdoc = html;
    URL.revokeObjectURL($('save').href);
    $('save').href = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
    $('report').hidden = false;
    $('hide').focus();
  }, worker);
  judge.call('ask', head);
}

// --- the user --------------------------------------------------------------------------

$('message').querySelector('button').onclick = () => tell('');
$('lang').onclick = () => speak(ja() ? 'en' : 'ja');
$('first').onclick = () => step(0);
$('back').onclick = () => step(game.at - 1);
$('forward').onclick = () => step(game.at + 1);
$('end').onclick = () => step(Infinity);
$('flip').onclick = () => { flipped = !flipped; show(); };
$('play').onsubmit = event => {
  event.preventDefault();
  const name = HANDICAPS[$('handicap').value][0];
  begin(fresh(name === '平手' ? EVEN : ask('read', `手合割：${name}\n手数----指手---------消費時間--\n`).sfen), $('side').value);
};
$('here').onclick = () => begin({ ...game, moves: game.moves.slice(0, game.at), texts: game.texts.slice(0, game.at) }, $('side').value);
$('undo').onclick = () => {
  rest();
  game.over = null;
  const count = shown.turn === game.human ? 2 : 1;
  follow(game.moves.slice(0, Math.max(0, game.moves.length - count)), Math.max(0, game.moves.length - count));
  if (!isYours()) reply();
};
$('resign').onclick = () => finish(shown.declares ? { by: 'win', winner: game.human } : { by: 'resign', winner: game.human === 'b' ? 'w' : 'b' });
$('analyse').onclick = () => {
  if (mode !== 'analysis') return analyse();
  rest();
  show();
};
$('lines').onchange = () => mode === 'analysis' && analyse();
$('mate').onclick = findMate;
$('read').onclick = () => take($('text').value);
$('file').onchange = ({ target }) => takeFile(target.files[0]).catch(fail);
$('copy').onclick = copy;
$('whole').onclick = whole;
$('hide').onclick = () => { $('report').hidden = true; $('whole').focus(); };
$('drop').ondragover = event => { event.preventDefault(); $('drop').classList.add('over'); };
$('drop').ondragleave = () => $('drop').classList.remove('over');
$('drop').ondrop = event => {
  event.preventDefault();
  $('drop').classList.remove('over');
  const { files } = event.dataTransfer;
  if (files.length) takeFile(files[0]).catch(fail);
  else take(event.dataTransfer.getData('text'));
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA|INPUT)$/.test(event.target.tagName) || !$('report').hidden) return;
  const id = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'end', f: 'flip' }[event.key];
  if (id) {
    $(id).click();
    event.preventDefault();
  }
});

await asked();
let kept = null;
try {
  kept = JSON.parse(localStorage.getItem('enbu-game'));
  if (kept && ask('view', `sfen ${kept.sfen}`).error) kept = null;
} catch { /* Nothing is kept, or it is damaged. */ }
game = { ...fresh(EVEN), ...kept };
flipped = game.human === 'w';
speak(/^ja/i.test(navigator.language) ? 'ja' : 'en');
clearLines();
if (game.human && !game.over) {
  game.at = game.moves.length;
  show();
  reply();
}
engineReady().catch(fail);
