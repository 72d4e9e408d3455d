import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ToolEntry } from 'tenon/client';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { canonicalJson } from '@tenon/values/canonical-json';
import { sha256 } from '../values/sha256.ts';
import { pinOf, pinOfServer, toolDifference as differenceOf } from './pin.ts';

const tool: ToolEntry = {
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.\nNothing else.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  annotations: { readOnlyHint: true },
};

function marked(lines: readonly string[], mark: string): string[] {
  return lines.filter((line) => line.startsWith(mark));
}

test('a pin stays when only the order of members changes', () => {
  const { annotations, inputSchema, ...rest } = tool;
  const { properties, ...schema } = inputSchema;
  assert.equal(pinOf({ annotations: annotations!, inputSchema: { properties, ...schema }, ...rest }), pinOf(tool));
  assert.match(pinOf(tool), /^[0-9a-f]{64}$/);
});

test('a pin changes with everything that the model or a person can see', () => {
  const others: Partial<ToolEntry>[] = [
    { name: 'sum' },
    { title: 'Sum' },
    { description: 'Adds two numbers.\nNothing else. ' },
    { inputSchema: { ...tool.inputSchema, required: ['b', 'a'] } },
    { outputSchema: { type: 'object' } },
    { annotations: { readOnlyHint: false } },
    { annotations: {} },
    { icons: [{ src: 'https://a.example' }] },
    { icons: [{ src: 'https://a.example', theme: 'dark' }] },
    { _meta: { 'example.com/seen': 3 } },
    { _meta: { 'example.com/seen': 4 } },
    { execution: { taskSupport: 'required' } } as Partial<ToolEntry>,
  ];
  const pins = others.map((other) => pinOf({ ...tool, ...other }));
  assert.equal(new Set([pinOf(tool), ...pins]).size, others.length + 1);
});

test('a pin does not depend on the order of icons, empty lists and trace context', () => {
  const [a, b] = [{ src: 'https://a.example', sizes: ['1x1', '2x2'] }, { src: 'https://b.example' }];
  assert.equal(
    pinOf({ ...tool, icons: [b, { sizes: ['2x2', '1x1'], src: 'https://a.example' }, b] }),
    pinOf({ ...tool, icons: [a, b] }),
  );
  assert.equal(pinOf({ ...tool, icons: [], _meta: { traceparent: '00-1', baggage: 'a=1' } }), pinOf(tool));
});

test('the pin of a tool without newer members equals that of older versions', () => {
  const { name, title, description, inputSchema, annotations } = tool;
  const older = canonicalJson({ name, title, description, inputSchema, outputSchema: undefined, annotations });
  assert.equal(pinOf({ ...tool, icons: [], _meta: {} }), sha256(older));
});

test('the pin of a server covers its instructions and its description except the version', () => {
  const server = { name: 's', version: '1', title: 'S', websiteUrl: 'https://a.example' };
  const pin = pinOfServer({ server, instructions: 'x' });
  assert.equal(pinOfServer({ server: { ...server, version: '2', icons: [] }, instructions: 'x' }), pin);
  const others = [
    { server, instructions: 'y' },
    { server, instructions: undefined },
    { server: undefined, instructions: 'x' },
    { server: { ...server, title: 'T' }, instructions: 'x' },
    { server: { ...server, websiteUrl: 'https://b.example' }, instructions: 'x' },
  ];
  assert.equal(new Set([pin, ...others.map(pinOfServer)]).size, others.length + 1);
});

test('equal texts have no difference', () => {
  assert.deepEqual(differenceOf(tool, { ...tool, icons: [], _meta: { tracestate: 'a=1' } }), []);
});

test('a changed line is shown with the lines around it', () => {
  assert.deepEqual(differenceOf(tool, { ...tool, description: 'Adds two numbers.\nSends them to me first.' }), [
    '  … 2 lines unchanged',
    '      "readOnlyHint": true',
    '    },',
    String.raw`    "description": "Adds two numbers.\n`,
    '-       Nothing else.",',
    '+       Sends them to me first.",',
    '    "inputSchema": {',
    '      "properties": {',
    '        "a": {',
    '  … 15 lines unchanged',
  ]);
});

