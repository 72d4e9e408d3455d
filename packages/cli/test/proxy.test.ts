import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect as connectSocket, createServer as createSocketServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TraceLine } from '@tenon/inspector/trace';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { untilOpen } from './ports.ts';
import { failureIn, tenon, TENON } from './run-tenon.ts';
import { linesOf } from './traces.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon proxy '));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const node = process.execPath;

interface Proxied {
  readonly url: string;
  readonly origin: string;
  readonly file: string;
  stderr(): string;
  /** Stops it as Ctrl-C does, and returns the trace. */
  end(): Promise<TraceLine[]>;
}

async function proxied(target: string, ...options: readonly string[]): Promise<Proxied> {
  const file = join(folder, `${++count}.mcptrace`);
  const child = spawn(node, [TENON, 'proxy', '-o', file, ...options, target], { stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'close').then(() => assert.fail(stderr)),
  ])) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  return {
    url,
    origin: new URL(url).origin,
    file,
    stderr: () => stderr,
    async end() {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      assert.deepEqual(await closed, [0, null]);
      return linesOf(file);
    },
  };
}

/** An HTTP server for a test. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TCP proxy that stores every byte. */
async function teeing(port: number) {
  const kept: { sent: Buffer[]; got: Buffer[] } = { sent: [], got: [] };
  const server = createSocketServer((socket) => {
    const other = connectSocket(port, '127.0.0.1');
    socket.on('data', (chunk: Buffer) => kept.sent.push(chunk)).pipe(other);
    other.on('data', (chunk: Buffer) => kept.got.push(chunk)).pipe(socket);
    for (const each of [socket, other]) {
      each.on('error', () => {});
      each.on('close', () => (socket.destroy(), other.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => Buffer.concat(kept.sent).toString(),
    got: () => Buffer.concat(kept.got).toString(),
  };
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The official server over HTTP. */
async function everything(mode: 'streamableHttp' | 'sse'): Promise<number> {
  const port = await freePort();
  const file = join(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
    '../dist/index.js',
  );
  const child = spawn(node, [file, mode], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  after(() => child.kill('SIGKILL'));
  await untilOpen(port);
  return port;
}

async function officialClient(transport: 'streamable' | 'sse', url: string) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const { CreateMessageRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const client = new Client({ name: 'a client', version: '1' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled: ü' },
  }));
  const wire =
    transport === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
  await client.connect(wire as Parameters<typeof client.connect>[0]);
  return { client, wire };
}

function messagesOf(lines: readonly TraceLine[], from: string): TraceLine[] {
  return lines.filter((line) => line.kind === 'message' && line.from === from);
}

/** Follows the causes of a line in the trace. */
function causesOf(lines: readonly TraceLine[], line: TraceLine): string[] {
  const cause = lines.find(({ n, session }) => n === line.cause && session === line.session);
  return cause === undefined ? [] : [cause.http?.part ?? cause.kind, ...causesOf(lines, cause)];
}

test('between the official client and server everything is forwarded, and every message is recorded unchanged', async () => {
  const tee = await teeing(await everything('streamableHttp'));
  const proxy = await proxied(`http://127.0.0.1:${tee.port}/mcp`);
  assert.match(proxy.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const { client, wire } = await officialClient('streamable', proxy.url);
  const progress: number[] = [];
  assert.ok((await client.listTools()).tools.length > 5);
  await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }, undefined, {
    onprogress: ({ progress: at }) => progress.push(at),
  });
  const sampled = await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'ü', maxTokens: 5 } });
  assert.match(JSON.stringify(sampled), /sampled: ü/);
  assert.deepEqual(progress, [1, 2]);
  await (wire as { terminateSession?(): Promise<void> }).terminateSession?.();
  await client.close();
  const lines = await proxy.end();

  const [fromClient, fromServer] = [messagesOf(lines, 'client'), messagesOf(lines, 'server')];
  for (const { text } of fromClient) assert.ok(tee.sent().includes(text), text);
  for (const { text } of fromServer) assert.ok(tee.got().includes(text), text);
  const rpc = (text: string): number => text.split('"jsonrpc":"2.0"').length - 1;
  assert.equal(fromClient.length, rpc(tee.sent()));
  assert.equal(fromServer.length, rpc(tee.got()));

  for (const line of fromServer) {
    const causes = causesOf(lines, line);
    assert.match(causes.join(' '), /^(?:event|answer) request(?: message)?$/, line.text);
  }
  const requests = lines.filter(({ http }) => http?.part === 'request');
  assert.deepEqual(
    requests.map(({ http }) => http!.exchange),
    requests.map((_, at) => at + 1),
  );
  for (const line of requests) {
    const carried = line.http!.method === 'POST' ? ['message'] : [];
    assert.deepEqual(causesOf(lines, line).slice(0, 1), carried, line.text);
    const ends = lines.filter(({ http }) => http?.part === 'end' && http.exchange === line.http!.exchange);
    assert.equal(ends.length, 1, line.text);
  }
  assert.deepEqual([...new Set(lines.map(({ session }) => session))], ['127.0.0.1']);
  assert.deepEqual(lines[0]!.about, {
    name: '127.0.0.1',
    transport: 'http',
    target: `http://127.0.0.1:${tee.port}/mcp`,
    recorder: 'tap',
  });
  const id = /mcp-session-id: (\S+)/i.exec(tee.got())![1]!;
  assert.equal(readFileSync(proxy.file, 'utf8').includes(id), false);
});

test('each session of a legacy client is a session of the trace', async () => {
  const proxy = await proxied(`http://127.0.0.1:${await everything('streamableHttp')}/mcp`);
  const [one, two] = await Promise.all([
    officialClient('streamable', proxy.url),
    officialClient('streamable', proxy.url),
  ]);
  await two.client.callTool({ name: 'echo', arguments: { message: 'from two' } });
  await one.client.callTool({ name: 'echo', arguments: { message: 'from one' } });
  await Promise.all([one.client.close(), two.client.close()]);
  const lines = await proxy.end();
  const sessionsWith = (text: string): string[] => [
    ...new Set(lines.filter((line) => line.text.includes(text)).map(({ session }) => session)),
  ];
  const [first, second] = [sessionsWith('from one'), sessionsWith('from two')];
  assert.deepEqual([first.length, second.length], [1, 1]);
  assert.notDeepEqual(first, second);
  assert.deepEqual([...first, ...second].sort(), ['127.0.0.1', '127.0.0.1-2']);
  for (const session of [...first, ...second]) {
    const own = messagesOf(lines, 'client').filter((line) => line.session === session);
    assert.match(own[0]!.text, /"initialize"/);
    assert.equal(own.filter(({ text }) => text.includes('"initialize"')).length, 1);
  }
});

test('HTTP with SSE is recorded, too: the messages of a session belong to its stream', async () => {
  const proxy = await proxied(`http://127.0.0.1:${await everything('sse')}/sse`);
  const [one, two] = await Promise.all([officialClient('sse', proxy.url), officialClient('sse', proxy.url)]);
  await one.client.callTool({ name: 'echo', arguments: { message: 'from one' } });
  await two.client.callTool({ name: 'echo', arguments: { message: 'from two' } });
  await Promise.all([one.client.close(), two.client.close()]);
  const lines = await proxy.end();
  for (const name of ['one', 'two']) {
    const own = lines.filter(({ kind, text }) => kind === 'message' && text.includes(`from ${name}`));
    assert.deepEqual(
      own.map(({ from }) => from),
      ['client', 'server'],
    );
    assert.equal(own[0]!.session, own[1]!.session);
  }
  assert.equal(new Set(lines.map(({ session }) => session)).size, 2);
  assert.ok(lines.some(({ http, text }) => http?.event?.name === 'endpoint' && text.endsWith('/message?…')));
});

test('modern clients and servers work through it', async () => {
  const { server, tool } = await import('tenon');
  const { serveHttp } = await import('tenon/node');
  const { connect } = await import('tenon/client');
  const app = server({
    name: 'modern',
    version: '1',
    tools: { hello: tool({ description: 'Says hello' }, () => 'hello') },
  });
  const served = await serveHttp(app, { port: 0 });
  after(() => served.close());
  const proxy = await proxied(served.url);
  const client = await connect(proxy.url, { revision: '2026-07-28' });
  assert.equal(await client.call('hello'), 'hello');
  await client.close();
  const lines = await proxy.end();
  const call = lines.find(({ http }) => http?.headers?.['mcp-method'] === 'tools/call')!;
  assert.equal(call.http!.headers!['mcp-name'], 'hello');
  assert.equal(call.http!.headers!['host'], new URL(proxy.url).host);
  assert.equal(new Set(lines.map(({ session }) => session)).size, 1);
});

test('streams and request bodies are forwarded as they arrive', async () => {
  const got: [number, string][] = [];
  const origin = await serving((incoming, outgoing) => {
    incoming.on('data', (chunk) => got.push([performance.now(), String(chunk)]));
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (incoming.method === 'GET') return outgoing.flushHeaders();
    outgoing.write('data: {"jsonrpc":"2.0","method":"first"}\n\n');
    return incoming.on('end', () => outgoing.end('data: {"jsonrpc":"2.0","method":"last"}\n\n'));
  });
  const proxy = await proxied(`${origin}/mcp`);
  const outgoing = request(proxy.url, { method: 'POST' });
  outgoing.write('{"jsonrpc":"2.0",');
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const [first] = (await once(answer, 'data')) as [Buffer];
  assert.match(String(first), /first/);
  const parted = performance.now();
  outgoing.end('"method":"x"}');
  assert.match(await bodyOf(answer), /last/);
  assert.ok(got[0]![0] < parted && got[0]![1] === '{"jsonrpc":"2.0",');
  // The headers of a stream that has no events yet.
  const quiet = await fetch(proxy.url, { signal: AbortSignal.timeout(60_000) });
  assert.equal(quiet.status, 200);
  await quiet.body!.cancel();
  const lines = await proxy.end();
  assert.deepEqual(
    lines
      .filter(({ kind }) => kind === 'message')
      .map(({ text, from }) => [from, (JSON.parse(text) as { method: string }).method]),
    [
      ['server', 'first'],
      ['client', 'x'],
      ['server', 'last'],
    ],
  );
});

test('only local programs and pages can use the proxy, and only for its server', async () => {
  let asked = 0;
  const origin = await serving((_, outgoing) => {
    asked++;
    outgoing.end('{}');
  });
  const proxy = await proxied(`${origin}/mcp`);
  const { port } = new URL(proxy.url);
  const status = async (headers: Record<string, string>, path = '/mcp'): Promise<number> => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers });
    outgoing.end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode!;
  };
  const host = `127.0.0.1:${port}`;
  assert.equal(await status({ host: 'evil.example' }), 403);
  assert.equal(await status({ host: `evil.example:${port}` }), 403);
  assert.equal(await status({ host: '127.0.0.1:1' }), 403);
  assert.equal(await status({ host, origin: 'https://evil.example' }), 403);
  assert.equal(await status({ host, origin: 'null' }), 403);
  assert.equal(await status({ host, origin: 'http://localhost.evil.example' }), 403);
  assert.equal(await status({ host }, 'http://evil.example/mcp'), 400);
  assert.equal(asked, 0);
  assert.equal(await status({ host, origin: 'http://localhost:5173' }), 200);
  assert.equal(await status({ host: `localhost:${port}` }), 200);
  // A path that looks like a host is a path of the server.
  assert.equal(await status({ host }, '//evil.example/mcp'), 200);
  assert.equal(asked, 3);

  const other = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  if (other !== undefined) {
    const socket = connectSocket(Number(port), other.address);
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');
  }
  const lines = await proxy.end();
  assert.equal(lines.filter(({ kind, text }) => kind === 'note' && text.includes('was not passed on')).length, 7);
});

