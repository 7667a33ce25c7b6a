'use strict';
// The cards: a figure with its controls, its legend, its picture and its table. The pictures of plot.sh, and the rows behind a point or a number.

const cards = figures.map((figure) => ({figure, hidden: new Set(), dirty: true, seen: false}));

const cardMarkup = ({id, title, note}) => html`
  <article class="card" id="figure-${id}">
    <header><h3>${title}</h3>${note ? html`<p class="note">${note}</p>` : ''}<p class="sentence"></p></header>
    <div class="controls"></div>
    <p class="empty" hidden></p>
    <div class="alone"></div>
    <figure>
      <div class="plot" role="img" aria-label="${title}"></div>
      <figcaption><ul class="legend" aria-label="Series"></ul><p class="caption"></p></figcaption>
    </figure>
    <details class="file"><summary>As plot.sh draws it</summary><div></div></details>
    <details class="data"><summary>Data as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Data of ${title}"></div></details>
  </article>`;

const optionMarkup = (value, text, selected) =>
    html`<option value="${value}" title="${whole(text)}" ${selected ? 'selected' : ''}>${text}</option>`;
const controlMarkup = ({key, name, options, found}) => html`<label class="field"><span>${name}</span>
  <select name="${key}">${options.map((each) => optionMarkup(each.value, each.text, each === found))}</select></label>`;

// A series as a button that hides and shows it, with the marks of its line.
const legendMarkup = ({meta, look: {color, symbol, dash}}, hidden) => html`
  <li><button type="button" data-series="${meta}" aria-pressed="${!hidden.has(meta)}" title="${whole(meta) || 'Show or hide'}">
    <svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true" fill="${color}" stroke="${color}">
      <path d="${dash ? 'M1 10h30' : ''}" stroke-width="2" stroke-dasharray="${dash}"/>
      <text x="16" y="14.5" text-anchor="middle" font-size="13" stroke="none">${data.glyphs[symbol]}</text>
    </svg>
    <span>${meta}</span></button></li>`;

// The text that was compressed with gzip and written in base64.
function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

const pictureAddresses = new Map();

async function pictureAddress(name) {
  if (!pictureAddresses.has(name))
    pictureAddresses.set(name, inflated(data.pictures[name].svg).then((text) => URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}))));
  return pictureAddresses.get(name);
}

async function showImage(image, name) {
  image.alt = data.pictures[name].title;
  image.src = await pictureAddress(name);
}

function showPicture(place, {name}) {
  show(place, html`<button type="button" class="picture" data-picture="${name}" aria-label="Enlarge the figure: ${data.pictures[name].title}">
    <img></button>`);
  showImage(place.querySelector('img'), name);
}

// Why a figure is empty: the filters leave no case.
function missing({series}) {
  const all = series.flatMap((each) => each.cases);
  const blame = dimensions.map((dimension) => [dimension.name, all.filter((found) => !keptBy(dimension, found)).length])
                    .filter(([, count]) => count)
                    .map(([name, count]) => `${name} leaves out ${count}`);
  return `The filters leave none of the ${all.length} cases of this figure: ${blame.join(', ')}.`;
}

// "24 of 30 cases, int32. × 12 of 24 cases have no ok row: launch_failed 12." Also says if a figure has times of two
// clocks.
function captionOf(view, drawn) {
  const all = view.series.flatMap((each) => each.cases).length + view.apart.length;
  const shown = drawn.flatMap(({points, lost}) => [...points, ...lost]).map(({found}) => found);
  const isShared = (field) => ![null, ''].includes(shown[0][field]) && shown.every((found) => found[field] === shown[0][field]);
  const shared = ['type', 'elements', 'grid', 'block', 'nx', 'ny', 'block_shape', 'depth'].filter(isShared).map(
      (field) => `${field === 'type' ? '' : `${data.fields[field]} `}${fieldText(field, shown[0][field])}`);
  const said = [`${[shown.length === all ? `All ${all} cases` : `${shown.length} of ${all} cases`, ...shared].join(', ')}.`];
  const apart = view.apart.filter(passes).length;
  if (apart)
    said.push(`${apart} cases are not drawn: they have one ${view.axis.name} alone, or none.`);
  const without = shown.filter(({ok}) => !ok);
  if (without.length) {
    // Of each case the most frequent status.
    const often = ({statuses}) => [...counted(statuses)].sort(([, a], [, b]) => b - a)[0][0];
    said.push(`× ${without.length} of ${shown.length} cases have no ok row: ${inWords(without.map(often))}.`);
  }
  const partly = shown.filter(({ok, rows}) => ok && ok < rows);
  if (partly.length)
    said.push(`× ${partly.length} of ${shown.length} cases have rows that are not ok: ${faults(partly)} rows.`);
  const byHost = shown.filter(({clock, ok}) => ok && clock === 'wall').map(({strategy}) => strategy);
  if (byHost.length && shown.some(({clock}) => clock === 'gpu'))
    said.push(`Hollow, by the host’s clock: ${[...new Set(byHost)].join(', ')}.`);
  const racy = data.racy.filter((name) => shown.some(({strategy}) => strategy === name));
  if (racy.length)
    said.push(`Racy (${racy.join(', ')}): the answer depends on which thread comes first.`);
  return said.join(' ');
}

