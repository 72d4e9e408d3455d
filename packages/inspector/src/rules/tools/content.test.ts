import { answer, ask, call, cases, complete, discovered, handshake, modern, stdio, text } from '../fixtures/traces.ts';

function returned(content: unknown, revision: '2025-11-25' | '2024-11-05' | '2025-03-26' = '2025-11-25') {
  return [stdio, handshake(revision), call(1, 'x'), answer(1, { content })];
}
const error = { blame: 'server', severity: 'error' } as const;
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const link = { type: 'resource_link', uri: 'a:b', name: 'a' };

cases('content-block', {
  broken: {
    'a result without content': {
      ...error,
      trace: returned(undefined),
      says: /result of tools\/call has the content nothing, not a list/,
      cites: ['tools/call', 'result'],
    },
    'content that is text': { ...error, trace: returned(['hello']), says: /content\[0\] is "hello", not an object/ },
    'a type that does not exist': {
      ...error,
      trace: returned([text('a'), { type: 'video' }]),
      says: /content\[1\] has the type "video", which the protocol does not have/,
    },
    'an image without a MIME type': {
      ...error,
      trace: returned([{ type: 'image', data: 'AAAA' }]),
      says: /content\[0\] \(image\) has no usable mimeType/,
    },
    'a text without text': { ...error, trace: returned([{ type: 'text' }]), says: /\(text\) has no usable text/ },
    'a link without a name': {
      ...error,
      trace: returned([{ type: 'resource_link', uri: 'a:b' }]),
      says: /\(resource_link\) has no usable name/,
    },
    'a type of a later revision': {
      ...error,
      trace: returned([{ ...image, type: 'audio' }], '2024-11-05'),
      says: /type "audio", which 2024-11-05 does not have/,
      clause: /2024-11-05\/server\/tools#tool-result$/,
    },
    'a link before there were links': {
      ...error,
      trace: returned([link], '2025-03-26'),
      says: /"resource_link", which 2025-03-26/,
    },
    'a resource without anything in it': {
      ...error,
      trace: returned([{ type: 'resource', resource: { uri: 'a:b' } }]),
      says: /neither text nor blob/,
    },
    'a message of a prompt': {
      ...error,
      trace: [
        stdio,
        handshake(),
        ask(1, 'prompts/get', { name: 'p' }),
        answer(1, { messages: [{ role: 'user', content: 'hello' }] }),
      ],
      says: /messages\[0\].content is "hello"/,
      clause: /server\/prompts#promptmessage$/,
    },
    'a resource without contents': {
      ...error,
      trace: [stdio, handshake(), ask(1, 'resources/read', { uri: 'a:b' }), answer(1, { contents: [{ text: 'a' }] })],
      says: /resources\/read has a resource without a uri/,
    },
    'content of a model': {
      blame: 'client',
      severity: 'error',
      trace: [
        stdio,
        handshake(),
        ask(1, 'sampling/createMessage', { messages: [] }, 'server'),
        answer(1, { role: 'assistant', content: 'hi' }, 'client'),
      ],
      says: /Invalid content from the client: content is "hi"/,
    },
    'content for a model': {
      ...error,
      trace: [
        stdio,
        handshake(),
        ask(1, 'sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text' } }] }, 'server'),
      ],
      says: /messages\[0\].content \(text\)/,
    },
  },
  kept: {
    'content of every type': returned([
      text('a'),
      image,
      { ...image, type: 'audio' },
      link,
      { type: 'resource', resource: { uri: 'a:b', text: 'x' } },
    ]),
    'several blocks of a model': [
      stdio,
      handshake(),
      ask(
        1,
        'sampling/createMessage',
        { messages: [{ role: 'user', content: [text('a'), { type: 'tool_result', toolUseId: '1', content: [] }] }] },
        'server',
      ),
      answer(
        1,
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: {} }], model: 'm' },
        'client',
      ),
    ],
    'no content at all': returned([]),
    'a question in place of content': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'x' }),
      answer(1, { resultType: 'input_required', requestState: 'a' }),
    ],
    'a resource': [
      stdio,
      discovered(),
      modern(1, 'resources/read', { uri: 'a:b' }),
      complete(1, { contents: [{ uri: 'a:b', blob: 'AAAA' }] }),
    ],
  },
});