test('URLs of the server are replaced by those of the proxy where the client would bypass it, with a note', async () => {
  const origin: string = await serving((incoming, outgoing) => {
    const { url } = incoming;
    if (url === '/old') return outgoing.writeHead(307, { location: `${origin}/mcp?a=b` }).end();
    if (url === '/away') return outgoing.writeHead(307, { location: 'https://elsewhere.example/' }).end();
    if (url === '/sse') {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('event: endpoint\nda');
      return setTimeout(
        () => outgoing.end(`ta: ${origin}/messages?s=1\n\ndata: {"jsonrpc":"2.0","method":"m"}\n\n`),
        20,
      );
    }
    if (url!.startsWith('/.well-known/oauth-protected-resource')) {
      const body = JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: ['https://login.example'] });
      const zipped = /gzip/.test(String(incoming.headers['accept-encoding']));
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      });
      return outgoing.end(zipped ? gzipSync(body) : body);
    }
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    outgoing.writeHead(401, { 'www-authenticate': `Bearer error="invalid_token", resource_metadata="${metadata}"` });
    return outgoing.end();
  });
  const proxy = await proxied(`${origin}/mcp`);
  const get = (path: string): Promise<Response> => fetch(proxy.origin + path, { redirect: 'manual' });
  assert.equal((await get('/old')).headers.get('location'), `${proxy.origin}/mcp?a=b`);
  assert.equal((await get('/away')).headers.get('location'), 'https://elsewhere.example/');
  assert.equal(
    (await get('/mcp')).headers.get('www-authenticate'),
    `Bearer error="invalid_token", resource_metadata="${proxy.origin}/.well-known/oauth-protected-resource/mcp"`,
  );
  assert.deepEqual(await (await get('/.well-known/oauth-protected-resource/mcp')).json(), {
    resource: `${proxy.origin}/mcp`,
    authorization_servers: ['https://login.example'],
  });
  assert.equal(
    await (await get('/sse')).text(),
    `event: endpoint\ndata: ${proxy.origin}/messages?s=1\n\ndata: {"jsonrpc":"2.0","method":"m"}\n\n`,
  );
  assert.match(proxy.stderr(), /OAuth: the server names itself .* --header/);
  const lines = await proxy.end();
  const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => text.slice(0, 70));
  assert.deepEqual(notes.sort(), [
    'OAuth: the server names itself as the resource of its tokens, and the ',
    'On the way to the client, location names the proxy, not the server',
    'On the way to the client, the endpoint event names the proxy, not the ',
    'On the way to the client, www-authenticate names the proxy, not the se',
  ]);
  const step = lines.find(({ kind }) => kind === 'auth')!;
  assert.equal(step.http!.step, 'resource-metadata');
  assert.equal(
    lines.find(({ http }) => http?.headers?.['location'] !== undefined)!.http!.headers!['location'],
    `${origin}/mcp?…`,
  );
});

