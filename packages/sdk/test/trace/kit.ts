// A server that uses every way a message can take, and a client that makes it do so, with both looked at.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';
import { type HttpTrace, type Revision, server, tool, type TraceEntry } from '../../src/entries/index.ts';
import { connect, type ConnectOptions, createEraMemory, type Target } from '../../src/entries/client.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export const makeApp = () => {
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
      // Logs more than a connection takes that nobody reads, and goes on.
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
};

/** What one side told. */
export interface Looker {
  readonly entries: TraceEntry[];
  readonly onTrace: (entry: TraceEntry) => void;
  texts(kind: TraceEntry['kind']): string[];
  parts(part: HttpTrace['part']): TraceEntry[];
}

export const looker = (): Looker => {
  const entries: TraceEntry[] = [];
  return {
    entries,
    onTrace: (entry) => void entries.push(entry),
    texts: (kind) => entries.filter((entry) => entry.kind === kind).map(({ text }) => text),
    parts: (part) => entries.filter(({ http }) => http?.part === part),
  };
};

/** Tries until it holds. */
export const soon = async (check: () => void): Promise<void> => {
  const late = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (performance.now() > late) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
};

/** Talks with a server about everything, and closes. */
export const converse = async (target: Target, revision: Revision, options: ConnectOptions): Promise<void> => {
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
  // Nothing can be asked before this revision.
  if (revision >= '2025-06-18') assert.equal(await client.call('ask'), 'Hello, Ada');
  await client.call('grow');
  await changed;
  await changes.return?.();
  const stop = new AbortController();
  const waiting = client.call('wait', {}, { signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(waiting, { name: 'AbortError' });
  await client.close();
};

const sorted = (texts: readonly string[]): string[] => [...texts].sort();

/**
 * What one side sent the other received, as it was, and each side tells it once. What the client took back may still have been under way
 * when it left: that the server alone tells.
 */
export const assertMirrored = (client: Looker, served: Looker): void => {
  assert.deepEqual(sorted(served.texts('received')), sorted(client.texts('sent')));
  // The last answer to a listen comes as the client leaves, who may be gone before it has read it.
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
};

/** Each exchange has one request first and one end last, and every message is in one. */
export const assertExchanges = ({ entries }: Looker): void => {
  const exchanges = new Map<number, TraceEntry[]>();
  for (const entry of entries) {
    assert.ok(entry.exchange !== undefined, `in no exchange: ${JSON.stringify(entry)}`);
    assert.equal(entry.http?.exchange ?? entry.exchange, entry.exchange);
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
};
