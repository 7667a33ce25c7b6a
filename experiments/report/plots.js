'use strict';
// Figures as input for plotly: the view that is shown, its points after the filters, and their traces, axes and hover texts.

const narrow = matchMedia('(max-width: 720px)');
const coarse = matchMedia('(pointer: coarse)');

// A choice of the reader, in the address as `figure.id`. An option is {value, text}; the first is the default.
function control(figure, id, name, options) {
  const key = `${figure.id}.${id}`;
  return {key, name, options, found: options.find(({value}) => value === chosen.controls[key]) ?? options[0]};
}

// The chosen one of the figure's views on this machine; by default the best one in which the filters leave a case.
function viewOf(figure) {
  const named = (table, ids) => ids.map((id) => ({...table[id], id, value: table[id].name, text: table[id].name}));
  const shows = control(figure, 'shows', 'Shows', named(measures, figure.measures));
  const isHereOn = (axis) => figure.views.some((view) => isHere(view) && view.axis === axis);
  const against = control(figure, 'against', 'Against', named(axes, figure.axes.filter(isHereOn)));
  const axis = against.found;
  const isLeft = ({series}) => series.some((each) => each.cases.some((index) => passes(cases[index])));
  const views = figure.views.filter((view) => isHere(view) && view.axis === axis?.id).sort((a, b) => isLeft(b) - isLeft(a));
  const at = axis ? control(figure, 'log', 'Log', views) : control(figure, 'size', 'Log and size', views);
  const view = at.found ?? {series: [], apart: []};
  if (!axis)
    at.options.sort((a, b) => a.text.localeCompare(b.text, 'en', {numeric: true}));
  const picture = picturesOf(figure).find(({log}) => log === view.log);
  // What the figure of plot.sh says, unless that shows more sizes than one.
  const isWhole = picture && (axis || views.filter(({log}) => log === view.log).length === 1);
  return {
    figure,
    axis,
    measure: shows.found,
    picture,
    sentence: isWhole ? `${picture.log}: ${data.pictures[picture.name].title}` : '',
    controls: [shows, against, at],
    series: view.series.map((each) => ({...each, cases: each.cases.map((index) => cases[index])})),
    apart: view.apart.map((index) => cases[index])
  };
}

// The position of a case on an axis: a number, a word of the axis, or null.
function placeOn({field, words}, found) {
  const value = found[field];
  return own(words, value) ? value : value === '' || !Number.isFinite(Number(value ?? NaN)) ? null : Number(value);
}

// What a view draws after the filters: series of points, divided into those with a value and those without, which are `lost`.
function pointsOf({axis, measure, series}) {
  const soonest = ({points}) => points[0]?.found.time?.[0] ?? Number.MAX_VALUE;
  return series
      .map((each) => {
        const all = each.cases.filter(passes).map((found) => {
          const [y, low, high] = found[measure.id] ?? [];
          const value = y === undefined ? null : {y, low, high};
          const place = axis && !each.across ? placeOn(axis, found) : null;
          return {found, series: each, place, value, hover: hoverOf(found, each.name, measure, value)};
        }).sort((a, b) => byValue(a.place, b.place));
        return {...each, points: all.filter(({value}) => value), lost: all.filter(({value}) => !value)};
      })
      .filter(({points, lost}) => points.length + lost.length)
      .sort((a, b) => (axis ? 0 : soonest(a) - soonest(b)));
}

// "3, 28, 53 … 728": the first lines and the last.
const someLines = (lines) => (lines.length > 4 ? `${lines.slice(0, 3).join(', ')} … ${lines.at(-1)}` : lines.join(', '));

function hoverOf(found, name, measure, value) {
  const fields = described(found).filter(([field]) => !['strategy', 'gpu', 'backend'].includes(field)).map(([, head, text]) => `${head} ${text}`);
  const interval = intervalText(measure, value, ' to ');
  const said = value ? `${measure.name}: ${valueText(measure, value.y)}${interval && ` (${interval})`}` : found.ok ? 'no value' : 'no ok row';
  const lines = [said, ...fields.flatMap((_, index) => (index % 3 ? [] : [fields.slice(index, index + 3).join(', ')]))];
  lines.push(`${found.ok} of ${found.rows} rows ok${found.launches === null ? '' : `, ${grouped(found.launches)} device launches`}`);
  if (found.ok < found.rows)
    lines.push(faults([found]));
  lines.push(`${found.log}, line${found.rows > 1 ? 's' : ''} ${someLines(found.lines)}`);
  return [`<b>${inert(name)}</b>`, ...lines.map(inert)].join('<br>');
}

