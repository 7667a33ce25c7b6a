'use strict';
// The cards: a figure with its controls, its legend, its picture and its table, and when it is drawn.

const cards = figures.map(cardOf);

function cardOf(figure) {
  const plot = element('div', {className: 'plot', role: 'img', ariaLabel: figure.title});
  const card = {
    figure,
    plot,
    hidden: new Set(),
    dirty: true,
    seen: false,
    controls: element('div', {className: 'controls'}),
    legend: element('ul', {className: 'legend', ariaLabel: 'Series'}),
    empty: element('p', {className: 'empty', hidden: true}),
    caption: element('p', {className: 'caption'}),
    sentence: element('p', {className: 'sentence'}),
    picture: element('div', {}),
    file: element('details', {className: 'file'}, element('summary', {textContent: 'As plot.sh draws it'}), element('div')),
    table: element('details', {className: 'data'})
  };
  card.table.append(
      element('summary', {textContent: 'Data as a table'}),
      element('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: `Data of ${figure.title}`}));
  card.table.addEventListener('toggle', () => showTable(card));
  card.file.addEventListener('toggle', () => showFile(card));
  card.root = element(
      'article', {className: 'card', id: `figure-${figure.id}`},
      element(
          'header', {}, element('h3', {textContent: figure.title}),
          element('p', {className: 'note', textContent: figure.note, hidden: !figure.note}), card.sentence),
      card.controls, card.empty, card.picture, element('figure', {}, plot, element('figcaption', {}, card.legend, card.caption)),
      card.file, card.table);
  return card;
}

function controlElement(card, {key, name, options, value}) {
  const select = element(
      'select', {name: key},
      ...options.map(
          (each) => element(
              'option',
              {value: each.value, textContent: each.text, title: whole(each.text), selected: each.value === value})));
  select.addEventListener('change', () => {
    chosen.controls[key] = select.value;
    remember();
    draw(card);
    card.controls.querySelector(`[name="${key}"]`)?.focus();
  });
  return element('label', {className: 'field'}, element('span', {textContent: name}), select);
}

function legendItem(card, trace, line) {
  const button = element(
      'button', {type: 'button', ariaPressed: String(!card.hidden.has(trace.meta)), title: whole(trace.meta) || 'Show or hide'},
      swatch(trace.look, line), element('span', {textContent: trace.meta}));
  button.addEventListener('click', () => {
    card.hidden.has(trace.meta) ? card.hidden.delete(trace.meta) : card.hidden.add(trace.meta);
    const place = [...card.legend.children].indexOf(button.parentElement);
    draw(card);
    card.legend.children[place]?.firstChild.focus();
  });
  return element('li', {}, button);
}

function showTable({table, view, drawn}) {
  if (table.open && view)
    table.lastChild.replaceChildren(pointTable(view, drawn));
}

function showFile({file, view}) {
  if (file.open && view?.picture)
    file.lastChild.replaceChildren(pictureElement(view.picture));
}

function showControls(card, controls) {
  card.controls.replaceChildren(...controls.filter(({options}) => options.length > 1).map((each) => controlElement(card, each)));
}

// A figure that the page does not draw itself.
function drawPicture(card) {
  const {controls, picture} = pictureOf(card.figure);
  Object.assign(card, {view: null, drawn: []});
  showControls(card, controls);
  card.picture.replaceChildren(pictureElement(picture), element('p', {
    className: 'caption',
    hidden: !dimensions.length,
    textContent: `The filters do not change this picture: it shows all of ${picture.log}.`
  }));
}

function draw(card) {
  card.dirty = false;
  const {figure, plot} = card;
  const drawsItself = figure.views.some(isHere);
  card.picture.hidden = drawsItself;
  for (const part of [plot.parentElement, card.table, card.file, card.sentence, card.empty])
    part.hidden = !drawsItself;
  if (!drawsItself) {
    drawPicture(card);
    return;
  }
  const view = viewOf(figure);
  const drawn = pointsOf(view);
  for (const {name, points, lost} of drawn)
    for (const point of [...points, ...lost])
      point.hover = hoverOf(point.found, name, view.measure, point.value);
  Object.assign(card, {view, drawn});
  showControls(card, view.controls);
  card.file.hidden = !view.picture;
  card.sentence.hidden = !view.sentence;
  card.sentence.textContent = view.sentence;
  showFile(card);
  const nothing = !drawn.length;
  card.empty.hidden = !nothing;
  card.empty.textContent = nothing ? missing(view) : '';
  plot.parentElement.hidden = card.table.hidden = nothing;
  if (nothing) {
    Plotly.purge(plot);
    card.listens = false;
    return;
  }
  const {traces, layout} = (view.axis ? linePlot : dotPlot)(view, drawn, paper());
  for (const trace of traces)
    trace.visible = !card.hidden.has(trace.meta);
  plot.style.minHeight = `${layout.height}px`;
  Plotly.react(plot, traces, layout, {
    responsive: true,
    displaylogo: false,
    displayModeBar: narrow.matches || !view.axis ? false : 'hover',
    modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d', 'zoomIn2d', 'zoomOut2d']
  });
  if (!card.listens) {
    plot.on('plotly_click', ({points}) => points[0].customdata !== undefined && openCase(points[0].customdata));
    card.listens = true;
  }
  plot.setAttribute('aria-label', `${figure.title}: ${drawn.length} series; the same data stand in the table below.`);
  card.caption.textContent = captionOf(view, drawn);
  card.legend.replaceChildren(
      ...traces.filter(({yaxis}) => yaxis !== 'y2').map((trace) => legendItem(card, trace, Boolean(view.axis))));
  showTable(card);
}

function redraw() {
  for (const card of cards) {
    card.dirty = true;
    if (card.seen && belongs(card.figure))
      drawSoon(card);
  }
}

// The cards of the workload at hand, and their list.
function showCards() {
  for (const {root, figure} of cards)
    root.hidden = !belongs(figure);
  document.getElementById('contents').replaceChildren(
      ...figures.filter(belongs).map(({id, title}) => element('a', {href: `#figure-${id}`, textContent: title})));
}

// One task per figure, so that a click is handled between two of them.
function drawSoon(card) {
  setTimeout(() => window.Plotly && card.dirty && belongs(card.figure) && draw(card));
}

