import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { ElicitResult, SampleResult } from '../protocol/results.ts';
import { featuresOf, type Revision, REVISIONS } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { encodeAnswer } from './input-answer.ts';
import { encodeInputRequest } from './input-request.ts';

function paramsOf(method: string, params: JsonObject, revision: Revision): JsonObject {
  const encoded = encodeInputRequest(method, frozen(params), revision);
  assert.ok('params' in encoded, JSON.stringify(encoded));
  return asSent(encoded.params);
}

function refused(method: string, params: JsonObject, revision: Revision): string {
  const encoded = encodeInputRequest(method, frozen(params), revision);
  assert.ok('unsupported' in encoded, JSON.stringify(encoded));
  return encoded.unsupported;
}

const meta = { a: 1 };
const text = { type: 'text', text: 'a' } as const;
const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } as const;
const use = { type: 'tool_use', id: '1', name: 't', input: {} } as const;
const schema = { type: 'object', properties: { a: { type: 'string' } } };

for (const revision of REVISIONS) {
  const features = featuresOf(revision);
  const ask = (content: unknown, more: JsonObject = {}): JsonObject => ({
    messages: [{ role: 'user', content }],
    maxTokens: 9,
    ...more,
  });

  test(`[ELIC-13] ${revision}: a form is ${features.elicitation === 'none' ? 'refused' : `asked ${features.elicitation === 'full' ? 'with' : 'without'} its mode`}`, () => {
    const params = { mode: 'form', message: 'm', requestedSchema: schema, _meta: meta, other: 1 };
    if (features.elicitation === 'none') {
      assert.match(refused('elicitation/create', params, revision), /has no elicitation/);
      return;
    }
    assert.deepEqual(paramsOf('elicitation/create', params, revision), {
      ...(features.elicitation === 'full' ? { mode: 'form' } : {}),
      message: 'm',
      requestedSchema: schema,
      ...(features.inputMeta ? { _meta: meta } : {}),
    });
  });

  test(`[ELIC-17] ${revision}: a URL is ${features.elicitation === 'full' ? `asked ${features.elicitationId ? 'with' : 'without'} an id` : 'refused'}`, () => {
    const params = { mode: 'url', message: 'm', url: 'https://example.com/', elicitationId: 'e1' };
    if (features.elicitation !== 'full') {
      assert.match(refused('elicitation/create', params, revision), /has no (URL )?elicitation/);
      return;
    }
    const { elicitationId, ...bare } = params;
    assert.deepEqual(paramsOf('elicitation/create', params, revision), features.elicitationId ? params : bare);
    const minted = [1, 2].map(() => paramsOf('elicitation/create', bare, revision)['elicitationId']);
    assert.equal(new Set(minted).size, features.elicitationId ? 2 : 1);
    for (const id of minted) assert.equal(typeof id, features.elicitationId ? 'string' : 'undefined');
    assert.equal(elicitationId, 'e1');
  });

  test(`${revision}: a field that cannot be represented makes the whole form unsupported`, () => {
    const params = {
      message: 'm',
      requestedSchema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string', enum: ['x'] } } } },
    };
    const encoded = encodeInputRequest('elicitation/create', params, revision);
    assert.equal('unsupported' in encoded, features.elicitation !== 'full');
  });

  test(`${revision}: several blocks of one message are ${features.samplingTools ? 'sent in one' : 'sent as one message each'}`, () => {
    const blocks = paramsOf('sampling/createMessage', ask([text, image]), revision)['messages'];
    const each = [
      { role: 'user', content: text },
      { role: 'user', content: image },
    ];
    assert.deepEqual(blocks, features.samplingTools ? [{ role: 'user', content: [text, image] }] : each);
    const one = paramsOf('sampling/createMessage', ask([text]), revision)['messages'];
    assert.deepEqual(one, [{ role: 'user', content: features.samplingTools ? [text] : text }]);
    assert.deepEqual(paramsOf('sampling/createMessage', ask(text), revision)['messages'], [
      { role: 'user', content: text },
    ]);
  });

  test(`[SAMP-6] ${revision}: tools in sampling are ${features.samplingTools ? 'sent' : 'refused'}`, () => {
    const tools = [{ name: 't', inputSchema: { type: 'object', properties: { a: true } } }];
    const history = ask([use]);
    if (!features.samplingTools) {
      assert.match(refused('sampling/createMessage', ask(text, { tools }), revision), /no tools in sampling/);
      assert.match(refused('sampling/createMessage', history, revision), /no tools in sampling/);
      const none = paramsOf('sampling/createMessage', ask(text, { tools: [], toolChoice: { mode: 'none' } }), revision);
      assert.deepEqual(none, ask(text));
      return;
    }
    const sent = paramsOf('sampling/createMessage', ask(text, { tools, toolChoice: { mode: 'auto' } }), revision);
    const properties = features.structured === 'any' ? { a: true } : { a: {} };
    assert.deepEqual(
      sent,
      ask(text, { tools: [{ name: 't', inputSchema: { type: 'object', properties } }], toolChoice: { mode: 'auto' } }),
    );
    assert.deepEqual(paramsOf('sampling/createMessage', history, revision), history);
  });

  test(`${revision}: a tool result in sampling is encoded like results of tools`, () => {
    if (!features.samplingTools) return;
    const result = { type: 'tool_result', toolUseId: '1', content: [text], structuredContent: [1], isError: false };
    const sent = paramsOf('sampling/createMessage', ask([result]), revision) as {
      messages: { content: JsonObject[] }[];
    };
    const value = features.structured === 'any' ? [1] : { result: [1] };
    assert.deepEqual(sent.messages[0]!.content[0], { ...result, structuredContent: value });
  });

  test(`${revision}: audio in sampling is ${features.audio ? 'sent' : 'refused: there is no substitute a model could hear'}`, () => {
    if (features.audio) assert.deepEqual(paramsOf('sampling/createMessage', ask(audio), revision), ask(audio));
    else assert.match(refused('sampling/createMessage', ask(audio), revision), /has no audio/);
    assert.match(refused('sampling/createMessage', ask({ type: 'hologram' }), revision), /hologram/);
  });

  test(`${revision}: _meta of a sampling request and of its messages is sent if the revision knows it`, () => {
    const params = {
      messages: [{ role: 'user', content: { ...text, _meta: meta }, _meta: meta }],
      maxTokens: 9,
      _meta: meta,
    };
    assert.deepEqual(paramsOf('sampling/createMessage', params, revision), {
      messages: [
        {
          role: 'user',
          content: features.entityMeta ? { ...text, _meta: meta } : text,
          ...(features.samplingTools ? { _meta: meta } : {}),
        },
      ],
      maxTokens: 9,
      ...(features.inputMeta ? { _meta: meta } : {}),
    });
  });

  test(`${revision}: a request for roots is sent unchanged; other methods are not requests to clients`, () => {
    assert.deepEqual(paramsOf('roots/list', { _meta: meta }, revision), { _meta: meta });
    for (const method of ['ping', '__proto__', 'constructor'])
      assert.match(refused(method, {}, revision), /is not a request to clients/);
  });

  test(`[ELIC-18] ${revision}: only an accepted form has content`, () => {
    const content = { a: 'x' };
    const answer = (result: ElicitResult): JsonObject => encodeAnswer('elicitation/create', frozen(result), revision);
    assert.deepEqual(answer({ action: 'accept', content }), { action: 'accept', content });
    assert.deepEqual(answer({ action: 'decline', content }), { action: 'decline' });
    assert.deepEqual(answer({ action: 'cancel', content, _meta: meta }), {
      action: 'cancel',
      ...(features.inputMeta ? { _meta: meta } : {}),
    });
  });

  test(`${revision}: a sampling answer of several blocks is ${features.samplingTools ? 'sent so' : 'joined when it is text, else refused'}`, () => {
    const answer = (content: SampleResult['content']): unknown =>
      encodeAnswer('sampling/createMessage', frozen({ role: 'assistant' as const, model: 'm', content }), revision)[
        'content'
      ];
    assert.deepEqual(answer(text), text);
    if (features.samplingTools) {
      assert.deepEqual(answer([text, use]), [text, use]);
      return;
    }
    assert.deepEqual(answer([text]), text);
    assert.deepEqual(answer([image]), image);
    assert.deepEqual(answer([text, { type: 'text', text: 'b' }]), { type: 'text', text: 'a\nb' });
    assert.deepEqual(answer([]), { type: 'text', text: '' });
    for (const content of [[text, image], [use], use] as SampleResult['content'][]) {
      assert.throws(
        () => answer(content),
        (error) => error instanceof ProtocolError && error.code === CODE.internalError,
      );
    }
  });

  test(`${revision}: the answer with roots has the members the revision knows`, () => {
    const answer = frozen({ roots: [{ uri: 'file:///a', name: 'a', _meta: meta }], _meta: meta });
    assert.deepEqual(encodeAnswer('roots/list', answer, revision), {
      roots: [{ uri: 'file:///a', name: 'a', ...(features.entityMeta ? { _meta: meta } : {}) }],
      ...(features.inputMeta ? { _meta: meta } : {}),
    });
  });
}
