// S9: the rates of tool calls and completions are limited without any middleware.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type ProtocolError } from '../../src/entries/client.ts';
import { prompt, server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { REVISIONS } from '../../src/protocol/revision.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { WAYS } from './ways.ts';

function createApp(ran: string[]) {
  return server({
    name: 'rates',
    tools: {
      run: tool({}, () => {
        ran.push('run');
        return 'done';
      }),
    },
    prompts: {
      plan: prompt(
        {
          input: { type: 'object', properties: { city: { type: 'string' } } },
          complete: {
            city: () => {
              ran.push('complete');
              return [];
            },
          },
        },
        () => 'Plan',
      ),
    },
  });
}

for (const revision of REVISIONS)
  for (const [way, open] of Object.entries(WAYS))
    test(`[TOOL-35, COMP-9] tool calls and completions beyond the rate limit are refused, with the time to try again: ${way}, ${revision}`, async () => {
      const ran: string[] = [];
      const limits = { toolCallsPerMinute: 3, completionsPerMinute: 2 };
      await using client = await open(createApp(ran), { revision }, { limits });
      const complete = () => client.complete({ prompt: 'plan' }, { argument: 'city', value: '' });
      const refused = (what: string) => (error: ProtocolError) => {
        assert.equal(error.code, -32603);
        assert.match(error.message, new RegExp(`^Too many ${what} requests: try again in \\d+ s$`));
        assert.ok((error.data as { retryAfterMs: number }).retryAfterMs > 1_000);
        return true;
      };
      // The first request makes the server load the counting code.
      await client.tools().all();
      await import('../../src/transport/serving/call-rates.ts');
      await turns();
      for (let call = 0; call < 3; call++) await client.call('run');
      await assert.rejects(client.call('run'), refused('tools/call'));
      for (let call = 0; call < 2; call++) await complete();
      await assert.rejects(complete(), refused('completion/complete'));
      assert.deepEqual(ran, ['run', 'run', 'run', 'complete', 'complete']);
      assert.equal((await client.tools().all()).length, 1);
    });

for (const revision of ['2026-07-28', '2025-11-25'] as const)
  test(`over HTTP each caller has its own limit over all its connections: ${revision}`, async () => {
    const ran: string[] = [];
    const auth = ({ header }: { header(name: string): string | null | undefined }) => ({ id: header('x-caller')! });
    const served = await serveHttp(createApp(ran), {
      ...{ port: 0, signals: false, log: () => {}, auth },
      limits: { toolCallsPerMinute: 2 },
    });
    const open = (caller: string) => connect(served.url, { revision, headers: { 'x-caller': caller } });
    await using first = await open('ann');
    await first.tools().all();
    await import('../../src/transport/serving/call-rates.ts');
    await turns();
    await first.call('run');
    await using second = await open('ann');
    await second.call('run');
    await assert.rejects(first.call('run'), /Too many tools\/call requests/);
    await assert.rejects(second.call('run'), /Too many tools\/call requests/);
    await using other = await open('bob');
    assert.equal(await other.call('run'), 'done');
    await Promise.all([first, second, other].map((client) => client.close()));
    await served.close();
  });
