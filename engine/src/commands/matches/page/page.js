(() => {
  const $ = id => document.getElementById(id), root = document.documentElement;
  const ja = () => root.dataset.lang === 'ja', say = (j, e) => ja() ? j : e;
  const EVEN = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';
  let data = JSON.parse($('data').textContent), skew = 0, touched = 0;
  // The choices of the visitor, which outlive a loading of the page.
  const view = { ...history.state };
  if (view.lang) root.dataset.lang = root.lang = view.lang;

  // --- games -----------------------------------------------------------------------------
  const words = text => text ? text.split(' ') : [];
  const canPlay = (p, usi) => usi[1] === '*' ? (p.black ? p.hand.b : p.hand.w)[usi[0]] : p.board[square(usi)];
  const follow = (p, moves) => {
    const all = [p];
    for (const usi of moves) { if (!canPlay(p, usi)) break; all.push(p = play(p, usi)); }
    return all;
  };
  const boards = game => game.boards ??= follow(read(game.s === 'startpos' ? EVEN : game.s), words(game.m));
  const moveText = (p, usi) => {
    const mark = p.black ? '▲' : '△', drop = usi[1] === '*', to = usi.slice(2, 4), kind = drop ? usi[0] : p.board[square(usi)].kind;
    if (!ja()) return `${mark}${kind}${drop ? '*' : usi.slice(0, 2) + '-'}${to}${usi[4] || ''}`;
    const [file, rank] = [+to[0], to.charCodeAt(1) - 96], from = drop ? '打' : `(${usi[0]}${usi.charCodeAt(1) - 96})`;
    return mark + (p.to === square(to) ? '同' : '０１２３４５６７８９'[file] + DIGITS[rank]) + NAMES[kind] + (usi[4] ? '成' : '') + from;
  };
  const isMate = v => v && v[0] === '#';
  // A score as Black has it, and as a number.
  const number = (v, black) => (isMate(v) ? (v[1] === '-' ? -1e6 : 1e6) : +v) * (black ? 1 : -1);
  const scoreText = (v, black) => {
    if (!v || v === '-') return '–';
    const n = number(v, black), sign = n > 0 ? '+' : n < 0 ? '−' : '';
    return isMate(v) ? sign + say('詰', '#') + v.replace(/\D/g, '') : sign + Math.abs(n);
  };
  const answers = game => words(game.v).map((v, i) => ({ v, t: +words(game.t)[i], ply: game.o + i + 1, black: boards(game)[game.o + i]?.black }));

  // --- place -----------------------------------------------------------------------------
  const all = () => [...data.live, ...data.last];
  const chosen = () => { const m = /^#(\d+)(?:\.(\d+))?$/.exec(location.hash); return m && { n: +m[1], ply: m[2] === undefined ? Infinity : +m[2] }; };
  const shown = () => {
    const at = chosen(), extra = at && !data.live.some(g => g.n === at.n) && data.last.find(g => g.n === at.n);
    return extra ? [extra, ...data.live] : data.live.length ? data.live : data.last.slice(0, 1);
  };
  const plyOf = game => { const at = chosen(); return Math.min(at && at.n === game.n ? at.ply : Infinity, boards(game).length - 1); };
  const go = (game, ply) => {
    const last = boards(game).length - 1, at = Math.max(0, Math.min(ply, last));
    history.replaceState(view, '', `#${game.n}${at < last || !game.lines ? '.' + at : ''}`);
    show();
    $('live').textContent = document.querySelector('.chosen .move')?.textContent || '';
  };
  const leave = () => { history.replaceState(view, '', location.pathname + location.search); show(); };
  const STEPS = { first: g => go(g, 0), back: g => go(g, plyOf(g) - 1), forward: g => go(g, plyOf(g) + 1), end: g => go(g, Infinity), close: leave };

  // --- pictures --------------------------------------------------------------------------
  const W = 480, H = 190;
  const curve = (game, ply) => {
    const svg = el('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': say('両者の評価値（上が先手よし）', 'Evaluations of both engines; above: Black is better') });
    const length = Math.max(40, boards(game).length - 1), x = at => 46 + (W - 52) * Math.min(at, length) / length, y = cp => H / 2 - (H / 2 - 8) * (2 / (1 + Math.exp(-cp / 1000)) - 1);
    for (const cp of [-2000, -500, 0, 500, 2000]) svg.append(el('line', { x1: 46, x2: W, y1: y(cp), y2: y(cp) }), el('text', { x: 42, y: y(cp) + 4.5, 'text-anchor': 'end' }, (cp > 0 ? '+' : '') + cp));
    for (const black of [true, false]) {
      const points = answers(game).filter(a => a.black === black && a.v !== '-').map(a => `${x(a.ply).toFixed(1)},${y(number(a.v, black)).toFixed(1)}`);
      svg.append(el('polyline', { class: black ? 'b' : 'w', points: points.join(' ') }));
    }
    svg.append(el('line', { class: 'cursor', x1: x(ply), x2: x(ply), y1: 4, y2: H - 4 }));
    svg.onclick = e => { const box = svg.getBoundingClientRect(); go(game, Math.round(((e.clientX - box.left) / box.width * W - 46) / (W - 52) * length)); };
    return svg;
  };
  const lines = (game, ply) => [false, true].map(black => {
    const follows = game.lines && ply === boards(game).length - 1, live = follows && game.lines[black ? 0 : 1];
    const last = answers(game).filter(a => a.black === black && a.ply <= ply).pop(), v = live ? live.v : last && last.v;
    const row = node('div', undefined, 'line ' + (black ? 'b' : 'w'));
    row.append(node('span', undefined, 'key'), `${black ? '▲' : '△'} `, node('b', scoreText(v, black)));
    const facts = live ? [live.d && say(`深さ ${live.d}`, `depth ${live.d}`), live.n && say(`${live.n.toLocaleString('en')} 局面`, `${live.n.toLocaleString('en')} nodes`)] : [last && say(`${(last.t / 1000).toFixed(1)} 秒`, `${(last.t / 1000).toFixed(1)} s`)];
    row.append(node('div', facts.filter(Boolean).join(' · ')));
    if (!live || !live.pv) return row;
    const moves = words(live.pv), pv = node('div', undefined, 'pv');
    pv.append(...follow(boards(game)[live.at], moves).slice(0, -1).flatMap((p, i) => [node('span', moveText(p, moves[i])), ' ']));
    row.append(pv);
    return row;
  });
  // The clock of a side: time left, or used where there is no limit.
  const time = ms => ms < 10000 ? `0:0${(Math.max(0, ms) / 1000).toFixed(1)}` : clock(ms);
  const clockText = (game, black, ply) => {
    const follows = game.lines && ply === boards(game).length - 1, left = game.lines && game.left[black ? 0 : 1];
    const running = follows && game.since && boards(game)[ply].black === black ? Math.max(0, Date.now() - skew - game.since) : 0;
    if (!follows || !left) return [time(answers(game).filter(a => a.black === black && a.ply <= ply).reduce((sum, a) => sum + a.t, running)), false];
    const [main, byoyomi] = left, rest = main - running;
    if (rest > 0) return [time(rest) + (byoyomi ? ` +${byoyomi / 1000}` : ''), !byoyomi && rest < 10000];
    return [time(byoyomi + rest), byoyomi + rest < 10000 && byoyomi >= 10000];
  };
  const tick = () => {
    for (const game of shown()) for (const side of ['black', 'white']) {
      const e = cards.get(game.n)?.querySelector(`.${side} .clock`), [text, low] = clockText(game, side === 'black', plyOf(game));
      if (e && e.textContent !== text) { e.textContent = text; e.classList.toggle('low', low); }
    }
    const age = Math.round((Date.now() - skew - data.at) / 1000);
    $('age').textContent = view.paused ? say('停止中', 'paused') : data.state === 'live' && age > 15 ? say(`${age} 秒前から更新がありません`, `no news for ${age} s`) : '';
  };

  // --- page ------------------------------------------------------------------------------
  const cards = new Map();
  const card = game => {
    const e = $('card').content.firstElementChild.cloneNode(true);
    e.querySelectorAll('[data-to]').forEach(b => { b.id = `${b.dataset.to}-${game.n}`; b.onclick = () => STEPS[b.dataset.to](all().find(g => g.n === game.n)); });
    return e;
  };
  const draw = game => {
    if (!cards.has(game.n)) cards.set(game.n, card(game));
    const e = cards.get(game.n), q = cls => e.querySelector(cls), ply = plyOf(game), p = boards(game)[ply], at = chosen();
    e.classList.toggle('chosen', Boolean(at && at.n === game.n));
    q('h2').textContent = say('対局 ', 'Game ') + game.n + (game.end ? ' · ' + game.end[ja() ? 0 : 1] : '');
    place(q('.board svg'), p);
    for (const [side, name, hand, black] of [['.black', '▲ ' + game.b, p.hand.b, true], ['.white', '△ ' + game.w, p.hand.w, false]]) {
      q(side + ' .name').textContent = name;
      q(side + ' .hand').textContent = held(hand);
      q(side).classList.toggle('turn', p.black === black && !game.end);
    }
    const text = ply ? moveText(boards(game)[ply - 1], words(game.m)[ply - 1]) : say('開始局面', 'start position');
    q('.move').replaceChildren(node('small', say(`${ply}手目 `, `${ply}. `)), text);
    q('.board').setAttribute('aria-label', `${say('盤面', 'Board')} ${ply} ${text}`);
    q('.curve').replaceChildren(curve(game, ply));
    q('.lines').replaceChildren(...lines(game, ply));
    q('[data-to=close]').hidden = !(at && at.n === game.n && data.live.length);
    return e;
  };
  // --- tables ----------------------------------------------------------------------------
  const put = (id, ...rows) => { if ($(id).innerHTML !== rows.map(row => row.outerHTML).join('')) $(id).replaceChildren(...rows); };
  const row = (...cells) => { const tr = node('tr'); tr.append(...cells); return tr; };
  const name = text => Object.assign(node('th', text), { scope: 'row' });
  const counts = games => games ? `${games.won}-${games.drawn}-${games.lost}` : '';
  const against = (one, other) => data.pairings.reduce((sum, { names: [a, b], games: { won, drawn, lost } }) => {
    const [w, l] = a === one && b === other ? [won, lost] : a === other && b === one ? [lost, won] : [];
    return w === undefined ? sum : { won: w + (sum?.won || 0), drawn: drawn + (sum?.drawn || 0), lost: l + (sum?.lost || 0) };
  }, null);
  // The interval of an engine, on a scale that all share.
  const interval = ({ value, half_width: half }) => {
    const most = Math.max(...data.standings.map(({ elo }) => elo ? Math.abs(elo.value) + elo.half_width : 0)), x = elo => (60 + 56 * elo / most).toFixed(1);
    const svg = el('svg', { viewBox: '0 0 120 10', 'aria-hidden': true });
    svg.append(el('line', { class: 'axis', x1: 60, x2: 60, y1: 0, y2: 10 }), el('line', { x1: x(value - half), x2: x(value + half), y1: 5, y2: 5 }), el('circle', { cx: x(value), cy: 5, r: 3 }));
    return svg;
  };
  const tables = () => {
    $('facts').textContent = data.facts[ja() ? 0 : 1];
    const { standings } = data, score = ({ won, drawn, lost }) => 100 * (won + drawn / 2) / (won + drawn + lost);
    put('standings', ...standings.map(({ name: who, games, elo }, i) => {
      const cell = node('td', elo ? `${elo.value >= .5 ? '+' : ''}${Math.round(elo.value) || 0} ± ${elo.half_width.toFixed()}` : '–');
      if (elo) cell.append(interval(elo));
      return row(node('td', i + 1), name(who), node('td', counts(games)), node('td', score(games).toFixed(1) + ' %'), cell);
    }));
    put('crosstable', row(node('th'), node('th'), ...standings.map((_, i) => node('th', i + 1))), ...standings.map(({ name: who }, i) => row(node('td', i + 1), name(who), ...standings.map(other => {
      const games = against(who, other.name);
      return node('td', counts(games), games && score(games) > 50 ? 'ahead' : '');
    }))));
    put('last', ...data.last.map(game => {
      const li = node('li'), a = Object.assign(node('a', say('対局 ', 'Game ') + game.n), { href: '#' + game.n, id: 'game-' + game.n });
      li.append(a, ` ▲ ${game.b} – △ ${game.w}`, node('small', game.end[ja() ? 0 : 1] + say(`、${words(game.m).length}手`, `, ${words(game.m).length} moves`)));
      return li;
    }));
    const sums = standings.filter(({ faults }) => faults.length).map(({ name: who, faults }) => node('li', who + say('：', ': ') + faults.map(([text, times]) => `${text[ja() ? 0 : 1]} ${times}`).join(say('、', ', ')), 'sum'));
    put('faults', ...sums, ...data.faults.map(([n, text]) => node('li', say('対局 ', 'Game ') + n + say('：', ': ') + text[ja() ? 0 : 1])));
  };
  const show = () => {
    const games = shown(), drawn = games.map(draw), box = $('games');
    for (const n of [...cards.keys()]) if (!games.some(g => g.n === n)) cards.delete(n);
    tables();
    if (drawn.length !== box.children.length || drawn.some((e, i) => box.children[i] !== e)) box.replaceChildren(...drawn);
    tick();
  };
  const scrolled = () => [...document.querySelectorAll('.wide, #last, #faults')];
  const keep = () => { Object.assign(view, { x: scrolled().map(e => [e.scrollLeft, e.scrollTop]), y: scrollY, focus: document.activeElement?.id }); history.replaceState(view, ''); };
  const restore = () => {
    scrolled().forEach((e, i) => { [e.scrollLeft, e.scrollTop] = view.x?.[i] ?? [0, 0]; });
    if (view.focus) $(view.focus)?.focus({ preventScroll: true });
  };
  const refresh = async () => {
    if (view.paused || data.state === 'over' || document.hidden || performance.now() - touched < 1000) return;
    keep();
    if (location.protocol === 'file:') return location.reload();
    const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html'), next = page.getElementById('data');
    if (!next) return;
    data = JSON.parse(next.textContent);
    skew = Date.now() - (Date.parse(answer.headers.get('date')) || Date.now());
    show();
    restore();
  };

  $('lang').onclick = () => { view.lang = root.dataset.lang = root.lang = ja() ? 'en' : 'ja'; keep(); show(); };
  const pause = () => { $('pause').setAttribute('aria-pressed', Boolean(view.paused)); tick(); };
  $('pause').onclick = () => { view.paused = !view.paused; keep(); pause(); };
  onhashchange = () => { show(); const e = document.querySelector('.chosen'); if (e && e.getBoundingClientRect().top < 0) e.scrollIntoView(); };
  for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchmove']) addEventListener(kind, () => { touched = performance.now(); }, { passive: true, capture: true });
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const to = { ArrowRight: 'forward', ArrowLeft: 'back', Home: 'first', End: 'end', Escape: 'close' }[e.key], at = chosen(), game = at && all().find(g => g.n === at.n) || shown()[0];
    if (to && game) { STEPS[to](game); e.preventDefault(); }
  });
  show();
  restore();
  if (view.y !== undefined) scrollTo(0, view.y);
  pause();
  setInterval(tick, 100);
  setInterval(refresh, 1000);
})();
