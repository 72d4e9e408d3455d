// Tests how messages are combined into chunks, and streams split into messages.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../../scripts/lib/until.ts';
import { type Revision, REVISIONS } from '../../protocol/revision.ts';
import { server } from '../../server/define.ts';
import { tool } from '../../server/tool.ts';
import { serve } from '../serve.ts';
import { streamChannel } from './stream-channel.ts';

interface Message {
  readonly method?: string;
  readonly id?: number;
  readonly error?: { readonly code: number };
}

const INPUT = { type: 'object', properties: { fails: { type: 'boolean' } } } as const;

let runs = 0;

function finish({ fails }: { readonly fails?: boolean }): string {
  runs++;
  if (fails === true) throw new Error('It failed');
  return 'done';
}

/** A server on a pair of streams. `chunks`: its output, each write as the names of its messages. */
function stage(t: TestContext, revision: Revision) {
  let open = (): void => {};
  const app = server({
    name: 'chunks',
    tools: {
      quiet: tool({ input: INPUT }, finish),
      atOnce: tool({ input: INPUT }, (args, ctx) => {
        ctx.progress({ progress: 1 });
        ctx.progress({ progress: 2 });
        return finish(args);
      }),
      later: tool({ input: INPUT }, async (args, ctx) => {
        await ctx.progress({ progress: 1 });
        return finish(args);
      }),
      gated: tool({ input: INPUT }, async (args, ctx) => {
        await ctx.progress({ progress: 1 });
        await new Promise<void>((resolve) => (open = resolve));
        return finish(args);
      }),
    },
  });
  const time = stopTime(t);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve(app, streamChannel(input, output));
  const chunks: string[][] = [];
  const received: Message[] = [];
  const before = runs;
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Message);
    received.push(...messages);
    chunks.push(messages.map(({ method, id }) => method ?? `answer ${id}`));
  });
  const text = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
  const send = (message: object): void => void input.write(`${text(message)}\n`);
  const claim = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const textOf = (id: number, name: string, args: object = {}): string => {
    const _meta = { progressToken: id, ...(revision === '2026-07-28' ? claim : {}) };
    return text({ id, method: 'tools/call', params: { name, arguments: args, _meta } });
  };
  return {
    time,
    received,
    ran: () => runs - before,
    input,
    served,
    chunks,
    open: () => open(),
    async greet() {
      if (revision === '2026-07-28') return;
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'peer', version: '1' } };
      send({ id: 0, method: 'initialize', params });
      send({ method: 'notifications/initialized' });
      await turns();
      chunks.length = 0;
      received.length = 0;
    },
    textOf,
    async call(id: number, name: string, args: object = {}) {
      input.write(`${textOf(id, name, args)}\n`);
      await turns();
    },
  };
}

const note = 'notifications/progress';

for (const revision of REVISIONS) {
  test(`a result is sent after progress that was reported right before it, and so is an error: ${revision}`, async (t) => {
    const { time, chunks, greet, call } = stage(t, revision);
    await greet();
    await call(1, 'atOnce');
    assert.deepEqual(chunks, [[note, note]]);
    await time.pass(1);
    assert.deepEqual(chunks.splice(0), [[note, note], ['answer 1']]);
    await call(2, 'later', { fails: true });
    assert.deepEqual(chunks, [[note]]);
    await time.pass(1);
    assert.deepEqual(chunks.splice(0), [[note], ['answer 2']]);
  });
}

for (const revision of REVISIONS) {
  test(`a last request without a newline is refused, and no part of it runs: ${revision}`, async (t) => {
    const { input, served, received, greet, ran, textOf } = stage(t, revision);
    await greet();
    input.end(textOf(1, 'quiet'));
    await served.closed;
    assert.equal(ran(), 0);
    assert.deepEqual(
      received.map(({ id, error }) => [id ?? null, error?.code]),
      [[null, -32700]],
    );
  });
}

test('a result is sent without delay if nothing was sent for its call', async (t) => {
  const { time, chunks, greet, call, open } = stage(t, '2025-11-25');
  await greet();
  await call(1, 'gated');
  await call(2, 'quiet');
  assert.deepEqual(chunks.splice(0), [[note], ['answer 2']]);
  open();
  await turns();
  assert.deepEqual(chunks, []);
  await time.pass(1);
  assert.deepEqual(chunks, [['answer 1']]);
});

test('a result that waits for its progress to be read is sent before the channel closes', async (t) => {
  const { time, chunks, greet, call, input, served } = stage(t, '2025-11-25');
  await greet();
  await call(1, 'atOnce');
  input.end();
  await turns();
  await time.pass(1);
  await served.closed;
  assert.deepEqual(chunks, [[note, note], ['answer 1']]);
});
