'use strict';
// Figures as input for plotly: traces, axes, colours, and hover texts.

const narrow = matchMedia('(max-width: 720px)');
const coarse = matchMedia('(pointer: coarse)');

// Plotly interprets some HTML in its texts, so text from a log is escaped.
const inert = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const isLog = (values) => {
  const positive = values.filter((value) => value > 0);
  return !values.some((value) => value < 0) && Math.max(...positive) / Math.min(...positive) > 30; // as in the figures
};

// Positions of values on an axis. Words, and 0 on a logarithmic axis, get their own positions beside the numbers.
function scaleOf(values, words = {}, linear = false) {
  const numbers = [...new Set(values.filter((value) => typeof value === 'number'))].sort((a, b) => a - b);
  const log = !linear && isLog(numbers);
  const inner = log ? numbers.filter((value) => value > 0) : numbers;
  const [first, last] = [inner[0] ?? 1, inner.at(-1) ?? 1];
  const step = log ? Math.max(2, (last / first) ** (1 / 12)) : Math.max(1, (last - first) / 10);
  const beside = {before: log ? first / step : first - step, after: log ? last * step : last + step};
  const at = (value) => {
    if (typeof value === 'string')
      return beside[own(words, value) ?? 'after'];
    return log && value === 0 ? beside.before : value;
  };
  return {log, at, values: [...new Set(values)].sort((a, b) => at(a) - at(b))};
}

// For times, the unit in which the longest has fewer than five digits, as in the figures; otherwise the unit of the
// measure.
function unitOf({unit, label}, values) {
  if (unit !== 'µs')
    return {size: 1, label};
  const longest = Math.max(...values, 0);
  const [size, short] = longest < 2e4 ? [1, 'µs'] : longest < 2e7 ? [1e3, 'ms'] : [1e6, 's'];
  return {size, label: label.replace(/µs$/, short)};
}

// Ticks along an axis of values in a unit of `size`: steps within decades, or even steps.
function valueTicks(log, values, size, room) {
  const shown = values.filter((value) => value > 0).map((value) => value / size);
  if (!shown.length)
    return {};
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  let places = [];
  if (log) {
    const span = most / least;
    const steps = span > 2000 || room < 5 ? [1] : span > 150 ? [1, 3] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(least)) - 1; power <= Math.ceil(Math.log10(most)); ++power)
      places.push(...steps.map((step) => Number(`${step}e${power}`)));
  } else {
    const rough = most / room;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) * power;
    places = Array.from({length: room + 2}, (_, index) => Number((index * step).toPrecision(9)));
  }
  return {tickmode: 'array', tickvals: places.map((place) => place * size), ticktext: places.map(grouped)};
}

// Ticks at values that occur, as many as fit; words are always included.
function ticksOf(scale, text, room) {
  const along = (value) => (scale.log ? Math.log2(scale.at(value)) : scale.at(value));
  const gap = (along(scale.values.at(-1)) - along(scale.values[0])) / room;
  const kept = scale.values.filter((value) => typeof value === 'string');
  for (const value of scale.values.filter((each) => typeof each === 'number'))
    if (kept.every((other) => Math.abs(along(other) - along(value)) >= gap))
      kept.push(value);
  return {
    tickmode: 'array',
    tickvals: kept.map(scale.at),
    ticktext: kept.map((value) => (typeof value === 'string' ? inert(value) : text(value)))
  };
}

const byThree = (texts) => texts.flatMap((_, index) => (index % 3 ? [] : [texts.slice(index, index + 3).join(', ')]));

function hoverOf(found, name, measure, value) {
  const fields = described(found)
                     .filter(([field]) => !['strategy', data.fields.gpu, 'backend'].includes(field))
                     .map(([field, text]) => `${field} ${inert(text)}`);
  const text = (number) => valueText(measure, number);
  const interval = value && value.low !== null ? ` (${text(value.low)} to ${text(value.high)})` : '';
  const lines = [
    `<b>${inert(name)}</b>`, value ? `${measure.name}: ${text(value.y)}${interval}` : found.ok ? 'no value' : 'no ok row',
    ...byThree(fields),
    `${found.ok} of ${found.rows} rows ok${found.launches === null ? '' : `, ${grouped(found.launches)} device launches`}`
  ];
  if (found.ok < found.rows)
    lines.push(inert(inWords(faults([found]))));
  return [...lines, `${inert(found.log)}, line${found.rows > 1 ? 's' : ''} ${someLines(found.lines)}`].join('<br>');
}