// A table. `kinds`: the class of each column. A cell that is markup has its own element.
function tableMarkup(caption, heads, rows, kinds) {
  const cellMarkup = (cell, column) => (cell instanceof Markup ? cell : html`<td class="${kinds[column]}">${cell}</td>`);
  return html`<table><caption class="hidden">${caption}</caption>
    <thead><tr>${heads.map((text, column) => html`<th scope="col" class="${kinds[column]}">${text}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map(cellMarkup)}</tr>`)}</tbody></table>`;
}

function pointTable({axis, measure, figure}, drawn) {
  const heads = ['Series', ...(axis ? [axis.name] : []), measure.name, '95 % interval', 'ok rows', 'launches', 'Rows'];
  const rows = drawn.flatMap(({name, points, lost}) => [...points, ...lost].map(({found, place, value}) => [
    html`<th scope="row" title="${whole(name)}">${name}</th>`, ...(axis ? [place ?? ''] : []),
    value ? valueText(measure, value.y) : faults([found]), intervalText(measure, value, ' – '), `${found.ok} of ${found.rows}`,
    found.launches === null ? '' : grouped(found.launches), html`<td><button type="button" class="rows" data-case="${found.index}"
      aria-haspopup="dialog" aria-label="${found.rows} rows of ${name}${place === null ? '' : `, ${axis.name} ${place}`}">
      ${found.rows} rows</button></td>`
  ]));
  return tableMarkup(figure.title, heads, rows, heads.map((_, column) => (column && column < heads.length - 1 ? 'number' : '')));
}

// What a reader unfolds is made when it is open.
function showFolded({part, view, drawn}) {
  if (!view)
    return;
  if (part('.data').open)
    show(part('.data .scroll'), pointTable(view, drawn));
  if (part('.file').open && view.picture)
    showPicture(part('.file div'), view.picture);
}

function draw(card) {
  card.dirty = false;
  const {figure, hidden, part} = card;
  const isDrawn = figure.views.some((view) => isHere(view));
  card.view = isDrawn ? viewOf(figure) : null;
  card.drawn = isDrawn ? pointsOf(card.view) : [];
  const {view, drawn} = card;
  const plot = part('.plot');
  part('figure').hidden = part('.data').hidden = !drawn.length;
  part('.empty').hidden = !isDrawn || drawn.length > 0;
  part('.file').hidden = !view?.picture;
  part('.sentence').textContent = view?.sentence ?? '';
  // A figure that the page does not draw itself is a picture.
  const ofLog = control(figure, 'log', 'Log', picturesOf(figure).map((found) => ({...found, value: found.name, text: found.log})));
  const controls = (isDrawn ? view.controls : [ofLog]).filter(({options}) => options.length > 1);
  show(part('.controls'), controls.map(controlMarkup));
  part('.alone').hidden = isDrawn;
  if (!isDrawn) {
    const said = `The filters do not change this picture: it shows all of ${ofLog.found.log}.`;
    show(part('.alone'), html`<div></div>`, dimensions.length ? html`<p class="caption">${said}</p>` : '');
    showPicture(part('.alone div'), ofLog.found);
  } else if (!drawn.length) {
    part('.empty').textContent = missing(view);
    Plotly.purge(plot);
  } else {
    const {traces, layout} = (view.axis ? linePlot : dotPlot)(view, drawn);
    for (const trace of traces)
      trace.visible = !hidden.has(trace.meta);
    plot.style.minHeight = `${layout.height}px`;
    Plotly.react(plot, traces, layout, {
      responsive: true,
      displaylogo: false,
      displayModeBar: narrow.matches || !view.axis ? false : 'hover',
      modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d', 'zoomIn2d', 'zoomOut2d']
    });
    plot.removeAllListeners('plotly_click');
    plot.on('plotly_click', ({points}) => points[0].customdata !== undefined && openCase(points[0].customdata));
    plot.setAttribute('aria-label', `${figure.title}: ${drawn.length} series; the same data stand in the table below.`);
    part('figure .caption').textContent = captionOf(view, drawn);
    show(part('.legend'), traces.filter(({yaxis}) => yaxis !== 'y2').map((trace) => legendMarkup(trace, hidden)));
    showFolded(card);
  }
}

