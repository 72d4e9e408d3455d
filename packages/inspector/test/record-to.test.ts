import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { server, tool } from 'tenon';
import { connect } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { openTrace, recordTo, type TraceLine } from '../src/trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-record-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function newFile(): string {
  return join(folder, `${++count}.mcptrace`);
}

const app = server({
  name: 'weather',
  version: '1.0.0',
  tools: {
    now: tool({ description: 'The weather' }, async (_, ctx) => {
      await ctx.progress({ progress: 1, total: 2 });
      return 'sunny';
    }),
  },
});

async function linesOf(file: string): Promise<TraceLine[]> {
  const trace = await openTrace(file);
  await trace.indexed;
  assert.deepEqual(trace.problems, []);
  const lines = trace.read(1, trace.length);
  await trace.close();
  return lines;
}

function messages(lines: readonly TraceLine[], session?: string): string[] {
  return lines
    .filter((line) => line.kind === 'message' && (session === undefined || line.session === session))
    .map(({ from, text }) => `${from} ${text}`);
}

function causesOf(lines: readonly TraceLine[], line: TraceLine): string {
  return line.cause === undefined
    ? ''
    : [lines[line.cause - 1]!]
        .map((cause) => `${cause.http?.part ?? cause.kind} ${causesOf(lines, cause)}`)
        .join('')
        .trim();
}

/** A separate program that serves, or connects, with a recording. */
function program(text: string): string {
  const file = join(folder, `${++count}.mjs`);
  writeFileSync(file, text);
  return file;
}

test('a client and its server, both recorded over HTTP, have the same messages with their causes', async () => {
  const [atClient, atServer] = [newFile(), newFile()];
  const ours = recordTo(atClient, { name: 'weather' });
  const theirs = recordTo(atServer, { name: 'weather', side: 'server' });
  const served = await serveHttp(app, { port: 0, onTrace: theirs.onTrace });
  for (const revision of ['2025-06-18', '2026-07-28'] as const) {
    const headers = { authorization: 'Bearer a-secret-token' };
    const client = await connect(served.url, { revision, headers, onTrace: (entry) => ours.onTrace(entry, revision) });
    assert.equal(await client.call('now', {}, { onProgress() {} }), 'sunny');
    await client.close();
  }
  await served.close();
  ours.close();
  theirs.close();
  const [client, both] = [await linesOf(atClient), await linesOf(atServer)];
  const own = ['2025-06-18', '2026-07-28'].map((session) => messages(client, session));
  assert.deepEqual(
    ['weather', 'weather-2'].map((session) => messages(both, session).sort()),
    own.map((list) => list.toSorted()),
  );
  for (const line of client.filter(({ kind }) => kind === 'message'))
    assert.match(
      causesOf(client, line),
      line.from === 'client' ? /^$/ : /^(?:answer|event) request message$/,
      line.text,
    );
  for (const line of both.filter(({ kind }) => kind === 'message'))
    assert.match(
      causesOf(both, line),
      line.from === 'client' ? /^request$/ : /^(?:(?:answer|event) )?request$/,
      line.text,
    );
  assert.deepEqual([client[0]!.about!.recorder, both[0]!.about!.recorder], ['client', 'server']);
  for (const file of [atClient, atServer]) assert.equal(readFileSync(file, 'utf8').includes('a-secret-token'), false);
});

