'use strict';
// Which cases each figure takes, and into which series they go. Knows nothing of plotly.

// `of` is the experiment that a figure was made for: its log comes first.
const figures = [
  {
    id: 'ways',
    of: 'ways',
    title: 'Every way at one size',
    measures: [measures.time],
    takes: () => true,
    note: 'What is the cheapest way to the same answer? One size at a time, sorted by time.',
    needs: 'a log with several cases of one size'
  },
  {
    id: 'by-depth',
    of: 'depth',
    title: 'Time against depth',
    axes: [axes.depth],
    measures: [measures.time],
    takes: (found) => !emptyGrids(found),
    note: 'The recursion is cut off after so many levels, and a block then finishes in a loop. Where does it stop to pay?',
    needs: 'a log with several depths'
  },
  {
    id: 'by-grid',
    of: 'grid',
    title: 'Time against grid',
    axes: [axes.grid],
    measures: [measures.time],
    takes: (found) => !emptyGrids(found),
    note: 'What does a way cost as the grid grows?',
    needs: 'a log with several grids'
  },
  {
    id: 'launches',
    of: 'depth',
    title: 'Device launches',
    axes: [axes.depth, axes.grid],
    measures: [measures.launches],
    takes: (found) => !emptyGrids(found),
    note: 'How many launches does each way make? Counted in the kernels themselves.',
    needs: 'a log with several depths or grids'
  },
  {
    id: 'chain',
    of: 'launch',
    title: 'Time a level, in chains of empty grids',
    axes: [axes.length],
    measures: [measures.level],
    takes: (found) => found.strategy === 'chain' && Number(found.depth) > 0,
    names: ['mechanism'],
    note: 'What does one launch after another cost, by each launch mechanism?',
    needs: 'a log of chains'
  },
  {
    id: 'fanout',
    of: 'launch',
    title: 'Time a launch, of many',
    axes: [axes.children],
    measures: [measures.child],
    takes: (found) => found.strategy === 'fanout',
    names: ['mechanism'],
    note: 'What does a launch cost among many, by each launch mechanism? A run’s time over how many grids it is to start. ' +
        'Device launches go in waves of root blocks that fit the pending-launch limit, but where a case fixes its wave. ' +
        'grid.sync() makes no launches: what the grids would do is done in one, and its time is over the same number.',
    needs: 'a log of fan-outs'
  },
  {
    id: 'hazard',
    of: 'hazard',
    title: 'Wrong answers against delay',
    axes: [axes.delay],
    measures: [measures.wrong],
    takes: () => true,
    note: 'How often is the answer wrong when what loses the race is held up? Of the rows that are ok or wrong; bars are 95 % ' +
        'Wilson intervals.',
    needs: 'a log with several delays'
  },
  {
    id: 'pending',
    of: 'pending',
    title: 'The pending-launch limit',
    axes: [axes.limit],
    measures: [measures.time, measures.lost, measures.memory],
    takes: oneWave,
    note: 'Where are launches refused, and what does a larger limit cost? Lost are launches that were refused, and those ' +
        'that a refused one would have made, of all that are expected.',
    needs: 'a log with several limits'
  },
  {
    id: 'cub',
    of: 'library',
    title: 'Ratio to CUB',
    axes: [axes.elements],
    measures: [measures.ratio],
    level: 1,
    takes: (found) => found.to_cub !== null && !['cub', 'cub_narrow'].includes(found.strategy),
    note: 'Medians over that of the faster of cub and cub_narrow (cub::DeviceReduce::Sum) of the same log, type and size. ' +
        'Below 1 a way is faster than CUB.',
    needs: 'a log with cub or cub_narrow and others at several sizes'
  },
  {
    id: 'bandwidth',
    of: 'library',
    title: 'Bandwidth',
    axes: [axes.elements],
    measures: [measures.bandwidth],
    peak: true,
    takes: (found) => found.bandwidth_gb_s !== null,
    note: 'What the workload must read and write at least, over the time. What fits the caches can pass the memory’s peak.',
    needs: 'a log with a column of bandwidth and several sizes'
  },
];

