import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Client, connect } from 'tenon/client';
import { textOf, waysTo } from '../../shared/test/ways.ts';
import { createFetch } from './fetch.ts';

const PAGE = `<!doctype html><html><head><title>On tea</title><script>alert(1)</script></head><body>
<nav><a href="/home">Home</a></nav>
<article><h1>On tea</h1><p>Tea is <b>good</b>, and <a href="/more">there is more</a>. ${'It is drunk all over the world, every day. '.repeat(20)}</p>
<ul><li>green</li><li>black</li></ul><pre><code>boil(water)</code></pre>
<p><a href="javascript:alert(1)">click</a> <img src="/tea.png" alt="a cup"></p></article></body></html>`;

const seen: { readonly url: string; readonly agent: string; readonly headers: IncomingMessage['headers'] }[] = [];
const answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => unknown>> = {
  '/robots.txt': (response) =>
    response
      .setHeader('content-type', 'text/plain')
      .end('User-agent: *\nDisallow: /private\n\nUser-agent: Other\nDisallow: /'),
  '/page': (response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE),
  '/latin': (response) =>
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from('Grüße', 'latin1')),
  '/unlabelled': (response) => response.setHeader('content-type', 'text/plain').end(Buffer.from('Grüße', 'latin1')),
  '/pairs': (response) => response.setHeader('content-type', 'text/plain').end('a🚀b🚀🚀'),
  '/json': (response) => response.setHeader('content-type', 'application/json').end('{"a":1}'),
  '/empty': (response) => response.setHeader('content-type', 'text/html').end('<html><body></body></html>'),
  '/image': (response) => response.setHeader('content-type', 'image/png').end('x'),
  '/private/x': (response) => response.end('private'),
  '/missing': (response) => response.writeHead(404).end('no'),
  '/moved': (response) => response.writeHead(302, { location: '/page' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  // The last segment of the path is the number of redirects to the page.
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((hops) => [
      `/hops/${hops}`,
      (response: ServerResponse) =>
        response.writeHead(302, { location: hops === 1 ? '/json' : `/hops/${hops - 1}` }).end(),
    ]),
  ),
  '/inside': (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/canary': (response) => response.writeHead(302, { location: `http://127.0.0.1:${canaryPort}/` }).end(),
  '/large': (response) => {
    response.setHeader('content-type', 'text/plain');
    const more = (): void => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
  '/bomb': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(200 * 1024 * 1024))),
  '/nested': (response) =>
    response.setHeader('content-type', 'text/html').end(`<html><body>${'<div>'.repeat(3_000)}deep`),
  '/packed': (response) =>
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('unpacked')),
  '/slow': (response) => {
    response.setHeader('content-type', 'text/plain').write('x');
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  },
};
const site = createServer((request, response) => {
  const url = request.url ?? '/';
  seen.push({ url, agent: String(request.headers['user-agent']), headers: request.headers });
  (answers[url] ?? answers['/missing']!)(response, request);
}).listen(0, '127.0.0.1');
let touched = 0;
const canary = createServer((_, response) => {
  touched++;
  response.end('the secret inside');
}).listen(0, '127.0.0.1');
for (const server of [site, canary]) {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
}
const sitePort = (site.address() as AddressInfo).port;
const canaryPort = (canary.address() as AddressInfo).port;
function at(path: string): string {
  return `http://127.0.0.1:${sitePort}${path}`;
}
const hosts = [`127.0.0.1:${sitePort}`];

async function call(client: Client, args: Record<string, unknown>): Promise<string> {
  return textOf((await client.result('fetch', args)) as never);
}

test('a page is returned as Markdown of its main part, with absolute links and without script links', async () => {
  await using client = await connect(createFetch({ hosts }));
  const text = await call(client, { url: at('/page'), max_length: 50_000 });
  assert.ok(text.startsWith(`Contents of ${at('/page')}:\n# On tea`), text.slice(0, 200));
  assert.match(text, /Tea is \*\*good\*\*/);
  assert.ok(text.includes(`[there is more](${at('/more')})`));
  assert.ok(text.includes(`![a cup](${at('/tea.png')})`));
  assert.match(text, /- {1,3}green/);
  assert.match(text, /boil\(water\)/);
  assert.doesNotMatch(text, /javascript:|alert/);
  assert.match(await call(client, { url: at('/page'), raw: true, max_length: 50_000 }), /<article>/);
});

