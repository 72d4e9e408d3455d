import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../fixtures/launch.ts';
import { inspected } from './harness.ts';
import { everything } from './servers.ts';

// The screen Check: the rows of the command line, in the page.

inspected(
  'a server is checked: its names and schemas, every revision, every message',
  { servers: { hostile: command('hostile'), official: command('official-v1') } },
  async ({ page, go }) => {
    await go('check/official');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const rows = page.getByRole('region', { name: 'Rows of the check' });
    await rows.waitFor();
    const eras = rows.getByRole('region', { name: 'Every revision' }).getByRole('listitem');
    assert.match((await eras.filter({ hasText: 'Revision 2026-07-28' }).textContent())!, /^skip/);
    assert.match((await eras.filter({ hasText: 'Revision 2025-11-25' }).textContent())!, /^pass/);
    assert.match(
      (await rows.getByRole('region', { name: 'Names and schemas' }).textContent())!,
      /Every entry was looked at/,
    );
    assert.match(
      (await rows.getByRole('region', { name: 'Every message' }).textContent())!,
      /\d+ messages in \d+ sessions/,
    );
    // They survive a reload, and belong to one server.
    await page.reload();
    await rows.waitFor();
    await go('check/hostile');
    await page.getByRole('heading', { name: 'Check hostile' }).waitFor();
    assert.equal(await rows.count(), 0);
    await page.getByRole('button', { name: 'Every revision' }).click();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const lint = rows.getByRole('region', { name: 'Names and schemas' });
    await lint.getByText('fail', { exact: true }).first().waitFor();
    assert.equal(await rows.getByRole('region', { name: 'Every revision' }).count(), 0);
  },
);

inspected(
  'a server that cannot be connected to gives one row that says why',
  { servers: { exits: command('exits') } },
  async ({ page, go }) => {
    await go('check/exits');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const rows = page.getByRole('region', { name: 'Rows of the check' });
    await rows
      .getByText(/exited with code 3/)
      .first()
      .waitFor();
    await rows.getByText('server', { exact: true }).first().waitFor();
  },
);

inspected(
  'a baseline is saved, and later shows the changes',
  { servers: { everything }, expected: [/400 \(Bad Request\)/] },
  async ({ page, go }) => {
    await go('check/everything');
    for (const name of ['Names and schemas', 'Every message', 'Every revision'])
      await page.getByRole('button', { name, exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a baseline' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'everything.baseline.json');
    const path = await download.path();
    const choose = (file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> =>
      page.getByLabel('Compare with a baseline').setInputFiles(file);
    const check = (): Promise<void> => page.getByRole('button', { name: 'Check', exact: true }).click();
    const rows = page.getByRole('region', { name: 'Compared with the baseline' });
    await choose(path);
    await check();
    await rows.getByText('Nothing has changed').waitFor();

    const surface = JSON.parse(readFileSync(path, 'utf8')) as { tools: { name: string }[] };
    surface.tools.push({ ...surface.tools[0]!, name: 'was-there-before' });
    const old = join(tmpdir(), `tenon-baseline-${process.pid}.json`);
    writeFileSync(old, JSON.stringify(surface));
    await page.getByRole('button', { name: 'Remove the baseline' }).click();
    await choose(old);
    await check();
    await rows.getByText('Breaking changes').waitFor();
    await rows.getByText('was-there-before').first().waitFor();

    await page.getByRole('button', { name: 'Remove the baseline' }).click();
    await choose({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"no":"surface"}') });
    await check();
    await page
      .getByRole('group', { name: 'Problem' })
      .getByText(/This is not a saved surface/)
      .waitFor();
  },
);

inspected(
  'findings from the trace of this server are shown without a check',
  { servers: { banner: command('banner'), everything } },
  async ({ page, go }) => {
    await go('check/everything');
    await page.getByText('No rule was broken.').waitFor();
    await go('check/banner');
    const seen = page.getByRole('region', { name: /^Seen so far on the wire/ });
    await seen.getByText('stdout-noise').first().waitFor();
    await seen
      .getByRole('button', { name: /^Line \d+/ })
      .first()
      .click();
    await page.getByRole('complementary').getByText('Server listening on port 3000').waitFor();
  },
);

inspected(
  'the rows of the last check stay when the screen is left while another one runs',
  { servers: { everything } },
  async ({ page, go }) => {
    await go('check/everything');
    const check = page.getByRole('button', { name: 'Check', exact: true });
    const rows = page.getByRole('region', { name: 'Rows of the check' });
    await check.click();
    await rows.waitFor();
    // The next check does not end until it is cancelled.
    await page.route('**/api/checks', () => {});
    for (const end of ['leaves', 'stops']) {
      await check.click();
      await page.getByText('Checking, on connections of its own').waitFor();
      await rows.waitFor();
      if (end === 'stops') await page.getByRole('button', { name: 'Stop' }).click();
      else await go('trace');
      if (end === 'leaves') await page.getByRole('option').first().waitFor();
      await go('check/everything');
      await page.getByText('The last check did not finish').waitFor();
      await page.getByText('These are the rows of the previous check.').waitFor();
      await rows.waitFor();
    }
    await page.unroute('**/api/checks');
    await check.click();
    await page.getByText('Checking, on connections of its own').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('did not finish').count(), 0);
    assert.equal(await page.getByText('These are the rows of the previous check.').count(), 0);
  },
);
