'use strict';
// The behaviour of the page: filters, the cards of figures, the theme, and when figures are drawn.

const form = document.getElementById('filter-form');
const cards = figures.map(cardOf);

// Filters.

const wordsOf = ({id}, value) => (value === '' ? 'none' : fieldText(id, id === 'grid' ? Number(value) : value));

function checkbox(dimension, value) {
  const input = element('input', {type: 'checkbox', name: dimension.id, value, checked: dimension.kept.has(value)});
  input.addEventListener('change', () => {
    input.checked ? dimension.kept.add(value) : dimension.kept.delete(value);
    changed();
  });
  return element('label', {className: 'chip', title: whole(value)}, input, element('span', {textContent: wordsOf(dimension, value)}));
}

function bulkButton(dimension, values, keep, of) {
  const button = element('button', {
    type: 'button',
    className: 'bulk',
    textContent: keep ? 'all' : 'none',
    ariaLabel: `${keep ? 'All' : 'None'} of ${of}`
  });
  button.addEventListener('click', () => {
    values.forEach((value) => (keep ? dimension.kept.add(value) : dimension.kept.delete(value)));
    for (const input of form.querySelectorAll(`input[name="${dimension.id}"]`))
      input.checked = dimension.kept.has(input.value);
    changed();
  });
  return button;
}

function groupOf(dimension, legend, values) {
  return element(
      'fieldset', {}, element('legend', {textContent: legend}),
      element('span', {className: 'bulks'}, ...[true, false].map((keep) => bulkButton(dimension, values, keep, legend))),
      element('div', {className: 'chips'}, ...values.map((value) => checkbox(dimension, value))));
}

function dimensionElement(dimension) {
  const byFamily =
      families.map(({name}) => [name, dimension.values.filter((value) => own(data.strategies, value) === name)]);
  const groups = dimension.id === 'strategy' ? byFamily.filter(([, values]) => values.length) : [];
  const body = [
    groupOf(dimension, groups.length ? 'All strategies' : dimension.name, groups.length ? [] : dimension.values),
    ...groups.map(([name, values]) => groupOf(dimension, name, values))
  ];
  // The group of all families has only the two buttons.
  if (groups.length) {
    body[0].querySelector('.bulks').replaceChildren(
        ...[true, false].map((keep) => bulkButton(dimension, dimension.values, keep, 'the strategies')));
    body.unshift(searchElement(dimension));
  }
  return element(
      'details', {className: 'dimension', open: dimension.id === 'strategy' || isNarrowed(dimension)},
      element('summary', {}, dimension.name, ' ', element('span', {className: 'muted', id: `kept-${dimension.id}`})),
      ...body);
}

// The search text for strategies: a part of a name, or a pattern with *.
let searched = '';

function matches(name) {
  const parts = searched.trim().toLowerCase().split('*');
  const pattern = parts.map((part) => part.replace(/[^\w]/g, '\\$&')).join('.*');
  return new RegExp(parts.length > 1 ? `^${pattern}$` : pattern).test(name.toLowerCase());
}

function searchElement(dimension) {
  const input = element('input', {type: 'search', id: 'search', value: searched, placeholder: 'part of a name, or *_tail'});
  const only = element('button', {type: 'button', id: 'only', textContent: 'Show only these', hidden: !searched});
  const show = () => {
    searched = input.value;
    only.hidden = !searched.trim();
    const found = dimension.values.filter(matches);
    only.disabled = !found.length;
    only.textContent = found.length ? `Show only ${found.length === 1 ? found[0] : `these ${found.length}`}` : 'No strategy is called so';
    for (const chip of form.querySelectorAll('label.chip:has(input[name=strategy])'))
      chip.hidden = !matches(chip.firstChild.value);
    for (const group of form.querySelectorAll('fieldset:has(input[name=strategy])'))
      group.hidden = !group.querySelector('label.chip:not([hidden])');
  };
  const keep = () => {
    const found = dimension.values.filter(matches);
    if (!searched.trim() || !found.length)
      return;
    dimension.kept = new Set(found);
    for (const box of form.querySelectorAll('input[name=strategy]'))
      box.checked = dimension.kept.has(box.value);
    changed();
  };
  input.addEventListener('input', show);
  only.addEventListener('click', keep);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      keep();
    }
  });
  return element('div', {className: 'search'}, element('label', {className: 'field'}, element('span', {textContent: 'Search'}), input), only);
}

function machineElement() {
  const select = element(
      'select', {id: 'machine'},
      ...machines.map((name) => element('option', {value: name, textContent: name, title: whole(name), selected: name === chosen.machine})));
  select.addEventListener('change', () => {
    chosen.machine = select.value;
    changed();
  });
  return element('label', {className: 'field'}, element('span', {textContent: 'Measured on'}), select);
}

