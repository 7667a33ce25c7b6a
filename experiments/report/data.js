'use strict';
// The cases, what the reader chose of them, the text form of values, and markup. Independent of plots.

const data = JSON.parse(document.getElementById('data').textContent);
const {figures, axes, measures, families} = data;

// From columns to one object per case; `index` is its position. A column is a list, or different values (`of`) and their places (`at`).
function unpacked(columns) {
  const whole = Object.entries(columns).map(
      ([name, column]) => [name, Array.isArray(column) ? column : column.at.map((place) => column.of[place])]);
  return whole[0][1].map((_, index) => ({index, ...Object.fromEntries(whole.map(([name, column]) => [name, column[index]]))}));
}

const cases = unpacked(data.cases);
const machines = [...new Set(cases.map(({machine}) => machine))];

// Text from a log is escaped, in markup and in the texts of plotly, which interprets some HTML.
const inert = (text) => String(text ?? '').replace(/[&<>"]/g, (sign) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign] ?? '&#34;');

class Markup {
  constructor(text) {
    this.text = text;
  }
}
const markupOf = (value) => (value instanceof Markup ? value.text : Array.isArray(value) ? value.map(markupOf).join('') : inert(value));
// Markup from a template: each value in it is text, or markup, or a list of them.
const html = (strings, ...values) => new Markup(String.raw(strings, ...values.map(markupOf)));

function show(place, ...markup) {
  place.innerHTML = markupOf(markup);
}

const byId = (id) => document.getElementById(id);
// Only own properties of a table, because a cell may be "constructor".
const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);

// A text with its shortened names replaced by the full names; empty if it has none.
function whole(text) {
  const found = Object.entries(data.whole).reduce((said, [cut, name]) => said.replaceAll(cut, () => name), String(text));
  return found === String(text) ? '' : found;
}

// Numbers by size, then words alphabetically, and empty values last.
function byValue(a, b) {
  const rank = (value) => (value === '' || value === null ? 2 : Number.isNaN(Number(value)) ? 1 : 0);
  return rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : String(a).localeCompare(String(b), 'en'));
}

// What the reader chose: the machine, the workload, the controls of each figure, and the filters of the workload: the fields in which its
// cases differ. Values are texts, as in the address.
const chosen = {
  machine: machines[0],
  workload: '',
  controls: {}
};
let dimensions = [];

const isHere = ({machine, workload}, at = chosen) => machine === at.machine && workload === at.workload;
const atHand = () => cases.filter((found) => isHere(found));

// The pictures of a figure for a machine and a workload. One without a machine is of all.
const picturesOf = ({pictures}, at = chosen) => pictures.filter(
    ({machine, workloads}) => ['', at.machine].includes(machine) && workloads.includes(at.workload));
const belongs = (figure, at = chosen) => figure.views.some((view) => isHere(view, at)) || picturesOf(figure, at).length > 0;
const figuresHere = () => figures.filter((figure) => belongs(figure));

function workloadsOf(machine) {
  const isThere = (at) => figures.some((figure) => belongs(figure, at)) || cases.some((found) => isHere(found, at));
  return data.workloads.filter(({name}) => isThere({machine, workload: name}));
}

const valueOf = (found, id) => String(found[id] ?? '');

function chooseWorkload(machine, name) {
  const names = workloadsOf(machine).map((each) => each.name);
  Object.assign(chosen, {machine, workload: names.includes(name) ? name : names[0]});
  const strategies = Object.keys(data.strategies);
  const byStrategy = (a, b) => strategies.indexOf(a) - strategies.indexOf(b);
  dimensions = data.filters.map((id) => {
    const values = [...new Set(atHand().map((found) => valueOf(found, id)))].sort(id === 'strategy' ? byStrategy : byValue);
    return {id, name: data.fields[id][0].toUpperCase() + data.fields[id].slice(1), values, kept: new Set(values)};
  }).filter(({values}) => values.length > 1);
}

