'use strict';
// The cases, the filters over them, and how values are written. Knows nothing of plots.

const data = JSON.parse(document.getElementById('data').textContent);
const cases = unpacked(data.cases);

// The table of figures (figures.py), which drawn figures go by too.
const {figures, axes, measures, families} = data;

// Columns to one object a case; `index` is its place, `machine` what figures never mix.
function unpacked(columns) {
  const names = Object.keys(columns);
  return columns.log.map(
      (_, index) => ({index, ...Object.fromEntries(names.map((name) => [name, columns[name][index]]))}));
}

// Of a table what it has itself: a cell may say "constructor".
const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);

// A text with the names in it whole that are cut in it; empty where none is.
function whole(text) {
  const found = Object.entries(data.whole).reduce((said, [cut, name]) => said.replaceAll(cut, () => name), String(text));
  return found === String(text) ? '' : found;
}

const machines = [...new Set(cases.map((found) => found.machine))];

// Numbers by size, then words by the alphabet, nothing at last.
function byValue(a, b) {
  const rank = (value) => (value === '' || value === null ? 2 : Number.isNaN(Number(value)) ? 1 : 0);
  return rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : String(a).localeCompare(String(b), 'en'));
}

// Racy strategies are marked, also where their answer was right.
const marked = (strategy) => (data.racy.includes(strategy) ? `${strategy} (racy)` : strategy);

const strategies = Object.keys(data.strategies);
const byStrategy = (a, b) => strategies.indexOf(a) - strategies.indexOf(b);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// What all figures are filtered by. Values are texts, as they stand in the address.
const dimensions = ['strategy', 'mechanism', 'type', 'grid', 'depth', 'log'].map(
    (id) => ({id, name: capital(data.fields[id]), order: id === 'strategy' ? byStrategy : byValue}));
const valueOf = (found, id) => String(found[id] ?? '');
for (const dimension of dimensions) {
  dimension.values = [...new Set(cases.map((found) => valueOf(found, dimension.id)))].sort(dimension.order);
  dimension.kept = new Set(dimension.values);
}

// What the reader chose: the machine, and by figure what its own controls say.
const chosen = {
  machine: machines[0],
  controls: {}
};

const keptBy = (dimension, found) => dimension.kept.has(valueOf(found, dimension.id));
const onMachine = () => cases.filter((found) => found.machine === chosen.machine);
const passes = (found) => dimensions.every((dimension) => keptBy(dimension, found));
const isNarrowed = (dimension) => dimension.kept.size < dimension.values.length;

function resetFilters() {
  for (const dimension of dimensions)
    dimension.kept = new Set(dimension.values);
  chosen.machine = machines[0];
  chosen.controls = {};
}

// The address: only what differs from everything. "-" is the value that is nothing; an empty text alone stands for none kept.
function toAddress() {
  const found = new URLSearchParams();
  if (chosen.machine !== machines[0])
    found.set('machine', chosen.machine);
  for (const {id, kept, values} of dimensions.filter(isNarrowed)) {
    for (const value of values.filter((each) => kept.has(each)))
      found.append(id, value || '-');
    if (!kept.size)
      found.append(id, '');
  }
  for (const [control, value] of Object.entries(chosen.controls))
    found.set(control, value);
  return found.toString();
}

function fromAddress(text) {
  const asked = new URLSearchParams(text);
  resetFilters();
  if (machines.includes(asked.get('machine')))
    chosen.machine = asked.get('machine');
  for (const dimension of dimensions.filter(({id}) => asked.has(id)))
    dimension.kept = new Set(asked.getAll(dimension.id)
                                 .map((value) => (value === '-' ? '' : value))
                                 .filter((value) => value !== '' || asked.getAll(dimension.id).includes('-'))
                                 .filter((value) => dimension.values.includes(value)));
  for (const [name, value] of asked)
    if (name.includes('.'))
      chosen.controls[name] = value;
}

// Values in words, by the rules of figure_style.py: three digits that count, five or more in groups, 2²⁰ for powers of two.
const grouped = (value) => (Math.abs(value) >= 10000 ? value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, '\u2009') : String(value));

function three(value) {
  if (value === 0)
    return '0';
  const rounded = Number(value.toPrecision(3));
  const digits = 2 - Math.floor(Math.log10(Math.abs(rounded)));
  return digits <= 0 ? grouped(rounded) : rounded.toFixed(digits);
}

function duration(us) {
  const [size, unit] = us < 999.5 ? [1, 'µs'] : us < 999500 ? [1e3, 'ms'] : [1e6, 's'];
  return `${three(us / size)} ${unit}`;
}

const superscript = (number) => [...String(number)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');

function power(value) {
  const exponent = Math.log2(value);
  if (value >= 1024 && Number.isInteger(exponent))
    return `2${superscript(exponent)}`;
  const [, digits, zeros] = String(value).match(/^(\d*?)(0*)$/);
  const isRound = value >= 1e6 && digits.length === 1;
  return isRound ? `${digits === '1' ? '' : `${digits}·`}10${superscript(zeros.length)}` : grouped(value);
}

// A measure's value with its unit.
const valueText = ({unit}, value) => (unit === 'µs' ? duration(value) : [three(value), unit].filter(Boolean).join(' '));

// A field's value as the figures write it.
const fieldText = (field, value) =>
    field === 'strategy' ? marked(value) :
    field === 'mechanism' ? own(data.mechanisms, value) || String(value) :
    field === 'elements' ? power(value) :
    Number.isFinite(value) ? grouped(value) : String(value);

// [name, value] of the fields that a case has.
function described(found) {
  return Object.entries(data.fields)
      .filter(([field]) => field !== 'log' && found[field] !== null && found[field] !== '')
      .map(([field, name]) => [name, fieldText(field, found[field])]);
}

const statusesOf = (found) => (Array.isArray(found.status) ? found.status : Array(found.rows).fill(found.status));
const detailsOf = (found) => (Array.isArray(found.detail) ? found.detail : Array(found.rows).fill(found.detail));

// {status: how many} over the rows of cases, ok left out.
function faults(list) {
  const found = Object.create(null); // a status may be called __proto__
  for (const status of list.flatMap(statusesOf))
    if (status !== 'ok')
      found[status] = (found[status] ?? 0) + 1;
  return found;
}

const inWords = (counts) => Object.entries(counts).map(([name, count]) => `${name} ${grouped(count)}`).join(', ');

// "3, 28, 53 … 728": the first lines and the last.
function someLines(lines) {
  return lines.length > 4 ? `${lines.slice(0, 3).join(', ')} … ${lines.at(-1)}` : lines.join(', ');
}