function showFilters() {
  const reset = element('button', {type: 'button', id: 'reset', textContent: 'Reset'});
  reset.addEventListener('click', () => {
    resetFilters();
    searched = '';
    cards.forEach((card) => card.hidden.clear());
    showFilters();
    changed();
    document.getElementById('reset').focus();
  });
  form.replaceChildren(
      reset, ...(machines.length > 1 ? [machineElement()] : []),
      ...dimensions.filter(({values}) => values.length > 1).map(dimensionElement));
  showCounts();
}

function showCounts() {
  const all = onMachine();
  const text = `${grouped(all.filter(passes).length)} of ${grouped(all.length)} cases`;
  document.getElementById('count').textContent = `${text} shown`;
  document.getElementById('brief').textContent = text;
  for (const {id, kept, values} of dimensions) {
    const place = document.getElementById(`kept-${id}`);
    if (place)
      place.textContent = kept.size === values.length ? `all ${values.length}` : `${kept.size} of ${values.length}`;
  }
}

function remember() {
  const address = toAddress();
  history.replaceState(null, '', `${location.href.split('#')[0]}${address && `#${address}`}`);
}

function changed() {
  remember();
  showCounts();
  redraw();
}

// Cards: a figure with its controls, legend, caption and table.

function cardOf(figure) {
  const plot = element('div', {className: 'plot', role: 'img', ariaLabel: figure.title});
  const card = {
    figure,
    plot,
    hidden: new Set(),
    dirty: true,
    seen: false,
    controls: element('div', {className: 'controls'}),
    legend: element('ul', {className: 'legend', ariaLabel: 'Series'}),
    empty: element('p', {className: 'empty', hidden: true}),
    caption: element('p', {className: 'caption'}),
    table: element('details', {className: 'data'})
  };
  card.table.append(
      element('summary', {textContent: 'Data as a table'}),
      element('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: `Data of ${figure.title}`}));
  card.table.addEventListener('toggle', () => showTable(card));
  card.root = element(
      'article', {className: 'card', id: `figure-${figure.id}`},
      element(
          'header', {}, element('h3', {textContent: figure.title}),
          element('p', {className: 'note', textContent: figure.note})),
      card.controls, card.empty, element('figure', {}, plot, element('figcaption', {}, card.legend, card.caption)),
      card.table);
  return card;
}

function controlElement(card, {key, name, options, value}) {
  const select = element(
      'select', {name: key},
      ...options.map(
          (each) => element(
              'option',
              {value: each.value, textContent: each.text, title: whole(each.text), selected: each.value === value})));
  select.addEventListener('change', () => {
    chosen.controls[key] = select.value;
    remember();
    draw(card);
    card.controls.querySelector(`[name="${key}"]`)?.focus();
  });
  return element('label', {className: 'field'}, element('span', {textContent: name}), select);
}

function legendItem(card, trace, line) {
  const button = element(
      'button', {type: 'button', ariaPressed: String(!card.hidden.has(trace.meta)), title: whole(trace.meta) || 'Show or hide'},
      swatch(trace.look, line), element('span', {textContent: trace.meta}));
  button.addEventListener('click', () => {
    card.hidden.has(trace.meta) ? card.hidden.delete(trace.meta) : card.hidden.add(trace.meta);
    const place = [...card.legend.children].indexOf(button.parentElement);
    draw(card);
    card.legend.children[place]?.firstChild.focus();
  });
  return element('li', {}, button);
}

function showTable({table, view, drawn}) {
  if (table.open && view)
    table.lastChild.replaceChildren(pointTable(view, drawn));
}

function draw(card) {
  card.dirty = false;
  const {figure, plot} = card;
  const view = viewOf(figure);
  const drawn = pointsOf(view);
  for (const {name, points, lost} of drawn)
    for (const point of [...points, ...lost])
      point.hover = hoverOf(point.found, name, view.measure, point.value);
  Object.assign(card, {view, drawn});
  card.controls.replaceChildren(
      ...view.controls.filter(({options}) => options.length > 1).map((each) => controlElement(card, each)));
  const nothing = !drawn.length;
  card.empty.hidden = !nothing;
  card.empty.textContent = nothing ? missing(view) : '';
  plot.parentElement.hidden = card.table.hidden = nothing;
  if (nothing) {
    Plotly.purge(plot);
    card.listens = false;
    return;
  }
  const {traces, layout} = (view.axis ? linePlot : dotPlot)(view, drawn, paper());
  for (const trace of traces)
    trace.visible = !card.hidden.has(trace.meta);
  plot.style.minHeight = `${layout.height}px`;
  Plotly.react(plot, traces, layout, {
    responsive: true,
    displaylogo: false,
    displayModeBar: narrow.matches || !view.axis ? false : 'hover',
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d', 'zoomIn2d', 'zoomOut2d']
  });
  if (!card.listens) {
    plot.on('plotly_click', ({points}) => points[0].customdata !== undefined && openCase(points[0].customdata));
    card.listens = true;
  }
  plot.setAttribute('aria-label', `${figure.title}: ${drawn.length} series; the same data stand in the table below.`);
  card.caption.textContent = captionOf(view, drawn);
  card.legend.replaceChildren(
      ...traces.filter(({yaxis}) => yaxis !== 'y2').map((trace) => legendItem(card, trace, Boolean(view.axis))));
  showTable(card);
}

function redraw() {
  for (const card of cards) {
    card.dirty = true;
    if (card.seen)
      drawSoon(card);
  }
}

// One task per figure, so that a click is handled between two of them.
function drawSoon(card) {
  setTimeout(() => window.Plotly && card.dirty && draw(card));
}

// The start.

// Throws an error that says what is missing.
async function loadPlotly() {
  if (!window.DecompressionStream)
    throw new Error('this browser has no DecompressionStream, which unpacks plotly.js. Chromium has it since version 80, ' +
                    'Firefox since 113, Safari since 16.4');
  const packed = Uint8Array.from(atob(document.getElementById('plotly').textContent), (letter) => letter.charCodeAt(0));
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  document.head.append(element('script', {textContent: text}));
  if (!window.Plotly)
    throw new Error('plotly.js, which the page holds, did not run');
}

function watch() {
  const observer = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      const card = cards.find(({root}) => root === target);
      card.seen = isIntersecting;
      if (isIntersecting)
        drawSoon(card);
    }
  }, {rootMargin: '400px'});
  cards.forEach(({root}) => observer.observe(root));
}