test('a client of a process records the process, too', async () => {
  const file = newFile();
  const recording = recordTo(file, { name: 'weather' });
  const command = program(`
    console.error('starting');
    console.log('a banner');
    const { server, tool } = await import(${JSON.stringify(import.meta.resolve('tenon'))});
    const { serveStdio } = await import(${JSON.stringify(import.meta.resolve('tenon/node'))});
    await serveStdio(server({ name: 'weather', version: '1', tools: { now: tool({}, () => 'sunny') } }));`);
  const client = await connect({ command: process.execPath, args: [command] }, { onTrace: recording.onTrace });
  assert.equal(await client.call('now'), 'sunny');
  await client.close();
  recording.close();
  const lines = await linesOf(file);
  const opened = lines.find(({ kind }) => kind === 'open')!;
  assert.equal(lines[0]!.about!.transport, 'stdio');
  assert.equal(lines[0]!.about!.target, opened.text);
  assert.deepEqual(
    lines
      .filter(({ kind }) => ['junk', 'stderr', 'exit'].includes(kind))
      .map(({ kind, text, from, cause }) => [kind, from, text, cause])
      .sort(),
    [
      ['exit', 'server', 'exited with code 0', opened.n],
      ['junk', 'server', 'a banner', undefined],
      ['stderr', 'server', 'starting', undefined],
    ],
  );
});

test('a server over stdio records the messages of its client and its answers', async () => {
  const file = newFile();
  const command = program(`
    const { server, tool } = await import(${JSON.stringify(import.meta.resolve('tenon'))});
    const { serveStdio } = await import(${JSON.stringify(import.meta.resolve('tenon/node'))});
    const { recordTo } = await import(${JSON.stringify(import.meta.resolve('../src/trace.ts'))});
    const recording = recordTo(${JSON.stringify(file)}, { name: 'weather', side: 'server', transport: 'stdio' });
    await serveStdio(server({ name: 'weather', version: '1', tools: { now: tool({}, () => 'sunny') } }), { onTrace: recording.onTrace });
    recording.close();`);
  const seen: string[] = [];
  const client = await connect(
    { command: process.execPath, args: [command] },
    {
      onTrace: ({ kind, text }) =>
        ['sent', 'received'].includes(kind) && seen.push(`${kind === 'sent' ? 'client' : 'server'} ${text}`),
    },
  );
  assert.equal(await client.call('now'), 'sunny');
  await client.close();
  const lines = await linesOf(file);
  assert.deepEqual(messages(lines).sort(), seen.sort());
  assert.equal(lines[0]!.about!.recorder, 'server');
});

test('each server of a host is a session', async () => {
  const file = newFile();
  const recording = recordTo(file);
  const told = (server: string, text: string): void => recording.onTrace({ kind: 'sent', text }, server);
  told('a', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  told('b', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  told('a', '{"jsonrpc":"2.0","id":2,"method":"ping"}');
  recording.close();
  told('a', 'late');
  const lines = await linesOf(file);
  assert.deepEqual(
    lines.map(({ session, kind }) => `${session} ${kind}`),
    ['a session', 'a message', 'b session', 'b message', 'a message'],
  );
});

test('the requests of a login are in the session of their server', async () => {
  const file = newFile();
  const recording = recordTo(file, { name: 'only' });
  const send = (): Promise<Response> => Promise.resolve(Response.json({ issuer: 'https://as.example' }));
  const address = '/.well-known/oauth-authorization-server';
  await recording.wrapFetch(send)(`https://one.example${address}`);
  await recording.wrapFetch(send, 'notes')(`https://two.example${address}`);
  await recording.wrapFetch(send, 'notes')(`https://three.example${address}`);
  recording.close();
  const lines = await linesOf(file);
  const asked = lines.filter(({ http }) => http?.part === 'request');
  assert.deepEqual(
    asked.map(({ session, http }) => [session, new URL(http!.url!).host, http!.exchange]),
    [
      ['only', 'one.example', 1],
      ['notes', 'two.example', 1],
      ['notes', 'three.example', 2],
    ],
  );
});

test('secrets that the program names are not written, and a recording is never overwritten', () => {
  const file = newFile();
  const recording = recordTo(file, { secrets: ['correct horse battery'] });
  recording.onTrace({
    kind: 'received',
    text: '{"jsonrpc":"2.0","method":"x","params":{"a":"correct horse battery"}}',
  });
  recording.close();
  assert.equal(readFileSync(file, 'utf8').includes('battery'), false);
  assert.throws(() => recordTo(file), { code: 'EEXIST' });
});
