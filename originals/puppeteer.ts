import { findChromium } from '../scripts/lib/chromium.ts';
import { startSite } from '../servers/puppeteer/src/fixtures/site.ts';
import type { ComparedCall, Comparison, Result } from './comparison.ts';

/** The texts, without those about windows and dialogs, which are listed; of an image, that it is one. */
function texts({ content }: Result): readonly string[] {
  return content
    .filter(({ text }) => text?.startsWith('The page ') !== true)
    .map(({ type, text }) => (text === undefined ? type : text.replace(/^(data:image\/png;base64,).*/s, '$1')));
}

function evaluate(script: string, otherAnswer?: string): ComparedCall {
  return { name: 'puppeteer_evaluate', args: { script }, otherAnswer };
}

export const puppeteer: Comparison = {
  name: 'puppeteer',
  async start() {
    const site = await startSite();
    return { url: site.origin, reset() {}, stop: () => site.close() };
  },
  ours: (url) => ({ args: ['--browser', findChromium(), '--allow-origin', url] }),
  original: () => ({
    env: {
      DOCKER_CONTAINER: 'true',
      ALLOW_DANGEROUS: 'true',
      PUPPETEER_LAUNCH_OPTIONS: JSON.stringify({ executablePath: findChromium() }),
    },
  }),
  read: texts,
  readOriginal: texts,
  calls: (url) => [
    { name: 'puppeteer_navigate', args: { url: `${url}/form` } },
    { name: 'puppeteer_navigate', args: { url: `${url}/redirect` } },
    { name: 'puppeteer_navigate', args: { url: `${url}/none` }, otherAnswer: 'ours tells the status' },
    { name: 'puppeteer_navigate', args: { url: 'no URL' } },
    { name: 'puppeteer_navigate', args: {} },
    { name: 'puppeteer_navigate', args: { url: 'file:///etc/hostname' }, otherAnswer: 'files are not opened' },
    { name: 'puppeteer_navigate', args: { url: `${url}/form` } },
    { name: 'puppeteer_click', args: { selector: '#button' } },
    { name: 'puppeteer_click', args: { selector: '#none' } },
    { name: 'puppeteer_hover', args: { selector: '#hover' } },
    { name: 'puppeteer_select', args: { selector: '#colour', value: 'g' } },
    { name: 'puppeteer_select', args: { selector: '#colour', value: 'x' }, otherAnswer: 'there is no such option' },
    { name: 'puppeteer_fill', args: { selector: '#name', value: 'new' } },
    evaluate('document.querySelector("#name").value', 'the original appends to what is in a field'),
    evaluate('[button.dataset.clicks, hover.textContent]'),
    evaluate('console.log("a", 1); console.warn("b"); ({ a: [1, "ä"], b: undefined })'),
    evaluate('undefined'),
    evaluate('Promise.resolve(3)'),
    evaluate('nope'),
    evaluate('return 1', 'return at the top level'),
    { name: 'puppeteer_screenshot', args: { name: 'page' } },
    { name: 'puppeteer_screenshot', args: { name: 'box', selector: '#box', encoded: true, width: 300, height: 200 } },
    { name: 'puppeteer_screenshot', args: { name: 'box', selector: '#none' } },
  ],
};