test('credentials reach the server, and are not in the trace', async () => {
  const seen: string[] = [];
  const origin = await serving(async (incoming, outgoing) => {
    seen.push(JSON.stringify(incoming.headers) + (await bodyOf(incoming)));
    outgoing.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=cookie-secret-2' });
    outgoing.end('{"access_token":"got-secret-1","token_type":"Bearer"}');
  });
  const proxy = await proxied(`${origin}/mcp`, '--header', 'X-Api-Key: given-secret-1');
  await fetch(`${proxy.url}?key=query-secret-1`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sent-secret-1',
      cookie: 'sid=cookie-secret-1',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'x',
      params: { password: 'body-secret-1', say: 'it is sent-secret-1' },
    }),
  });
  await fetch(`${proxy.origin}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'code-secret-1',
      code_verifier: 'verifier-secret-1',
    }),
  });
  const lines = await proxy.end();
  for (const secret of ['given', 'query', 'sent', 'cookie', 'body', 'code', 'verifier', 'got']) {
    if (secret !== 'query' && secret !== 'got') assert.ok(seen.join().includes(`${secret}-secret-1`), secret);
    assert.equal(readFileSync(proxy.file, 'utf8').includes(`${secret}-secret`), false, secret);
  }
  assert.ok(seen[0]!.includes('"x-api-key":"given-secret-1"'));
  const headers = lines.find(({ http }) => http?.part === 'request')!.http!.headers!;
  assert.deepEqual(
    [headers['authorization'], headers['cookie'], headers['content-type']],
    ['…', '…', 'application/json'],
  );
  const token = lines.find(({ http }) => http?.step === 'token')!;
  assert.equal(token.http!.body, 'grant_type=authorization_code&code=[redacted]&code_verifier=[redacted]');
});

test('compressed bodies are forwarded compressed, and recorded decompressed', async () => {
  const answer = { jsonrpc: '2.0', id: 1, result: { text: 'ü'.repeat(1_000) } };
  const origin = await serving((incoming, outgoing) => {
    incoming.resume();
    if (incoming.url === '/mcp') {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      return outgoing.end(gzipSync(JSON.stringify(answer)));
    }
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' });
    return outgoing.end('not read');
  });
  const proxy = await proxied(`${origin}/mcp`);
  const outgoing = request(proxy.url, { method: 'POST', headers: { 'content-encoding': 'gzip' } });
  outgoing.end(gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
  const [got] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of got as AsyncIterable<Buffer>) chunks.push(chunk);
  assert.deepEqual(Buffer.concat(chunks), gzipSync(JSON.stringify(answer)));
  const other = request(`${proxy.origin}/other`);
  other.end();
  await bodyOf(((await once(other, 'response')) as [IncomingMessage])[0]);
  const lines = await proxy.end();
  assert.deepEqual(
    lines.filter(({ kind }) => kind === 'message').map(({ text }) => text),
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', JSON.stringify(answer)],
  );
  assert.ok(lines.some(({ kind, text }) => kind === 'lost' && text.includes('encoded as zstd')));
});

test('lines that are not messages, or too long, are forwarded unchanged and labelled', async () => {
  const long = Buffer.alloc(12 * 1024 * 1024, 'x');
  const origin = await serving((incoming, outgoing) => {
    incoming.resume();
    incoming.on('end', () => {
      if (incoming.url === '/mcp') return outgoing.end('Hello');
      if (incoming.url === '/page') {
        outgoing.writeHead(404, { 'content-type': 'text/html' });
        return outgoing.end('<h1>Not here</h1>');
      }
      return outgoing.end(long);
    });
  });
  const proxy = await proxied(`${origin}/mcp`);
  const post = (path: string, body: string | Buffer): Promise<Response> =>
    fetch(proxy.origin + path, { method: 'POST', body });
  assert.equal(await (await post('/mcp', 'what?')).text(), 'Hello');
  assert.equal(await (await post('/page', '{"jsonrpc":"2.0","method":"m"}')).text(), '<h1>Not here</h1>');
  const got = Buffer.from(await (await post('/long', long)).arrayBuffer());
  assert.equal(createHash('sha256').update(got).digest('hex'), createHash('sha256').update(long).digest('hex'));
  const lines = await proxy.end();
  const seen = lines
    .filter(({ kind, http }) => ['junk', 'lost'].includes(kind) || http?.part === 'body')
    .map(({ kind, from, text, http }) => `${kind} ${from}: ${http?.body ?? text}`);
  assert.deepEqual(seen, [
    'junk client: what?',
    'junk server: Hello',
    'http server: <h1>Not here</h1>',
    'lost client: The body of 12582912 bytes is longer than the 10485760 that are recorded',
    'lost server: The answer of 12582912 bytes is longer than the 10485760 that are recorded',
  ]);
});

test('a broken connection is passed on to the other side, and the trace says which side broke it', async () => {
  let left: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (left = resolve));
  const origin = await serving((incoming, outgoing) => {
    incoming.resume();
    if (incoming.url === '/cut') {
      outgoing.writeHead(200, { 'content-length': '100' });
      outgoing.write('half');
      return setTimeout(() => outgoing.destroy(), 50);
    }
    if (incoming.url === '/drop') return incoming.socket.destroy();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write(': hello\n\n');
    return outgoing.once('close', () => left!());
  });
  const proxy = await proxied(`${origin}/mcp`);
  await assert.rejects((await fetch(`${proxy.origin}/cut`)).text());
  await assert.rejects(fetch(`${proxy.origin}/drop`));
  const stop = new AbortController();
  const stream = await fetch(`${proxy.origin}/stream`, { signal: stop.signal });
  assert.equal(stream.status, 200);
  stop.abort();
  // The server is notified.
  await gone;
  const lines = await proxy.end();
  assert.deepEqual(
    lines.filter(({ http }) => http?.part === 'end').map(({ text }) => text),
    [
      'end: the server broke the connection off',
      'end: the server broke the connection off: ECONNRESET',
      'end: the client left before all was said',
    ],
  );
});

test('an unreachable server is a bad gateway, with a message', async () => {
  const proxy = await proxied(`http://127.0.0.1:${await freePort()}/mcp`);
  const answer = await fetch(proxy.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  assert.equal(answer.status, 502);
  assert.match(
    await answer.text(),
    /^tenon proxy: The server at http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED/,
  );
  const lines = await proxy.end();
  assert.ok(lines.some(({ kind, text }) => kind === 'note' && text.includes('answered with 502 by the proxy')));
  assert.equal(lines.filter(({ kind }) => kind === 'message').length, 1);
});

test('if a port is in use, the next free one is used', async () => {
  const taken = createSocketServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const proxy = await proxied('http://127.0.0.1:1/mcp', '--port', String(port));
  const own = Number(new URL(proxy.url).port);
  assert.ok(own > port && own <= port + 20);
  await proxy.end();
});

test('port 0 is any free port', async () => {
  const proxy = await proxied('http://127.0.0.1:1/mcp', '--port', '0');
  assert.ok(Number(new URL(proxy.url).port) > 0);
  await proxy.end();
});

test('targets that cannot be proxied are reported', async () => {
  const command = await tenon(['proxy', '--', 'node', 'server.js']);
  assert.equal(command.code, 2);
  assert.match(String(failureIn(command)['fix']), /tenon record/);
  assert.equal((await tenon(['proxy'])).code, 2);
  assert.equal((await tenon(['proxy', '--port', 'x', 'http://localhost/'])).code, 2);
});
