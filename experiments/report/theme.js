'use strict';
// Light or dark: what the reader chose here before, else what the system asks for. Stands in the head, so that nothing flashes.

const systemDark = matchMedia('(prefers-color-scheme: dark)');

// A page opened from a file may be refused its storage; it then forgets the choice and does all else.
function storedTheme() {
  try {
    return localStorage.getItem('nestbed-theme');
  } catch {
    return null;
  }
}

function storeTheme(theme) {
  try {
    localStorage.setItem('nestbed-theme', theme);
  } catch {
    // Nothing to do: the choice holds for as long as the page is open.
  }
}

const theme = () => document.documentElement.dataset.theme;

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}

setTheme(storedTheme() ?? (systemDark.matches ? 'dark' : 'light'));
