// Schemas of any library and of every supported dialect, as the peer sees them and as arguments are checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { withinCpuMsAsync } from '../../../../scripts/lib/cpu-time.ts';
import { DefinitionError, prompt, server, tool } from '../../src/entries/index.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { everywhere, type CellContext } from './cells.ts';
import { type makeSchemas, schemas } from './fixtures/schemas.ts';

const setup = { fixture: schemas };
type Client = CellContext<ReturnType<typeof makeSchemas>>['client'];

const FORECAST = ['zod', 'valibot', 'arktype', 'plain', 'draft7', 'draft2019'] as const;

async function received(client: Client, name: string, args: object): Promise<unknown> {
  return JSON.parse((await client.call(name as 'zod', args as never)) as string);
}

async function refused(client: Client, name: string, args: object, where: RegExp): Promise<void> {
  const { isError, content } = await client.result(name as 'zod', args as never);
  assert.equal(isError, true, `${name} ${JSON.stringify(args)}`);
  assert.match((content[0] as { text: string }).text, where, name);
}

everywhere(
  '[TOOL-33] every kind of schema accepts the same arguments, with defaults filled in',
  async ({ client }) => {
    for (const name of FORECAST) {
      assert.deepEqual(await received(client, name, { city: 'Oslo' }), { city: 'Oslo', days: 3 }, name);
      assert.deepEqual(await received(client, name, { city: 'Oslo', days: 14 }), { city: 'Oslo', days: 14 }, name);
    }
  },
  setup,
);

everywhere(
  '[TOOL-33, TOOL-31] every kind of schema refuses the same arguments, with the location',
  async ({ client }) => {
    for (const name of FORECAST) {
      for (const args of [{}, { city: 5 }, { city: 'x' }, { city: null }]) await refused(client, name, args, /city/);
      for (const days of [0, 15, 1.5, '3', null]) await refused(client, name, { city: 'Oslo', days }, /days/);
    }
  },
  setup,
);

everywhere(
  '[TOOL-33] a union of objects is an input: its root is listed with the type `object`, and each branch is checked',
  async ({ client }) => {
    const listed = await client.tools({ fresh: true }).all();
    for (const name of ['union', 'plainUnion'] as const) {
      const { inputSchema } = listed.find((tool) => tool.name === name)!;
      assert.equal(inputSchema['type'], 'object');
      assert.equal((inputSchema['oneOf'] as unknown[]).length, 2);
      assert.deepEqual(await received(client, name, { shape: 'circle', radius: 2 }), { shape: 'circle', radius: 2 });
      await refused(client, name, { shape: 'circle' }, /radius/);
      await refused(client, name, { shape: 'cube' }, /shape/);
    }
    assert.deepEqual(await received(client, 'union', { shape: 'square' }), { shape: 'square', side: 1 });
    // @ts-expect-error -- a circle has a radius
    assert.equal((await client.result('union', { shape: 'circle' })).isError, true);
  },
  setup,
);

everywhere(
  '[TOOL-10] keywords have the meaning of their dialect',
  async ({ client }) => {
    for (const name of ['tuple2020', 'tuple7']) {
      for (const pair of [['a', 1], ['a'], []]) assert.deepEqual(await received(client, name, { pair }), { pair });
      for (const pair of [['a', 1, 2], [1], 'a']) await refused(client, name, { pair }, /pair/);
    }
    assert.deepEqual(await received(client, 'closed', { kind: 'a', a: 'x' }), { kind: 'a', a: 'x' });
    assert.deepEqual(await received(client, 'closed', { kind: 'b', b: 1 }), { kind: 'b', b: 1 });
    for (const args of [{ kind: 'a' }, { kind: 'a', b: 1 }, { kind: 'b', b: 1, more: 1 }, { kind: 'c' }])
      await refused(client, 'closed', args, /./);
  },
  setup,
);

everywhere(
  'a handler receives the parsed arguments',
  async ({ client }) => {
    assert.deepEqual(await received(client, 'transform', { at: 'noon', flag: 'yes' }), { at: 4, flag: true });
  },
  setup,
);

everywhere(
  'input is described as callers may send it, output as they receive it',
  async ({ client, cell }) => {
    const tools = new Map((await client.tools().all()).map((entry) => [entry.name, entry]));
    for (const name of FORECAST) {
      const { inputSchema } = tools.get(name)!;
      assert.equal(inputSchema['type'], 'object');
      assert.deepEqual(inputSchema['required'], ['city'], `${name}: members with a default are optional`);
      // ArkType reports no defaults in this direction.
      if (name !== 'arktype')
        assert.equal((inputSchema['properties'] as Record<string, { default?: number }>)['days']?.default, 3, name);
    }
    assert.equal(
      (tools.get('transform')!.inputSchema['properties'] as Record<string, { type: string }>)['at']?.type,
      'string',
    );
    const { inputSchema, outputSchema } = tools.get('directions')!;
    assert.equal(inputSchema['required'], undefined);
    const described = featuresOf(cell.revision).structured !== 'none';
    assert.deepEqual(outputSchema?.['required'], described ? ['n', 'note'] : undefined);
    const { structuredContent, content } = await client.result('directions', { n: 0 });
    const value = { n: 7, note: 'none' };
    assert.deepEqual(structuredContent, described ? value : undefined);
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(value) }]);
  },
  setup,
);