// Sort key of a way at one size: the fastest come first, those without a time last.
const soonest = ({points}) => points[0]?.found.time?.[0] ?? Number.MAX_VALUE;

// What a view draws after the filters: points by series, divided into those with a position and those whose cases
// have no value.
function pointsOf(view) {
  const {axis, measure} = view;
  return view.series
      .map((each) => {
        const shown = each.cases.filter(passes);
        const place = (found) => (axis && !each.across ? placeOn(axis, found) : null);
        const points = shown.map((found) => ({found, series: each, place: place(found), value: valueIn(measure, found)}));
        points.sort((a, b) => byValue(a.place, b.place));
        return {...each, points: points.filter(({value}) => value), lost: points.filter(({value}) => !value)};
      })
      .filter(({points, lost}) => points.length + lost.length)
      .sort((a, b) => (axis ? 0 : soonest(a) - soonest(b)));
}

const bars = (points, color) => ({
  type: 'data',
  symmetric: false,
  color,
  thickness: 1,
  width: 2,
  array: points.map(({value}) => (value?.high ? value.high - value.y : 0)),
  arrayminus: points.map(({value}) => (value && value.low !== null ? value.y - value.low : 0))
});
const crossed = ({found}) => found.ok < found.rows;
// An × if a row is not ok; hollow if a run on a GPU was timed by the wall clock, as in the figures.
const markOf = (point, symbol) => (crossed(point) ? 'x' :
    point.found.clock === 'wall' && point.found.backend === 'cuda' ? `${symbol}-open` : symbol);

function paper() {
  const style = getComputedStyle(document.querySelector('.plot'));
  return {ink: style.color, ground: style.backgroundColor, rule: style.borderTopColor, font: style.fontFamily};
}

function layoutOf({ink, ground, rule, font}, height) {
  const axis = {
    gridcolor: rule,
    linecolor: rule,
    zeroline: false,
    tickcolor: rule,
    automargin: true,
    exponentformat: 'none',
    separatethousands: true,
    ticks: 'outside',
    ticklen: 4,
    title: {standoff: 12, font: {size: 13}}
  };
  return {
    height,
    paper_bgcolor: ground,
    plot_bgcolor: ground,
    showlegend: false,
    hovermode: 'closest',
    separators: '.\u2009',
    font: {family: font, size: narrow.matches ? 12 : 13, color: ink},
    margin: {l: 56, r: 16, t: 16, b: 48, pad: 2},
    dragmode: coarse.matches ? false : 'zoom',
    xaxis: {...axis},
    yaxis: {...axis},
    shapes: [],
    annotations: [],
    hoverlabel: {bgcolor: ground, bordercolor: ink, align: 'left', font: {family: font, size: 12, color: ink}}
  };
}

// A named line across the figure at a value: the reference of a ratio, or the memory's peak. `up`: values increase
// upwards, otherwise to the right.
function levelAt(layout, value, text, colors, log, up) {
  const line = {color: colors.ink, width: 1, dash: 'dot'};
  const [own, other] = up ? ['y', 'x'] : ['x', 'y'];
  layout.shapes.push(
      {type: 'line', [`${other}ref`]: 'paper', [`${other}0`]: 0, [`${other}1`]: 1, [`${own}0`]: value, [`${own}1`]: value, line});
  layout.annotations.push({
    [`${other}ref`]: 'paper',
    [other]: up ? 0 : 1,
    [own]: log ? Math.log10(value) : value,
    xanchor: up ? 'left' : 'right',
    yanchor: 'bottom',
    text,
    showarrow: false,
    font: {size: 12, color: colors.ink}
  });
}

// The level that the table of figures asks for, if the drawn cases have one.
function level({figure, measure}, list, layout, colors, log, up) {
  const peak = figure.level === 'peak' && list.map((found) => found.peak_gb_s).find(Boolean);
  if (peak)
    levelAt(layout, measure.share ? 100 : peak, `peak, ${three(peak)} GB/s`, colors, log, up);
  else if (figure.level && figure.level !== 'peak')
    levelAt(layout, 1, figure.level, colors, log, up);
}

