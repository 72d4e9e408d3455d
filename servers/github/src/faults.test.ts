// What the server does when GitHub refuses, fails or limits requests.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { connect, type Progress } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import type { ApiClock } from '../../shared/api/clock.ts';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import type { Fault } from '../../shared/test/api/stand-in.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { createStandIn } from './fixtures/stand-in.ts';
import { createGithub, type GithubOptions } from './github.ts';

const TOKEN = 'ghp_theSecretOfAnn123';
const READ = { owner: 'ann', repo: 'tea', issue_number: 1 };
const WRITE = { owner: 'ann', repo: 'tea', title: 'Hot' };

const github = createStandIn();
await github.start();
after(() => github.stop());
beforeEach(() => github.reset());

async function open(options: GithubOptions = {}) {
  const { clock, total } = quickClock();
  const traced: string[] = [];
  const client = await connect(createGithub({ url: github.url, token: TOKEN, clock, ...options }), {
    onTrace: (entry) => void traced.push(JSON.stringify(entry)),
  });
  return { client, total, traced, [Symbol.asyncDispose]: () => client.close() };
}

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return { status, headers, body: JSON.stringify({ message, documentation_url: 'https://docs.github.example' }) };
}

test('a refusal says what happened and what to do, and is not repeated', async () => {
  await using opened = await open();
  for (const [fault, expected] of [
    [
      refusal(401, 'Bad credentials'),
      /401 to GET \/repos\/ann\/tea\/issues\/1: Bad credentials\. The token is missing, wrong or expired/,
    ],
    [
      refusal(403, 'Resource not accessible', { 'x-accepted-github-permissions': 'issues=read' }),
      /does not permit this\. This needs a token with: issues=read\./,
    ],
    [refusal(404, 'Not Found'), /Check the spelling/],
    [refusal(410, 'This issue was deleted'), /This issue was deleted\. It was deleted/],
  ] as const) {
    github.faults = [fault];
    github.received = [];
    const { isError, text } = await callTool(opened.client, 'get_issue', READ);
    assert.equal(isError, true);
    assert.match(text, expected);
    assert.equal(github.received.length, 1);
  }
});

test('the details of a rejected change reach the model', async () => {
  await using opened = await open();
  const errors = [{ resource: 'Issue', field: 'title', code: 'missing_field' }, { message: 'Too many labels' }];
  github.faults = [{ status: 422, body: JSON.stringify({ message: 'Validation Failed', errors }) }];
  const { text } = await callTool(opened.client, 'create_issue', WRITE);
  assert.match(
    text,
    /Validation Failed; Issue title missing_field; Too many labels\. The service rejects these values/,
  );
  github.faults = [refusal(409, 'Conflict')];
  assert.match((await callTool(opened.client, 'create_issue', WRITE)).text, /409 .*Read it again/);
});

test('every kind of limit is waited for with progress, also by calls that change something', async () => {
  const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  const inTwoMinutes = String(Date.parse('2026-07-28T12:02:00Z') / 1_000);
  for (const [fault, seconds] of [
    [refusal(429, 'Slow down', { 'retry-after': '30' }), 30],
    [refusal(429, 'Slow down', { 'retry-after': 'Tue, 28 Jul 2026 12:00:45 GMT' }), 45],
    [refusal(429, 'Slow down'), 60],
    [refusal(403, secondary, { 'retry-after': '90' }), 90],
    [refusal(403, secondary), 60],
    [refusal(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inTwoMinutes }), 120],
    [refusal(503, 'Maintenance', { 'retry-after': '20' }), 20],
  ] as const)
    for (const [name, args] of [
      ['get_issue', READ],
      ['create_issue', WRITE],
    ] as const) {
      await using opened = await open();
      github.reset();
      github.faults = [fault];
      const reports: Progress[] = [];
      const { isError, text } = await callTool(opened.client, name, args, {
        onProgress: (report) => reports.push(report),
      });
      assert.equal(isError, false, text);
      assert.equal(opened.total(), seconds * 1_000);
      assert.equal(github.received.length, 2);
      assert.equal(reports[0]?.message, `GitHub limits requests: waiting ${seconds} s`);
      assert.ok(reports.every(({ progress }, at) => at === 0 || progress > reports[at - 1]!.progress));
    }
});

test('repeated secondary limits are waited for longer each time', async () => {
  await using opened = await open();
  github.faults = [refusal(403, 'secondary rate limit'), refusal(403, 'secondary rate limit')];
  assert.equal((await callTool(opened.client, 'get_issue', READ)).isError, false);
  assert.equal(opened.total(), 60_000 + 120_000);
});

test('a limit that lasts too long is an error that says when it ends, and later calls do not send requests until then', async () => {
  await using opened = await open({ limits: { maxWaitMs: 60_000 } });
  github.faults = [refusal(429, 'Slow down', { 'retry-after': '3600' })];
  for (let call = 1; call <= 2; call++) {
    const { isError, text } = await callTool(opened.client, 'get_issue', READ);
    assert.equal(isError, true);
    assert.match(text, /accepts the next one at 2026-07-28T13:00:00\.000Z\. Wait until then/);
    assert.equal(github.received.length, 1);
  }
  // Searches have a limit of their own.
  assert.equal((await callTool(opened.client, 'search_users', { q: 'ann' })).isError, false);
});

