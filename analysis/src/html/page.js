'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($('data').textContent);
  const root = document.documentElement;
  const ja = () => root.dataset.lang === 'ja';
  const say = (j, e) => ja() ? j : e;
  const side = black => say(...data.sides[black ? 0 : 1].split('|'));

  // The positions of every line of the record.
  const lines = data.lines;
  lines.forEach((line, i) => {
    const parent = i && lines[line.parent];
    let p = i ? parent.boards[line.from - parent.from] : read(data.start);
    line.boards = [p, ...line.moves.map(mv => (p = play(p, mv.u)))];
  });

  let at = { line: 0, ply: 0, pv: null, step: 0 };
  let flipped = false;
  const draw = (p, arrows) => {
    const svg = $('board').querySelector('svg');
    svg.style.transform = flipped ? 'rotate(180deg)' : '';
    place(svg, p);
    svg.querySelectorAll('.arrow').forEach(old => old.remove());
    svg.append(...arrows.map(({ usi, name, black }) => arrow(usi, name, black)));
    for (const [id, hand] of [['hand-black', p.hand.b], ['hand-white', p.hand.w]]) $(id).textContent = held(hand) || say('なし', 'none');
    $('player-black').classList.toggle('turn', p.black);
    $('player-white').classList.toggle('turn', !p.black);
    const box = $('board').parentElement;
    const [top, bottom] = flipped ? ['black', 'white'] : ['white', 'black'];
    box.insertBefore($('player-' + top), $('board'));
    box.insertBefore($('player-' + bottom), $('board').nextSibling);
    $('board').dataset.sfen = sfen(p);
  };

  const score = s => {
    if (!s) return '–';
    if (s.mate) {
      const black = s.mate.winner === 'black', n = s.mate.plies;
      return n ? say(`${side(black)}勝ち ${n}手詰`, `${side(black)} mates in ${n}`) : say(`${side(black)}勝ち`, `${side(black)} wins`);
    }
    return (s.cp > 0 ? '+' : '') + s.cp;
  };
  const percent = w => (100 * w).toFixed(1) + '%';
  const CLASSES = { best: ['最善手', 'best'], good: ['ほぼ最善', 'good'], inaccuracy: ['疑問手', 'inaccuracy'], mistake: ['悪手', 'mistake'], blunder: ['大悪手', 'blunder'] };
  const moveText = mv => say(mv.ja, mv.en);

  // The moves from the start to a place.
  const path = (l, ply) => {
    const line = lines[l];
    return [...(l ? path(line.parent, line.from) : []), ...line.moves.slice(0, Math.max(0, ply - line.from))];
  };
  const spent = black => {
    const times = path(at.line, at.ply).filter(mv => mv.b === black && mv.t !== null).map(mv => mv.t);
    return times.length ? times.reduce((sum, time) => sum + time, 0) : null;
  };

  const pvRow = (pv, index, label) => {
    const row = node('div', undefined, 'pv');
    row.append(node('span', label));
    (ja() ? pv.ja : pv.en).forEach((text, i) => {
      const b = node('button', text);
      b.type = 'button';
      b.dataset.pv = index; b.dataset.step = i + 1;
      if (at.pv === index && at.step === i + 1) b.setAttribute('aria-current', 'true');
      b.onclick = () => { at.pv = index; at.step = i + 1; show(); };
      row.append(b);
    });
    return row;
  };

  const pvs = () => {
    const line = lines[at.line], i = at.ply - line.from, position = line.pos[i], played = i > 0 ? line.moves[i - 1] : null;
    const list = position.lines.map(pv => ({ pv, base: at.ply, label: say('読み筋 ', 'line ') + score(pv.s) + ' (' + percent(pv.w) + ') ' }));
    const before = i > 0 && line.pos[i - 1];
    if (before && before.lines.length && !(played && played.f)) list.push({ pv: before.lines[0], base: at.ply - 1, better: true, label: say('代わりの最善手順 ', 'better was ') + score(before.lines[0].s) + ' (' + percent(before.lines[0].w) + ') ' });
    if (played && played.mm) list.push({ pv: played.mm, base: at.ply - 1, better: true, label: say('詰み逃し ', 'missed mate ') });
    return list;
  };

  const bad = mv => mv.c === 'inaccuracy' || mv.c === 'mistake' || mv.c === 'blunder' || mv.mm;

  // After a mistake: the better move, and the reply of the opponent.
  const arrows = (list, mv) => {
    if (at.pv !== null || !mv || !bad(mv)) return [];
    const better = list.filter(row => row.better).pop(), reply = list.find(row => !row.better);
    const of = (row, name, black, text) => row && row.pv.m.length ? [{ usi: row.pv.m[0], name, black, text: `${text} ${(ja() ? row.pv.ja : row.pv.en)[0]}` }] : [];
    return [...of(better, 'better', mv.b, say('最善手', 'better')), ...of(reply, 'reply', !mv.b, say('相手の最善手', 'best reply'))];
  };

  const show = () => {
    const line = lines[at.line], i = at.ply - line.from, mv = i > 0 ? line.moves[i - 1] : null, position = line.pos[i];
    const list = pvs();
    let p = line.boards[i];
    if (at.pv !== null) {
      const { pv, base } = list[at.pv];
      p = line.boards[base - line.from];
      pv.m.slice(0, at.step).forEach(usi => { p = play(p, usi); });
    }
    const marks = arrows(list, mv);
    draw(p, marks);
    $('legend').replaceChildren(...marks.map(({ name, text }) => node('span', text, name)));
    $('ply').textContent = at.pv === null ? String(at.ply) : `${list[at.pv].base} + ${at.step}`;
    $('mv').textContent = at.pv !== null ? (ja() ? list[at.pv].pv.ja : list[at.pv].pv.en)[at.step - 1] : mv ? moveText(mv) : say('開始局面', 'start position');
    const shown = at.pv === null ? position : { s: list[at.pv].pv.s, w: list[at.pv].pv.w };
    $('score').textContent = score(shown.s);
    $('percent').textContent = shown.w === null || shown.w === undefined ? '' : say(side(true) + '勝率 ', side(true) + ' ') + percent(shown.w);
    $('bar').style.width = shown.w === null || shown.w === undefined ? '50%' : percent(shown.w);
    const cls = $('class');
    cls.className = mv && mv.c ? mv.c : '';
    cls.textContent = mv && mv.c ? CLASSES[mv.c][ja() ? 0 : 1] + (mv.l >= 0.0005 ? ` (−${percent(mv.l)})` : '') : '';
    if (mv && mv.mm) cls.textContent += say('・詰み逃し', ', missed mate');
    if (mv && at.line === 0 && at.ply === data.deciding) cls.textContent += say('・敗着', ', the losing move');
    $('comment').textContent = (mv ? (mv.why ? [mv.why[ja() ? 0 : 1]] : []).concat(mv.com) : data.com || []).join('\n');
    $('pvs').replaceChildren(...list.map((row, n) => pvRow(row.pv, n, row.label)));
    for (const [id, black] of [['black', true], ['white', false]]) {
      const total = spent(black), now = mv && mv.b === black && mv.t !== null ? clock(mv.t) + ' / ' : '';
      $('clock-' + id).textContent = total === null ? '' : now + clock(total);
    }
    document.querySelectorAll('#moves button, #mistakes button:not(.better)').forEach(b => {
      const here = +b.dataset.line === at.line && +b.dataset.ply === at.ply;
      if (here) { b.setAttribute('aria-current', 'true'); const box = b.closest('ol'); if (b.offsetTop < box.scrollTop + box.offsetTop || b.offsetTop + b.offsetHeight > box.scrollTop + box.offsetTop + box.clientHeight) box.scrollTop = b.offsetTop - box.offsetTop - box.clientHeight / 2; }
      else b.removeAttribute('aria-current');
    });
    const cursor = document.querySelector('#curve .cursor');
    const x = data.x0 + data.dx * Math.min(at.line ? line.from : at.ply, lines[0].moves.length);
    cursor.setAttribute('x1', x); cursor.setAttribute('x2', x);
    $('live').textContent = `${$('ply').textContent} ${$('mv').textContent}, ${$('score').textContent} ${cls.textContent} ${marks.map(mark => mark.text).join(', ')}`;
    $('board').setAttribute('aria-label', say('盤面 ', 'Board ') + $('live').textContent);
  };

  const go = (l, ply) => {
    const line = lines[l];
    at = { line: l, ply: Math.max(line.from, Math.min(ply, line.from + line.moves.length)), pv: null, step: 0 };
    show();
  };
  const forward = () => {
    if (at.pv === null) return go(at.line, at.ply + 1);
    const { pv } = pvs()[at.pv];
    if (at.step < pv.m.length) { at.step++; show(); }
  };
  const back = () => {
    if (at.pv !== null) { if (--at.step < 1) at.pv = null; return show(); }
    const line = lines[at.line];
    if (at.line && at.ply <= line.from + 1) return go(line.parent, line.from);
    go(at.line, at.ply - 1);
  };
  const mistake = direction => {
    const line = lines[at.line];
    for (let i = at.ply - line.from - 1 + direction; i >= 0 && i < line.moves.length; i += direction) if (bad(line.moves[i])) return go(at.line, line.from + i + 1);
  };
  const end = () => go(at.line, Infinity);
  const setLang = lang => { root.dataset.lang = lang; root.lang = lang; show(); };
  $('first').onclick = () => go(0, 0); $('back').onclick = back; $('forward').onclick = forward; $('end').onclick = end;
  $('mistake').onclick = () => mistake(1);
  $('flip').onclick = () => { flipped = !flipped; show(); };
  $('lang').onclick = () => setLang(ja() ? 'en' : 'ja');
  document.querySelectorAll('[data-ply]').forEach(b => {
    b.onclick = () => {
      go(+b.dataset.line, +b.dataset.ply);
      if (b.dataset.better) { at.pv = pvs().findLastIndex(row => row.better); at.step = 1; show(); }
      const board = $('board').getBoundingClientRect();
      if (!b.closest('#moves') && (board.top < 0 || board.bottom > innerHeight)) $('board-card').scrollIntoView();
    };
  });

  // Texts for other programs.
  const EVEN = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';
  const shown = () => {
    const row = at.pv === null ? null : pvs()[at.pv];
    const own = row ? row.pv.m.map((u, i) => ({ u, ja: row.pv.ja[i] })) : [];
    const base = path(at.line, row ? row.base : at.ply), whole = row ? [...base, ...own] : path(at.line, Infinity);
    return { here: [...base, ...own.slice(0, at.step)], whole, own: row ? own : whole, from: row ? sfen(lines[at.line].boards[row.base - lines[at.line].from]) : data.start };
  };
  const usi = (start, moves) => [start, ...(moves.length ? ['moves'] : []), ...moves.map(mv => mv.u)].join(' ');
  const position = moves => 'position ' + usi(data.start === EVEN ? 'startpos' : 'sfen ' + data.start, moves);
  // A move of KI2 as KIF has it: with the origin in place of words.
  const kif = mv => {
    const [, to, piece] = /^.(同　?|..)(成.|.)/.exec(mv.ja);
    if (mv.u[1] === '*') return to + piece + '打';
    return to.replace(/^同$/, '同　') + piece + (mv.u[4] === '+' ? '成' : '') + `(${mv.u[0]}${mv.u.charCodeAt(1) - 96})`;
  };
  const diagram = p => {
    const hand = h => held(h, '　') || 'なし';
    const cell = piece => piece ? (piece.black ? ' ' : 'v') + NAMES[piece.kind] : ' ・';
    const row = r => '|' + [9, 8, 7, 6, 5, 4, 3, 2, 1].map(f => cell(p.board[f * 10 + r])).join('') + '|' + DIGITS[r];
    const edge = '+---------------------------+', [black, white] = data.sides.map(names => names.split('|')[0]);
    return [`${white}の持駒：${hand(p.hand.w)}`, '  ９ ８ ７ ６ ５ ４ ３ ２ １', edge, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(row), edge, `${black}の持駒：${hand(p.hand.b)}`, ...(p.black ? [] : [white + '番']), ''].join('\n');
  };
  const TEXTS = {
    position: { kif: () => diagram(read($('board').dataset.sfen)), sfen: () => $('board').dataset.sfen, usi: () => position(shown().here) },
    line: {
      kif: () => data.head + shown().whole.map((mv, i) => String(i + 1).padStart(4) + ' ' + kif(mv) + '\n').join(''),
      sfen: () => { const { own, from } = shown(); return usi('sfen ' + from, own); },
      usi: () => position(shown().whole),
    },
  };
  const copy = text => navigator.clipboard.writeText(text).catch(() => {
    const area = document.body.appendChild(node('textarea', text));
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) throw new Error('refused');
  });
  document.querySelectorAll('[data-copy]').forEach(b => {
    b.onclick = async () => {
      const text = TEXTS[b.dataset.copy][b.dataset.form]();
      try { await copy(text); $('copied').textContent = say('コピーしました', 'copied'); }
      catch { $('copied').textContent = say('コピーできませんでした', 'not copied'); }
      b.focus();
    };
  });
  document.querySelector('#curve svg').onclick = e => {
    const box = e.currentTarget.getBoundingClientRect();
    go(0, Math.round(((e.clientX - box.left) / box.width * data.width - data.x0) / data.dx));
  };
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    $('copied').textContent = '';
    const action = { ArrowRight: forward, ArrowLeft: back, Home: () => go(0, 0), End: end, ArrowDown: () => mistake(1), ArrowUp: () => mistake(-1), Escape: () => go(at.line, at.ply), f: () => $('flip').click() }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (action) { action(); e.preventDefault(); }
  });
  // The page begins at the place in its address, at the losing move or at the worst one.
  const wanted = () => /^#\d+$/.test(location.hash) ? +location.hash.slice(1) : null;
  onhashchange = () => { if (wanted() !== null) go(0, wanted()); };
  const worst = lines[0].moves.reduce((worst, mv, i) => mv.l > (worst ? lines[0].moves[worst - 1].l : 0) && bad(mv) ? i + 1 : worst, 0);
  go(0, wanted() ?? data.deciding ?? worst);
})();
