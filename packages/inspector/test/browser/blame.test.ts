import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { command } from '../fixtures/launch.ts';
import { inspected, type Looking, pageCpuMs } from './harness.ts';
import { at } from './servers.ts';

// Problems that other inspectors hide, or blame on the wrong side: each case must blame the right one.

/** Calls a tool with the initial arguments of its form. */
async function callTool({ page, go }: Looking, server: string, tool: string): Promise<void> {
  await go(`explore/${server}/tools/${encodeURIComponent(tool)}`);
  await page.getByRole('heading', { name: tool, exact: true }).waitFor();
  await page.getByRole('button', { name: /^Send/ }).click();
}

inspected(
  'a result that violates its own output schema is blamed on the server',
  { servers: { wrong: command('wrong-output') } },
  async (looking) => {
    const { page } = looking;
    await callTool(looking, 'wrong', 'forecast');
    const answer = page.getByRole('region', { name: 'Result' });
    const finding = answer.getByRole('list', { name: 'Findings' }).getByRole('listitem').first();
    await finding.getByText('output-schema').waitFor();
    await finding.getByText('server', { exact: true }).waitFor();
    await finding.getByText('celsius: must be a number, got a string').waitFor();
    // The server answered with a success, and the page must say so.
    await answer.getByText('ok', { exact: true }).waitFor();
    assert.equal(await answer.getByText('client', { exact: true }).count(), 0);
  },
);

inspected(
  'text on stdout that is not a message is shown on Connect and in the trace',
  { servers: { banner: command('banner') } },
  async ({ page, go }) => {
    const step = page.locator('ol > li', { hasText: 'stdout is for messages only' });
    await step.getByText('fail', { exact: true }).waitFor();
    await step.getByText(/lines on stdout are not JSON-RPC; the first is Server listening on port 3000/).waitFor();
    await step.getByText('log to stderr').waitFor();
    const finding = page.getByRole('list', { name: 'Findings' }).getByRole('listitem').first();
    await finding.getByText('stdout-noise').waitFor();
    await finding.getByText('server', { exact: true }).waitFor();
    await go('trace?filter=kind:junk');
    await page.getByRole('option', { name: 'Server listening on port 3000' }).waitFor();
  },
);

inspected(
  'a page stays usable while 5,000 notifications come in one call',
  { servers: { flood: command('flood') } },
  async ({ page, go }, t) => {
    await go('explore/flood/tools/flood');
    const count = page.getByLabel(/^count/).first();
    await count.fill('5000');
    await page.evaluate(() => {
      const long: number[] = [];
      Object.assign(window, { long });
      new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent 5000 messages').waitFor();
    await go('trace?filter=method:notifications/message');
    await page.getByText(/^5,000 of/).waitFor();
    await page.getByRole('option', { name: 'Entry 5000 of 5000' }).waitFor();
    const rows = await page.getByRole('option').count();
    assert.ok(rows < 200, `${rows} rows are drawn`);
    const used = await pageCpuMs(page, async () => {
      await page.getByRole('link', { name: 'Connect' }).click();
      await page.getByRole('heading', { name: 'Connect', exact: true }).waitFor();
    });
    const long = await page.evaluate(() => (window as unknown as { long: readonly number[] }).long);
    t.diagnostic(
      `${Math.round(used)} ms of CPU time for the next screen; tasks over 50 ms: ${long.join(', ') || 'none'}`,
    );
    assert.ok(used < 3_000, `${used} ms of CPU time`);
  },
);

inspected(
  'an integer beyond JavaScript numbers is sent exactly, from the form and from JSON',
  { servers: { shapes: command('shapes') } },
  async ({ page, go, trace }) => {
    await go('explore/shapes/tools/big');
    const answer = page.getByRole('region', { name: 'Result' });
    await page.getByLabel(/^id/).first().fill('9007199254740993');
    await page.keyboard.press('Control+Enter');
    await answer.getByText('"id":9007199254740993').waitFor();
    await page.getByRole('tab', { name: 'JSON', exact: true }).click();
    const editor = page.locator('.cm-editor').getByRole('textbox', { name: 'Arguments, JSON' });
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{"id":-9007199254740995,"rate":0.10000000000000000001}');
    await page.keyboard.press('Control+Enter');
    await answer.getByText('"rate":0.10000000000000000001').waitFor();
    const calls = (await trace()).filter(({ from, text }) => from === 'client' && text.includes('tools/call'));
    assert.match(calls[0]!.text, /"id":9007199254740993[,}]/);
    assert.match(calls[1]!.text, /"id":-9007199254740995,"rate":0\.10000000000000000001\}/);
  },
);

inspected(
  'a process that ends at once is blamed on the server, with its exit code and its last output',
  { servers: { exits: command('exits') } },
  async ({ page }) => {
    const problem = page.getByRole('group', { name: 'Problem' }).first();
    await problem.getByText('server', { exact: true }).waitFor();
    await problem.getByText(/exited with code 3/).waitFor();
    await problem.getByText(/DATABASE_URL missing/).waitFor();
    await page.locator('li', { hasText: 'The process starts' }).getByText('fail', { exact: true }).waitFor();
  },
);

inspected(
  'a process that dies during a call is blamed on the server',
  { servers: { dies: command('dies') } },
  async (looking) => {
    const { page, go } = looking;
    await callTool(looking, 'dies', 'die');
    const answer = page.getByRole('region', { name: 'Result' });
    await answer.getByRole('status').getByText('no answer', { exact: true }).waitFor();
    await answer.getByText('server', { exact: true }).first().waitFor();
    await answer
      .getByText(/exited with code 7/)
      .first()
      .waitFor();
    await go('connect');
    await page
      .getByText(/exited with code 7/)
      .first()
      .waitFor();
    // Dying does not undo the steps that passed before.
    const step = (title: string) => page.locator('ol > li', { hasText: title });
    await step('The process starts').getByText('pass', { exact: true }).waitFor();
    await step('Its lists can be read').getByText('pass', { exact: true }).waitFor();
    await step('The process keeps running').getByText('fail', { exact: true }).waitFor();
  },
);

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

inspected(
  'a refused port, a wrong path and a missing program are each explained, with the side to blame',
  async (t) => ({
    servers: {
      refused: { url: `http://127.0.0.1:${await closedPort()}/mcp` },
      path: await at(t, 'wrong-path'),
      missing: { command: 'no-such-program-here', args: [] },
    },
  }),
  async ({ page }) => {
    const problemOf = (name: string) =>
      page.getByRole('region', { name, exact: true }).getByRole('group', { name: 'Problem' });
    await problemOf('refused').getByText('transport', { exact: true }).waitFor();
    await problemOf('refused').getByText('Nothing listens at this address').waitFor();
    await problemOf('missing').getByText('client', { exact: true }).waitFor();
    await problemOf('missing')
      .getByText(/no such program/)
      .waitFor();
    const path = problemOf('path');
    await path.getByText(/404/).first().waitFor();
    await path.getByText(/An MCP server answers at .*\/mcp/).waitFor();
    assert.doesNotMatch((await path.textContent())!, /<!DOCTYPE|<html/i);
  },
);
