'use strict';
// The parts beside a plot: the marks of its legend, its caption, and its points as a table.

function element(name, properties = {}, ...children) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    key in found ? (found[key] = value) : found.setAttribute(key, value);
  found.append(...children);
  return found;
}

// The mark of a series as a picture, for use beside its name.
function swatch({color, symbol, dash}, line) {
  const shapes = {
    circle: 'M16 6a4 4 0 1 0 .01 0z',
    square: 'M12.5 6.5h7v7h-7z',
    diamond: 'M16 5l5 5-5 5-5-5z',
    'triangle-up': 'M16 5.5l5 8.5H11z',
    'triangle-down': 'M16 14.5l5-8.5H11z',
    cross: 'M14.3 5h3.4v3.3H21v3.4h-3.3V15h-3.4v-3.3H11V8.3h3.3z',
    'triangle-left': 'M11 10l8.5-5v10z',
    'triangle-right': 'M21 10l-8.5-5v10z',
    pentagon: 'M16 5.2l5 3.6-1.9 5.7h-6.2L11 8.8z',
    hexagon: 'M16 5l4.3 2.5v5L16 15l-4.3-2.5v-5z',
    star: 'M16 4.5l1.5 3.7 4 .3-3.1 2.6 1 3.9-3.4-2.1-3.4 2.1 1-3.9-3.1-2.6 4-.3z',
    'diamond-tall': 'M16 4l3.2 6-3.2 6-3.2-6z'
  };
  const strokes = {solid: '', dash: '7 4', dot: '2 3', dashdot: '8 3 2 3'};
  const path = line ? `<path d="M1 10h30" stroke="${color}" stroke-width="2" stroke-dasharray="${strokes[dash]}"/>` : '';
  const picture = element('span', {className: 'swatch', ariaHidden: 'true'});
  picture.innerHTML =
      `<svg viewBox="0 0 32 20" width="32" height="20">${path}<path d="${shapes[symbol]}" fill="${color}"/></svg>`;
  return picture;
}

// "24 of 30 cases, int32. × 12 of 24 cases have no ok row: launch_failed 12." Also says if a figure has times of two
// clocks.
function captionOf(view, drawn) {
  const all = view.series.flatMap((each) => each.cases).length + view.apart.length;
  const shown = drawn.flatMap(({points, lost}) => [...points, ...lost]).map(({found}) => found);
  const without = shown.filter(({ok}) => !ok);
  const partly = shown.filter(({ok, rows}) => ok && ok < rows);
  const byHost = shown.filter(({clock, ok}) => ok && clock === 'wall');
  const count = (list) => `${list.length} of ${shown.length} cases`;
  const how = shown.length === all ? `All ${all} cases` : `${shown.length} of ${all} cases`;
  const said = [`${[how, shared(shown)].filter(Boolean).join(', ')}.`];
  const apart = view.apart.filter(passes).length;
  if (apart)
    said.push(`${apart} cases are not drawn: they have one ${view.axis.name} alone, or none.`);
  if (without.length)
    said.push(`× ${count(without)} have no ok row: ${caseFaults(without)}.`);
  if (partly.length)
    said.push(`× ${count(partly)} have rows that are not ok: ${inWords(faults(partly))} rows.`);
  if (byHost.length && shown.some(({clock}) => clock === 'gpu'))
    said.push(`Hollow, by the host’s clock: ${[...new Set(byHost.map(({strategy}) => strategy))].join(', ')}.`);
  const racy = data.racy.filter((name) => shown.some(({strategy}) => strategy === name));
  if (racy.length)
    said.push(`Racy (${racy.join(', ')}): the answer depends on which thread comes first.`);
  return said.join(' ');
}

// {status: cases} for cases without an ok row, by the most frequent status of their rows.
function caseFaults(list) {
  const counts = Object.create(null);
  for (const found of list) {
    const [[status]] = Object.entries(faults([found])).sort((a, b) => b[1] - a[1]);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return inWords(counts);
}

function pointTable(view, drawn) {
  const {axis, measure} = view;
  const heads = ['Series', ...(axis ? [axis.name] : []), measure.name, '95 % interval', 'ok rows', 'launches', 'Rows'];
  const body = drawn.flatMap(({name, points, lost}) => [...points, ...lost].map(({found, place, value}) => {
    const open =
        element('button', {type: 'button', className: 'rows', textContent: `${found.rows} rows`, ariaHasPopup: 'dialog'});
    open.dataset.case = found.index;
    open.setAttribute('aria-label', `${found.rows} rows of ${name}${place === null ? '' : `, ${axis.name} ${place}`}`);
    const cells = [
      ...(axis ? [place ?? ''] : []), value ? valueText(measure, value.y) : inWords(faults([found])),
      value && value.low !== null ? `${valueText(measure, value.low)} – ${valueText(measure, value.high)}` : '',
      `${found.ok} of ${found.rows}`, found.launches === null ? '' : grouped(found.launches)
    ];
    return element(
        'tr', {}, element('th', {scope: 'row', textContent: name, title: whole(name)}),
        ...cells.map((text) => element('td', {textContent: text, className: 'number'})), element('td', {}, open));
  }));
  return element(
      'table', {}, element('caption', {className: 'hidden', textContent: view.figure.title}),
      element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', {scope: 'col', textContent: text})))),
      element('tbody', {}, ...body));
}