// Positions of values on an axis. Words, and 0 on a logarithmic axis, get their own positions beside the numbers.
function scaleOf(values, words = {}, linear = false) {
  const numbers = values.filter((value) => typeof value === 'number');
  const positive = numbers.filter((value) => value > 0);
  const ratio = Math.max(...positive) / Math.min(...positive);
  const log = !linear && numbers.every((value) => value >= 0) && ratio > 30; // as in the figures
  const inner = log ? positive : numbers.length ? numbers : [1];
  const [first, last] = [Math.min(...inner), Math.max(...inner)];
  const step = log ? Math.max(2, (last / first) ** (1 / 12)) : Math.max(1, (last - first) / 10);
  const beside = {before: log ? first / step : first - step, after: log ? last * step : last + step};
  const at = (value) => (typeof value === 'string' ? beside[own(words, value) ?? 'after'] : log && value === 0 ? beside.before : value);
  return {log, ratio, at, values: [...new Set(values)].sort((a, b) => at(a) - at(b))};
}

// Ticks at values that occur, as many as fit; words are always included.
function ticksOf({log, at, values}, text, room) {
  const along = (value) => (log ? Math.log2(at(value)) : at(value));
  const gap = (along(values.at(-1)) - along(values[0])) / room;
  const kept = values.filter((value) => typeof value === 'string');
  for (const value of values.filter((each) => typeof each === 'number'))
    if (kept.every((other) => Math.abs(along(other) - along(value)) >= gap))
      kept.push(value);
  return {tickvals: kept.map(at), ticktext: kept.map((value) => inert(typeof value === 'string' ? value : text(value)))};
}

// For times, the unit in which the longest has fewer than five digits, as in the figures; otherwise that of the measure. A value of the
// measure is `size` of it.
function unitOf({unit, label}, points) {
  const longest = Math.max(...points.map(({value}) => value?.high ?? value?.y ?? 0));
  const [size, short] = unit !== 'µs' || longest < 1e4 ? [1, 'µs'] : longest < 1e7 ? [1e-3, 'ms'] : [1e-6, 's'];
  return {size, label: label.replace(/µs$/, short)};
}

const valueAxis = (label, {log, ratio}) => ({
  type: log ? 'log' : 'linear',
  dtick: log ? ratio > 200 ? 1 : 'D2' : null,
  tickformat: '~f',
  rangemode: 'tozero',
  title: {text: label, standoff: 12, font: {size: 13}}
});

const crossed = ({found}) => found.ok < found.rows;
// An × if a row is not ok; hollow if a run on a GPU was timed by the wall clock, as in the figures.
const markOf = (point, symbol) =>
    crossed(point) ? 'x' : point.found.clock === 'wall' && point.found.backend === 'cuda' ? `${symbol}-open` : symbol;

// `series` is the legend's name of the trace.
const traceOf = (points, series, symbol, color, more) => ({
  type: 'scatter',
  mode: 'markers',
  name: inert(series),
  meta: series,
  look: {color, symbol},
  hoverinfo: 'text',
  hovertext: points.map(({hover}) => hover),
  customdata: points.map(({found}) => found.index),
  marker: {color, size: points.map((point) => (crossed(point) ? 9 : 7)), symbol: points.map((point) => markOf(point, symbol)), line: {width: 0}},
  ...more
});

const bars = (points, color, size) => ({
  type: 'data',
  symmetric: false,
  color,
  thickness: 1,
  width: 2,
  array: points.map(({value}) => (value?.high ? size * (value.high - value.y) : 0)),
  arrayminus: points.map(({value}) => (value && value.low !== null ? size * (value.y - value.low) : 0))
});

function layoutOf(height, xaxis, yaxis) {
  const {color: ink, backgroundColor: ground, borderTopColor: rule, fontFamily: family} = getComputedStyle(document.querySelector('.plot'));
  const axis = {gridcolor: rule, linecolor: rule, zeroline: false, tickcolor: rule, automargin: true, ticks: 'outside', ticklen: 4};
  return {
    height,
    paper_bgcolor: ground,
    plot_bgcolor: ground,
    showlegend: false,
    hovermode: 'closest',
    font: {family, size: narrow.matches ? 12 : 13, color: ink},
    margin: {l: 56, r: 16, t: 16, b: 48, pad: 2},
    dragmode: coarse.matches ? false : 'zoom',
    xaxis: {...axis, ...xaxis},
    yaxis: {...axis, ...yaxis},
    shapes: [],
    annotations: [],
    hoverlabel: {bgcolor: ground, bordercolor: ink, align: 'left', font: {family, size: 12, color: ink}}
  };
}

