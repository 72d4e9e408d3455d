import type { Icon } from 'tenon';

/** The icon of a server: white lines on a square of this colour. `lines`: SVG on a canvas of 24 by 24, which surrounds them by 4. */
export function icon(colour: string, lines: string): Icon {
  const drawing = `<g fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${lines}</g>`;
  const square = `<rect width="24" height="24" rx="5" fill="${colour}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${square}${drawing}</svg>`;
  return {
    src: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  };
}
