'use strict';
(() => {
  const root = document.documentElement, table = document.querySelector('.index'), body = table.tBodies[0];
  document.getElementById('lang').onclick = () => { const lang = root.dataset.lang === 'ja' ? 'en' : 'ja'; root.dataset.lang = lang; root.lang = lang; };
  table.querySelectorAll('th').forEach((th, column) => {
    th.querySelector('button').onclick = () => {
      const down = th.getAttribute('aria-sort') === 'ascending';
      table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const key = row => row.cells[column].dataset.v;
      const compare = (a, b) => th.dataset.n ? key(a) - key(b) : key(a).localeCompare(key(b));
      body.append(...[...body.rows].sort((a, b) => down ? compare(b, a) : compare(a, b)));
    };
  });
})();
