// What the server does when Drive refuses, fails or limits requests.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type CallOptions, type Client, connect, type Progress } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import type { Fault } from '../../shared/test/api/stand-in.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { createLoginFiles, storeLogin } from './fixtures/login.ts';
import { createStandIn, fault } from './fixtures/stand-in.ts';
import { createGdrive, type GdriveOptions } from './gdrive.ts';
import { googleAt } from './google.ts';

const drive = createStandIn();
await drive.start();
const files = createLoginFiles();
storeLogin(files);
after(() => {
  drive.stop();
  files.remove();
});
beforeEach(() => drive.reset());

function open(options: Partial<GdriveOptions> = {}): Promise<Client> {
  return connect(createGdrive({ files, google: googleAt(drive.url), clock: quickClock(Date.now()).clock, ...options }));
}

function search(client: Client, options: CallOptions = {}) {
  return callTool(client, 'search', { query: 'tea' }, options);
}

test('a refusal says what happened and what to do, and is not repeated', async () => {
  await using client = await open();
  for (const [refused, expected] of [
    [
      fault(403, 'insufficientPermissions', 'Insufficient Permission'),
      /403.*Insufficient Permission.*does not include the files of Drive.*gdrive auth/,
    ],
    [fault(403, 'accessNotConfigured', 'Enable it by visiting https://console.example'), /Enable it by visiting/],
    [fault(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'), /Daily Limit Exceeded/],
    [fault(404, 'notFound', 'File not found: x.'), /404.*File not found: x\. It does not exist/],
    [fault(409, 'conflict'), /answered 409/],
    [fault(422, 'invalid'), /answered 422/],
    [{ status: 403, body: '<html>' }, /does not permit/],
    [{ status: 403, body: '{"error":null}' }, /does not permit/],
    [{ status: 403, body: '{"error":{"errors":[null]}}' }, /does not permit/],
    [{ status: 200, body: '{"files":' }, /not JSON/],
    [{ status: 200, body: '{"files":[{"id":7}]}' }, /something unexpected: files\.0\.id/],
  ] as readonly (readonly [Fault, RegExp])[]) {
    drive.faults = [refused];
    drive.received = [];
    const { isError, text } = await search(client);
    assert.equal(isError, true);
    assert.match(text, expected);
    assert.equal(drive.received.length, 1);
  }
});

test('each kind of limit is waited for with progress, up to a deadline', async () => {
  for (const [limited, seconds] of [
    [fault(403, 'userRateLimitExceeded'), 1],
    [fault(403, 'rateLimitExceeded'), 1],
    [fault(429, 'rateLimitExceeded'), 1],
    [{ status: 429, headers: { 'retry-after': '30' } }, 30],
    [{ status: 503, headers: { 'retry-after': '30' } }, 30],
  ] as readonly (readonly [Fault, number])[]) {
    const { clock, total } = quickClock(Date.now());
    await using client = await open({ clock });
    drive.faults = [limited];
    const reports: Progress[] = [];
    const { isError, text } = await search(client, { onProgress: (report) => reports.push(report) });
    assert.equal(isError, false, text);
    assert.equal(total(), seconds * 1_000);
    assert.equal(reports[0]?.message, `Google Drive limits requests: waiting ${seconds} s`);
  }
  await using client = await open({ limits: { maxWaitMs: 10_000 } });
  drive.faults = [{ status: 429, headers: { 'retry-after': '3600' } }];
  assert.match((await search(client)).text, /Wait until then/);
});

test('a failure is repeated twice, a slow answer is an error, and a cancelled call ends at once', async () => {
  for (const failure of [{ status: 502 }, { status: 500 }, 'cut'] as const) {
    await using client = await open();
    drive.faults = [failure, failure];
    assert.equal((await search(client)).isError, false);
    drive.faults = [failure, failure, failure];
    assert.equal((await search(client)).isError, true);
  }
  await using client = await open({ limits: { timeoutMs: 50, retries: 0 } });
  drive.faults = ['hang'];
  assert.match((await search(client)).text, /no answer within 0\.05 seconds/);
  await using patient = await open();
  drive.faults = ['hang'];
  drive.received = [];
  const canceller = new AbortController();
  const waiting = patient.result('search', { query: 'tea' }, { signal: canceller.signal });
  await until(() => drive.received.length > 0);
  canceller.abort();
  await assert.rejects(waiting);
});

test('too large answers are errors', async () => {
  await using client = await open({ limits: { maxBytes: 1_000 } });
  drive.faults = [{ status: 200, body: 'x'.repeat(1_001) }];
  assert.match((await search(client)).text, /more than 1000 bytes/);
});