const themeButton = document.getElementById('theme');

function showTheme() {
  const dark = theme() === 'dark';
  themeButton.textContent = dark ? 'Light' : 'Dark';
  themeButton.ariaLabel = dark ? 'Light theme' : 'Dark theme';
  redraw();
}

themeButton.addEventListener('click', () => {
  setTheme(theme() === 'dark' ? 'light' : 'dark');
  storeTheme(theme());
  showTheme();
});
systemDark.addEventListener('change', ({matches}) => {
  if (!storedTheme()) {
    setTheme(matches ? 'dark' : 'light');
    showTheme();
  }
});

async function copyCommand(button) {
  const code = button.parentElement.querySelector('code');
  let done = 'Copied';
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    done = 'Selected';
  }
  button.textContent = done;
  document.getElementById('said').textContent = done;
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

// Reads the filters from the address. An address without "=" is an anchor: then the filters stay, and go back into
// the address with the anchor as `at`, so that a reload or a copy of the address shows the same. Returns whether the
// filters were read.
function readAddress() {
  const hash = location.hash.slice(1);
  if (hash.includes('=')) {
    fromAddress(hash);
    return true;
  }
  if (hash && toAddress())
    history.replaceState(null, '', `#${toAddress()}&${new URLSearchParams({at: decodeURIComponent(hash)})}`);
  return false;
}

// Figures are created after the address is read, so the browser can find neither their anchors nor `at`.
function showAnchor() {
  const hash = location.hash.slice(1);
  const id = hash.includes('=') ? new URLSearchParams(hash).get('at') : decodeURIComponent(hash);
  const target = document.getElementById(id);
  const folded = target?.closest('details:not([open])');
  if (folded)
    folded.open = true;
  target?.scrollIntoView();
}

document.addEventListener('click', ({target}) => target.matches('button.copy') && copyCommand(target));
window.addEventListener('hashchange', () => {
  if (readAddress()) {
    showFilters();
    redraw();
  }
  showAnchor();
});
window.addEventListener('beforeprint', () => cards.filter(({dirty}) => dirty).forEach(draw));

function fitFilters() {
  for (const id of ['list', 'filters'])
    document.getElementById(id).open = !narrow.matches;
}
narrow.addEventListener('change', () => {
  fitFilters();
  redraw();
});

async function start() {
  fitFilters();
  readAddress();
  showFilters();
  document.getElementById('drawn').append(...cards.map(({root}) => root));
  document.getElementById('contents')
      .append(...figures.map(({id, title}) => element('a', {href: `#figure-${id}`, textContent: title})));
  showTheme();
  showAnchor();
  await loadPlotly();
  watch();
}

// Without figures, the claims and their rows still work.
function showFailure({message}) {
  const said = document.getElementById('failed');
  said.textContent = `The figures cannot be drawn: ${message}.`;
  said.hidden = false;
  document.querySelector('.explorer').hidden = true;
}

start().catch(showFailure);