// Cases without a value have no position in the figure. They are shown in a strip above it, with one lane per series.
function lostStrip(drawn, layout, placeOf, colors) {
  const losing = drawn.filter(({lost}) => lost.length);
  if (!losing.length)
    return [];
  const why = losing.some(({lost}) => lost.some(({found}) => found.ok)) ? 'no value' : 'no ok row';
  const height = Math.min(0.34, 0.05 + 0.035 * losing.length);
  layout.yaxis.domain = [0, 1 - height - 0.03];
  layout.yaxis2 = {
    domain: [1 - height, 1],
    range: [losing.length - 0.5, -0.5],
    fixedrange: true,
    showgrid: false,
    zeroline: false,
    showticklabels: false,
    title: {text: why, font: {size: 12}},
    linecolor: colors.rule,
    mirror: true,
    automargin: true
  };
  return losing.map((each, lane) => {
    return {
      type: 'scatter',
      mode: 'markers',
      yaxis: 'y2',
      x: each.lost.map(placeOf),
      y: each.lost.map(() => lane),
      hoverinfo: 'text',
      name: `${inert(each.name)}, ${why}`,
      meta: each.name,
      customdata: each.lost.map(({found}) => found.index),
      hovertext: each.lost.map(({hover}) => hover),
      marker: {symbol: 'x', size: 8, color: each.look[theme()]}
    };
  });
}

// Points in the order of the axis. A point without a value interrupts the line, and so does the step from a word to
// the numbers.
function broken(points, scale) {
  const sorted = points.sort((a, b) => scale.at(a.place) - scale.at(b.place));
  return sorted.flatMap((point, index) => {
    const step = index && typeof point.place !== typeof sorted[index - 1].place;
    return step ? [{...point, value: null}, point] : [point];
  });
}

function linePlot(view, drawn, colors) {
  const {axis, measure} = view;
  const layout = layoutOf(colors, narrow.matches ? 380 : 460);
  const all = drawn.flatMap(({points}) => points);
  const places = view.series.filter((each) => !each.across).flatMap((each) => each.cases.map((found) => placeOn(axis, found)));
  const across = scaleOf(places, axis.words);
  const up = scaleOf(all.map(({value}) => value.y), {}, measure.linear);
  const edges = [across.values[0], across.values.at(-1)];
  const traces = drawn.map((each) => {
    const {[theme()]: color, symbol, dash} = each.look;
    const points = each.across ? each.points.flatMap((point) => edges.map((place) => ({...point, place}))) :
                                 broken([...each.points, ...each.lost], across);
    return {
      type: 'scatter',
      mode: 'lines+markers',
      name: inert(each.name),
      meta: each.name,
      look: {color, symbol, dash},
      x: points.map(({place}) => across.at(place)),
      y: points.map(({value}) => value && up.at(value.y)),
      error_y: bars(points, color),
      line: {color, dash, width: 1.75},
      marker: {
        color,
        line: {width: 0},
        size: points.map((point) => (crossed(point) ? 9 : 7)),
        symbol: points.map((point) => markOf(point, symbol))
      },
      hoverinfo: 'text',
      hovertext: points.map(({hover}) => hover),
      customdata: points.map(({found}) => found.index)
    };
  });
  const title = all.every(({found}) => found.backend === 'cpu') && axis.on_cpu || axis.title;
  const powers = across.values.some((value) => value > axis.powers);
  Object.assign(
      layout.xaxis, {type: across.log ? 'log' : 'linear', title: {...layout.xaxis.title, text: title}, showgrid: false},
      ticksOf(across, powers ? power : grouped, narrow.matches ? 5 : 11));
  const values = all.flatMap(({value}) => [value.y, value.low ?? value.y, value.high ?? value.y]);
  const unit = unitOf(measure, values);
  Object.assign(layout.yaxis, {
    type: up.log ? 'log' : 'linear',
    title: {...layout.yaxis.title, text: unit.label},
    rangemode: 'tozero',
    ...valueTicks(up.log, values, unit.size, narrow.matches ? 6 : 8)
  });
  if (measure.zero && up.log)
    Object.assign(
        layout.yaxis, ticksOf({...up, values: [0, ...Array.from({length: 9}, (_, power) => 10 ** power)]}, grouped, 99));
  level(view, all.map(({found}) => found), layout, colors, up.log, true);
  return {traces: [...traces, ...lostStrip(drawn, layout, ({place}) => across.at(place ?? edges[0]), colors)], layout};
}

