'use strict';
// The choice of a workload, and the filters of its cases.

const form = document.getElementById('filter-form');
const workloadButtons = document.getElementById('workloads');

const wordsOf = ({id}, value) => (value === '' ? 'none' : fieldText(id, /^\d+(\.\d+)?$/.test(value) ? Number(value) : value));

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
  select.addEventListener('change', () => turnTo(select.value, chosen.workload));
  return element('label', {className: 'field'}, element('span', {textContent: 'Measured on'}), select);
}

// Another machine or workload, which has other filters and figures.
function turnTo(machine, workload) {
  chooseWorkload(machine, workload);
  searched = '';
  cards.forEach((card) => card.hidden.clear());
  showFilters();
  showCards();
  changed();
}

function workloadElement({name, title}) {
  const button = element('button', {type: 'button', textContent: title, title: whole(title), ariaPressed: String(name === chosen.workload)});
  button.dataset.workload = name;
  button.addEventListener('click', () => {
    turnTo(chosen.machine, name);
    [...workloadButtons.children].find(({dataset}) => dataset.workload === name).focus();
  });
  return button;
}

function showFilters() {
  const here = workloadsHere();
  workloadButtons.replaceChildren(...here.map(workloadElement));
  document.getElementById('doing').textContent = here.find(({name}) => name === chosen.workload).summary;
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
      ...dimensions.map(dimensionElement));
  document.getElementById('filters').hidden = !atHand().length;
  showCounts();
}

function showCounts() {
  const all = atHand();
  const text = `${grouped(all.filter(passes).length)} of ${grouped(all.length)} cases`;
  document.getElementById('count').textContent = `${text} shown`;
  document.getElementById('brief').textContent = text;
  for (const {id, kept, values} of dimensions) {
    const place = document.getElementById(`kept-${id}`);
    if (place)
      place.textContent = kept.size === values.length ? `all ${values.length}` : `${kept.size} of ${values.length}`;
  }
}

