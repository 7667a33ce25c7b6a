'use strict';
// The figures of plot.sh as pictures: unpacked when they are shown, and enlarged by a click.

const enlarged = document.getElementById('enlarged');
let enlargedFrom = null;

function checkBrowser() {
  if (!window.DecompressionStream)
    throw new Error('this browser has no DecompressionStream, which unpacks them. Chromium has it since version 80, ' +
                    'Firefox since 113, Safari since 16.4');
}

// The text that was compressed with gzip and written in base64.
function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

const pictureAddresses = new Map();

function pictureAddress(name) {
  if (!pictureAddresses.has(name)) {
    const address = inflated(data.pictures[name].svg).then((text) => URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'})));
    pictureAddresses.set(name, address);
  }
  return pictureAddresses.get(name);
}

async function showPicture(image, name) {
  image.src = await pictureAddress(name);
}

function pictureElement({name}) {
  const {title} = data.pictures[name];
  const image = element('img', {alt: title});
  const button = element('button', {type: 'button', className: 'picture', ariaLabel: `Enlarge the figure: ${title}`}, image);
  button.dataset.picture = name;
  showPicture(image, name);
  return button;
}

function enlarge(button) {
  enlargedFrom = button;
  const image = enlarged.querySelector('img');
  image.alt = data.pictures[button.dataset.picture].title;
  showPicture(image, button.dataset.picture);
  enlarged.showModal();
}

enlarged.addEventListener('close', () => enlargedFrom?.focus());
enlarged.addEventListener('click', ({target}) => (target === enlarged || target.matches('.close')) && enlarged.close());
document.addEventListener('click', ({target}) => {
  const button = target.closest('button.picture');
  if (button)
    enlarge(button);
});

function showFindings() {
  for (const button of document.querySelectorAll('#findings button.picture'))
    showPicture(button.firstChild, button.dataset.picture);
}