const keptBy = ({id, kept}, found) => kept.has(valueOf(found, id));
const passes = (found) => dimensions.every((dimension) => keptBy(dimension, found));
const isNarrowed = ({kept, values}) => kept.size < values.length;

// The address contains only what differs from the default. "-" stands for the empty value. A single empty text means
// that no value is kept.
function toAddress() {
  const found = new URLSearchParams(chosen.machine === machines[0] ? {} : {machine: chosen.machine});
  if (chosen.workload !== workloadsOf(chosen.machine)[0].name)
    found.set('workload', chosen.workload);
  for (const {id, kept, values} of dimensions.filter(isNarrowed))
    for (const value of kept.size ? values.filter((each) => kept.has(each)).map((each) => each || '-') : [''])
      found.append(id, value);
  for (const [control, value] of Object.entries(chosen.controls))
    found.set(control, value);
  return found.toString();
}

function fromAddress(text) {
  const asked = new URLSearchParams(text);
  chooseWorkload(machines.find((machine) => machine === asked.get('machine')) ?? machines[0], asked.get('workload'));
  chosen.controls = Object.fromEntries([...asked].filter(([name]) => name.includes('.')));
  for (const dimension of dimensions.filter(({id}) => asked.has(id))) {
    const values = asked.getAll(dimension.id);
    dimension.kept = new Set(dimension.values.filter((value) => values.includes(value || '-')));
  }
}

// Values in words, by the rules of figure_style.py: three significant digits, groups from five digits on, 2²⁰ for
// powers of two.
const formatted = (options) => {
  const {format} = new Intl.NumberFormat('en', {useGrouping: 'min2', ...options});
  return (value) => format(value).replaceAll(',', '\u2009');
};
const grouped = formatted({maximumFractionDigits: 20});
const digits = formatted({minimumSignificantDigits: 3, maximumSignificantDigits: 3});
const three = (value) => (value === 0 ? '0' : digits(value));

function duration(us) {
  const [size, unit] = us < 999.5 ? [1, 'µs'] : us < 999500 ? [1e3, 'ms'] : [1e6, 's'];
  return `${three(us / size)} ${unit}`;
}

function power(value) {
  const superscript = (number) => [...String(number)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');
  if (value >= 1024 && Number.isInteger(Math.log2(value)))
    return `2${superscript(Math.log2(value))}`;
  const [, digit, zeros] = String(value).match(/^(\d)(0{6,})$/) ?? [];
  return digit ? `${digit === '1' ? '' : `${digit}·`}10${superscript(zeros.length)}` : grouped(value);
}

// A measure's value with its unit, and a case's with its interval; empty without one.
const valueText = ({unit}, value) => (unit === 'µs' ? duration(value) : [three(value), unit].filter(Boolean).join(' '));
const intervalText = (measure, value, to) =>
    value && value.low !== null ? `${valueText(measure, value.low)}${to}${valueText(measure, value.high)}` : '';

// Racy strategies are marked, even if their answer was right.
const marked = (strategy) => (data.racy.includes(strategy) ? `${strategy} (racy)` : strategy);

// A field's value as the figures write it.
const fieldText = (field, value) =>
    field === 'strategy' ? marked(value) :
    field === 'mechanism' ? own(data.mechanisms, value) || String(value) :
    field === 'elements' ? power(value) :
    Number.isFinite(value) ? grouped(value) : String(value);

// [field, name, text] for the fields that a case has.
const described = (found) => Object.entries(data.fields)
                                 .filter(([field]) => field !== 'log' && ![null, ''].includes(found[field]))
                                 .map(([field, name]) => [field, name, fieldText(field, found[field])]);

const counted = (words) => words.reduce((counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map());
// "wrong 3, timeout 1": how often each word but ok occurs.
const inWords = (words) => [...counted(words.filter((word) => word !== 'ok'))].map(([word, count]) => `${word} ${grouped(count)}`).join(', ');
const faults = (list) => inWords(list.flatMap(({statuses}) => statuses));