test('invisible characters are escaped in a difference', () => {
  const lines = differenceOf(tool, { ...tool, title: 'A\u202edd\u001b[2J\u200b\u{e0041}\u0085' });
  const [line] = marked(lines, '+');
  assert.equal(line, String.raw`+   "title": "A\u202edd\u001b[2J\u200b\u{e0041}\u0085"`);
  assert.ok(lines.every((line) => !/[\u0000-\u001f\u007f-\u009f\u202e\u200b]/.test(line)));
});

test('a change within a long line is visible', () => {
  const words = Array.from({ length: 500 }, (_, index) => `word${index}`);
  const before = { ...tool, description: words.join(' ') };
  const after = { ...tool, description: words.with(300, 'EVIL').join(' ') };
  const lines = differenceOf(before, after);
  assert.ok(marked(lines, '+').some((line) => line.includes('EVIL')));
  assert.ok(lines.length < 100 && lines.every((line) => line.length < 140));
});

test('a change after the compared part is visible by its digest', () => {
  const text = 'x'.repeat(300_000);
  const lines = differenceOf(
    { ...tool, name: 'a', description: `${text}1` },
    { ...tool, name: 'a', description: `${text}2` },
  );
  assert.match(marked(lines, '+').join('\n'), /more characters, with SHA-256 [0-9a-f]{64}$/);
});

test('removed lines leave room for added ones', () => {
  const enumOf = (prefix: string) => ({ enum: Array.from({ length: 3_000 }, (_, index) => `${prefix}${index}`) });
  const lines = differenceOf({ ...tool, inputSchema: enumOf('old') }, { ...tool, inputSchema: enumOf('new') });
  assert.ok(lines.length <= 400);
  assert.ok(lines.some((line) => line.includes('old0')) && lines.some((line) => line.includes('new0')));
  assert.ok(lines.some((line) => /^\+ … [\d,]+ more lines added$/.test(line)));
});

test('reordered lines are reported, even if there are too many to be aligned', () => {
  const values = Array.from({ length: 5_000 }, (_, index) => `value${index}`);
  const schema = (list: string[]) => ({ ...tool, inputSchema: { enum: [...list, 'end'] } });
  const lines = differenceOf(schema(values), schema(values.toReversed()));
  assert.ok(lines.some((line) => line.includes('in a different order')));
});

test('any difference is short, and empty only if the pins are equal', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('a\n'.repeat(500), 'b '.repeat(900), ' '.repeat(300_000), 'c d\n'.repeat(60_000)),
  );
  const entry = fc.record({
    name: fc.constantFrom('a', 'b'),
    description: text,
    inputSchema: fc.dictionary(text, fc.jsonValue()),
  });
  fc.assert(
    fc.property(entry, entry, (before, after) => {
      const lines = differenceOf(before, after);
      assert.equal(lines.length === 0, pinOf(before) === pinOf(after));
      assert.equal(
        lines.some((line) => /^[-+]/.test(line)),
        lines.length > 0,
      );
      assert.ok(lines.length <= 400);
      assert.ok(lines.every((line) => /^[-+ ] /.test(line) && !line.includes('\n')));
    }),
    { numRuns: 40 },
  );
});

test('the difference of a hostile tool takes bounded time', () => {
  const hostile = (seed: number): ToolEntry => ({
    ...tool,
    inputSchema: { enum: Array.from({ length: 200_000 }, (_, index) => (index * seed) % 7) },
    description: `${seed}\\`.repeat(500_000),
  });
  const [before, after] = [hostile(3), hostile(5)];
  assert.ok(withinCpuMs(5_000, () => differenceOf(before, after)).length <= 400);
});
