// Apps of servers in Explore: the example that is built with the official library for apps.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../../../../scripts/lib/until.ts';
import { inspected } from './harness.ts';

const root = join(import.meta.dirname, '../../../..');
const habits = {
  command: process.execPath,
  args: [join(root, 'packages/cli/bin/tenon.js'), 'run', join(root, 'examples/habits/server.ts')],
};

const expected = [
  // The frame has another origin.
  /^request to elsewhere: GET http:\/\/127\.0\.0\.1:\d+\/frame(?:\.js|\?page=)/,
  // The library tests whether it may use eval. It may not.
  /^error: forbidden by the policy: script-src eval at about:/,
];

function answer(page: Page) {
  return page.getByRole('region', { name: 'Result' });
}
const FRAME = 'iframe[title="App show_week"]';
function appIn(page: Page): FrameLocator {
  return page.frameLocator(FRAME).frameLocator('iframe');
}

/** Does what makes the page show the app in a new frame. A search in a frame that is being removed would fail. */
async function replaceFrame(page: Page, act: () => Promise<void>): Promise<void> {
  const old = await page.locator(FRAME).elementHandle();
  await act();
  await until(() => old!.evaluate((frame) => !frame.isConnected));
}

inspected(
  'a user ticks a habit in the app of a tool: the server is called, and the model is informed',
  { servers: { habits }, expected },
  async ({ page, go, trace }) => {
    await go('explore/habits/tools/show_week');
    await page.getByRole('button', { name: /^Send/ }).click();
    await answer(page).getByRole('tab', { name: 'App', selected: true }).waitFor();
    const app = appIn(page);
    await app.getByText('3 of 21 done').waitFor();
    assert.equal(await app.getByRole('checkbox', { name: 'Read on Mon' }).isChecked(), true);
    await app.getByRole('checkbox', { name: 'Run on Sun' }).check();
    await app.getByText('4 of 21 done').waitFor();
    const did = answer(page).getByRole('list', { name: 'Actions of the app' });
    await did.getByText('context for the model').waitFor();
    await did.getByText('"day":"Sun"').waitFor();
    if (process.env['TENON_SHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['TENON_SHOTS']}/app.png` });
    const calls = (await trace()).filter(
      ({ text }) => text.includes('"method":"tools/call"') && text.includes('"tick"'),
    );
    assert.equal(calls.length, 1);

    // It restarts with the result shown, and the server has kept the ticked habit.
    let frames = 0;
    page.on('frameattached', (frame) => void (frames += Number(frame.parentFrame() === page.mainFrame())));
    await replaceFrame(page, () => answer(page).getByRole('button', { name: 'Restart' }).click());
    await app.getByText('3 of 21 done').waitFor();
    assert.equal(frames, 1, 'the app is loaded once');
    await replaceFrame(page, () => page.getByRole('button', { name: /^Send/ }).click());
    await app.getByText('4 of 21 done').waitFor();
  },
);

inspected(
  'the theme and the width of a page can be chosen, and the page is notified',
  { servers: { habits }, expected },
  async ({ page, go }) => {
    await go('explore/habits/tools/show_week');
    await page.getByRole('button', { name: /^Send/ }).click();
    const app = appIn(page);
    await app.getByText('3 of 21 done').waitFor();
    const scheme = () => app.locator('html').evaluate((html) => getComputedStyle(html).colorScheme);
    const choose = async (what: string, option: string) => {
      await answer(page).getByRole('button', { name: what }).click();
      await page.getByRole('option', { name: option }).click();
    };
    await choose('Theme', 'Dark');
    await until(async () => (await scheme()) === 'dark');
    await choose('Theme', 'Light');
    await until(async () => (await scheme()) === 'light');
    const width = () => app.locator('html').evaluate(() => innerWidth);
    assert.notEqual(await width(), 375);
    await choose('Width', 'Phone');
    await until(async () => (await width()) === 375);
    await app.getByText('3 of 21 done').waitFor();
  },
);

inspected(
  'the inspector says that it shows apps, and of a tool without one there is no such view',
  { servers: { habits }, expected },
  async ({ page, go, trace }) => {
    await go('explore/habits/tools/show_week');
    await page.getByRole('button', { name: /^Send/ }).click();
    await appIn(page).getByRole('table').waitFor();
    const sent = (await trace()).filter(({ text }) => text.includes('"io.modelcontextprotocol/ui":{"mimeTypes"'));
    assert.ok(sent.length > 0);
    await go('explore/habits/resources/ui%3A%2F%2Fhabits%2Fweek');
    await page.getByRole('button', { name: /^Send/ }).click();
    await until(async () => (await answer(page).getByRole('tab').count()) > 0);
    assert.equal(await answer(page).getByRole('tab', { name: 'App' }).count(), 0);
  },
);
