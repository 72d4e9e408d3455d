// The server as a process, over stdio and HTTP, in both eras.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { findChromium } from '../../../scripts/lib/chromium.ts';
import { until } from '../../../scripts/lib/until.ts';
import { assertNoFindings } from '../../shared/test/findings.ts';
import { commandOf, type ServerStart, textOf, waysTo } from '../../shared/test/ways.ts';
import { startSite } from './fixtures/site.ts';

const site = await startSite();
const folder = await mkdtemp(join(tmpdir(), 'tenon-serving-'));
const started: ServerStart = {
  name: 'puppeteer',
  args: ['--browser', findChromium(), '--allow-origin', site.origin],
  env: { TMPDIR: folder },
};
const { ways, stop } = waysTo(started);
after(async () => {
  await stop();
  site.close();
  await until(async () =>
    rm(folder, { recursive: true, force: true }).then(
      () => true,
      () => false,
    ),
  );
});

async function profiles(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('tenon-puppeteer-'));
}

for (const way of ['2025-11-25 over stdio', '2026-07-28 over stdio', '2025-11-25 over HTTP', '2026-07-28 over HTTP'])
  test(`a form is filled and a screenshot taken: ${way}`, async () => {
    const peer = await ways.get(way)!();
    assert.equal((await peer.tools()).length, 7);
    const url = `${site.origin}/form`;
    assert.equal(textOf(await peer.call('puppeteer_navigate', { url })), `Navigated to ${url}`);
    await peer.call('puppeteer_fill', { selector: '#name', value: way });
    const { structuredContent } = await peer.call('puppeteer_evaluate', {
      script: 'document.querySelector("#name").value',
    });
    assert.equal((structuredContent as { result: string }).result, way);
    const shot = await peer.call('puppeteer_screenshot', { name: 'form' });
    assert.deepEqual(
      shot.content.map(({ type }) => type),
      ['text', 'image'],
    );
    assert.equal((await profiles()).length > 0, true);
    await peer.close();
    // Over HTTP from 2026-07-28 on there is no connection that could end.
    if (way.endsWith('stdio')) await until(async () => (await profiles()).length === 0);
  });

test('`tenon check` has no finding', async () => void (await assertNoFindings(started)));

test('arguments and variables that cannot be used end the server with a sentence', async () => {
  for (const [args, env, message] of [
    [
      ['--allow-origin', 'localhost:3000'],
      {},
      /^puppeteer: An origin has the form https:\/\/example\.com, .*not 'localhost:3000'/,
    ],
    [[], { PUPPETEER_EXECUTABLE_PATH: '/no/such' }, /^puppeteer: There is no browser at \/no\/such/],
    [
      [],
      { PUPPETEER_LAUNCH_OPTIONS: '{"args":["--no-sandbox"]}' },
      /^puppeteer: PUPPETEER_LAUNCH_OPTIONS: --no-sandbox would make/,
    ],
  ] as const) {
    const [command, ...rest] = commandOf({ name: 'puppeteer', args });
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 2, output);
    assert.match(output, message);
  }
});
