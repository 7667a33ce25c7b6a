'use strict';
// The behaviour of the page: its address, the theme, and its start.

function remember() {
  const address = toAddress();
  history.replaceState(null, '', `${location.href.split('#')[0]}${address && `#${address}`}`);
}

function changed() {
  remember();
  showCounts();
  redraw();
}

// The start.

// Throws an error that says what is missing.
async function loadPlotly() {
  const text = await inflated(document.getElementById('plotly').textContent);
  document.head.append(element('script', {textContent: text}));
  if (!window.Plotly)
    throw new Error('plotly.js, which the page holds, did not run');
}

function watch() {
  const observer = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      const card = cards.find(({root}) => root === target);
      card.seen = isIntersecting;
      if (isIntersecting)
        drawSoon(card);
    }
  }, {rootMargin: '400px'});
  cards.forEach(({root}) => observer.observe(root));
}

const themeButton = document.getElementById('theme');

function showTheme() {
  const dark = theme() === 'dark';
  themeButton.textContent = dark ? 'Light' : 'Dark';
  themeButton.ariaLabel = dark ? 'Light theme' : 'Dark theme';
  redraw();
}

themeButton.addEventListener('click', () => {
  setTheme(theme() === 'dark' ? 'light' : 'dark');
  storeTheme(theme());
  showTheme();
});
systemDark.addEventListener('change', ({matches}) => {
  if (!storedTheme()) {
    setTheme(matches ? 'dark' : 'light');
    showTheme();
  }
});

async function copyCommand(button) {
  const code = button.parentElement.querySelector('code');
  let done = 'Copied';
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    done = 'Selected';
  }
  button.textContent = done;
  document.getElementById('said').textContent = done;
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

// Reads the filters from the address. An address without "=" is an anchor: then the filters stay, and go back into
// the address with the anchor as `at`, so that a reload or a copy of the address shows the same. Returns whether the
// filters were read.
function readAddress() {
  const hash = location.hash.slice(1);
  if (hash.includes('=')) {
    fromAddress(hash);
    return true;
  }
  if (hash && toAddress())
    history.replaceState(null, '', `#${toAddress()}&${new URLSearchParams({at: decodeURIComponent(hash)})}`);
  return false;
}

// Turns to a workload that has the figure.
function turnToFigure({views, pictures}) {
  const [{machine, workload, workloads}] = [...views, ...pictures];
  chooseWorkload(machine || chosen.machine, workload ?? workloads[0]);
  showFilters();
  showCards();
  redraw();
}

// Figures are created after the address is read, so the browser can find neither their anchors nor `at`.
function showAnchor() {
  const hash = location.hash.slice(1);
  const id = hash.includes('=') ? new URLSearchParams(hash).get('at') : decodeURIComponent(hash);
  const figure = figures.find((each) => id === `figure-${each.id}`);
  if (figure && !belongs(figure))
    turnToFigure(figure);
  const target = document.getElementById(id);
  const folded = target?.closest('details:not([open])');
  if (folded)
    folded.open = true;
  target?.scrollIntoView();
}

document.addEventListener('click', ({target}) => target.matches('button.copy') && copyCommand(target));
window.addEventListener('hashchange', () => {
  if (readAddress()) {
    showFilters();
    showCards();
    redraw();
  }
  showAnchor();
});
window.addEventListener('beforeprint', () => cards.filter(({dirty, figure}) => dirty && belongs(figure)).forEach(draw));

function fitFilters() {
  for (const id of ['list', 'filters'])
    document.getElementById(id).open = !narrow.matches;
}
narrow.addEventListener('change', () => {
  fitFilters();
  redraw();
});

async function start() {
  fitFilters();
  readAddress();
  showFilters();
  document.getElementById('drawn').append(...cards.map(({root}) => root));
  showCards();
  showTheme();
  showAnchor();
  checkBrowser();
  showFindings();
  await loadPlotly();
  watch();
}

// Without figures, the findings, the claims and their rows still work.
function showFailure({message}) {
  const said = document.getElementById('failed');
  said.textContent = `The figures cannot be drawn: ${message}.`;
  said.hidden = false;
  document.querySelector('.explorer').hidden = true;
}

start().catch(showFailure);