test('a read is repeated after a failure, and a change is not', async () => {
  const server: Fault = { status: 500, body: '<html>Oops' };
  for (const fault of [server, { status: 502 }, 'cut'] as const) {
    await using opened = await open();
    github.reset();
    github.faults = [fault, fault];
    assert.equal((await callTool(opened.client, 'get_issue', READ)).isError, false, JSON.stringify(fault));
    github.faults = [fault, fault, fault];
    assert.equal((await callTool(opened.client, 'get_issue', { ...READ, issue_number: 2 })).isError, true);
    github.received = [];
    github.faults = [fault];
    const { isError, text } = await callTool(opened.client, 'create_issue', WRITE);
    assert.equal(isError, true);
    assert.match(text, fault === 'cut' ? /change may have been made: look before you repeat/ : /problem of its own/);
    assert.equal(github.received.length, 1);
  }
});

test('a service that does not answer is an error after the time limit', async () => {
  await using opened = await open({ limits: { timeoutMs: 50, retries: 0 } });
  github.faults = ['hang'];
  assert.match(
    (await callTool(opened.client, 'get_issue', READ)).text,
    /no answer within 0\.05 seconds\)\. Try again later/,
  );
});

test('wrong JSON and unexpected values are errors, and no crash', async () => {
  await using opened = await open();
  for (const [body, expected] of [
    ['{"id":', /not JSON/],
    ['<html>', /not JSON/],
    ['null', /something unexpected/],
    ['[]', /something unexpected/],
    ['{"id":1,"number":"one"}', /something unexpected: number/],
    ['', /something unexpected/],
  ] as const) {
    github.faults = [{ status: 200, body }];
    const { isError, text } = await callTool(opened.client, 'get_issue', READ);
    assert.equal(isError, true);
    assert.match(text, expected, body);
  }
});

test('an answer that is too large is an error before it is read whole', async () => {
  await using opened = await open({ limits: { maxBytes: 10_000 } });
  github.faults = [{ status: 200, body: 'x'.repeat(1_000_000) }];
  assert.match(
    (await callTool(opened.client, 'get_issue', READ)).text,
    /more than 10000 bytes\. Ask for a smaller part/,
  );
});

test('the result of a change that is too long for clients says that the change was made', async () => {
  await using opened = await open();
  const issue = { ...github.world.issues[0], number: 2, body: 'x'.repeat(3_000_000) };
  github.faults = [{ status: 201, body: JSON.stringify(issue) }];
  const made = await callTool(opened.client, 'create_issue', WRITE);
  assert.equal(made.isError, true);
  assert.match(made.text, /would have 30\d+ characters\. The change was made: do not repeat it\.$/);
  github.faults = [{ status: 200, body: JSON.stringify(issue) }];
  assert.match((await callTool(opened.client, 'get_issue', READ)).text, /characters\. Ask for less/);
});

test('a redirect to another site is not followed, and one within the site is, but not for a change', async () => {
  await using opened = await open();
  let touched = 0;
  const other = createStandIn();
  await other.start();
  other.onAnswer = () => touched++;
  const to = (location: string, status = 301): Fault => ({ status, headers: { location } });
  github.faults = [to(`${other.url}/repos/ann/tea/issues/1`)];
  assert.match((await callTool(opened.client, 'get_issue', READ)).text, /redirects to another site/);
  github.faults = [to('/repos/ann/tea/issues/2')];
  assert.match((await callTool(opened.client, 'get_issue', READ)).text, /Ignore all previous/);
  github.faults = [to('/repos/ann/tea/issues')];
  assert.match((await callTool(opened.client, 'create_issue', WRITE)).text, /moved to .*Nothing was changed/);
  other.stop();
  assert.equal(touched, 0);
});

test('a cancelled call ends at once, while it waits for an answer or for a limit', async () => {
  const waiting = Promise.withResolvers<void>();
  const clock: ApiClock = {
    now: () => 0,
    sleep: (_, signal) => {
      waiting.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  };
  await using opened = await open({ clock });
  for (const fault of ['hang', refusal(429, 'Slow', { 'retry-after': '60' })] as const) {
    github.reset();
    github.faults = [fault];
    const canceller = new AbortController();
    const call = opened.client.result('get_issue', READ, { signal: canceller.signal });
    if (fault !== 'hang') await waiting.promise;
    else await until(() => github.received.length > 0, 'the request has come');
    canceller.abort();
    await assert.rejects(call);
  }
});

test('the token is in no answer, error or trace, even if GitHub repeats it', async () => {
  await using opened = await open();
  for (const fault of [
    refusal(401, `Bad credentials: ${TOKEN}`),
    refusal(422, `Header was: Bearer ${TOKEN}`),
    { status: 200, body: TOKEN },
    'cut',
  ] as const)
    for (const [name, args] of [
      ['get_issue', READ],
      ['create_issue', WRITE],
    ] as const) {
      github.faults = Array.from({ length: 3 }, () => fault);
      const { isError, text } = await callTool(opened.client, name, args);
      assert.equal(isError, true);
      assert.ok(!text.includes(TOKEN), text);
      github.faults = [];
    }
  github.world.issues = [{ ...github.world.issues[0], title: `My token is ${TOKEN}` }];
  const { text } = await callTool(opened.client, 'get_issue', READ);
  assert.match(text, /My token is \[token\]/);
  // GitHub sends it in Base64.
  github.world.files.set('.env', Buffer.from(`TOKEN=${TOKEN}\n`));
  const file = { owner: 'ann', repo: 'tea', path: '.env' };
  assert.match((await callTool(opened.client, 'get_file_contents', file)).text, /TOKEN=\[token\]/);
  assert.ok(opened.traced.some((entry) => entry.includes('My token is [token]')));
  assert.deepEqual(
    opened.traced.filter((entry) => entry.includes(TOKEN)),
    [],
  );
});
