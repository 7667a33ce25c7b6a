'use strict';
// The cases, the filters over them, and how values are written. Knows nothing of plots.

const data = JSON.parse(document.getElementById('data').textContent);
const cases = unpacked(data.cases);

// Columns to one object a case; `index` is its place, `machine` what figures never mix.
function unpacked(columns) {
  const names = Object.keys(columns);
  return columns.log.map((_, index) => {
    const found = {index};
    for (const name of names)
      found[name] = columns[name][index];
    found.machine = found.backend === 'cuda' ? found.gpu || 'a GPU without a name' :
                                               `${found.backend} executor${found.gpu ? ` (${found.gpu})` : ''}`;
    // A limit that `auto` raised is a subject of its own.
    found.raised = found.pending_limit_asked === 'auto' && found.limit_bytes > 0 ? 'raised limit' : '';
    return found;
  });
}

const machines = [...new Set(cases.map((found) => found.machine))];

// Strategies in the order of legends and colours. One that is not here is shown too, at the end.
const knownStrategies =
    ('synced nosync reduce2 barrier tail reduce2_tail aggregated_block aggregated_grid graph graph_host host_loop cooperative ' +
     'nested_best wide_warp wide_block neighbored neighbored_less interleaved shared_neighbored shared_interleaved unroll2 ' +
     'unroll8_warp complete_unroll last_block cub cub_narrow thrust last_block_rdc last_block_inline last_block_noinline ' +
     'naive_serial naive_tree tree_2d host host_parallel recursive_transpose shared_tile copy_row copy_col naive_row naive_col ' +
     'unroll4_row unroll4_col diagonal_row diagonal_col blobs blobs_wrong chain fanout hello')
        .split(' ');

// By what a launch is made for: names, members and colours on white are those of the figures (FAMILIES in figure_style.py).
const families = [
  {name: 'a child a block', list: 'synced nosync barrier tail aggregated_block', light: '#D55E00', dark: '#ff8a4c'},
  {name: 'a child a level', list: 'reduce2 reduce2_tail aggregated_grid graph', light: '#0072B2', dark: '#56b4e9'},
  {name: 'the whole input', list: 'wide_warp wide_block nested_best', light: '#B0508A', dark: '#e79ac6'},
  {name: 'levels by the host or a barrier', list: 'host_loop graph_host cooperative', light: '#009E73', dark: '#2fc79d'},
  {name: 'no recursion', list: '', light: '#555555', dark: '#b4b4b4'},
  {name: 'other recursions', list: '', light: '#B87A00', dark: '#e8a800'},
].map(({list, ...family}) => ({...family, strategies: list.split(' ').filter(Boolean)}));

// What no family names goes by whether it launches.
function familyOf(strategy, launches) {
  const named = families.findIndex(({strategies}) => strategies.includes(strategy));
  return families[named < 0 ? families.length - (launches > 0 ? 1 : 2) : named];
}

const familyOfStrategy = (name) =>
    familyOf(name, Math.max(0, ...cases.filter(({strategy}) => strategy === name).map(({launches}) => launches)));

// Numbers by size, then words by the alphabet, nothing at last.
function byValue(a, b) {
  const rank = (value) => (value === '' || value === null ? 2 : Number.isNaN(Number(value)) ? 1 : 0);
  return rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : String(a).localeCompare(String(b), 'en'));
}

function byStrategy(a, b) {
  const place = (name) => (knownStrategies.indexOf(name) + 1 || knownStrategies.length + 1);
  return place(a) - place(b) || a.localeCompare(b, 'en');
}

// What all figures are filtered by. Values are texts, as they stand in the address.
const dimensions = [
  {id: 'strategy', name: 'Strategy', order: byStrategy},
  {id: 'mechanism', name: 'Launch mechanism', order: byValue},
  {id: 'type', name: 'Type', order: byValue},
  {id: 'grid', name: 'Grid, root blocks', order: byValue},
  {id: 'depth', name: 'Depth', order: byValue},
  {id: 'log', name: 'Log', order: byValue},
];
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

// Values in words.
const three = (value) => (Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3))));
const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');

function duration(us) {
  const [size, unit] = us >= 1e6 ? [1e6, 's'] : us >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
  return `${Number((us / size).toPrecision(3))}\u202f${unit}`;
}

const superscript = (number) => [...String(number)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');

// Numbers of elements: powers of two as such.
function power(value) {
  const exponent = Math.log2(value);
  return value >= 1024 && Number.isInteger(exponent) ? `2${superscript(exponent)}` : grouped(value);
}

const fieldNames = {
  strategy: 'strategy',
  mechanism: 'mechanism',
  type: 'type',
  elements: 'elements',
  grid: 'grid',
  block: 'block',
  nx: 'nx',
  ny: 'ny',
  block_shape: 'block shape',
  depth: 'depth',
  delay_us: 'delay (µs)',
  graphs: 'graphs',
  pending_limit_asked: 'pending limit',
  wave: 'wave',
  streams: 'streams',
  schedule: 'schedule',
  seed: 'seed',
  experiment: 'experiment',
  gpu: 'GPU',
  backend: 'backend',
};

// [name, value] of the fields that a case has.
function described(found) {
  return Object.entries(fieldNames)
      .filter(([field]) => found[field] !== null && found[field] !== '')
      .map(([field, name]) => [name, String(found[field])]);
}

const statusesOf = (found) => (Array.isArray(found.status) ? found.status : Array(found.rows).fill(found.status));
const detailsOf = (found) => (Array.isArray(found.detail) ? found.detail : Array(found.rows).fill(found.detail));

// {status: how many} over the rows of cases, ok left out.
function faults(list) {
  const found = {};
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
