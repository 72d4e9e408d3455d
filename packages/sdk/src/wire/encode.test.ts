import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PromptEntry, ToolEntry } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META } from '../protocol/meta.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';
import { featuresOf, type Revision, REVISIONS } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { complete, encodeNotification, interimResult } from './encode.ts';
import { encodeCompletion, encodePromptResult, encodeReadResult, encodeToolResult } from './encode-results.ts';
import { encodeEntry } from './encode-entry.ts';
import { encodeImplementation, encodeParams } from './encode-params.ts';

const plainText: CallToolResult = frozen({ content: [{ type: 'text', text: 'hello' }] });
function asJson(value: unknown) {
  return { type: 'text', text: JSON.stringify(value) };
}
function output(mark: unknown) {
  return { _meta: { 'dev.tenon/output': mark } };
}
/** The params of a notification as they are sent. */
function notificationOf(method: string, params: JsonObject, revision: Revision): unknown {
  const sent = JSON.parse(encodeNotification(method, params, revision)) as Record<string, unknown>;
  assert.deepEqual([sent['jsonrpc'], sent['method']], ['2.0', method]);
  return sent['params'];
}

for (const revision of REVISIONS) {
  const features = featuresOf(revision);

  test(`${revision}: a plain text result is sent without a copy`, () => {
    assert.equal(encodeToolResult(plainText, revision), plainText);
    const failed: CallToolResult = frozen({ ...plainText, isError: true, _meta: { a: 1 } });
    assert.equal(encodeToolResult(failed, revision), failed);
  });

  test(`[TOOL-24] ${revision}: a structured value is repeated as text, unless the result already has text`, () => {
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
    const value = { a: [1, 'ä'] };
    const structured = features.structured === 'none' ? output('text') : { structuredContent: value };
    assert.deepEqual(encodeToolResult(frozen({ content: [], structuredContent: value }), revision), {
      content: [asJson(value)],
      ...structured,
    });
    assert.deepEqual(encodeToolResult(frozen({ content: [image], structuredContent: value }), revision), {
      content: [image, asJson(value)],
      ...structured,
    });
    assert.deepEqual(encodeToolResult(frozen({ ...plainText, structuredContent: value }), revision), {
      ...plainText,
      ...(features.structured === 'none' ? output({ value }) : structured),
    });
  });

  test(`${revision}: the mark of a moved structured value is added to the author's own _meta`, () => {
    const content = [asJson([1])] as CallToolResult['content'];
    const result = encodeToolResult(frozen({ content, structuredContent: [1], _meta: { a: 1 } }), revision);
    const marks = { none: { 'dev.tenon/output': 'text' }, object: { 'dev.tenon/output': 'wrapped' }, any: {} };
    assert.deepEqual(result['_meta'], { a: 1, ...marks[features.structured] });
  });

  test(`[TOOL-27] [TOOL-28] ${revision}: a value that is not an object is ${{ none: 'text only', object: 'wrapped', any: 'sent as it is' }[features.structured]}, null too`, () => {
    for (const value of [null, 0, '', false, [], [1]]) {
      const sent = {
        none: output('text'),
        object: { structuredContent: { result: value }, ...output('wrapped') },
        any: { structuredContent: value },
      };
      const result = encodeToolResult(frozen({ content: [], structuredContent: value }), revision);
      assert.deepEqual(result, { content: [asJson(value)], ...sent[features.structured] });
    }
  });

  test(`[TOOL-28] ${revision}: a missing structuredContent stays missing`, () => {
    assert.equal(Object.hasOwn(encodeToolResult(plainText, revision), 'structuredContent'), false);
  });

  test(`${revision}: every value of a tool whose schema is wrapped is wrapped if objects are required`, () => {
    const result = encodeToolResult(frozen({ content: [], structuredContent: { a: 1 } }), revision, {
      wrap: features.structured === 'object',
    });
    const sent = { none: undefined, object: { result: { a: 1 } }, any: { a: 1 } };
    assert.deepEqual(result['structuredContent'], sent[features.structured]);
    assert.deepEqual(result['content'], [asJson({ a: 1 })]);
  });

  test(`${revision}: the output schema of a tool is sent in the form the revision allows`, () => {
    const base = { name: 't', inputSchema: { type: 'object' } };
    const object: ToolEntry = frozen({
      ...base,
      outputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    });
    const list: ToolEntry = frozen({
      ...base,
      outputSchema: { type: 'array', items: { $ref: '#/$defs/i' }, $defs: { i: {} } },
    });
    const wrapped = {
      type: 'object',
      properties: { result: { type: 'array', items: { $ref: '#/properties/result/$defs/i' }, $defs: { i: {} } } },
      required: ['result'],
    };
    const expected = {
      none: [undefined, undefined],
      object: [object.outputSchema, wrapped],
      any: [object.outputSchema, list.outputSchema],
    };
    const sent = [object, list].map((tool) => asSent(encodeEntry('tools/list', tool, revision))['outputSchema']);
    assert.deepEqual(sent, expected[features.structured]);
  });

  test(`${revision}: the title of a tool is where the revision expects it`, () => {
    const tool: ToolEntry = frozen({ name: 't', title: 'Own', inputSchema: { type: 'object' } });
    const hinted: ToolEntry = frozen({ ...tool, annotations: { title: 'Hint', readOnlyHint: true } });
    const titles = [tool, hinted].map((entry) => {
      const sent = encodeEntry('tools/list', entry, revision) as { title?: string; annotations?: { title?: string } };
      return [sent.title, sent.annotations?.title];
    });
    const expected = features.title
      ? [
          ['Own', undefined],
          ['Own', 'Hint'],
        ]
      : features.toolAnnotations
        ? [
            [undefined, 'Own'],
            [undefined, 'Hint'],
          ]
        : [
            [undefined, undefined],
            [undefined, undefined],
          ];
    assert.deepEqual(titles, expected);
  });

  test(`${revision}: properties of an input schema are objects if the revision requires it`, () => {
    const tool: ToolEntry = frozen({ name: 't', inputSchema: { type: 'object', properties: { a: true } } });
    const expected = features.structured === 'any' ? tool.inputSchema : { type: 'object', properties: { a: {} } };
    assert.deepEqual(encodeEntry('tools/list', tool, revision)['inputSchema'], expected);
  });

  test(`${revision}: prompts, resources, templates and programs lose unknown members`, () => {
    const icons = [{ src: 'https://example.com/i.png' }];
    const prompt: PromptEntry = frozen({
      name: 'p',
      title: 'P',
      icons,
      arguments: [{ name: 'a', title: 'A', required: true }],
    });
    const title = features.title ? { title: 'P' } : {};
    const icon = features.icons ? { icons } : {};
    assert.deepEqual(encodeEntry('prompts/list', prompt, revision), {
      name: 'p',
      ...title,
      ...icon,
      arguments: [{ name: 'a', ...(features.title ? { title: 'A' } : {}), required: true }],
    });
    assert.deepEqual(
      encodeEntry('resources/list', frozen({ uri: 'a:b', name: 'p', title: 'P', icons, size: 1 }), revision),
      {
        uri: 'a:b',
        name: 'p',
        ...title,
        ...icon,
        size: 1,
      },
    );
    assert.deepEqual(
      encodeEntry('resources/templates/list', frozen({ uriTemplate: 'a:{b}', name: 'p', title: 'P', icons }), revision),
      {
        uriTemplate: 'a:{b}',
        name: 'p',
        ...title,
        ...icon,
      },
    );
    assert.deepEqual(encodeImplementation(frozen({ name: 'n', version: '1', title: 'P', icons }), revision), {
      name: 'n',
      version: '1',
      ...title,
      ...icon,
    });
  });

  test(`${revision}: prompt messages and resource contents are downgraded like tool results`, () => {
    const prompt: GetPromptResult = frozen({
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: 'a' } },
        { role: 'assistant', content: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } },
      ],
    });
    const encoded = encodePromptResult(prompt, revision) as unknown as GetPromptResult;
    assert.equal(encoded.messages[0], prompt.messages[0]);
    assert.equal(encoded.messages[1]!.content.type, features.audio ? 'audio' : 'resource');
    assert.equal(encoded.description, 'd');
    assert.equal(encoded === (prompt as unknown), features.audio);
    const read: ReadResourceResult = frozen({ contents: [{ uri: 'a:b', text: 't', _meta: { a: 1 } }] });
    assert.deepEqual(
      encodeReadResult(read, revision),
      features.entityMeta ? read : { contents: [{ uri: 'a:b', text: 't' }] },
    );
  });

  test(`[BASE-19] [BASE-20] ${revision}: a finished result ${features.era === 'modern' ? 'says that it is complete' : 'has no resultType'}`, () => {
    const type = complete(frozen({ resultType: 'something', content: [] }), revision, {})['resultType'];
    assert.equal(type, features.era === 'modern' ? 'complete' : undefined);
  });

  test(`[BASE-47] ${revision}: the server's name is ${features.era === 'modern' ? 'in the _meta of each result, beside existing members' : 'in no result'}`, () => {
    const serverInfo = { name: 's', version: '1' };
    const modern = features.era === 'modern';
    assert.deepEqual(
      complete(frozen({ _meta: { a: 1 } }), revision, { serverInfo })['_meta'],
      modern ? { [META.serverInfo]: serverInfo, a: 1 } : { a: 1 },
    );
    const relayed = frozen({ _meta: { a: 1, [META.serverInfo]: { name: 'upstream', version: '2' } } });
    assert.deepEqual(complete(relayed, revision, { serverInfo })['_meta'], modern ? relayed['_meta'] : { a: 1 });
  });

  test(`[CACHE-3] ${revision}: a cache hint is ${features.era === 'modern' ? 'added when there is one, as whole milliseconds from 0' : 'never sent'}`, () => {
    for (const [ttlMs, sent] of [
      [1500.7, 1500],
      [-1, 0],
      [Number.NaN, 0],
      [Infinity, Number.MAX_SAFE_INTEGER],
    ] as const) {
      const hint = { ttlMs: complete({}, revision, { cache: { ttlMs, cacheScope: 'public' } })['ttlMs'] };
      assert.deepEqual(hint, features.era === 'modern' ? { ttlMs: sent } : { ttlMs: undefined });
    }
    const authored = complete(frozen({ contents: [], ttlMs: 5, cacheScope: 'public' }), revision, {});
    assert.deepEqual(
      authored,
      features.era === 'modern'
        ? { contents: [], ttlMs: 5, cacheScope: 'public', resultType: 'complete' }
        : { contents: [] },
    );
  });

  test(`${revision}: the message of a progress notification is ${features.progressMessage ? 'sent' : 'left out'}, other notifications stay unchanged`, () => {
    const progress = frozen({ progressToken: 't', progress: 1, total: 2, message: 'half' });
    const { message: _message, ...older } = progress;
    assert.deepEqual(
      notificationOf('notifications/progress', progress, revision),
      features.progressMessage ? progress : older,
    );
    const bare = frozen({ progressToken: 7, progress: -1.5e300 });
    assert.deepEqual(notificationOf('notifications/progress', bare, revision), bare);
    const log = frozen({ level: 'info', data: { message: 'm' }, logger: 'l' });
    assert.deepEqual(notificationOf('notifications/message', log, revision), log);
  });

  test(`${revision}: the id of a subscription is ${features.era === 'modern' ? 'kept' : 'unknown'} on a notification`, () => {
    const params = frozen({ uri: 'a:b', _meta: { [META.subscriptionId]: 7, a: 1 } });
    const expected = features.era === 'modern' ? params : { uri: 'a:b', _meta: { a: 1 } };
    assert.deepEqual(notificationOf('notifications/resources/updated', params, revision), expected);
  });

  test(`[COMP-4] ${revision}: a completion request has a context ${features.completionContext ? '' : 'only in later revisions'}`, () => {
    const context = { arguments: { b: '1' } };
    const params = frozen({
      ref: { type: 'ref/prompt', name: 'p', title: 'P' },
      argument: { name: 'a', value: '' },
      context,
    });
    assert.deepEqual(encodeParams('completion/complete', params, revision), {
      ref: { type: 'ref/prompt', name: 'p', ...(features.title ? { title: 'P' } : {}) },
      argument: { name: 'a', value: '' },
      ...(features.completionContext ? { context } : {}),
    });
    assert.equal(encodeParams('tools/call', params, revision), params);
  });
}

