import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { LogEntry } from '../../protocol/log.ts';
import { wholeText } from '../../protocol/message-text.ts';
import type { Revision } from '../../protocol/revision.ts';
import { reply, text } from '../content.ts';
import { createEngine } from '../create-engine.ts';
import { server, type ServerOptions } from '../define.ts';
import { fakeRequestContext } from '../fixtures/request-context.ts';
import { prompt } from '../prompt.ts';
import { resource } from '../resource.ts';
import { tool } from '../tool.ts';

function stage(options: Omit<ServerOptions, 'name'>) {
  const log: LogEntry[] = [];
  const engine = createEngine(server({ name: 'test', ...options } as ServerOptions), {
    log: (entry) => void log.push(entry),
  });
  const ask = async (method: string, params: JsonObject, revision?: Revision): Promise<JsonObject> =>
    JSON.parse(
      wholeText(await engine.answer(method, params, fakeRequestContext(revision === undefined ? {} : { revision }))),
    ) as JsonObject;
  return { ask, log };
}

/** Calls a tool that returns or throws the given value. */
async function called(
  returned: () => unknown,
  options: object = {},
): Promise<{ isError: unknown; text: string; result: JsonObject; log: LogEntry[] }> {
  const { ask, log } = stage({ tools: { it: tool(options, returned as never) } });
  const result = await ask('tools/call', { name: 'it' });
  return { isError: result['isError'], text: (result['content'] as { text: string }[])[0]?.text ?? '', result, log };
}

test('a block that lacks a required member never reaches a client', async () => {
  const bad = [
    { type: 'text' },
    { type: 'text', text: 5 },
    { type: 'image', data: 'AA==' },
    { type: 'audio', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'x:a' } },
    { type: 'resource', resource: 'x:a' },
    { type: 'resource_link', uri: 'x:a' },
    { type: 'video', data: '' },
    'text in a list',
    5,
    null,
  ];
  for (const block of bad) {
    for (const give of [() => [block], () => reply({ content: [block] as never })]) {
      const { isError, text: told, log } = await called(give);
      assert.equal(isError, true, JSON.stringify(block));
      assert.match(told, /in the server's log under error [0-9a-f]{8}/);
      assert.match(String(log[0]?.details), /at index 0 that is neither text nor a whole content block/);
    }
    const { ask } = stage({ prompts: { it: prompt({}, () => [{ role: 'user', content: block }] as never) } });
    await assert.rejects(ask('prompts/get', { name: 'it' }), { code: -32603 });
  }
});

test('a tool error is sent to the model, whatever result it carries', async () => {
  const { isError, result } = await called(() => {
    throw new ToolError('no', { result: { content: [text('from elsewhere')] } });
  });
  assert.deepEqual([isError, result['content']], [true, [{ type: 'text', text: 'from elsewhere' }]]);
});

test('errors of handlers go to the model, the peer or the operator, depending on their kind', async () => {
  const secret = await called(() => {
    throw new Error('postgres://u:SECRETPW@db');
  });
  assert.doesNotMatch(JSON.stringify(secret.result), /SECRETPW/);
  assert.match(String(secret.log[0]?.details), /SECRETPW/);
  assert.deepEqual(
    (
      await called(() => {
        throw new ToolError('try later');
      })
    ).text,
    'try later',
  );
  await assert.rejects(
    called(() => {
      throw new ProtocolError(7, 'for the peer');
    }),
    { code: 7 },
  );
  for (const strange of [undefined, null, 'text', 5])
    assert.equal(
      (
        await called(() => {
          throw strange;
        })
      ).isError,
      true,
    );
});

test('a result that is not JSON is a failure of the tool, not of the protocol', async () => {
  const loop: JsonObject = {};
  loop['self'] = loop;
  for (const value of [loop, { big: 1n }, undefined])
    assert.equal((await called(() => value, { output: z.any() })).isError, true);
});

test('[TOOL-25] a result that does not match its schema is not sent, and the reason is logged', async () => {
  const { isError, log } = await called(() => ({ n: 'SECRETPW' }), { output: z.object({ n: z.number() }) });
  assert.equal(isError, true);
  assert.match(String(log[0]?.details), /does not match its output schema: n/);
  for (const wrong of [reply({ content: [text('x')] }), reply({ structuredContent: { n: 'x' } })]) {
    assert.equal((await called(() => wrong, { output: z.object({ n: z.number() }) })).isError, true);
  }
  assert.deepEqual(
    (await called(() => reply({ isError: true, content: [text('no luck')] }), { output: z.object({ n: z.number() }) }))
      .text,
    'no luck',
  );
});

