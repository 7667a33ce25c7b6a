'use strict';
// Light or dark: the reader's earlier choice on this page, otherwise the system's setting. This is in the head, so
// that the page does not flash.

const systemDark = matchMedia('(prefers-color-scheme: dark)');

// A page opened from a file may have no storage. Then it forgets the choice, but works otherwise.
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
    // Nothing to do: the choice lasts as long as the page is open.
  }
}

const theme = () => document.documentElement.dataset.theme;

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}

setTheme(storedTheme() ?? (systemDark.matches ? 'dark' : 'light'));