// The level that the table of figures asks for, as a named line across the axis of values: the reference of a ratio, or the memory's peak,
// if the drawn cases have one.
function addLevel({figure, measure}, drawn, layout, along, log) {
  const all = drawn.flatMap(({points, lost}) => [...points, ...lost]);
  const peak = figure.level === 'peak' && all.map(({found}) => found.peak_gb_s).find(Boolean);
  if (!figure.level || figure.level === 'peak' && !peak)
    return;
  const value = peak && !measure.share ? peak : peak ? 100 : 1;
  const [across, end] = along === 'y' ? ['x', 'left'] : ['y', 'right'];
  const paper = {[`${across}ref`]: 'paper'};
  const ends = {[`${across}0`]: 0, [`${across}1`]: 1, [`${along}0`]: value, [`${along}1`]: value};
  layout.shapes.push({type: 'line', line: {color: layout.font.color, width: 1, dash: 'dot'}, ...paper, ...ends});
  layout.annotations.push({
    ...paper,
    [across]: along === 'y' ? 0 : 1,
    [along]: log ? Math.log10(value) : value,
    xanchor: end,
    yanchor: 'bottom',
    text: peak ? `peak, ${three(peak)} GB/s` : figure.level,
    showarrow: false,
    font: {size: 12}
  });
}

// Cases without a value have no position in the figure. They are shown in a strip above it, with one lane per series.
function lostStrip(drawn, layout, placeOf) {
  const losing = drawn.filter(({lost}) => lost.length);
  if (!losing.length)
    return [];
  const why = losing.some(({lost}) => lost.some(({found}) => found.ok)) ? 'no value' : 'no ok row';
  const top = 1 - Math.min(0.34, 0.05 + 0.035 * losing.length);
  const lanes = {range: [losing.length - 0.5, -0.5], fixedrange: true, showgrid: false, showticklabels: false, ticks: ''};
  layout.yaxis2 = {...layout.yaxis, type: 'linear', ...lanes, domain: [top, 1], title: {text: why, font: {size: 12}}, mirror: true};
  layout.yaxis.domain = [0, top - 0.03];
  return losing.map(({name, lost, look}, lane) => traceOf(lost, name, 'x', look[theme()], {
    name: `${inert(name)}, ${why}`,
    yaxis: 'y2',
    x: lost.map(placeOf),
    y: lost.map(() => lane)
  }));
}

// Points in the order of the axis. The step from a word to the numbers interrupts the line, and so does a point without a value.
function broken(points, {at}) {
  const sorted = points.sort((a, b) => at(a.place) - at(b.place));
  return sorted.flatMap((point, index) => {
    const step = index && typeof point.place !== typeof sorted[index - 1].place;
    return step ? [{...point, value: null}, point] : [point];
  });
}

// Of shares, lines that lie on each other as one, with the names of all. The table below the figure has each.
function together(drawn) {
  const found = new Map();
  for (const each of drawn) {
    const key = JSON.stringify([each.points.map(({place, value}) => [place, value]), each.lost.map(({place}) => place)]);
    found.set(key, [...found.get(key) ?? [], each]);
  }
  return [...found.values()].map((same) => {
    if (same.length === 1)
      return same[0];
    const name = `${[...new Set(same.map((each) => each.name.split(', ')[0]))].join(', ')} (${same.length} alike)`;
    const points = same[0].points.map((point) => ({...point, hover: point.hover.replace(/<b>.*?<\/b>/, `<b>${inert(name)}</b>`)}));
    return {...same[0], name, points};
  });
}

