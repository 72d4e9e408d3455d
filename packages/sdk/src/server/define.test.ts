import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { z } from 'zod';
import { DefinitionError } from '../protocol/errors.ts';
import type { Change } from './changes.ts';
import { server } from './define.ts';
import { prompt } from './prompt.ts';
import { resource } from './resource.ts';
import { tool } from './tool.ts';

function nothing(): string {
  return '';
}

/** Mistakes that the compiler would find, for authors without one. */
function wrong(options: unknown): () => unknown {
  return () => server({ name: 'test', ...(options as object) } as never);
}
function refused(options: unknown, message: RegExp): void {
  assert.throws(
    wrong(options),
    (error: unknown) => error instanceof DefinitionError && message.test(error.message),
    `${message}`,
  );
}

test('the error of a server without a name, or with wrong options, says what to do', () => {
  for (const options of [undefined, null, {}, { name: '' }, { name: 5 }])
    assert.throws(() => server(options as never), /A server needs a name/);
  refused({ tool: {} }, /unknown option 'tool'; options are name, version, .*tools/);
  refused({ pageSize: 0 }, /positive integer/);
  refused({ cache: { ttlMs: -1 } }, /0 or more/);
  refused({ cache: { ttlMs: Number.NaN } }, /0 or more/);
  refused({ cache: { scope: 'everyone' } }, /'private' or 'public'/);
  refused({ icons: [{ src: 'http://example.com/a.png' }] }, /https:/);
});

test('the error of a tool names the tool and says what to do', () => {
  const tools = (options: unknown, handler: unknown = nothing) => ({
    tools: { 'my-tool': tool(options as never, handler as never) },
  });
  refused(
    { tools: { 'my tool': tool({}, nothing) } },
    /The tool 'my tool' cannot be used: a tool name has 1 to 128 letters/,
  );
  refused({ tools: { '': tool({}, nothing) } }, /A tool needs a name/);
  refused({ tools: { ['x'.repeat(129)]: tool({}, nothing) } }, /1 to 128/);
  refused(
    { tools: { 'my-tool': nothing } },
    /The tool 'my-tool' cannot be used: make it with tool\(options, handler\)/,
  );
  refused({ tools: { 'my-tool': resource({ name: 'a' }, nothing) } }, /make it with tool/);
  refused({ tools: { 'my-tool': null } }, /make it with tool/);
  refused(
    tools({ inputSchema: {} }),
    /'my-tool'.* unknown option 'inputSchema'; options are title, description, input, output/,
  );
  refused(tools(nothing), /its options must be an object/);
  refused(tools({}, null), /its handler is a function/);
  for (const name of ['input', 'output'])
    refused(
      tools({ [name]: { a: z.number() } }),
      /The tool 'my-tool' cannot be used: this is not a schema, but the members of one/,
    );
  refused(tools({ input: z.string() }), /the root of its input schema must be an object/);
  refused(tools({ input: 'text' }), /A schema must be/);
  refused(tools({ input: v.object({ a: v.string() }) }), /valibot.*toStandardJsonSchema/);
  refused(tools({ _meta: { 'io.modelcontextprotocol/x': 1 } }), /_meta key/);
});

test('the error of a resource names the resource and says what to do', () => {
  const at = (uri: string, options: object = { name: 'a' }, handler: unknown = nothing) => ({
    resources: { [uri]: resource(options as never, handler as never) },
  });
  refused(at('no-scheme'), /The resource 'no-scheme' cannot be used: a URI starts with a scheme/);
  refused(at('x:a b'), /percent-encode/);
  refused(at('x:{a'), /'x:\{a'/);
  refused(at('x:a', {}), /it needs a `name`/);
  refused(at('x:a', { name: 'a', list: () => [] }), /`list` and `complete` are for templates/);
  refused(at('x:{a}', { name: 'a', complete: { b: [] } }), /it completes 'b', which is not a variable/);
  refused(at('x:a', { name: 'a', cache: { ttlMs: Number.POSITIVE_INFINITY } }), /ttlMs/);
  refused(at('x:a', { name: 'a', mimetype: 'text/plain' }), /unknown option 'mimetype'/);
  refused(at('x:a', { name: 'a' }, 'text'), /its handler is a function/);
});

test('the error of a prompt names the prompt and says what to do', () => {
  const prompts = (options: unknown) => ({ prompts: { greet: prompt(options as never, nothing) } });
  refused(prompts({ input: z.array(z.string()) }), /The prompt 'greet' cannot be used: .*a property per argument/);
  for (const property of [{ type: 'object' }, { anyOf: [{ type: 'object' }, { $ref: '#/$defs/o' }] }, false])
    refused(
      prompts({ input: { type: 'object', properties: { n: property }, $defs: { o: { type: 'object' } } } }),
      /its argument 'n' can never be given: clients send text, which may become a number, a boolean or a list, but no object/,
    );
  refused(prompts({ input: z.object({ where: z.object({ city: z.string() }) }) }), /its argument 'where' can never/);
  refused(prompts({ complete: { name: [] } }), /it completes 'name', which is not an argument/);
  refused(prompts({ arguments: [] }), /unknown option 'arguments'/);
  assert.doesNotThrow(wrong(prompts({ input: z.object({ n: z.coerce.number(), list: z.array(z.object({})) }) })));
  assert.doesNotThrow(
    wrong(prompts({ input: { type: 'object', properties: { a: { type: ['string', 'null'] }, b: {}, c: true } } })),
  );
});

test('naming classes of callers needs a server with `visibility`', () => {
  refused({ tools: { a: tool({ visible: ['admin'] }, nothing) } }, /no caller could see it.*`visibility`/);
  refused({ resources: { 'x:a': resource({ name: 'a', visible: [] }, nothing) } }, /no caller could see it/);
  assert.doesNotThrow(wrong({ visibility: () => '', prompts: { a: prompt({ visible: ['admin'] }, nothing) } }));
  assert.doesNotThrow(wrong({ tools: { a: tool({ visible: () => false }, nothing) } }));
});

test('items that are added at run time are validated in the same way, and an invalid one changes nothing', () => {
  const app = server({ name: 'test', tools: { a: tool({}, nothing) } });
  assert.throws(() => app.tools.set('bad name', tool({}, nothing)), DefinitionError);
  assert.throws(() => app.tools.set('a', tool({ visible: ['admin'] }, nothing)), DefinitionError);
  assert.deepEqual([app.tools.size, app.tools.get('a')?.options.visible], [1, undefined]);
});

test('a provider is started when the server is complete, and not if the server is invalid', () => {
  let announce: ((change: Change) => void) | undefined;
  const provider = { start: (tell: (change: Change) => void) => void (announce = tell) };
  assert.throws(wrong({ providers: [provider], tools: { '': tool({}, nothing) } }), DefinitionError);
  assert.equal(announce, undefined);
  server({ name: 'test', providers: [provider] });
  assert.notEqual(announce, undefined);
});

test('a server has a name, a version, and registries', () => {
  const app = server({
    name: 'test',
    tools: { a: tool({}, nothing) },
    resources: { 'x:a': resource({ name: 'a' }, nothing) },
    prompts: {},
  });
  assert.deepEqual(
    [app.name, app.version, app.tools.has('a'), app.resources.size, [...app.prompts].length],
    ['test', '0.0.0', true, 1, 0],
  );
});