test('a part never ends within a character, and no character is lost', async () => {
  await using client = await connect(createFetch({ hosts }));
  for (const max_length of [1, 2, 3]) {
    let text = '';
    for (let start: number | undefined = 0; start !== undefined;) {
      const part = await call(client, { url: at('/pairs'), max_length, start_index: start });
      const [, content = '', next] = /:\n(\S*)(?:\n\n<error>.*start_index of (\d+).*)?$/s.exec(part)!;
      assert.doesNotMatch(content, /\p{Surrogate}/u, part);
      text += content;
      start = next === undefined ? undefined : Number(next);
    }
    assert.equal(text, 'a🚀b🚀🚀');
  }
});

test('a page whose charset is uncertain gets a note that says how it was read', async () => {
  await using client = await connect(createFetch({ hosts }));
  assert.match(
    await call(client, { url: at('/unlabelled') }),
    /^\(The page does not say its charset, .*windows-1252\.\)\nContents of .*:\nGrüße$/,
  );
});

test('a long page is returned in consecutive parts', async () => {
  await using client = await connect(createFetch({ hosts }));
  const whole = (await call(client, { url: at('/page'), max_length: 50_000 })).split(':\n').slice(1).join(':\n');
  let start = 0;
  let text = '';
  for (let turn = 0; turn < 50; turn++) {
    const part = (await call(client, { url: at('/page'), max_length: 100, start_index: start })).replace(
      `Contents of ${at('/page')}:\n`,
      '',
    );
    const [, content = part, next] = /^([\s\S]*)\n\n<error>.*start_index of (\d+)/.exec(part) ?? [];
    text += content;
    if (next === undefined) break;
    start = Number(next);
  }
  assert.equal(text, whole);
  assert.match(await call(client, { url: at('/page'), start_index: 100_000 }), /No more content available/);
});

test('text that is not HTML is returned unchanged, and other content is rejected', async () => {
  await using client = await connect(createFetch({ hosts }));
  assert.equal(
    await call(client, { url: at('/json') }),
    `Content type application/json cannot be simplified to markdown, but here is the raw content:\nContents of ${at('/json')}:\n{"a":1}`,
  );
  assert.match(await call(client, { url: at('/latin') }), /Grüße/);
  assert.match(await call(client, { url: at('/packed') }), /unpacked/);
  assert.match(await call(client, { url: at('/empty') }), /failed to be simplified/);
  for (const [path, message] of [
    ['/image', /is not text, but image\/png/],
    ['/missing', /status code 404/],
    ['/loop', /more than 5 redirects/],
  ] as const)
    await assert.rejects(client.call('fetch', { url: at(path) }), message);
  assert.match(await call(client, { url: at('/moved') }), /Tea is/);
});

test('a page that robots.txt disallows can be read only by the user', async () => {
  await using client = await connect(createFetch({ hosts }));
  await assert.rejects(client.call('fetch', { url: at('/private/x') }), /robots\.txt/);
  const { messages } = await client.prompt('fetch', { url: at('/private/x') });
  assert.match(JSON.stringify(messages), /private/);
  assert.match(seen.filter(({ url }) => url === '/private/x').at(-1)!.agent, /User-Specified/);
  await call(client, { url: at('/json') });
  assert.match(seen.at(-1)!.agent, /Autonomous/);
  await using other = await connect(createFetch({ hosts, userAgent: 'Other' }));
  await assert.rejects(other.call('fetch', { url: at('/json') }), /robots\.txt/);
  await using free = await connect(createFetch({ hosts, ignoreRobots: true }));
  assert.match(await call(free, { url: at('/private/x') }), /private/);
});