function linePlot(view, every) {
  const {axis, measure} = view;
  const drawn = measure.id === 'wrong' ? together(every) : every;
  const all = drawn.flatMap(({points}) => points);
  const {size, label} = unitOf(measure, all);
  const places = view.series.filter((each) => !each.across).flatMap((each) => each.cases.map((found) => placeOn(axis, found)));
  const across = scaleOf(places, axis.words);
  const edges = [across.values[0], across.values.at(-1)];
  const up = scaleOf(all.map(({value}) => size * value.y), {}, measure.linear);
  const traces = drawn.map(({name, look, points, lost, across: isAcross}) => {
    const own = isAcross ? points.flatMap((point) => edges.map((place) => ({...point, place}))) : broken([...points, ...lost], across);
    const color = look[theme()];
    return traceOf(own, name, look.symbol, color, {
      mode: 'lines+markers',
      look: {color, symbol: look.symbol, dash: look.dash},
      line: {color, dash: look.dash, width: 1.75},
      x: own.map(({place}) => across.at(place)),
      y: own.map(({value}) => value && up.at(size * value.y)),
      error_y: bars(own, color, size)
    });
  });
  const text = across.values.some((value) => value > axis.powers) ? power : grouped;
  const layout = layoutOf(
      narrow.matches ? 380 : 460, {
        type: across.log ? 'log' : 'linear',
        title: {text: all.every(({found}) => found.backend === 'cpu') && axis.on_cpu || axis.title, standoff: 12, font: {size: 13}},
        showgrid: false,
        ...ticksOf(across, text, narrow.matches ? 5 : 11)
      },
      valueAxis(label, up));
  if (measure.zero && up.log)
    Object.assign(layout.yaxis, ticksOf({...up, values: [0, ...Array.from({length: 9}, (_, exponent) => 10 ** exponent)]}, grouped, 99));
  addLevel(view, drawn, layout, 'y', up.log);
  return {traces: [...traces, ...lostStrip(drawn, layout, ({place}) => across.at(place ?? edges[0]))], layout};
}

// Dots by family, one line each, the fastest on top. Ways without a time come last.
function dotPlot(view, drawn) {
  const {measure} = view;
  const slim = narrow.matches;
  const rows = drawn.map(({points, lost}) => points[0] ?? lost[0]);
  const {size, label} = unitOf(measure, rows);
  const nameOf = ({series}) => inert(series.name).replace(/, /g, slim ? ',<br>' : ', ');
  const lines = Math.max(...rows.map((row) => nameOf(row).split('<br>').length));
  // A share of the peak is easy to read on a linear axis.
  const scale = scaleOf(rows.flatMap(({value}) => (value ? [value.y] : [])), {}, measure.linear || view.figure.level === 'peak');
  const slowest = Math.max(...rows.map(({value}) => value?.y ?? 0), 1);
  const traces = families.map(({name, symbol, [theme()]: shade}) => {
    const points = rows.filter(({found}) => found.family === name);
    const trace = traceOf(points, name, symbol, shade, {
      mode: 'markers+text',
      x: points.map(({value}) => size * (value?.y ?? slowest)),
      y: points.map((point) => rows.indexOf(point)),
      error_x: bars(points, shade, size),
      text: points.map(({found, value}) => (value ? '' : inert(faults([found])))),
      textposition: 'middle left'
    });
    Object.assign(trace.marker, {color: points.map(({series}) => series.look[theme()]), size: 9});
    return trace;
  }).filter(({x}) => x.length);
  const layout = layoutOf(rows.length * (slim ? 12 + 14 * lines : 24) + 96, {...valueAxis(label, scale), nticks: slim ? 4 : 7}, {
    tickvals: rows.map((_, index) => index),
    ticktext: rows.map(nameOf),
    ticks: '',
    zeroline: false,
    range: [rows.length - 0.4, -0.6],
    tickfont: {size: slim ? 11 : 13}
  });
  // At the right, as in the figures: the value of each dot, and its number of device launches.
  const columns = [{head: measure.name, text: ({value}) => (value ? valueText(measure, value.y) : '–'), at: slim ? 0 : 108}];
  if (!slim)
    columns.push({head: 'device launches', at: 0, text: ({found}) => (found.launches === null ? '–' : grouped(found.launches))});
  Object.assign(layout.margin, {r: slim ? 84 : 220, t: 34});
  for (const {head, text, at} of columns) {
    const place = {xref: 'paper', x: 1, xanchor: 'right', xshift: layout.margin.r - 8 - at, showarrow: false};
    layout.annotations.push({...place, yref: 'paper', y: 1, yanchor: 'bottom', text: head, font: {size: 12}});
    layout.annotations.push(...rows.map((row, index) => ({...place, y: index, text: text(row), font: {size: slim ? 11 : 13}})));
  }
  addLevel(view, drawn, layout, 'x', scale.log);
  return {traces, layout};
}
