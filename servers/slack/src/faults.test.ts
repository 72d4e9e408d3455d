// What the server does when Slack refuses, fails or limits requests.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type Client, connect, type Progress } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import type { Fault } from '../../shared/test/api/stand-in.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { createStandIn, refusal } from './fixtures/stand-in.ts';
import { createSlack, type SlackOptions } from './slack.ts';

const CHANNEL = { channel_id: 'C012TEA' };
const slack = createStandIn();
await slack.start();
after(() => slack.stop());
beforeEach(() => slack.reset());

function open(options: SlackOptions = {}): Promise<Client> {
  return connect(createSlack({ url: `${slack.url}/api`, token: 'xoxb-x', ...options }));
}

test('a refusal says what happened and what to do, and is not repeated', async () => {
  await using client = await open();
  for (const [fault, expected] of [
    [refusal('invalid_auth'), /refused GET \/api\/conversations\.history: invalid_auth\. The token is missing, wrong/],
    [
      refusal('missing_scope', { needed: 'channels:history', provided: 'chat:write' }),
      /scope channels:history, and has chat:write/,
    ],
    [
      refusal('missing_scope', { needed: { toString: 1 }, response_metadata: { messages: [{ toString: 1 }] } }),
      /missing_scope\. The token does not permit this\.$/,
    ],
    [refusal('not_in_channel'), /somebody in the channel can write \/invite/],
    [refusal('channel_not_found'), /does not exist.*slack_list_channels gives/],
    [refusal('invalid_cursor'), /Begin again without a cursor/],
    [refusal('invalid_arguments', { response_metadata: { messages: ['[ERROR] bad limit'] } }), /\[ERROR\] bad limit/],
    [refusal('a_new_error'), /a_new_error\. The service rejects/],
    [
      refusal('invalid_arguments', { response_metadata: { messages: ['x'.repeat(5_000)] } }),
      /^[^x]*invalid[^x]*x{300}$/,
    ],
    [{ status: 403, body: '<html>' }, /does not permit/],
    [{ status: 403, body: '{"ok":false,"error":"ratelimited"}' }, /does not permit/],
    [{ status: 409, body: '{}' }, /refused GET/],
    [{ status: 200, body: '{"ok":' }, /not JSON/],
    [{ status: 200, body: 'null' }, /something unexpected/],
    [{ status: 200, body: '{"ok":true,"messages":[{"ts":7}]}' }, /something unexpected: messages\.0\.ts/],
  ] as readonly (readonly [Fault, RegExp])[]) {
    slack.faults = [fault];
    slack.received = [];
    const { isError, text } = await callTool(client, 'slack_get_channel_history', CHANNEL);
    assert.equal(isError, true);
    assert.match(text, expected);
    assert.equal(slack.received.length, 1);
  }
  slack.faults = [refusal('already_reacted')];
  const again = { ...CHANNEL, timestamp: '1700000002.000001', reaction: 'tea' };
  assert.match((await callTool(client, 'slack_add_reaction', again)).text, /there already, so nothing is left to do/);
});

test('each kind of limit is waited for with progress, by reads and by posts, and is that of one method', async () => {
  const slow = { 'retry-after': '30' };
  for (const fault of [
    { status: 429, headers: slow, body: '{"ok":false,"error":"ratelimited"}' },
    { status: 200, headers: slow, body: '{"ok":false,"error":"ratelimited"}' },
  ])
    for (const [name, args] of [
      ['slack_get_channel_history', CHANNEL],
      ['slack_post_message', { ...CHANNEL, text: 'x' }],
    ] as const) {
      const { clock, total } = quickClock();
      await using client = await open({ clock });
      slack.faults = [fault];
      const reports: Progress[] = [];
      const { isError, text } = await callTool(client, name, args, { onProgress: (report) => reports.push(report) });
      assert.equal(isError, false, text);
      assert.equal(total(), 30_000);
      assert.equal(reports[0]?.message, 'Slack limits requests: waiting 30 s');
    }
  const { clock } = quickClock();
  await using client = await open({ clock, limits: { maxWaitMs: 10_000 } });
  slack.faults = [{ status: 429, headers: { 'retry-after': '3600' } }];
  assert.match((await callTool(client, 'slack_get_channel_history', CHANNEL)).text, /Wait until then/);
  assert.equal((await callTool(client, 'slack_get_users', {})).isError, false);
});

test('a read is repeated after a failure, and a post is not', async () => {
  for (const fault of [{ status: 502 }, refusal('internal_error'), 'cut'] as const) {
    const { clock } = quickClock();
    await using client = await open({ clock });
    slack.faults = [fault, fault];
    assert.equal((await callTool(client, 'slack_get_channel_history', CHANNEL)).isError, false);
    slack.faults = [fault];
    slack.received = [];
    const { isError, text } = await callTool(client, 'slack_post_message', { ...CHANNEL, text: 'x' });
    assert.equal(isError, true);
    assert.match(text, fault === 'cut' ? /could not be reached/ : /problem of its own/);
    assert.match(text, /may have been made: look before you repeat/);
    assert.equal(slack.received.length, 1);
  }
});

test('a slow answer is an error after the time limit, and a cancelled call ends at once', async () => {
  await using client = await open({ limits: { timeoutMs: 50, retries: 0 } });
  slack.faults = ['hang'];
  assert.match((await callTool(client, 'slack_get_users', {})).text, /no answer within 0\.05 seconds/);
  await using patient = await open();
  slack.faults = ['hang'];
  slack.received = [];
  const canceller = new AbortController();
  const waiting = patient.result('slack_get_users', {}, { signal: canceller.signal });
  await until(() => slack.received.length > 0, 'the request has come');
  canceller.abort();
  await assert.rejects(waiting);
});
