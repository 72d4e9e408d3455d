// Makes the pictures of docs/inspector.md, with the servers of the travel example and our everything: `node …/screenshots.mjs`.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { openInspector } from '@tenon/inspector';
import { chromium } from 'playwright-core';
import { startServers } from '../../../../examples/travel/servers.ts';
import { findChromium } from '../../../../scripts/lib/chromium.ts';

const root = join(import.meta.dirname, '../../../..');
const pictures = join(root, 'docs/images');
const folder = mkdtempSync(join(tmpdir(), 'tenon-pictures-'));
// The pictures show commands as somebody would write them.
process.chdir(root);
const short = (path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);

const { configs, close } = await startServers(folder);
const targets = [
  ...configs.map(({ alias, launch }) => ({
    id: alias,
    name: alias,
    launch:
      launch.kind === 'stdio'
        ? {
            command: 'node',
            args: launch.args.map(short),
            env: { ...launch.env, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` },
          }
        : { url: launch.url },
  })),
  {
    id: 'everything',
    name: 'everything',
    launch: { command: 'node', args: ['servers/everything/bin/server-everything.js'] },
  },
];
const inspector = await openInspector({ targets, by: 'tenon 0.1.0', port: 0 });
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  mkdirSync(pictures, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(inspector.url);
  const go = async (hash, wait = 1_000) => {
    await page.evaluate((next) => (location.hash = next), hash);
    await page.waitForTimeout(wait);
  };
  const take = (name) => page.screenshot({ path: join(pictures, `inspector-${name}.png`) });
  await page.waitForTimeout(4_000);
  await go('#/connect');
  await take('connect');
  await go('#/explore/everything/tools/get-structured-content', 2_000);
  await page.keyboard.press('Control+Enter');
  await page.waitForTimeout(2_000);
  await take('explore');
  await go('#/explore/everything/tools/trigger-elicitation-request', 1_500);
  await page.keyboard.press('Control+Enter');
  await page.waitForTimeout(1_000);
  await go('#/inbox', 2_000);
  await take('inbox');
  await go('#/trace?filter=session%3Atravel*', 1_500);
  await take('trace');
} finally {
  await browser.close();
  await inspector.close();
  close();
  rmSync(folder, { recursive: true, force: true });
}
