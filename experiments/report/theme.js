'use strict';
// Light or dark: the reader's earlier choice on this page, otherwise the system's setting. This is in the head, so that the page does not
// flash.
const systemDark = matchMedia('(prefers-color-scheme: dark)');
let storage = {};
try {
  storage = localStorage;
} catch {
  // A page opened from a file may have none: the choice lasts as long as the page is open.
}
const theme = () => storage['nestbed-theme'] ?? (systemDark.matches ? 'dark' : 'light');
document.documentElement.dataset.theme = theme();