// One task per figure, so that a click is handled between two of them.
function drawSoon(card) {
  setTimeout(() => window.Plotly && card.dirty && belongs(card.figure) && draw(card));
}

function redraw() {
  for (const card of cards) {
    card.dirty = true;
    if (card.seen && belongs(card.figure))
      drawSoon(card);
  }
}

// The panel of rows.

const panel = byId('rows');

function rowsMarkup({fields, summary, heads, rows}) {
  const kinds = heads.map((_, column) => rows.every((row) => !Number.isNaN(Number(row[column]))) ? 'number' :
      rows.some((row) => row[column].length > 40) ? 'long' : '');
  const list = fields.map(([, name, value]) => html`<div><dt>${name}</dt><dd>${whole(value) || value}</dd></div>`);
  return html`<section>${list.length ? html`<dl class="fields">${list}</dl>` : ''}<p class="muted">${summary}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Rows">${tableMarkup('Rows', heads, rows, kinds)}</div></section>`;
}

// The rows of a case, without columns that would be empty.
function caseGroup(found, places) {
  const rows = places.map((place) => [
    found.lines[place], found.repetitions[place], found.times[place]?.toFixed(3), found.statuses[place], found.details[place]
  ].map((value) => String(value ?? '')));
  const pick = (row) => row.filter((_, column) => rows.some((each) => each[column] !== ''));
  const [median, low, high] = (found.time ?? []).map(duration);
  const summary = median ? `median ${median}, 95 % interval ${low} to ${high}` : 'no ok row';
  return {
    fields: described(found),
    summary: `${found.ok} of ${found.rows} rows ok; ${summary} (${found.clock} clock)`,
    heads: pick(['Line', 'Repetition', 'Time, µs', 'Status', 'Detail']),
    rows: rows.map(pick)
  };
}

function groupsOfNumber({log, lines, header, cells}) {
  if (header)
    return [{fields: [], summary: '', heads: ['Line', ...header], rows: lines.map((line, index) => [String(line), ...cells[index]])}];
  const wanted = new Set(lines);
  return cases.filter((found) => found.log === log)
      .map((found) => [found, [...found.lines.keys()].filter((place) => wanted.has(found.lines[place]))])
      .filter(([, places]) => places.length)
      .map(([found, places]) => caseGroup(found, places));
}

function openPanel({title, sentence, log, link, command, groups}) {
  const count = groups.reduce((sum, {rows}) => sum + rows.length, 0);
  show(byId('rows-body'), html`
    <header><h2 id="rows-title">${title}</h2><form method="dialog"><button class="close">Close</button></form></header>
    ${sentence ? html`<p>${sentence}</p>` : ''}
    <p class="file">${count} row${count === 1 ? '' : 's'} of <a href="${link}">${log}</a><span class="muted">${command && ` · ${command}`}</span></p>
    ${groups.map(rowsMarkup)}`);
  panel.showModal();
  panel.scrollTop = 0;
}

// The number of runs, the strategy, the mechanism, the depth and the size.
function caseTitle(found) {
  const by = own(data.mechanisms, found.mechanism) ?? found.mechanism;
  const {nx, ny, grid, block, elements} = found;
  const size = nx && ny ? `${grouped(nx)} × ${grouped(ny)} numbers` : grid && block ? `${grouped(grid)} × ${grouped(block)} threads` :
      elements === null ? '' : `${power(elements)} numbers`;
  const what = `${grouped(found.rows)} run${found.rows === 1 ? '' : 's'} of ${marked(found.strategy)}${by ? ` by ${by}` : ''}`;
  return [what, found.depth === '' ? '' : `depth ${found.depth}`, size].filter(Boolean).join(', ');
}

function openCase(index) {
  const found = cases[index];
  const groups = [caseGroup(found, [...found.lines.keys()])];
  openPanel({title: caseTitle(found), log: found.log, link: data.links[found.log], command: data.commands[found.log].join('; '), groups});
}

function openNumber(id) {
  const behind = data.numbers[id];
  openPanel({...behind, title: `The rows behind ${behind.what}`, groups: groupsOfNumber(behind)});
}
