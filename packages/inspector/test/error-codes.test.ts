// The error codes of the inspector, each in a situation in which a user gets it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { after } from 'node:test';
import { provoke } from '../../../scripts/lib/error-codes.ts';
import { createTraceStore, createWorkbench, readSurface, readTestFile, type Workbench } from '../src/index.ts';
import { createReader } from '../src/session/read-only.ts';
import { openTrace, type Recorded, serveTrace, tapStdio, type Trace, TRACE_VERSION } from '../src/trace.ts';
import type { ErrorCode } from '../src/values/error-codes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-codes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const traces: Trace[] = [];
after(() => Promise.all(traces.map((trace) => trace.close())));

let files = 0;
async function open(text: string): Promise<Trace> {
  const path = join(folder, `${++files}.mcptrace`);
  writeFileSync(path, text);
  const trace = await openTrace(path);
  traces.push(trace);
  return trace;
}

async function withWorkbench(use: (workbench: Workbench) => unknown): Promise<void> {
  const store = createTraceStore(join(folder, `${++files}.mcptrace`), 'test 1');
  const targets = [{ id: 'it', name: 'it', launch: { command: process.execPath, args: [] } }];
  const workbench = createWorkbench({ store, targets, by: 'test 1' });
  try {
    await use(workbench);
  } finally {
    await workbench.close();
    store.close();
  }
}

provoke<ErrorCode<'WorkbenchError'>>('WorkbenchError', {
  'unknown-server': () => withWorkbench((workbench) => workbench.connect('nobody')),
  'not-connected': () => withWorkbench((workbench) => workbench.refresh('it')),
  'bad-request': () => withWorkbench((workbench) => workbench.setScript('{')),
  gone: () => withWorkbench((workbench) => workbench.answer('answered', { action: 'decline' } as never)),
  'read-only': async () => {
    const trace = await recorded('first');
    return createReader(trace, 'test 1', trace.indexed).connect('first');
  },
  failed: () => withWorkbench((workbench) => workbench.check({ server: 'it' } as never, new AbortController().signal)),
});

provoke<ErrorCode<'TraceError'>>('TraceError', {
  'not-a-trace': () => open('hello\n'),
  newer: () => open(`{"mcptrace":${TRACE_VERSION + 1}}\n`),
  empty: () => open(''),
  unreadable: () => openTrace(join(folder, 'missing')),
});

const SURFACE = { server: {}, revision: '2025-11-25', tools: [], resources: [], templates: [], prompts: [] };

provoke<ErrorCode<'SurfaceError'>>('SurfaceError', {
  'not-a-surface': () => readSurface('{}'),
  'newer-surface': () => readSurface('{"surface":2}'),
  'too-deep': () => {
    const capabilities = JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`) as object;
    return readSurface(JSON.stringify({ surface: 1, ...SURFACE, capabilities }));
  },
});

provoke<ErrorCode<'TestFileError'>>('TestFileError', { 'invalid-test-file': () => readTestFile('{}') });

/** A trace with one request in each of these sessions. */
async function recorded(...sessions: readonly string[]): Promise<Trace> {
  const text = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const lines = sessions.map((session, at) => ({ n: at + 1, at, session, kind: 'message', from: 'client', text }));
  const head = { mcptrace: TRACE_VERSION, began: '2026-07-28T00:00:00.000Z', by: 'test 1' };
  const trace = await open([head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  await trace.indexed;
  return trace;
}

function serve(trace: Recorded, session?: string): Promise<void> {
  return serveTrace(trace, { input: new PassThrough(), output: new PassThrough() }, { session });
}

provoke<ErrorCode<'ConversationError'>>('ConversationError', {
  'no-request': async () => serve(await recorded()),
  'several-sessions': async () => serve(await recorded('first', 'second')),
  'unknown-session': async () => serve(await recorded('first'), 'second'),
  // The file became shorter after it was indexed.
  'unknown-line': async () => serve({ ...(await recorded('first')), read: () => [] }),
});

function tap(command: string): Promise<unknown> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const sink = createTraceStore(join(folder, `${++files}.mcptrace`), 'test 1');
  return tapStdio({ command, args: [], env: {}, name: 'x', sink, stdin, stdout, stderr }).finally(() => sink.close());
}

// Windows has no non-executable files.
if (process.platform !== 'win32')
  provoke<ErrorCode<'TapError'>>('TapError', {
    'no-such-program': () => tap('tenon-no-such-program'),
    'not-executable': () => tap(folder),
    'spawn-failed': () => tap('a\0b'),
  });

provoke<ErrorCode<'InexactNumberError'>>('InexactNumberError', {
  // As on Node 20.
  'inexact-number': async () => {
    const { rawJSON } = JSON as { rawJSON?: unknown };
    Object.assign(JSON, { rawJSON: undefined });
    const address = '../src/values/exact-json.ts?on-node-20';
    const { exactNumber } = (await import(address)) as typeof import('../src/json.ts');
    Object.assign(JSON, { rawJSON });
    exactNumber('12345678901234567890');
  },
});