const seriesFields = [
  'log', 'strategy', 'mechanism', 'type', 'block', 'block_shape', 'grid', 'elements', 'nx', 'ny', 'depth', 'delay_us',
  'graphs', 'pending_limit_asked', 'raised', 'schedule'
];
// What `auto` derives from the rest tells cases apart only where nothing else does.
const derivedFields = ['experiment', 'wave', 'streams', 'seed'];
const bareFields = ['strategy', 'mechanism', 'type', 'block_shape', 'raised', 'experiment', 'schedule'];

function groupedBy(list, fields) {
  const found = new Map();
  for (const each of list) {
    const key = JSON.stringify(fields.map((field) => each[field]));
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return [...found.values()];
}

// Names for groups of cases: the fields `first`, and of the others but `bound` those that tell apart what would be named alike.
function named(groups, first, bound = []) {
  const used = [...first];
  const fields = [...seriesFields, ...derivedFields].filter((field) => field !== 'log' && !bound.includes(field));
  const text = (field, value) => (bareFields.includes(field) ? value : `${fieldNames[field]} ${value}`);
  const name = ([found]) => used.filter((field) => ![null, '', 'full'].includes(found[field]))
                                .map((field) => text(field, String(found[field])))
                                .join(' · ');
  for (const field of fields.filter((each) => !used.includes(each))) {
    const alike = new Map();
    for (const group of groups)
      alike.set(name(group), (alike.get(name(group)) ?? new Set()).add(group[0][field]));
    if ([...alike.values()].some((values) => values.size > 1))
      used.push(field);
  }
  return groups.map((group) => name(group));
}

// What all cases share, in words.
function shared(list) {
  const fields = ['type', 'elements', 'grid', 'block', 'nx', 'ny', 'block_shape', 'depth'];
  const isShared = (field) =>
      list.every((found) => found[field] === list[0]?.[field]) && ![null, ''].includes(list[0][field]);
  return fields.filter(isShared)
      .map((field) => (field === 'type' ? list[0].type : `${fieldNames[field]} ${list[0][field]}`))
      .join(', ');
}

// The series of one log against an axis: groups of cases with two places on it or more; single points, unless they outnumber the
// groups; and what has no place on it (flat kernels have no depth) but the same size as one of them, to be drawn straight across.
function seriesOf(list, axis) {
  const fields = seriesFields.filter((field) => !axis.bound.includes(field));
  const placed = list.filter((found) => axis.of(found) !== null);
  const places = (group) => new Set(group.map(axis.of)).size;
  const split = groupedBy(placed, fields)
                    .flatMap((group) => (places(group) === group.length ? [group] : groupedBy(group, derivedFields)));
  const lines = split.filter((group) => places(group) > 1);
  const single = split.filter((group) => places(group) === 1);
  const found = single.length > lines.length ? lines : [...lines, ...single];
  const sameSize = (a, b) => ['log', 'type', 'elements', 'grid', 'block', 'nx', 'ny', 'block_shape'].every(
      (field) => a[field] === b[field]);
  const across =
      groupedBy(list.filter((each) => axis.of(each) === null && found.some(([first]) => sameSize(first, each))), fields);
  return [...found.map((group) => ({cases: group})), ...across.map((group) => ({cases: group, across: true}))];
}

// Colours and marks belong to the strategy where it tells the series apart, else to the place; filters never change them.
function styled(series) {
  const distinct = new Set(series.map(({cases: [first]}) => first.strategy)).size === series.length;
  series.forEach((each, index) => {
    const known = knownStrategies.indexOf(each.cases[0].strategy);
    each.style = distinct && known >= 0 ? known : index;
  });
}

function control(figure, id, name, options) {
  const key = `${figure.id}.${id}`;
  const value = options.some((option) => option.value === chosen.controls[key]) ? chosen.controls[key] : options[0]?.value;
  return {key, name, options, value};
}

const weightOf = (figure, list) => (list.some((found) => found.experiment === figure.of) ? 1e6 : 0);

// The best first: where the reader's filters leave something, the figure's own experiment, most places on the axis, most series.
function bestFirst(options) {
  return options.sort((a, b) => (b.left > 0) - (a.left > 0) || b.weight - a.weight || byValue(a.value, b.value));
}

function lineView(figure) {
  const list = onMachine().filter(figure.takes);
  const measure = control(figure, 'shows', 'Shows', figure.measures.map(({name}) => ({value: name, text: name})));
  const against = control(figure, 'against', 'Against', figure.axes.map(({name}) => ({value: name, text: name})));
  const axis = figure.axes.find(({name}) => name === against.value);
  const byLog = groupedBy(list, ['log'])
                    .map((group) => ({log: group[0].log, taken: group, series: seriesOf(group, axis)}))
                    .filter(({series}) => series.length);
  const logs = byLog.map(({log: value, series}) => {
    const all = series.flatMap((each) => each.cases);
    return {
      value,
      text: value,
      weight: weightOf(figure, all) + 1000 * new Set(all.map(axis.of)).size + series.length,
      left: all.filter(passes).length
    };
  });
  const log = control(figure, 'log', 'Log', bestFirst(logs));
  const {series, taken} = byLog.find((each) => each.log === log.value) ?? {series: [], taken: []};
  const placed = new Set(series.flatMap((each) => each.cases));
  const names = named(series.map((each) => each.cases), figure.names ?? ['strategy'], axis.bound);
  series.forEach((each, index) => (each.name = names[index]));
  series.sort((a, b) => byStrategy(a.cases[0].strategy, b.cases[0].strategy) || a.name.localeCompare(b.name, 'en'));
  styled(series);
  return {
    figure,
    axis,
    measure: figure.measures.find(({name}) => name === measure.value),
    controls: [measure, against, log],
    series,
    apart: taken.filter((found) => !placed.has(found))
  };
}

const sizeFields = ['log', 'type', 'elements', 'grid', 'block', 'nx', 'ny', 'depth', 'delay_us'];

// "ways.csv: int32, 2 048 × 512, depth 3".
function sizeText(found) {
  const sums = found.grid ? `${grouped(found.grid)} × ${found.block}` : power(found.elements ?? 0);
  const parts = [found.type, found.nx ? `${found.nx} × ${found.ny}` : sums];
  if (found.depth !== 'full')
    parts.push(`depth ${found.depth}`);
  if (found.delay_us)
    parts.push(`delay ${found.delay_us}\u202fµs`);
  return `${found.log}: ${parts.filter(Boolean).join(', ')}`;
}

// One size: cases that differ in how they do the same. What has no depth or delay goes with the full recursion undelayed.
function waysView(figure) {
  const sized = onMachine().map((found) => {
    const depth = emptyGrids(found) ? found.depth : found.depth || 'full';
    return {...found, depth, delay_us: found.delay_us ?? 0, own: found};
  });
  const groups = groupedBy(sized, sizeFields).filter((group) => group.length > 1);
  const options = groups.map((group) => {
    return {
      value: sizeFields.map((field) => group[0][field] ?? '').join('/'),
      text: sizeText(group[0]),
      cases: group,
      weight: weightOf(figure, group) + new Set(group.map((found) => found.strategy)).size,
      left: group.filter(({own}) => passes(own)).length
    };
  });
  const at = control(figure, 'size', 'Log and size', bestFirst(options));
  const group = options.find((option) => option.value === at.value)?.cases.map(({own}) => own) ?? [];
  at.options.sort((a, b) => a.text.localeCompare(b.text, 'en', {numeric: true}));
  const names = named(group.map((found) => [found]), ['strategy', 'mechanism']).map((name) => name.replace(' · none', ''));
  const series = group.map((found, index) => ({cases: [found], name: names[index]}));
  return {figure, measure: measures.time, controls: [at], series, apart: []};
}

// Why a figure is empty: the folder has nothing for it, or which filters leave nothing.
function missing({figure, series}) {
  const all = series.flatMap((each) => each.cases);
  if (!all.length)
    return `Nothing to draw: it needs ${figure.needs} (experiments/${figure.of}.cfg makes one)${
        machines.length > 1 ? `, measured on ${chosen.machine}` : ''}.`;
  const blame = dimensions.map((dimension) => [dimension, all.filter((found) => !keptBy(dimension, found)).length])
                    .filter(([, count]) => count)
                    .map(([dimension, count]) => `${dimension.name} leaves out ${count}`);
  return `The filters leave none of the ${all.length} cases of this figure: ${blame.join(', ')}.`;
}
