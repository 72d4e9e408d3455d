import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { callTool, type Inspecting, inspected, type Looking } from './harness.ts';
import { at, everything } from './servers.ts';

// Every screen, in both themes, on a phone, a tablet and a desktop: nothing overflows the window, and no control is cut off. With
// TENON_SHOTS=<folder>, a screenshot of each is saved there: <screen>-<theme>-<width>.png.

const SIZES = [
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
] as const;
const shots = process.env['TENON_SHOTS'];

interface Screen {
  readonly name: string;
  /** Opens the screen. */
  readonly show: (looking: Looking) => Promise<void>;
}

async function addressed({ page, go }: Looking, place: string, ready: string | RegExp): Promise<void> {
  await go(place);
  await page.getByRole('main').getByText(ready).first().waitFor();
}

const SCREENS: readonly Screen[] = [
  {
    name: 'connect',
    show: async (looking) => {
      await addressed(looking, 'connect', 'What it offers');
      for (const summary of await looking.page.getByText('How it is started').all()) await summary.click();
      await looking.page.getByText('Client settings').first().click();
      await looking.page.getByRole('button', { name: 'Add a server' }).click();
    },
  },
  { name: 'explore-nothing', show: (looking) => addressed(looking, 'explore/everything', 'Choose a tool') },
  {
    name: 'explore-form',
    show: async (looking) => {
      await addressed(looking, 'explore/fields/tools/book', 'Nothing has been sent yet');
      await looking.page
        .getByRole('main')
        .getByLabel(/^day(?!s)/)
        .waitFor();
    },
  },
  {
    name: 'explore-json',
    show: async ({ page }) => {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'Arguments, JSON' }).waitFor();
    },
  },
  {
    name: 'explore-result',
    show: async (looking) => {
      const { page } = looking;
      await addressed(looking, 'explore/everything/tools/get-structured-content', 'Nothing has been sent yet');
      await page.getByRole('button', { name: 'Call it with these arguments' }).click();
      await page.getByRole('tab', { name: 'Structured' }).click();
      await page.getByRole('region', { name: 'Result' }).locator('.cm-editor').waitFor();
    },
  },
  {
    name: 'explore-failed',
    show: async (looking) => {
      await addressed(looking, 'explore/failing/tools/boom', 'Nothing has been sent yet');
      await looking.page.getByRole('button', { name: 'Call it with these arguments' }).click();
      await looking.page
        .getByText(/db refused/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'explore-history',
    show: async (looking) => {
      const { page } = looking;
      await addressed(looking, 'explore/wrong/tools/forecast', 'Nothing has been sent yet');
      await page.getByRole('button', { name: 'Call it with these arguments' }).click();
      await page.getByRole('list', { name: 'Findings' }).waitFor();
      await page.getByRole('tab', { name: /^History 1/ }).click();
    },
  },
  { name: 'inbox-nothing', show: (looking) => addressed(looking, 'inbox', 'No questions yet') },
  {
    name: 'inbox-form',
    show: async ({ page }) => {
      callTool(page, 'fields', 'ask');
      await page
        .getByRole('region', { name: 'The question' })
        .getByLabel(/^day(?!s)/)
        .waitFor();
    },
  },
  {
    name: 'inbox-script',
    show: async ({ page }) => {
      await page.getByRole('button', { name: 'Scripted answers' }).click();
      await page.getByRole('region', { name: 'Scripted answers' }).locator('.cm-editor').waitFor();
    },
  },
  {
    name: 'trace',
    show: async ({ page, go }) => {
      await go('trace?filter=method%3Atools%2Fcall');
      await page.getByRole('option').first().click();
      await page.getByRole('complementary').waitFor();
      await page.getByRole('button', { name: 'Close the line' }).click();
      await page.getByRole('button', { name: 'Show all lines' }).or(page.getByRole('option').first()).first().waitFor();
    },
  },
  {
    name: 'trace-lanes',
    show: async ({ page, go }) => {
      await go('trace?lanes=1');
      await page.getByRole('region', { name: /^Lanes/ }).waitFor();
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'trace-nothing',
    show: (looking) => addressed(looking, 'trace?filter=text%3A%22no%20such%20words%22', 'No line matches'),
  },
  {
    name: 'line',
    show: async ({ page, go }) => {
      await go('trace?line=3');
      await page.getByRole('complementary').locator('.cm-editor').waitFor();
    },
  },
  { name: 'auth', show: (looking) => addressed(looking, 'auth/protected', /Log in at/) },
  { name: 'auth-nothing', show: (looking) => addressed(looking, 'auth/everything', 'This server is a process') },
  {
    name: 'check',
    show: async ({ page, go }) => {
      await go('check/wrong');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByRole('region', { name: 'Rows of the check' }).waitFor();
    },
  },
  {
    name: 'palette',
    show: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
];

/** Elements that overflow the window, and controls that are cut off. Elements inside scrollable lists are ignored. */
function sticksOut(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${String(element.className)} "${(element.textContent ?? '').slice(0, 40)}"`;
    const scrollsBySelf = (element: Element): boolean =>
      element.closest('.cm-editor, pre, [class*=lanes-track]') !== null;
    const found = scrollWidth > clientWidth ? [`the page: ${scrollWidth} of ${clientWidth}`] : [];
    for (const element of document.querySelectorAll('body *')) {
      const { overflowX } = getComputedStyle(element);
      const scrolls = (overflowX === 'auto' || overflowX === 'scroll') && element.clientWidth > 0;
      if (scrolls && element.scrollWidth > element.clientWidth + 1 && !scrollsBySelf(element))
        found.push(`${nameOf(element)} scrolls: ${element.scrollWidth} of ${element.clientWidth}`);
      const isSeen = element.closest('[aria-hidden=true]') === null;
      if (!isSeen || !element.matches('a, button, input, textarea, select, summary, h1, h2, h3')) continue;
      const { left, right, width } = element.getBoundingClientRect();
      // Elements only for screen readers are one pixel wide.
      if (width > 1 && (left < -0.5 || right > clientWidth + 0.5) && !scrollsBySelf(element))
        found.push(`${nameOf(element)} ends at ${Math.round(right)} of ${clientWidth}`);
    }
    return found;
  });
}

/** Resizes the page, and waits for its layout. */
async function resize(page: Page, size: (typeof SIZES)[number]): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );
}

async function lookAt(looking: Looking, { name, show }: Screen, theme: string): Promise<readonly string[]> {
  const { page } = looking;
  await resize(page, SIZES.at(-1)!);
  await show(looking);
  const found: string[] = [];
  for (const size of SIZES) {
    await resize(page, size);
    for (const what of await sticksOut(page)) found.push(`${name} at ${size.width}: ${what}`);
    if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}-${theme}-${size.width}.png` });
  }
  return found;
}