test('a result that does not match its schema fails with the names of its fields, and with nothing from the result', async () => {
  const secretive = z.any().refine(() => false, 'SECRETPW is no number');
  const output = z.object({ rows: z.array(z.object({ n: secretive })), byName: z.record(z.string(), z.number()) });
  const strict = z.strictObject({ n: z.number() });
  const cases: readonly (readonly [told: RegExp, output: z.ZodType, value: unknown])[] = [
    [/schema at rows\[0\]\.n, rows\[1\]\.n\. The/, output, { rows: [{ n: 'SECRETPW' }, {}], byName: {} }],
    [/schema at byName\. The/, output, { rows: [], byName: { SECRETPW: 'x', 'SECRETPW@b': 'y' } }],
    [/schema\. The/, strict, { n: 1, SECRETPW: 2 }],
    [/schema\. The/, strict, 'SECRETPW'],
    [/schema at rows, byName\. The/, output, {}],
  ];
  for (const [told, schema, value] of cases) {
    for (const given of [value, reply({ structuredContent: value as never })]) {
      const { isError, text: message, result, log } = await called(() => given, { output: schema });
      assert.equal(isError, true);
      assert.match(message, /^The tool failed: its result does not match its output schema/);
      assert.match(message, told);
      assert.match(message, /details are in the server's log under error [0-9a-f]{8}\.$/);
      assert.doesNotMatch(JSON.stringify(result), /SECRETPW/);
      assert.match(String(log[0]?.details), /does not match its output schema: /);
    }
  }
});

test('a result with many fields that do not match its schema names ten of them', async () => {
  const { text: message } = await called(() => Array.from({ length: 50 }, () => 'x'), { output: z.array(z.number()) });
  assert.match(message, /schema at \[0\], .*\[9\] and 40 more\. The/);
});

test('a database query that is only a thenable is awaited', async () => {
  const rows = { then: (next: (value: string) => void) => void next('rows') }; // oxlint-disable-line unicorn/no-thenable -- the test is about thenables
  assert.equal((await called(() => rows)).text, 'rows');
});

test('a resource that returns an empty array has it as content; one that returns undefined does not exist', async () => {
  const { ask } = stage({ resources: { 'x:{value}': resource({ name: 'a' }, ({ value }) => JSON.parse(value)) } });
  const read = async (value: string): Promise<unknown> =>
    (await ask('resources/read', { uri: `x:${encodeURIComponent(value)}` }))['contents'];
  for (const value of ['[]', '{}', 'null', '0', 'false', '[{"a":1}]'])
    assert.equal(((await read(value)) as { text: string }[])[0]!.text, value);
  const gone = stage({ resources: { 'x:gone': resource({ name: 'gone' }, () => undefined) } });
  await assert.rejects(gone.ask('resources/read', { uri: 'x:gone' }), { code: -32602, data: { uri: 'x:gone' } });
  await assert.rejects(gone.ask('resources/read', { uri: 'x:gone' }, '2024-11-05'), { code: -32002 });
});

test('a long or odd name in an error is shortened and escaped', async () => {
  const { ask } = stage({ prompts: { it: prompt({ input: z.object({ a: z.string() }) }, () => '') }, tools: {} });
  const odd = `\u001b[31m${'x'.repeat(100_000)}`;
  for (const asked of [
    ask('prompts/get', { name: 'it', arguments: { [odd]: 5 } }),
    ask('prompts/get', { name: odd }),
    ask('tools/call', { name: odd }),
  ]) {
    await assert.rejects(asked, (error: Error) => error.message.length < 300 && !error.message.includes('\u001b'));
  }
});

test('a completer that returns neither a list nor values fails with an id', async () => {
  for (const given of [undefined, null, 'abc', {}, { values: 'abc' }]) {
    const { ask, log } = stage({
      resources: { 'x:{a}': resource({ name: 'a', complete: { a: () => given as never } }, () => '') },
    });
    await assert.rejects(
      ask('completion/complete', { ref: { type: 'ref/resource', uri: 'x:{a}' }, argument: { name: 'a', value: '' } }),
      { code: -32603 },
    );
    assert.match(String(log[0]?.details), /neither a list nor an object with `values`/);
  }
});

test('[COMP-10] hidden prompts and templates complete nothing, and look like missing ones', async () => {
  const { ask } = stage({
    visibility: () => 'user',
    prompts: {
      secret: prompt(
        { visible: ['admin'], input: z.object({ a: z.string() }), complete: { a: ['SECRETPW'] } },
        () => '',
      ),
    },
    resources: { 'x:{a}': resource({ name: 'a', visible: ['admin'], complete: { a: ['SECRETPW'] } }, () => '') },
  });
  const complete = (ref: object) =>
    ask('completion/complete', { ref, argument: { name: 'a', value: '' } }).catch((error: Error) => error.message);
  assert.equal(await complete({ type: 'ref/prompt', name: 'secret' }), 'Unknown prompt: secret');
  assert.equal(await complete({ type: 'ref/resource', uri: 'x:{a}' }), 'Unknown resource template: x:{a}');
});