test('a legacy result without modern members is sent without a copy', () => {
  const result = frozen({ content: [], _meta: { a: 1 } });
  assert.equal(complete(result, '2025-11-25', { cache: { ttlMs: 1, cacheScope: 'private' } }), result);
});

test('[COMP-3] at most 100 completions are sent, with `hasMore` if there are more', () => {
  const values = frozen(Array.from({ length: 101 }, (_, index) => `v${index}`));
  assert.deepEqual(asSent(encodeCompletion({ values })), {
    completion: { values: values.slice(0, 100), total: 101, hasMore: true },
  });
  assert.deepEqual(asSent(encodeCompletion({ values, total: 500, hasMore: false })), {
    completion: { values: values.slice(0, 100), total: 500, hasMore: true },
  });
  assert.deepEqual(asSent(encodeCompletion({ values: values.slice(0, 100) })), {
    completion: { values: values.slice(0, 100) },
  });
  assert.deepEqual(asSent(encodeCompletion({ values: [], total: 0, hasMore: false })), {
    completion: { values: [], total: 0, hasMore: false },
  });
});

test('[BASE-20] input requests are sent as input_required, with the state to send back', () => {
  const inputRequests = JSON.parse('{"__proto__":{"method":"roots/list","params":{}}}') as {};
  assert.equal(
    JSON.stringify(
      interimResult('input_required', { inputRequests, requestState: 'sealed' }, { name: 's', version: '1' }),
    ),
    '{"resultType":"input_required","inputRequests":{"__proto__":{"method":"roots/list","params":{}}},"requestState":"sealed",' +
      '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}',
  );
  assert.equal(
    JSON.stringify(interimResult('input_required', { requestState: 'later' }, undefined)),
    '{"resultType":"input_required","requestState":"later"}',
  );
});
