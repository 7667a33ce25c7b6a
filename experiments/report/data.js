'use strict';
// The cases, their filters, and the text form of values. Independent of plots.

const data = JSON.parse(document.getElementById('data').textContent);
const cases = unpacked(data.cases);

// The table of figures (figures.py), which the figure files use too.
const {figures, axes, measures, families} = data;

// From columns to one object per case. `index` is its position, and `machine` is what figures never mix. A column is a
// list, or different values (`of`) and their places (`at`).
function unpacked(columns) {
  const whole = Object.entries(columns).map(
      ([name, column]) => [name, Array.isArray(column) ? column : column.at.map((place) => column.of[place])]);
  return whole[0][1].map((_, index) => ({index, ...Object.fromEntries(whole.map(([name, column]) => [name, column[index]]))}));
}

// Only own properties of a table, because a cell may be "constructor".
const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);

// A text with its shortened names replaced by the full names; empty if it has none.
function whole(text) {
  const found = Object.entries(data.whole).reduce((said, [cut, name]) => said.replaceAll(cut, () => name), String(text));
  return found === String(text) ? '' : found;
}

const machines = [...new Set(cases.map((found) => found.machine))];

// Numbers by size, then words alphabetically, and empty values last.
function byValue(a, b) {
  const rank = (value) => (value === '' || value === null ? 2 : Number.isNaN(Number(value)) ? 1 : 0);
  return rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : String(a).localeCompare(String(b), 'en'));
}

// Racy strategies are marked, even if their answer was right.
const marked = (strategy) => (data.racy.includes(strategy) ? `${strategy} (racy)` : strategy);

const strategies = Object.keys(data.strategies);
const byStrategy = (a, b) => strategies.indexOf(a) - strategies.indexOf(b);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// What the reader chose: the machine, the workload, and the controls of each figure.
const chosen = {
  machine: machines[0],
  workload: '',
  controls: {}
};

const isHere = ({machine, workload}) => machine === chosen.machine && workload === chosen.workload;
const atHand = () => cases.filter(isHere);

// The pictures of a figure for the machine and the workload at hand. One without a machine is of all.
const picturesOf = ({pictures}) => pictures.filter(
    ({machine, workloads}) => ['', chosen.machine].includes(machine) && workloads.includes(chosen.workload));
const belongs = (figure) => figure.views.some(isHere) || picturesOf(figure).length > 0;

// The workloads of the machine at hand.
function workloadsHere() {
  const before = chosen.workload;
  const found = data.workloads.filter(({name}) => {
    chosen.workload = name;
    return figures.some(belongs) || atHand().length;
  });
  chosen.workload = before;
  return found;
}

// The filters of the workload at hand: the fields in which its cases differ. Values are texts, as in the address.
let dimensions = [];
const valueOf = (found, id) => String(found[id] ?? '');

function chooseWorkload(machine, name) {
  chosen.machine = machine;
  const here = workloadsHere().map((each) => each.name);
  chosen.workload = here.includes(name) ? name : here[0];
  dimensions = data.filters.map((id) => {
    const order = id === 'strategy' ? byStrategy : byValue;
    const values = [...new Set(atHand().map((found) => valueOf(found, id)))].sort(order);
    return {id, name: capital(data.fields[id]), values, kept: new Set(values)};
  }).filter(({values}) => values.length > 1);
}

chooseWorkload(machines[0]);

const keptBy = (dimension, found) => dimension.kept.has(valueOf(found, dimension.id));
const passes = (found) => dimensions.every((dimension) => keptBy(dimension, found));
const isNarrowed = (dimension) => dimension.kept.size < dimension.values.length;

function resetFilters() {
  for (const dimension of dimensions)
    dimension.kept = new Set(dimension.values);
  chosen.controls = {};
}

// The address contains only what differs from the default. "-" stands for the empty value. A single empty text means
// that no value is kept.
function toAddress() {
  const found = new URLSearchParams();
  if (chosen.machine !== machines[0])
    found.set('machine', chosen.machine);
  if (chosen.workload !== workloadsHere()[0].name)
    found.set('workload', chosen.workload);
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
  chooseWorkload(machines.includes(asked.get('machine')) ? asked.get('machine') : machines[0], asked.get('workload'));
  resetFilters();
  for (const dimension of dimensions.filter(({id}) => asked.has(id)))
    dimension.kept = new Set(asked.getAll(dimension.id)
                                 .map((value) => (value === '-' ? '' : value))
                                 .filter((value) => value !== '' || asked.getAll(dimension.id).includes('-'))
                                 .filter((value) => dimension.values.includes(value)));
  for (const [name, value] of asked)
    if (name.includes('.'))
      chosen.controls[name] = value;
}

// Values in words, by the rules of figure_style.py: three significant digits, groups from five digits on, 2²⁰ for
// powers of two.
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

// [name, value] for the fields that a case has.
function described(found) {
  return Object.entries(data.fields)
      .filter(([field]) => field !== 'log' && found[field] !== null && found[field] !== '')
      .map(([field, name]) => [name, fieldText(field, found[field])]);
}

const statusesOf = (found) => (Array.isArray(found.status) ? found.status : Array(found.rows).fill(found.status));
const detailsOf = (found) => (Array.isArray(found.detail) ? found.detail : Array(found.rows).fill(found.detail));

// {status: count} over the rows of cases, without ok.
function faults(list) {
  const found = Object.create(null); // a status may be named __proto__
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
