// Opens every page of a finished site in Chromium, narrow and wide, light and dark, and reports what is wrong with it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { filesUnder } from '../scripts/lib/files.ts';
import { findChromium } from '../scripts/lib/chromium.ts';
import { SOURCE } from './pages.ts';
import { serveFolder } from './serve.ts';

interface Look {
  readonly width: number;
  readonly dark: boolean;
}

/** The rules of accessibility that are checked on a page. Colours are the same at all widths, and the rest is the same in all colours. */
const LOOKS: readonly (Look & { readonly rules: 'all' | 'contrast' | 'none' })[] = [
  { width: 1280, dark: false, rules: 'all' },
  { width: 1280, dark: true, rules: 'contrast' },
  { width: 390, dark: false, rules: 'none' },
  { width: 390, dark: true, rules: 'none' },
];

const HEIGHT = 900;

/** Only violations that axe calls serious or critical are reported. */
const SEVERE = new Set(['serious', 'critical']);

/** All that a page may need to be ready, also on a busy machine. */
const PATIENCE_MS = 120_000;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a page has that other pages can refer to, and what it refers to. */
export interface PageFacts {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
}

/** A site that is being served, and the browser that looks at it. */
export interface Visit {
  readonly url: string;
  readonly browser: Browser;
}

/** Serves a folder and starts a browser while `look` runs. */
export async function visit<T>(folder: string, look: (visit: Visit) => Promise<T>): Promise<T> {
  const { url, close } = await serveFolder(folder, 0);
  try {
    const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
    try {
      return await look({ url, browser });
    } finally {
      await browser.close();
    }
  } finally {
    close();
  }
}

/** Opens a page with this look. `report` gets the faults that happen while pages load. */
export async function openTab(
  { browser, url }: Visit,
  { width, dark }: Look,
  report: (problem: string) => void,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  await context.route('**', async (route) => {
    const address = route.request().url();
    if (address.startsWith(`${url}/`) || address.startsWith('data:')) return route.continue();
    report(`loads ${address}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => report(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') report(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) report(`${response.status()} for ${response.url()}`);
  });
  return page;
}

/** Goes to a page, and waits until its scripts have taken it over. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForFunction(() => {
    const app = document.querySelector('#app');
    return app === null || '__vue_app__' in app;
  });
}

/** What is wrong with the layout of the page that is open. */
async function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const widest = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .at(-1);
    const images = [...document.images];
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
    return [
      ...(wide > 0 ? [`is ${wide} px too wide, for example ${widest?.outerHTML.slice(0, 120) ?? 'unknown'}`] : []),
      ...images.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => `image ${src} is broken`),
      ...images.filter(({ alt }) => alt === '').map(({ src }) => `image ${src} has no alternative text`),
    ];
  });
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

async function accessibilityProblems(page: Page, rules: 'all' | 'contrast'): Promise<string[]> {
  await page.evaluate(axe);
  const only = rules === 'all' ? { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa'] } : ['color-contrast'];
  const options = JSON.stringify({ runOnly: only, resultTypes: ['violations'] });
  const found: readonly Violation[] = await page.evaluate(`axe.run(document, ${options}).then((r) => r.violations)`);
  return found
    .filter(({ impact }) => SEVERE.has(impact))
    .map(({ id, nodes }) => {
      const [first] = nodes;
      return `${id}, ${nodes.length} times, for example ${first?.target.join(' ')}: ${first?.failureSummary ?? ''}`;
    });
}

async function factsOf(page: Page, path: string): Promise<PageFacts> {
  const { ids, links } = await page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    links: [...document.querySelectorAll('a[href]')].map((link) => (link as HTMLAnchorElement).href),
  }));
  return { path, ids: new Set(ids), links };
}

/** The links of these pages that lead nowhere in the site. Links to other sites are not followed. */
async function deadLinks(pages: readonly PageFacts[], url: string): Promise<string[]> {
  const idsOf = new Map(pages.map(({ path, ids }) => [path, ids]));
  const status = new Map<string, number>();
  const problems: string[] = [];
  for (const { path, links } of pages) {
    for (const link of new Set(links)) {
      if (!link.startsWith(`${url}/`)) continue;
      const { pathname, hash } = new URL(link);
      if (!status.has(pathname)) status.set(pathname, (await fetch(url + pathname, { method: 'HEAD' })).status);
      const target = decodeURIComponent(pathname).replace(/\/$/, '/index.html').slice(1);
      const anchor = decodeURIComponent(hash.slice(1));
      if (status.get(pathname) !== 200) problems.push(`/${path}: the link to ${pathname} is dead`);
      else if (anchor !== '' && idsOf.get(target)?.has(anchor) === false)
        problems.push(`/${path}: ${pathname} has no ${hash}`);
    }
  }
  return problems;
}

/** Opens all pages in a folder. Returns what is wrong with them. */
export async function checkPages(folder: string, log: (line: string) => void = () => {}): Promise<string[]> {
  const paths = filesUnder('.', folder).filter((path) => path.endsWith('.html') && path !== '404.html');
  return visit(folder, async (site) => {
    const problems: string[] = [];
    const facts = new Map<string, PageFacts>();
    for (const look of LOOKS) {
      let where = '';
      const report = (problem: string): void => void problems.push(`/${where}: ${problem}`);
      const page = await openTab(site, look, report);
      const name = `${look.width} px, ${look.dark ? 'dark' : 'light'}`;
      for (const path of paths) {
        where = `${path} (${name})`;
        await open(page, `${site.url}/${path}`);
        (await layoutProblems(page)).forEach(report);
        // Pages of sources look like the code on other pages, and measuring thousands of words of code takes long.
        const isSource = (await page.locator(`.${SOURCE}`).count()) > 0;
        if (look.rules !== 'none' && !isSource) (await accessibilityProblems(page, look.rules)).forEach(report);
        if (!facts.has(path)) facts.set(path, await factsOf(page, path));
      }
      await page.context().close();
      log(`${paths.length} pages at ${name}`);
    }
    return [...problems, ...(await deadLinks([...facts.values()], site.url))];
  });
}
