import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SandboxAnswer } from '../api/views.ts';
import { type Answered, ask, type Opened, openWeb } from './fixtures/web-client.ts';

let opened: Opened;
let sandbox: SandboxAnswer;
let port: number;
let page: string;

before(async () => {
  opened = await openWeb();
  sandbox = JSON.parse((await opened.get('/api/sandbox')).text) as SandboxAnswer;
  port = Number(new URL(sandbox.origin).port);
  page = `http://127.0.0.1:${opened.web.port}`;
});
after(() => opened.end());

function frame(query: string, headers: Record<string, string> = {}): Promise<Answered> {
  return ask(port, { path: `/frame?${query}`, headers });
}

function directives({ headers }: Answered): Map<string, string> {
  return new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0]!, directive.slice(directive.indexOf(' ') + 1)]),
  );
}

test('the frame is at another origin, which only the page may embed', async () => {
  assert.notEqual(port, opened.web.port);
  assert.equal(sandbox.frame, `${sandbox.origin}/frame?page=${encodeURIComponent(page)}`);
  const answer = await ask(port, { path: new URL(sandbox.frame).pathname + new URL(sandbox.frame).search });
  assert.equal(answer.status, 200);
  assert.equal(directives(answer).get('frame-ancestors'), page);
  const policy = String((await ask(opened.web.port, {})).headers['content-security-policy']);
  assert.match(policy, new RegExp(`frame-src ${sandbox.origin};`));
});

test('without a declaration HTML of servers may load nothing from anywhere (APPS-12)', async () => {
  const policy = directives(await frame(`page=${page}`));
  assert.deepEqual(Object.fromEntries(policy), {
    'default-src': "'none'",
    'script-src': "'self' 'unsafe-inline'",
    'style-src': "'unsafe-inline'",
    'img-src': 'data: blob:',
    'media-src': 'data: blob:',
    'font-src': 'data:',
    'connect-src': "'none'",
    'frame-src': "'none'",
    'base-uri': "'none'",
    'object-src': "'none'",
    'form-action': "'none'",
    'frame-ancestors': page,
  });
});

test('declared origins are allowed for their declared purpose (APPS-11)', async () => {
  const policy = directives(
    await frame(
      `page=${page}&connect=https://api.example&connect=wss://live.example:8443&resource=https://*.cdn.example`,
    ),
  );
  assert.equal(policy.get('connect-src'), 'https://api.example wss://live.example:8443');
  assert.equal(policy.get('img-src'), 'data: blob: https://*.cdn.example');
  assert.equal(policy.get('script-src'), "'self' 'unsafe-inline' https://*.cdn.example");
  assert.equal(policy.get('frame-src'), "'none'");
});

test('an invalid origin is not written into a policy (APPS-13)', async () => {
  for (const origin of [
    '*',
    'https:',
    'https://*',
    "'unsafe-eval'",
    'https://a; script-src *',
    'https://a https://b',
    'https://a,https://b',
    'https://a/path',
    'https://user@a',
    'data:',
    'javascript:alert(1)',
    'https://a\r\nX: y',
    '',
  ]) {
    const answer = await frame(`page=${page}&connect=${encodeURIComponent(origin)}`);
    assert.equal(answer.status, 400, origin);
    assert.ok(!answer.text.includes('frame.js'));
  }
  assert.equal((await frame(`page=${page}${'&frame=https://a'.repeat(33)}`)).status, 400);
});

test('the frame is only for pages of this inspector, under one host name, and only as a frame', async () => {
  for (const other of ['https://evil.example', `http://127.0.0.1:${port}`, '', '*', 'null'])
    assert.equal((await frame(`page=${encodeURIComponent(other)}`)).status, 403, other);
  assert.equal((await frame('')).status, 403);
  assert.equal((await frame(`page=http://localhost:${opened.web.port}`)).status, 200);
  for (const host of [`localhost:${port}`, `evil.example:${port}`, `127.0.0.1:${opened.web.port}`])
    assert.equal((await frame(`page=${page}`, { host })).status, 403, host);
  assert.equal((await frame(`page=${page}`, { 'sec-fetch-dest': 'document' })).status, 404);
  assert.equal((await ask(port, { path: '/frame.js', headers: { 'sec-fetch-dest': 'iframe' } })).status, 404);
  assert.equal((await ask(port, { method: 'POST', path: `/frame?page=${page}` })).status, 405);
});

test('the origin of the frame serves nothing of the inspector', async () => {
  for (const path of ['/', '/index.html', '/api/state', '/api/session', '/assets/index-DiwrgTda.js', '/frame/'])
    assert.equal((await ask(port, { path, headers: { cookie: opened.cookie } })).status, 404, path);
});
