'use strict';
// The choice of a workload, the filters of its cases, and the behaviour of the page: its address, its theme, its dialogs, and its start.

const form = byId('filter-form');

const wordsOf = (id, value) => (value === '' ? 'none' : fieldText(id, /^\d+(\.\d+)?$/.test(value) ? Number(value) : value));

const chipMarkup = ({id, kept}, value) => html`<label class="chip" title="${whole(value)}">
  <input type="checkbox" name="${id}" value="${value}" ${kept.has(value) ? 'checked' : ''}><span>${wordsOf(id, value)}</span></label>`;

// The two buttons of a group without values are for the whole dimension.
const groupMarkup = (dimension, legend, values, of) => html`<fieldset><legend>${legend}</legend>
  <span>
    <button type="button" class="bulk" data-keep="1" aria-label="All of ${of}">all</button>
    <button type="button" class="bulk" data-keep="" aria-label="None of ${of}">none</button>
  </span>
  <div class="chips">${values.map((value) => chipMarkup(dimension, value))}</div></fieldset>`;

const searchMarkup = html`<div class="search">
  <label class="field"><span>Search</span><input type="search" id="search" placeholder="part of a name, or *_tail"></label>
  <button type="button" id="only" hidden>Show only these</button></div>`;

function dimensionMarkup(dimension) {
  const {id, name, values} = dimension;
  const ofStrategies = id === 'strategy';
  const byFamily = families.map((family) => [family.name, values.filter((value) => own(data.strategies, value) === family.name)]);
  const groups = ofStrategies ?
      [searchMarkup, groupMarkup(dimension, 'All strategies', [], 'the strategies'),
       ...byFamily.filter(([, own]) => own.length).map(([family, own]) => groupMarkup(dimension, family, own, family))] :
      groupMarkup(dimension, name, values, name);
  return html`<details class="dimension" ${ofStrategies || isNarrowed(dimension) ? 'open' : ''}>
    <summary>${name} <span class="muted" id="kept-${id}"></span></summary>${groups}</details>`;
}

// The strategies that the search text is for: a part of a name, or a pattern with *.
function searched() {
  const parts = byId('search').value.trim().toLowerCase().split('*');
  const pattern = parts.map((part) => part.replace(/[^\w]/g, '\\$&')).join('.*');
  const regular = new RegExp(parts.length > 1 ? `^${pattern}$` : pattern);
  return [...form.querySelectorAll('input[name=strategy]')].filter(({value}) => regular.test(value.toLowerCase()));
}

function showSearch() {
  const [only, found] = [byId('only'), searched()];
  only.hidden = !byId('search').value.trim();
  only.disabled = !found.length;
  only.textContent =
      found.length ? `Show only ${found.length === 1 ? found[0].value : `these ${found.length}`}` : 'No strategy is called so';
  for (const box of form.querySelectorAll('input[name=strategy]'))
    box.parentElement.hidden = !found.includes(box);
  for (const group of form.querySelectorAll('fieldset:has(input[name=strategy])'))
    group.hidden = !group.querySelector('label.chip:not([hidden])');
}

function check(boxes, isKept) {
  for (const box of boxes)
    box.checked = isKept(box);
  filtersChanged();
}

function keepSearched() {
  const found = searched();
  if (byId('search').value.trim() && found.length)
    check(form.querySelectorAll('input[name=strategy]'), (box) => found.includes(box));
}

function filtersChanged() {
  const kept = new FormData(form);
  for (const dimension of dimensions)
    dimension.kept = new Set(kept.getAll(dimension.id));
  changed();
}

// Another machine or workload has other filters and figures. Filters that are not in the address are set back.
function turnTo(machine, workload) {
  chooseWorkload(machine, workload);
  cards.forEach(({hidden}) => hidden.clear());
  showAll();
  changed();
}

function showAll() {
  const here = workloadsOf(chosen.machine);
  show(byId('workloads'), here.map(({name, title}) => html`<button type="button" data-workload="${name}" title="${whole(title)}"
    aria-pressed="${name === chosen.workload}">${title}</button>`));
  byId('doing').textContent = here.find(({name}) => name === chosen.workload).summary;
  const machine = html`<label class="field"><span>Measured on</span>
    <select id="machine">${machines.map((name) => optionMarkup(name, name, name === chosen.machine))}</select></label>`;
  show(form, html`<button type="button" id="reset">Reset</button>`, machines.length > 1 ? machine : '', dimensions.map(dimensionMarkup));
  byId('filters').hidden = !atHand().length;
  for (const {root, figure} of cards)
    root.hidden = !belongs(figure);
  show(byId('contents'), figuresHere().map(({id, title}) => html`<a href="#figure-${id}">${title}</a>`));
  showCounts();
  redraw();
}