// Dots by family, one line each, the fastest on top. Ways without a time come last.
function dotPlot(view, drawn, colors) {
  const rows = drawn.map((each) => each.points[0] ?? each.lost[0]);
  const slim = narrow.matches;
  const label = ({series}) => inert(series.name).replace(/, /g, slim ? ',<br>' : ', ');
  const lines = Math.max(...rows.map((row) => label(row).split('<br>').length));
  const layout = layoutOf(colors, rows.length * (slim ? 12 + 14 * lines : 24) + 96);
  // A share of the peak is easy to read on a linear axis.
  const linear = view.measure.linear || view.figure.level === 'peak';
  const scale = scaleOf(rows.flatMap(({value}) => (value ? [value.y] : [])), {}, linear);
  const slowest = Math.max(...rows.map(({value}) => value?.y ?? 0), 1);
  const familyAt = ({found}) => families.findIndex(({name}) => name === found.family);
  const traces = [...new Set(rows.map(familyAt))].sort((a, b) => a - b).map((family) => {
    const points = rows.filter((row) => familyAt(row) === family);
    const {name, symbol, [theme()]: shade} = families[family];
    const color = points.map(({series}) => series.look[theme()]);
    const spans = points.map((point) => (point.value ? point : {...point, value: {y: slowest, low: null, high: null}}));
    return {
      type: 'scatter',
      mode: 'markers+text',
      name,
      meta: name,
      look: {color: shade, symbol},
      x: spans.map(({value}) => value.y),
      y: points.map((point) => rows.indexOf(point)),
      error_x: bars(spans, shade),
      hoverinfo: 'text',
      hovertext: points.map(({hover}) => hover),
      customdata: points.map(({found}) => found.index),
      marker: {color, size: 9, symbol: points.map((point) => markOf(point, symbol))},
      text: points.map(({found, value}) => (value ? '' : inert(inWords(faults([found]))))),
      textposition: 'middle left'
    };
  });
  const values = rows.flatMap(({value}) => (value ? [value.y, value.low ?? value.y, value.high ?? value.y] : []));
  const unit = unitOf(view.measure, values);
  Object.assign(layout.xaxis, {
    type: scale.log ? 'log' : 'linear',
    title: {...layout.xaxis.title, text: unit.label},
    side: 'bottom',
    rangemode: 'tozero',
    ...valueTicks(scale.log, values, unit.size, slim ? 3 : 6)
  });
  Object.assign(layout.yaxis, {
    tickmode: 'array',
    tickvals: rows.map((_, index) => index),
    ticktext: rows.map(label),
    ticks: '',
    range: [rows.length - 0.4, -0.6],
    tickfont: {size: narrow.matches ? 11 : 13}
  });
  // At the right, as in the figures: the value of each dot, and its number of device launches.
  const columns = [{head: view.measure.name, text: ({value}) => (value ? valueText(view.measure, value.y) : '–'), at: slim ? 0 : 108}];
  if (!slim)
    columns.push({head: 'device launches', at: 0, text: ({found}) => (found.launches === null ? '–' : grouped(found.launches))});
  layout.margin.r = slim ? 84 : 220;
  layout.margin.t = 34;
  for (const {head, text, at} of columns) {
    const place = {xref: 'paper', x: 1, xanchor: 'right', xshift: layout.margin.r - 8 - at, showarrow: false};
    layout.annotations.push({...place, yref: 'paper', y: 1, yanchor: 'bottom', text: head, font: {size: 12}});
    layout.annotations.push(...rows.map((row, index) => ({...place, y: index, text: text(row), font: {size: slim ? 11 : 13}})));
  }
  level(view, rows.map(({found}) => found), layout, colors, scale.log, false);
  return {traces, layout};
}
