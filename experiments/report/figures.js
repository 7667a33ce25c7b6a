'use strict';
// What a figure shows now: the chosen one of the views that the table of figures offers. Independent of plotly.

// What all cases have in common, in words.
function shared(list) {
  const fields = ['type', 'elements', 'grid', 'block', 'nx', 'ny', 'block_shape', 'depth'];
  const isShared = (field) =>
      list.every((found) => found[field] === list[0]?.[field]) && ![null, ''].includes(list[0][field]);
  return fields.filter(isShared)
      .map((field) => (field === 'type' ? list[0].type : `${data.fields[field]} ${fieldText(field, list[0][field])}`))
      .join(', ');
}

// The position of a case on an axis: a number, a word of the axis, or null.
function placeOn({field, words}, found) {
  const value = found[field];
  return Object.hasOwn(words, value) ? value : value === '' || !Number.isFinite(Number(value ?? NaN)) ? null : Number(value);
}

// The value of a case, with its interval if there is one; null if it has no value.
function valueIn({id}, found) {
  const [y, low, high] = found[id] ?? [];
  return y === undefined ? null : {y, low, high};
}

function control(figure, id, name, options) {
  const key = `${figure.id}.${id}`;
  const value = options.some((option) => option.value === chosen.controls[key]) ? chosen.controls[key] : options[0]?.value;
  return {key, name, options, value};
}

// The chosen one of the figure's views on this machine; by default the best one in which the filters leave a case.
function viewOf(figure) {
  const named = (table, ids) => ids.map((id) => ({value: table[id].name, text: table[id].name, found: {id, ...table[id]}}));
  const pick = ({options, value}) => options.find((option) => option.value === value)?.found;
  const shows = control(figure, 'shows', 'Shows', named(measures, figure.measures));
  const against = control(figure, 'against', 'Against', named(axes, figure.axes));
  const axis = pick(against);
  const left = ({series}) => series.some((each) => each.cases.some((index) => passes(cases[index])));
  const views = figure.views.filter((view) => isHere(view) && view.axis === axis?.id)
                    .map((view) => ({value: view.value, text: view.text, left: left(view), found: view}))
                    .sort((a, b) => b.left - a.left);
  const at = axis ? control(figure, 'log', 'Log', views) : control(figure, 'size', 'Log and size', views);
  const view = pick(at) ?? {series: [], apart: []};
  if (!axis)
    at.options.sort((a, b) => a.text.localeCompare(b.text, 'en', {numeric: true}));
  const picture = picturesOf(figure).find(({log}) => log === view.log);
  // What the figure of plot.sh says, unless that shows more sizes than one.
  const isWhole = picture && (axis || views.filter(({found}) => found.log === view.log).length === 1);
  return {
    figure,
    axis,
    measure: pick(shows),
    picture,
    sentence: isWhole ? `${picture.log}: ${data.pictures[picture.name].title}` : '',
    controls: [shows, against, at],
    series: view.series.map((each) => ({...each, cases: each.cases.map((index) => cases[index])})),
    apart: view.apart.map((index) => cases[index])
  };
}

// The chosen one of a figure's pictures.
function pictureOf(figure) {
  const at = control(figure, 'log', 'Log', picturesOf(figure).map((found) => ({value: found.name, text: found.log, found})));
  return {controls: [at], picture: at.options.find(({value}) => value === at.value).found};
}

// Why a figure is empty: the filters leave no case.
function missing({series}) {
  const all = series.flatMap((each) => each.cases);
  const blame = dimensions.map((dimension) => [dimension, all.filter((found) => !keptBy(dimension, found)).length])
                    .filter(([, count]) => count)
                    .map(([dimension, count]) => `${dimension.name} leaves out ${count}`);
  return `The filters leave none of the ${all.length} cases of this figure: ${blame.join(', ')}.`;
}