function showCounts() {
  const all = atHand();
  const text = `${grouped(all.filter(passes).length)} of ${grouped(all.length)} cases`;
  byId('count').textContent = `${text} shown`;
  byId('brief').textContent = text;
  for (const dimension of dimensions)
    byId(`kept-${dimension.id}`).textContent = `${isNarrowed(dimension) ? `${dimension.kept.size} of` : 'all'} ${dimension.values.length}`;
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

function showTheme() {
  const other = theme() === 'dark' ? 'Light' : 'Dark';
  document.documentElement.dataset.theme = theme();
  byId('theme').textContent = other;
  byId('theme').ariaLabel = `${other} theme`;
  redraw();
}

async function copyCommand(button) {
  const code = button.parentElement.querySelector('code');
  let done = 'Copied';
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    done = 'Selected';
  }
  button.textContent = byId('said').textContent = done;
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

function enlarge({dataset: {picture}}) {
  showImage(document.querySelector('#enlarged img'), picture);
  byId('enlarged').showModal();
}

const cardOf = (element) => cards.find(({root}) => root.contains(element));

function toggleSeries(button) {
  const {hidden, part} = cardOf(button);
  const name = button.dataset.series;
  button.ariaPressed = String(hidden.delete(name) || !hidden.add(name));
  Plotly.restyle(part('.plot'), {visible: part('.plot').data.map(({meta}) => !hidden.has(meta))});
}

// What a click on a button does, by the button.
const clicks = {
  '[data-workload]': ({dataset: {workload}}) => {
    turnTo(chosen.machine, workload);
    [...byId('workloads').children].find(({dataset}) => dataset.workload === workload).focus();
  },
  '#reset': () => {
    chosen.controls = {};
    turnTo(chosen.machine, chosen.workload);
    byId('reset').focus();
  },
  '.bulk': (button) => {
    const boxes = button.closest('fieldset').querySelectorAll('input');
    check(boxes.length ? boxes : button.closest('details').querySelectorAll('input[type=checkbox]'), () => button.dataset.keep);
  },
  '#only': keepSearched,
  '#theme': () => {
    storage['nestbed-theme'] = theme() === 'dark' ? 'light' : 'dark';
    showTheme();
  },
  '[data-series]': toggleSeries,
  '.picture': enlarge,
  '.copy': copyCommand,
  '[data-number]': ({dataset}) => openNumber(dataset.number),
  '[data-case]': ({dataset}) => openCase(Number(dataset.case))
};

document.addEventListener('click', ({target}) => {
  if (target.matches('dialog')) // its backdrop
    target.close();
  const button = target.closest('button');
  for (const [selector, act] of Object.entries(clicks))
    if (button?.matches(selector))
      act(button);
});
document.addEventListener('change', ({target}) => {
  const card = cardOf(target);
  if (target.id === 'machine') {
    turnTo(target.value, chosen.workload);
  } else if (card) {
    chosen.controls[target.name] = target.value;
    remember();
    draw(card);
    card.part(`select[name="${target.name}"]`)?.focus();
  } else if (target.type === 'checkbox') {
    filtersChanged();
  }
});
document.addEventListener('toggle', ({target}) => cardOf(target) && showFolded(cardOf(target)), true);
form.addEventListener('input', ({target}) => target.id === 'search' && showSearch());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  keepSearched();
});
systemDark.addEventListener('change', showTheme);
window.addEventListener('beforeprint', () => cards.filter(({dirty, figure}) => dirty && belongs(figure)).forEach(draw));

// Reads the filters from the address. An address without "=" is an anchor: then the filters stay, and go back into
// the address with the anchor as `at`, so that a reload or a copy of the address shows the same.
function readAddress() {
  const hash = location.hash.slice(1);
  if (hash.includes('=')) {
    fromAddress(hash);
    showAll();
  } else if (hash && toAddress()) {
    history.replaceState(null, '', `#${toAddress()}&${new URLSearchParams({at: decodeURIComponent(hash)})}`);
  }
  showAnchor();
}

// Turns to a workload that has the figure.
function turnToFigure({views, pictures}) {
  const [{machine, workload, workloads}] = [...views, ...pictures];
  chooseWorkload(machine || chosen.machine, workload ?? workloads[0]);
  showAll();
}

// Figures are created after the address is read, so the browser can find neither their anchors nor `at`.
function showAnchor() {
  const hash = location.hash.slice(1);
  const id = hash.includes('=') ? new URLSearchParams(hash).get('at') : decodeURIComponent(hash);
  const figure = figures.find((each) => id === `figure-${each.id}`);
  if (figure && !belongs(figure))
    turnToFigure(figure);
  const target = byId(id);
  const folded = target?.closest('details:not([open])');
  if (folded)
    folded.open = true;
  target?.scrollIntoView();
}

function fitFilters() {
  for (const id of ['list', 'filters'])
    byId(id).open = !narrow.matches;
  redraw();
}

// The start. Throws an error that says what is missing.
async function start() {
  show(byId('drawn'), figures.map(cardMarkup));
  for (const card of cards) {
    card.root = byId(`figure-${card.figure.id}`);
    card.part = (selector) => card.root.querySelector(selector);
  }
  chooseWorkload(machines[0]);
  showAll();
  showTheme();
  fitFilters();
  narrow.addEventListener('change', fitFilters);
  readAddress();
  window.addEventListener('hashchange', readAddress);
  if (!window.DecompressionStream)
    throw new Error('this browser has no DecompressionStream, which unpacks them. Chromium has it since version 80, ' +
                    'Firefox since 113, Safari since 16.4');
  for (const {firstChild: image, dataset} of document.querySelectorAll('#findings button.picture'))
    showImage(image, dataset.picture);
  const text = await inflated(byId('plotly').textContent);
  document.head.append(Object.assign(document.createElement('script'), {textContent: text}));
  if (!window.Plotly)
    throw new Error('plotly.js, which the page holds, did not run');
  const observer = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      const card = cardOf(target);
      card.seen = isIntersecting;
      if (isIntersecting)
        drawSoon(card);
    }
  }, {rootMargin: '400px'});
  cards.forEach(({root}) => observer.observe(root));
}

// Without figures, the findings, the statements and their rows still work.
function showFailure({message}) {
  byId('failed').textContent = `The figures cannot be drawn: ${message}.`;
  byId('failed').hidden = false;
  document.querySelector('.explorer').hidden = true;
}

start().catch(showFailure);
