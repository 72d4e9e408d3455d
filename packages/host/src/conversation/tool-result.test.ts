import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult } from 'tenon/client';
import { outputOf, readResult } from './tool-result.ts';

function read(result: CallToolResult, limit = 1_000) {
  return readResult(result, limit, true);
}
function text(value: string) {
  return { type: 'text' as const, text: value };
}
const png = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };

test('texts, links and resources become one text', () => {
  const result = read({
    content: [
      text('One'),
      { type: 'resource_link', uri: 'file:///a', name: 'a', description: 'A file', mimeType: 'text/plain', size: 3 },
      { type: 'resource', resource: { uri: 'file:///b', text: 'B' } },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA', mimeType: 'application/zip' } },
    ],
  });
  const expected = [
    'One',
    '[Link to the resource file:///a] a (text/plain, 3 bytes)\nA file',
    '[Resource file:///b]\nB',
    '[A recording (audio/wav, 3 bytes) was omitted here: it cannot be shown to you.]',
    '[Resource file:///c] [Binary data (application/zip, 3 bytes) was omitted here: it cannot be shown to you.]',
  ];
  assert.equal(result.text, expected.join('\n\n'));
  assert.deepEqual(outputOf(result), { type: 'text', value: result.text });
});

test('structured content that a text block repeats appears only once', () => {
  const structuredContent = { b: [1, { d: 1, c: 2 }], a: 'x' };
  assert.equal(read({ content: [], structuredContent }).text, JSON.stringify(structuredContent));
  const repeated = '{"a": "x",\n "b": [1, {"c": 2, "d": 1}]}';
  assert.equal(read({ content: [text(repeated)], structuredContent }).text, repeated);
  assert.equal(read({ content: [text('2 rows')], structuredContent: [1] }).text, '2 rows\n\n[1]');
  assert.equal(read({ content: [], structuredContent: null }).text, 'null');
});

test('structured content whose only member is the text appears only once', () => {
  for (const [value, structuredContent] of [
    ['line 1\nline 2\n', { content: 'line 1\nline 2' }],
    ['3', { result: 3 }],
    ['[{"a": 1}]', { rows: [{ a: 1 }] }],
    ['3', 3],
  ] as const)
    assert.equal(read({ content: [text(value)], structuredContent }).text, value);
  for (const structuredContent of [{ content: 'one', size: 3 }, { content: 'two' }, { content: {} }, {}])
    assert.equal(
      read({ content: [text('one')], structuredContent }).text,
      `one\n\n${JSON.stringify(structuredContent)}`,
    );
});

test('content that is only for the person is replaced by a note for the model', () => {
  const aimed = (value: string, ...audience: ('user' | 'assistant')[]) => ({
    ...text(value),
    annotations: { audience },
  });
  const note = '[Content for the person only was omitted here.]';
  const all = [
    aimed('secret', 'user'),
    { ...png, annotations: { audience: ['user' as const] } },
    aimed('ours', 'assistant', 'user'),
  ];
  assert.deepEqual(read({ content: [...all, aimed('yours', 'assistant'), aimed('anybody')] }), {
    text: `ours\n\nyours\n\nanybody\n\n${note}`,
    images: [],
    isError: false,
  });
  assert.equal(read({ content: [aimed('secret', 'user')], isError: true }).text, note);
  // Structured content is for programs and models, also if a text for the person repeats it.
  assert.equal(read({ content: [aimed('{"a":1}', 'user')], structuredContent: { a: 1 } }).text, `{"a":1}\n\n${note}`);
  for (const audience of ['user', null, [], {}])
    assert.equal(read({ content: [{ ...text('x'), annotations: { audience } as never }] }).text, 'x');
});

test('images are included if the model accepts them, and described otherwise', () => {
  const result = read({
    content: [text('Look'), png, { type: 'resource', resource: { uri: 'x:1', blob: 'BBBB', mimeType: 'image/webp' } }],
  });
  assert.deepEqual(
    result.images.map(({ mediaType }) => mediaType),
    ['image/png', 'image/webp'],
  );
  assert.deepEqual(outputOf(read({ content: [png] })), {
    type: 'content',
    value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }],
  });
  assert.match(readResult({ content: [png] }, 1_000, false).text, /An image \(image\/png, 3 bytes\) was omitted/);
  assert.match(read({ content: [{ ...png, mimeType: 'image/svg+xml' }] }).text, /svg.*omitted/);
  assert.match(read({ content: [{ ...png, data: 'A'.repeat(5_000_001) }] }).text, /3,750 kB.*omitted/);
  // Providers reject the whole conversation for invalid base64.
  for (const data of ['', 'A', 'not base64', 'AAAA\n', '\ud800AAA'])
    assert.match(read({ content: [{ ...png, data }] }).text, /An image.*omitted/, data);
  const error = read({ content: [png], isError: true });
  assert.deepEqual(outputOf(error), { type: 'error-text', value: error.text });
  assert.match(error.text, /omitted/);
});

test('a long result is shortened with a note, never within a character', () => {
  assert.equal(read({ content: [text('abcdef')] }, 4).text, 'abcd\n[2 more characters were omitted here.]');
  const cut = read({ content: [text('abc😀def')] }, 4).text;
  assert.equal(cut, 'abc\n[5 more characters were omitted here.]');
  assert.equal(read({ content: [text('a\uD800b')] }).text, 'a\uFFFDb');
});

test('an empty result has a note', () => {
  assert.equal(read({ content: [] }).text, 'Done. The tool returned no content.');
  assert.equal(read({ content: [text(' \n')] }).text, 'Done. The tool returned no content.');
  assert.equal(read({ content: [], isError: true }).text, 'The tool failed and did not say why.');
});