for (const theme of ['light', 'dark'] as const)
  inspected(
    `every screen fits a phone, a tablet and a desk, in ${theme}`,
    async (t): Promise<Inspecting> => ({
      dark: theme === 'dark',
      servers: {
        everything,
        fields: command('fields'),
        failing: command('failing'),
        wrong: command('wrong-output'),
        exits: command('exits'),
        protected: await at(t, 'protected'),
      },
      revision: '2025-11-25',
    }),
    async (looking) => {
      const found: string[] = [];
      for (const screen of SCREENS) found.push(...(await lookAt(looking, screen, theme)));
      assert.deepEqual(found.slice(0, 30), []);
    },
  );

inspected('a page without servers fits, and each screen offers one thing to do', { servers: {} }, async (looking) => {
  const { page, go } = looking;
  const found: string[] = [];
  for (const name of ['connect', 'explore', 'trace', 'inbox', 'auth', 'check']) {
    await go(name);
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    found.push(...(await lookAt(looking, { name: `${name}-empty`, show: async () => {} }, 'light')));
  }
  assert.deepEqual(found, []);
  for (const [name, act] of [
    ['inbox', 'Call a tool'],
    ['explore', 'Add a server'],
    ['auth', 'Add a server'],
    ['check', 'Add a server'],
  ] as const) {
    await go(name);
    await page.getByRole('main').getByRole('link', { name: act }).click();
    await page.waitForURL(name === 'inbox' ? /#\/explore/ : /#\/connect/);
  }
  await page.getByLabel('A command, a URL, or JSON with mcpServers').waitFor();
});
