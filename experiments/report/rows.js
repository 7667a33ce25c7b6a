'use strict';
// The panel with the rows of a CSV that belong to a point or a claimed number.

const panel = document.getElementById('rows');
let openedFrom = null;

// The case of each (log, line), and the position of the row in it.
const caseByLine =
    new Map(cases.flatMap((found) => found.lines.map((line, place) => [`${found.log}:${line}`, {found, place}])));

function rowCells(found, place) {
  const time = found.times[place];
  return [
    found.lines[place], found.repetitions[place], time === null ? '' : time.toFixed(3), statusesOf(found)[place],
    detailsOf(found)[place]
  ].map((value) => String(value ?? ''));
}

const rowHeads = ['Line', 'Repetition', 'Time, µs', 'Status', 'Detail'];

// The rows of one case, without columns that would be empty.
function caseGroup(found, places) {
  const rows = places.map((place) => rowCells(found, place));
  const kept = rowHeads.map((_, column) => rows.some((row) => row[column] !== ''));
  const pick = (row) => row.filter((_, column) => kept[column]);
  const [median, low, high] = (found.time ?? []).map(duration);
  const summary = median ? `median ${median}, 95 % interval ${low} to ${high}` : 'no ok row';
  return {
    fields: described(found),
    summary: `${found.ok} of ${found.rows} rows ok; ${summary} (${found.clock} clock)`,
    head: pick(rowHeads),
    rows: rows.map(pick)
  };
}

function groupsOfNumber({log, lines, header, cells}) {
  if (header)
    return [
      {fields: [], summary: '', head: ['Line', ...header], rows: lines.map((line, index) => [String(line), ...cells[index]])}
    ];
  const byCase = new Map();
  for (const {found, place} of lines.map((line) => caseByLine.get(`${log}:${line}`)).filter(Boolean))
    byCase.set(found, [...(byCase.get(found) ?? []), place]);
  return [...byCase].map(([found, places]) => caseGroup(found, places));
}

const numeric = (text) => !Number.isNaN(Number(text));

function groupElement({fields, summary, head, rows}) {
  const list = element(
      'dl', {className: 'fields'},
      ...fields.map(
          ([name, value]) => element('div', {}, element('dt', {textContent: name}), element('dd', {textContent: whole(value) || value}))));
  const kinds = head.map((_, column) => {
    const texts = rows.map((row) => row[column]);
    return texts.every(numeric) ? 'number' : texts.some((text) => text.length > 40) ? 'long' : '';
  });
  const heads = head.map((text, column) => element('th', {scope: 'col', textContent: text, className: kinds[column]}));
  const cells = (row) => row.map((text, column) => element('td', {textContent: text, className: kinds[column]}));
  const table = element(
      'table', {}, element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...rows.map((row) => element('tr', {}, ...cells(row)))));
  const scroll = element('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Rows'}, table);
  return element(
      'section', {}, ...(fields.length ? [list] : []), element('p', {className: 'muted', textContent: summary}), scroll);
}

function openPanel({title, claim, log, link, command, groups}) {
  openedFrom = document.activeElement;
  const count = groups.reduce((sum, {rows}) => sum + rows.length, 0);
  const close = element('button', {type: 'button', className: 'close', textContent: 'Close'});
  close.addEventListener('click', () => panel.close());
  const file = element(
      'p', {className: 'file'}, `${count} row${count === 1 ? '' : 's'} of `, element('a', {href: link, textContent: log}),
      element('span', {className: 'muted', textContent: command && ` · ${command}`}));
  document.getElementById('rows-body')
      .replaceChildren(
          element('header', {}, element('h2', {id: 'rows-title', textContent: title}), close),
          ...(claim ? [element('p', {textContent: claim})] : []), file, ...groups.map(groupElement));
  panel.showModal();
  panel.scrollTop = 0;
}

// The number of runs, the strategy, the mechanism, the depth and the size.
function caseTitle(found) {
  const by = own(data.mechanisms, found.mechanism) ?? found.mechanism;
  const [columns, rows, grid, block] = [found.nx, found.ny, found.grid, found.block].map((side) => (side === null ? '' : grouped(side)));
  const size = columns && rows ? `${columns} × ${rows} numbers` : grid && block ? `${grid} × ${block} threads` :
      found.elements === null ? '' : `${power(found.elements)} numbers`;
  const deep = found.depth === '' ? '' : `depth ${found.depth}`;
  const what = `${grouped(found.rows)} run${found.rows === 1 ? '' : 's'} of ${marked(found.strategy)}${by ? ` by ${by}` : ''}`;
  return [what, deep, size].filter(Boolean).join(', ');
}

function openCase(index) {
  const found = cases[index];
  openPanel({
    title: caseTitle(found),
    log: found.log,
    link: data.links[found.log],
    command: data.commands[found.log].join('; '),
    groups: [caseGroup(found, found.lines.map((_, place) => place))]
  });
}

function openNumber(id) {
  const behind = data.claims[id];
  openPanel({...behind, title: `The rows behind ${behind.what}`, groups: groupsOfNumber(behind)});
}

panel.addEventListener('close', () => openedFrom?.focus());
// A click beside the panel's content is a click on its backdrop.
panel.addEventListener('click', (event) => event.target === panel && panel.close());
document.addEventListener('click', ({target}) => {
  const button = target.closest('button.rows');
  if (button?.dataset.number)
    openNumber(button.dataset.number);
  else if (button)
    openCase(Number(button.dataset.case));
});
