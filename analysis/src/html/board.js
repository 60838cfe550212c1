'use strict';
// Board, hands and moves: SFEN and USI.
const NAMES = { P: '歩', L: '香', N: '桂', S: '銀', G: '金', B: '角', R: '飛', K: '玉', '+P': 'と', '+L': '杏', '+N': '圭', '+S': '全', '+B': '馬', '+R': '龍' };
const HAND = ['R', 'B', 'G', 'S', 'N', 'L', 'P'];
const DIGITS = ['', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
const count = n => n < 2 ? '' : n < 11 ? (n === 10 ? '十' : DIGITS[n]) : '十' + DIGITS[n - 10];
const read = sfen => {
  const [rows, turn, hands, ply] = sfen.split(' ');
  const board = {};
  rows.split('/').forEach((row, r) => {
    let file = 9, promoted = '';
    for (const c of row) {
      if (c === '+') { promoted = '+'; continue; }
      if (c >= '1' && c <= '9') { file -= +c; continue; }
      board[file * 10 + r + 1] = { kind: promoted + c.toUpperCase(), black: c === c.toUpperCase() };
      promoted = ''; file--;
    }
  });
  const hand = { b: {}, w: {} };
  let n = '';
  if (hands !== '-') for (const c of hands) {
    if (c >= '0' && c <= '9') { n += c; continue; }
    (c === c.toUpperCase() ? hand.b : hand.w)[c.toUpperCase()] = n ? +n : 1; n = '';
  }
  return { board, hand, black: turn === 'b', ply: +ply || 1, from: 0, to: 0 };
};
const held = (hand, gap = ' ') => HAND.filter(k => hand[k]).map(k => NAMES[k] + count(hand[k])).join(gap);
const square = text => +text[0] * 10 + text.charCodeAt(1) - 96;
const play = (p, usi) => {
  const q = { board: { ...p.board }, hand: { b: { ...p.hand.b }, w: { ...p.hand.w } }, black: !p.black, ply: p.ply + 1, from: 0, to: 0 };
  const own = p.black ? q.hand.b : q.hand.w;
  q.to = square(usi.slice(2));
  if (usi[1] === '*') {
    own[usi[0]]--;
    if (!own[usi[0]]) delete own[usi[0]];
    q.board[q.to] = { kind: usi[0], black: p.black };
    return q;
  }
  q.from = square(usi);
  const piece = q.board[q.from], taken = q.board[q.to];
  if (taken) { const kind = taken.kind.replace('+', ''); own[kind] = (own[kind] || 0) + 1; }
  delete q.board[q.from];
  q.board[q.to] = { kind: (usi[4] === '+' ? '+' : '') + piece.kind, black: piece.black };
  return q;
};
const sfen = p => {
  const rows = [];
  for (let r = 1; r <= 9; r++) {
    let row = '', gap = 0;
    for (let f = 9; f >= 1; f--) {
      const piece = p.board[f * 10 + r];
      if (!piece) { gap++; continue; }
      if (gap) { row += gap; gap = 0; }
      row += piece.black ? piece.kind : piece.kind.toLowerCase();
    }
    rows.push(row + (gap || ''));
  }
  const hand = (h, f) => HAND.filter(k => h[k]).map(k => (h[k] > 1 ? h[k] : '') + f(k)).join('');
  const hands = hand(p.hand.b, k => k) + hand(p.hand.w, k => k.toLowerCase());
  return `${rows.join('/')} ${p.black ? 'b' : 'w'} ${hands || '-'} ${p.ply}`;
};
const clock = ms => { const s = Math.floor(ms / 1000), h = Math.floor(s / 3600); return (h ? h + ':' : '') + String(Math.floor(s / 60) % 60).padStart(h ? 2 : 1, '0') + ':' + String(s % 60).padStart(2, '0'); };
const node = (name, text, cls) => { const e = document.createElement(name); if (text !== undefined) e.textContent = text; if (cls) e.className = cls; return e; };

// Pictures over the board of `svg::board`.
const NS = 'http://www.w3.org/2000/svg';
const el = (name, attributes, text) => {
  const e = document.createElementNS(NS, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text) e.textContent = text;
  return e;
};
const X = f => 80 + 40 * (9 - f), Y = r => 60 + 40 * (r - 1);
// Puts the pieces of a position on a board, and marks its last move.
const place = (svg, p) => {
  const last = svg.querySelector('.last'), pieces = svg.querySelector('.pieces');
  last.replaceChildren();
  if (p.to) last.append(el('rect', { x: X(Math.floor(p.to / 10)), y: Y(p.to % 10), width: 40, height: 40, fill: '#f6d68b' }));
  if (p.from) last.append(el('rect', { x: X(Math.floor(p.from / 10)) + 3, y: Y(p.from % 10) + 3, width: 34, height: 34, fill: 'none', stroke: '#d9a520', 'stroke-width': 2, 'stroke-dasharray': '5 3' }));
  pieces.replaceChildren();
  for (let f = 1; f <= 9; f++) for (let r = 1; r <= 9; r++) {
    const piece = p.board[f * 10 + r];
    if (!piece) continue;
    const x = X(f) + 20, y = Y(r) + 20, a = { x, y: y + 11, 'font-size': 30 };
    if (piece.kind[0] === '+') a.fill = '#c00';
    if (!piece.black) a.transform = `rotate(180 ${x} ${y})`;
    pieces.append(el('text', a, NAMES[piece.kind]));
  }
};
// An arrow over the board, or a ring around a drop.
const arrow = (usi, name, black) => {
  const to = square(usi.slice(2)), x = X(Math.floor(to / 10)) + 20, y = Y(to % 10) + 20;
  if (usi[1] === '*') {
    const g = el('g', { class: 'arrow ' + name, 'data-usi': usi });
    g.append(el('circle', { cx: x, cy: y, r: 18 }), el('text', { x, y: y + 11, 'font-size': 30, ...(black ? {} : { transform: `rotate(180 ${x} ${y})` }) }, NAMES[usi[0]]));
    return g;
  }
  const from = square(usi), fx = X(Math.floor(from / 10)) + 20, fy = Y(from % 10) + 20;
  const length = Math.hypot(x - fx, y - fy), u = (x - fx) / length, v = (y - fy) / length;
  const point = (along, across) => `${(fx + u * along - v * across).toFixed(1)} ${(fy + v * along + u * across).toFixed(1)}`;
  const head = length - 20, points = [[10, 4], [head, 4], [head, 11], [length - 2, 0], [head, -11], [head, -4], [10, -4]];
  return el('path', { class: 'arrow ' + name, 'data-usi': usi, d: 'M' + points.map(([along, across]) => point(along, across)).join('L') + 'Z' });
};
