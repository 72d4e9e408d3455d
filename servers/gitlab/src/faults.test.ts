// What the server does when GitLab refuses, fails or limits requests.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { connect, type Progress } from 'tenon/client';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import type { Fault } from '../../shared/test/api/stand-in.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import type { AccessOptions } from './access.ts';
import { createStandIn } from './fixtures/stand-in.ts';
import { PROJECT } from './fixtures/world.ts';
import { createGitlab } from './gitlab.ts';

const TOKEN = 'glpat-theSecretOfAnn123';
const READ = { search: 'tea' };
const WRITE = { project_id: 'ann/tea', title: 'Hot' };
const gitlab = createStandIn();
await gitlab.start();
after(() => gitlab.stop());
beforeEach(() => gitlab.reset());

async function open(options: AccessOptions = {}) {
  const { clock, total } = quickClock();
  const traced: string[] = [];
  const client = await connect(createGitlab({ url: `${gitlab.url}/api/v4`, token: TOKEN, clock, ...options }), {
    onTrace: (entry) => void traced.push(JSON.stringify(entry)),
  });
  return { client, total, traced, [Symbol.asyncDispose]: () => client.close() };
}

function refusal(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Fault {
  return { status, headers, body: JSON.stringify(body) };
}

test('a refusal says what happened and what to do, and is not repeated', async () => {
  await using opened = await open();
  for (const [fault, expected] of [
    [refusal(401, { message: '401 Unauthorized' }), /401 to POST .*401 Unauthorized\. The token is missing, wrong/],
    [
      refusal(403, { error: 'insufficient_scope', error_description: 'The request requires higher privileges' }),
      /403 .*requires higher privileges\. The token does not permit this/,
    ],
    [refusal(404, { message: '404 Project Not Found' }), /Check the spelling/],
    [refusal(409, { message: 'Conflict' }), /Read it again/],
    [
      refusal(409, { message: ['Another open merge request already exists for this source branch: !7'] }),
      /already exists for this source branch: !7/,
    ],
    [
      refusal(400, { message: { title: ['is too long', "can't be blank"], base: ['No'] } }),
      /title: is too long, can't be blank; base: No/,
    ],
    [refusal(422, { error: 'labels is invalid' }), /labels is invalid\. The service rejects these values/],
    [{ status: 422 }, /answered 422/],
  ] as const) {
    gitlab.faults = [fault];
    gitlab.received = [];
    const { isError, text } = await callTool(opened.client, 'create_issue', WRITE);
    assert.equal(isError, true);
    assert.match(text, expected);
    assert.equal(gitlab.received.length, 1);
  }
});

test('every kind of limit is waited for with progress, also by calls that change something', async () => {
  const inTwoMinutes = String(Date.parse('2026-07-28T12:02:00Z') / 1_000);
  for (const [fault, seconds] of [
    [{ status: 429, headers: { 'retry-after': '30' }, body: 'Retry later\n' }, 30],
    [{ status: 429, headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': inTwoMinutes } }, 120],
    [{ status: 429 }, 1],
    [{ status: 503, headers: { 'retry-after': '20' } }, 20],
  ] as const)
    for (const [name, args] of [
      ['search_repositories', READ],
      ['create_issue', WRITE],
    ] as const) {
      await using opened = await open();
      gitlab.reset();
      gitlab.faults = [fault];
      const reports: Progress[] = [];
      const { isError, text } = await callTool(opened.client, name, args, {
        onProgress: (report) => reports.push(report),
      });
      assert.equal(isError, false, text);
      assert.equal(opened.total(), seconds * 1_000);
      assert.equal(gitlab.received.length, 2);
      assert.equal(reports[0]?.message, `GitLab limits requests: waiting ${seconds} s`);
    }
});

test('a limit that lasts too long is an error that says when it ends', async () => {
  await using opened = await open({ limits: { maxWaitMs: 60_000 } });
  gitlab.faults = [{ status: 429, headers: { 'retry-after': '3600' } }];
  for (let times = 1; times <= 2; times++) {
    const { isError, text } = await callTool(opened.client, 'search_repositories', READ);
    assert.equal(isError, true);
    assert.match(text, /accepts the next one at 2026-07-28T13:00:00\.000Z\. Wait until then/);
    assert.equal(gitlab.received.length, 1);
  }
});

test('a read is repeated after a failure, and a change is not', async () => {
  for (const fault of [{ status: 500, body: '<html>Oops' }, { status: 502 }, 'cut'] as const) {
    await using opened = await open();
    gitlab.reset();
    gitlab.faults = [fault, fault];
    assert.equal((await callTool(opened.client, 'search_repositories', READ)).isError, false, JSON.stringify(fault));
    gitlab.received = [];
    gitlab.faults = [fault];
    const { isError, text } = await callTool(opened.client, 'create_issue', WRITE);
    assert.equal(isError, true);
    assert.match(text, fault === 'cut' ? /change may have been made: look before you repeat/ : /problem of its own/);
    assert.equal(gitlab.received.length, 1);
  }
});

test('a service that does not answer, wrong JSON, unexpected values and too many bytes are errors, and no crash', async () => {
  const limits = { retries: 0, maxBytes: 10_000 };
  await using opened = await open({ limits });
  await using hasty = await open({ limits: { ...limits, timeoutMs: 50 } });
  for (const [fault, expected] of [
    ['hang', /no answer within 0\.05 seconds\)\. Try again later/],
    [{ status: 200, body: '[{"id":' }, /not JSON/],
    [{ status: 200, body: '<html>' }, /not JSON/],
    [{ status: 200, body: 'null' }, /something unexpected/],
    [{ status: 200, body: '[{"id":"nine"}]' }, /something unexpected: id/],
    [{ status: 200, body: 'x'.repeat(100_000) }, /more than 10000 bytes\. Ask for a smaller part/],
    [{ status: 301, headers: { location: 'https://elsewhere.example/' } }, /redirects to another site/],
  ] as const) {
    gitlab.faults = [fault];
    const { client } = fault === 'hang' ? hasty : opened;
    const { isError, text } = await callTool(client, 'search_repositories', READ);
    assert.equal(isError, true);
    assert.match(text, expected);
  }
});

test('what has not changed is not transferred again, and a change is seen', async () => {
  await using opened = await open();
  const read = async () => (await callTool(opened.client, 'search_repositories', READ)).text;
  await read();
  await read();
  assert.match(String(gitlab.received[1]!.headers['if-none-match']), /^"[0-9a-f]{40}"$/);
  gitlab.world.projects = [{ ...PROJECT, name: 'Cup' }];
  assert.match(await read(), /"name": "Cup"/);
});

test('cancellation ends the request', async () => {
  await using opened = await open();
  gitlab.faults = ['hang'];
  const canceller = new AbortController();
  gitlab.onRequest = () => {
    canceller.abort();
    return undefined;
  };
  await assert.rejects(opened.client.result('search_repositories', READ, { signal: canceller.signal }));
  assert.equal(gitlab.received.length, 1);
});

test('the token is in no answer, error or trace, even if GitLab repeats it', async () => {
  await using opened = await open();
  for (const fault of [
    refusal(401, { message: `Bad credentials: ${TOKEN}` }),
    refusal(422, { message: { token: [TOKEN] } }),
    { status: 200, body: TOKEN },
    'cut',
  ] as const)
    for (const [name, args] of [
      ['search_repositories', READ],
      ['create_issue', WRITE],
    ] as const) {
      gitlab.faults = Array.from({ length: 3 }, () => fault);
      const { isError, text } = await callTool(opened.client, name, args);
      assert.equal(isError, true);
      assert.ok(!text.includes(TOKEN), text);
      gitlab.faults = [];
    }
  gitlab.world.projects = [{ ...PROJECT, name: `My token is ${TOKEN}` }];
  assert.match((await callTool(opened.client, 'search_repositories', READ)).text, /My token is \[token\]/);
  assert.ok(opened.traced.some((entry) => entry.includes('My token is [token]')));
  // GitLab sends it in Base64.
  gitlab.world.files.set('.env', Buffer.from(`TOKEN=${TOKEN}\n`));
  const file = { project_id: 'ann/tea', file_path: '.env' };
  assert.match((await callTool(opened.client, 'get_file_contents', file)).text, /TOKEN=\[token\]/);
  assert.deepEqual(
    opened.traced.filter((entry) => entry.includes(TOKEN)),
    [],
  );
});
