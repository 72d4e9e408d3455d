// A server that uses every path a message can take, and a client that triggers all of them, with both traced.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import { type HttpTrace, type Revision, server, tool, type TraceEntry } from '../../src/entries/index.ts';
import { connect, type ConnectOptions, createEraMemory, type Target } from '../../src/entries/client.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** A result so long that it is sent in pieces. */
const LONG = 'é'.repeat(70_000);

export function makeApp() {
  const app = server({
    name: 'looked-at',
    version: '1.0.0',
    tools: {
      talk: tool({}, (_, ctx) => {
        ctx.progress({ progress: 1, total: 2 });
        ctx.log('info', 'héllo 😀');
        return 'talked';
      }),
      ask: tool({}, async (_, ctx) => {
        const { name } = await ctx.ask('who', 'Who are you?', z.object({ name: z.string() }));
        return `Hello, ${name}`;
      }),
      grow: tool({}, () => {
        app.tools.set(
          'grown',
          tool({}, () => 'more'),
        );
        return 'grown';
      }),
      long: tool({}, (_, ctx) => {
        ctx.progress({ progress: 1 });
        return LONG;
      }),
      // Logs more than a connection takes without being read, and continues.
      flood: tool({}, (_, ctx) => {
        for (let n = 0; n < 200; n++) ctx.log('info', 'x'.repeat(100_000));
        return new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      }),
      wait: tool({}, (_, ctx) => {
        ctx.progress({ progress: 1 });
        return new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      }),
    },
  });
  return app;
}

/** The trace of one side. */
export interface TraceRecorder {
  readonly entries: TraceEntry[];
  readonly onTrace: (entry: TraceEntry) => void;
  texts(kind: TraceEntry['kind']): string[];
  parts(part: HttpTrace['part']): TraceEntry[];
}

export function createTraceRecorder(): TraceRecorder {
  const entries: TraceEntry[] = [];
  return {
    entries,
    onTrace: (entry) => void entries.push(entry),
    texts: (kind) => entries.filter((entry) => entry.kind === kind).map(({ text }) => text),
    parts: (part) => entries.filter(({ http }) => http?.part === part),
  };
}

/** Retries the check until it passes. */
export async function eventually(check: () => void): Promise<void> {
  const late = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (performance.now() > late) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Runs a conversation that covers everything with a server, and closes. */
export async function runConversation(target: Target, revision: Revision, options: ConnectOptions): Promise<void> {
  const client = await connect(target, {
    revision,
    eras: createEraMemory(),
    answers: { who: { name: 'Ada' } },
    onLog() {},
    ...options,
  });
  const changes = client.watch({ list: 'tools' })[Symbol.asyncIterator]();
  const changed = changes.next();
  await client.call('talk', {}, { onProgress() {} });
  // Servers cannot ask for input before this revision.
  if (revision >= '2025-06-18') assert.equal(await client.call('ask'), 'Hello, Ada');
  for (const options of [{}, { onProgress() {} }]) assert.ok((await client.call('long', {}, options)) === LONG);
  await client.call('grow');
  await changed;
  await changes.return?.();
  const stop = new AbortController();
  const waiting = client.call('wait', {}, { signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(waiting, { name: 'AbortError' });
  await client.close();
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}

/**
 * What one side sent the other received unchanged, and each side reports it once. A message that the client cancelled may still have been
 * in flight when it closed: then only the server reports it.
 */
export function assertMirrored(client: TraceRecorder, served: TraceRecorder): void {
  assert.deepEqual(sorted(served.texts('received')), sorted(client.texts('sent')));
  // The result of a listen is sent when the client closes, which may be gone before it has read it.
  const isLast = (text: string): boolean => text.includes('"result"') && text.includes('/subscriptionId"');
  const sent = sorted(served.texts('sent')).filter((text) => !isLast(text));
  const received = sorted(client.texts('received')).filter((text) => !isLast(text));
  assert.deepEqual(received, sent);
  assert.equal(new Set(sent).size, sent.length);
  for (const { entries } of [client, served]) {
    assert.deepEqual(
      entries.filter(({ kind }) => kind === 'junk' || kind === 'lost'),
      [],
    );
    assert.ok(entries.every(({ at }, index) => index === 0 || at >= entries[index - 1]!.at));
  }
}

/** Each exchange begins with a request and finishes with an end, and contains every message. */
export function assertExchanges({ entries }: TraceRecorder): void {
  const exchanges = new Map<number, TraceEntry[]>();
  for (const entry of entries) {
    assert.ok(entry.exchange !== undefined, `in no exchange: ${JSON.stringify(entry)}`);
    assert.equal(entry.http?.exchange ?? entry.exchange, entry.exchange);
    assert.deepEqual(entry, JSON.parse(JSON.stringify(entry)), 'a member is there, but undefined');
    exchanges.set(entry.exchange, [...(exchanges.get(entry.exchange) ?? []), entry]);
  }
  assert.deepEqual(
    [...exchanges.keys()].sort((a, b) => a - b),
    [...exchanges.keys()].map((_, index) => index + 1),
  );
  for (const [exchange, told] of exchanges) {
    const parts = told.flatMap(({ http }) => http?.part ?? []);
    const count = (part: string): number => parts.filter((one) => one === part).length;
    assert.deepEqual([count('request'), count('end')], [1, 1], `exchange ${exchange}: ${parts.join()}`);
    assert.equal(told.at(-1)!.http?.part, 'end');
  }
}