everywhere(
  '[TOOL-25] a plain output schema validates the output and fills in nothing',
  async ({ client }) => {
    assert.equal((await client.result('plainOutput')).isError, undefined);
    assert.equal((await client.result('wrongOutput')).isError, true);
  },
  setup,
);

const AJV = [
  ['http://json-schema.org/draft-07/schema', new Ajv({ strict: false })],
  ['https://json-schema.org/draft/2019-09/schema', new Ajv2019({ strict: false })],
  ['https://json-schema.org/draft/2020-12/schema', new Ajv2020({ strict: false })],
] as const;

everywhere(
  '[TOOL-8, TOOL-9, BASE-63] published schemas are objects and valid in their dialect',
  async ({ client, wire }) => {
    await client.tools({ fresh: true }).all();
    const tools = wire.flatMap(({ message }) => (message.result?.['tools'] ?? []) as Record<string, any>[]);
    assert.ok(tools.length >= 14);
    for (const { name, inputSchema, outputSchema } of tools) {
      assert.equal(inputSchema?.type, 'object', name);
      for (const schema of [inputSchema, outputSchema]) {
        if (schema === undefined) continue;
        const dialect = (schema.$schema ?? 'https://json-schema.org/draft/2020-12/schema').replace(/#$/, '');
        const ajv = AJV.find(([id]) => id === dialect)![1];
        assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText(ajv.errors)}`);
        assert.doesNotThrow(() => ajv.compile(schema), name);
      }
    }
    assert.deepEqual(tools.find(({ name }) => name === 'anything')?.['inputSchema'], {
      type: 'object',
      additionalProperties: false,
    });
  },
  setup,
);

test('[BASE-61] an unsupported dialect is refused when the schema is defined', () => {
  for (const $schema of [
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/draft-06/schema#',
    'https://example.com/mine',
    'https://json-schema.org/draft/next/schema',
    '',
    5,
    null,
  ]) {
    const schema = { $schema, type: 'object' } as const;
    const use: object[] = [
      { tools: { a: tool({ input: schema }, () => 'x') } },
      { tools: { a: tool({ output: schema }, () => ({})) } },
      { prompts: { a: prompt({ input: schema }, () => 'x') } },
    ];
    for (const parts of use)
      assert.throws(
        () => server({ name: 'x', ...parts }),
        (error) =>
          error instanceof DefinitionError &&
          /is not supported: use JSON Schema 2020-12, 2019-09 or draft-07/.test(error.message),
      );
  }
});

test('a schema that cannot be published is refused when it is defined', () => {
  const bad = [
    z.object({ at: z.date() }),
    z.string(),
    z.array(z.string()),
    { type: ['object', 'null'] },
    { $ref: '#/$defs/a' },
    { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } },
    5,
    null,
    [],
  ];
  for (const input of bad)
    assert.throws(
      () => server({ name: 'x', tools: { a: tool({ input: input as never }, () => 'x') } }),
      DefinitionError,
    );
});

/** `levels` definitions, each of which refers to the next one twice. */
function nestedSchema(levels: number) {
  return {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, at) => [
        `d${at}`,
        at === levels - 1
          ? { type: 'object' }
          : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
  };
}

const ENDLESS: [what: string, schema: object, outcome: string][] = [
  // An unusable schema is left out, and reported to the operator.
  ['a reference to itself', { $ref: '#' }, 'taken, bad-schema'],
  [
    'a circle',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    'taken, bad-schema',
  ],
  ['a tower', nestedSchema(30), 'PeerError'],
  ['a recursion that ends with the value', { properties: { child: { $ref: '#' } } }, 'taken'],
];

for (const [what, outputSchema, expected] of ENDLESS) {
  test(`[TOOL-39] the references of a server's schema are followed within limits: ${what}`, async () => {
    let child: object = {};
    for (let level = 0; level < 20; level++) child = { child };
    const bad = { name: 'bad', inputSchema: { type: 'object' }, outputSchema: { type: 'object', ...outputSchema } };
    const good = { name: 'good', inputSchema: { type: 'object' } };
    const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const script = {
      ...agreesOn('2026-07-28', { capabilities: { tools: {} } }),
      'tools/list': { ...hints, tools: [bad, good] },
      'tools/call': { resultType: 'complete', content: [], structuredContent: child },
    };
    const events: string[] = [];
    const { client } = await connectScripted(script, { log: ({ event }) => void events.push(event) });
    assert.equal((await client.tools().all()).length, 2, 'one bad tool does not hide the others');
    await client.result('good');
    const outcome = await withinCpuMsAsync(3_000, () =>
      client.result('bad').then(
        () => 'taken',
        (error: Error) => error.name,
      ),
    );
    assert.equal([outcome, ...events].join(', '), expected);
    await client.close();
  });
}