test('five redirects are followed, and a sixth is not', async () => {
  await using client = await connect(createFetch({ hosts }));
  assert.match(await call(client, { url: at('/hops/5') }), /"a":1/);
  const before = seen.length;
  await assert.rejects(client.call('fetch', { url: at('/hops/6') }), /more than 5 redirects/);
  const asked = seen.slice(before).flatMap(({ url }) => (url.startsWith('/hops/') ? [url] : []));
  assert.deepEqual(asked, ['/hops/6', '/hops/5', '/hops/4', '/hops/3', '/hops/2', '/hops/1']);
});

test('[A-96] only the internet is reached, however a URL is spelled, and also by redirects', async () => {
  await using client = await connect(createFetch({ hosts }));
  const port = canaryPort;
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    'http://169.254.169.254/latest',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fd00::1]/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    `http://ann:secret@127.0.0.1:${sitePort}/page`,
  ])
    await assert.rejects(client.call('fetch', { url }), { name: 'ToolError' }, url);
  for (const url of [
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'ftp://127.0.0.1/',
    'data:text/plain,x',
    'javascript:1',
    'x',
  ])
    await assert.rejects(client.call('fetch', { url }), { name: 'ToolError' }, url);
  for (const path of ['/inside', '/file', '/canary']) {
    await assert.rejects(client.call('fetch', { url: at(path) }), { name: 'ToolError' }, path);
    await assert.rejects(client.prompt('fetch', { url: at(path) }));
  }
  assert.equal(touched, 0);
  assert.ok(seen.every(({ headers }) => headers.authorization === undefined && headers.cookie === undefined));
});

test('[A-96] endless responses and decompression bombs are cut off; slow ones can be cancelled', async () => {
  await using client = await connect(createFetch({ hosts }));
  const before = process.memoryUsage().rss;
  for (const path of ['/large', '/bomb'])
    await assert.rejects(client.call('fetch', { url: at(path) }), /more than 5242880 bytes/);
  assert.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024);
  const abort = new AbortController();
  const steps: number[] = [];
  await assert.rejects(
    client.call(
      'fetch',
      { url: at('/slow') },
      {
        signal: abort.signal,
        onProgress: ({ progress }) => {
          steps.push(progress);
          if (steps.length === 3) abort.abort();
        },
      },
    ),
    { name: 'AbortError' },
  );
  assert.deepEqual(steps, [1, 2, 3]);
});

test('a page that is slow to convert does not delay other calls', async () => {
  const started = once(process, 'worker');
  await using client = await connect(createFetch({ hosts }));
  const cancelling = new AbortController();
  const nested = client.call('fetch', { url: at('/nested'), max_length: 100 }, { signal: cancelling.signal });
  let isOver = false;
  void nested.finally(() => (isOver = true)).catch(() => {});
  await started;
  await client.ping();
  assert.match(await call(client, { url: at('/json') }), /"a":1/);
  assert.equal(isOver, false);
  // The case without cancellation is in simplify.test.ts.
  cancelling.abort();
  await assert.rejects(nested, { name: 'AbortError' });
});

const { ways, stop } = waysTo({ name: 'fetch', args: ['--allow-host', hosts[0]!] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.deepEqual(await client.tools(), ['fetch']);
    assert.match(textOf(await client.call('fetch', { url: at('/page') })), /Tea is/);
    assert.equal((await client.call('fetch', { url: `http://127.0.0.1:${canaryPort}/` })).isError, true);
    await client.close();
  });

test('the built package simplifies pages, in its separate file', async () => {
  const bin = fileURLToPath(new URL('../bin/server-fetch.js', import.meta.url));
  const { port } = site.address() as AddressInfo;
  await using client = await connect({
    command: process.execPath,
    args: [bin, '--ignore-robots-txt', '--allow-host', `127.0.0.1:${port}`],
  });
  const answer = await client.result('fetch', { url: `http://127.0.0.1:${port}/page` });
  assert.match(textOf(answer as never), /Tea is \*\*good\*\*/);
});
