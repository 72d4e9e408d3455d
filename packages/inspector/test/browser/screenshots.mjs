// Takes the screenshots of the documentation after a build: `node packages/inspector/test/browser/screenshots.mjs`. They show
// the servers of the travel example and our everything server, started as a user starts them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { openInspector } from '@tenon/inspector';
import { chromium } from 'playwright-core';
import { startServers } from '../../../../examples/travel/servers.ts';
import { findChromium } from '../../../../scripts/lib/chromium.ts';
import { palettePng } from './palette-png.mjs';

const root = join(import.meta.dirname, '../../../..');
const pictures = join(root, 'docs/images');
const folder = mkdtempSync(join(tmpdir(), 'tenon-'));
process.chdir(root);

const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
function short(path) {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
const { configs, close } = await startServers(folder);
const targets = [
  ...configs.map(({ alias, launch }) => ({
    id: alias,
    name: alias,
    launch:
      launch.kind === 'stdio'
        ? { command: 'node', args: launch.args.map(short), env: { ...launch.env, PATH } }
        : { url: launch.url },
  })),
  {
    id: 'everything',
    name: 'everything',
    launch: { command: 'node', args: ['servers/everything/bin/server-everything.js'], env: { PATH } },
  },
];
const inspector = await openInspector({
  targets,
  by: 'tenon 0.1.0',
  port: 0,
  file: join(folder, 'session.mcptrace'),
  testFile: join(folder, 'mcp.test.json'),
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });

try {
  mkdirSync(pictures, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(inspector.url);

  const go = (place) => page.evaluate((hash) => void (location.hash = hash), `#/${place}`);
  const take = async (name) => {
    // Hides the blinking caret and lets fade-ins finish.
    await page.evaluate(() => document.activeElement?.blur());
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    writeFileSync(join(pictures, `inspector-${name}.png`), palettePng(await page.screenshot({ caret: 'hide' })));
  };
  /** Calls a tool by its form. */
  const call = async (server, tool, values, done) => {
    await go(`explore/${server}/tools/${tool}`);
    await page.getByRole('heading', { name: tool, exact: true }).waitFor();
    for (const [name, value] of Object.entries(values))
      await page.getByRole('textbox', { name: new RegExp(`^${name}\\b`) }).fill(value);
    await page.keyboard.press('Control+Enter');
    await done();
  };
  const answer = page.getByRole('region', { name: 'Result' });
  const answered = () => answer.getByText('ok', { exact: true }).waitFor();

  // The lists of every server are read when the last list of the last server is there.
  for (const { name } of targets)
    await page
      .getByRole('region', { name, exact: true })
      .getByText(/^\d+ tools?\b/)
      .waitFor();
  await page.waitForTimeout(1_500);
  await take('connect');

  const [from, to] = ['2024-06-15', '2024-06-22'];
  await call('travel', 'searchFlights', { origin: 'New York', destination: 'Barcelona', date: from }, answered);
  await call('travel', 'searchHotels', { city: 'Barcelona', checkIn: from, checkOut: to, guests: '2' }, answered);
  const hotel = JSON.parse((await answer.locator('[class*=text] bdi').first().textContent()) ?? '{}').hotels?.[0]?.id;
  await call('weather', 'checkWeather', { city: 'Barcelona', startDate: from, endDate: to }, answered);
  await answer.getByRole('tab', { name: 'Structured' }).click();
  await answer.locator('.cm-editor').first().waitFor();
  await take('explore');

  const asked = () => page.getByLabel(/\d waiting/).waitFor();
  await call('travel', 'bookHotel', { hotel, checkIn: from, checkOut: to, guests: '2' }, asked);
  await call('everything', 'trigger-elicitation-request', {}, () => page.getByLabel('2 waiting').waitFor());
  await go('inbox');
  const question = page.getByRole('region', { name: 'The question' });
  await question.getByText(/Please confirm your booking/).waitFor();
  await question.getByRole('checkbox').first().check();
  await take('inbox');

  await go(`trace?lanes=1&filter=${encodeURIComponent('session:travel#1,weather#1 -kind:http')}`);
  const row = page.getByRole('option').filter({ hasText: 'tools/call searchFlights' }).first();
  await row.click();
  await page.getByRole('region', { name: /^Request/ }).waitFor();
  await take('trace');
} finally {
  await browser.close();
  await inspector.close();
  close();
  rmSync(folder, { recursive: true, force: true });
}
