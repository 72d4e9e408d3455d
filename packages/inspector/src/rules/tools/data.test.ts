import { answer, ask, call, cases, handshake, line, refuse, stdio, text } from '../fixtures/traces.ts';

function returned(...content: object[]) {
  return [stdio, handshake(), call(1, 'x'), answer(1, { content })];
}
function image(data: string) {
  return { type: 'image', data, mimeType: 'image/png' };
}
const error = { blame: 'server', severity: 'error' } as const;
function read(uri: string, contents: object[]) {
  return [stdio, handshake(), ask(1, 'resources/read', { uri }), answer(1, { contents })];
}

cases('base64', {
  broken: {
    'a data URL': {
      ...error,
      trace: returned(image('data:image/png;base64,AAAA')),
      says: /content\[0\].data of the server begins with "data:"/,
      cites: ['data:'],
    },
    'the alphabet for URLs': { ...error, trace: returned(image('AA-_')), says: /base64url/ },
    'line breaks': { ...error, trace: returned(image('AAAA\nAAAA')), says: /holds "\\u000a"/ },
    'data that was cut off': { ...error, trace: returned(image('AAA')), says: /not a multiple of 4/ },
    'padding in the middle': { ...error, trace: returned(image('A=AA')), says: /"=" in its middle/ },
    'a resource in a result': {
      ...error,
      trace: returned({ type: 'resource', resource: { uri: 'a:b', blob: '?' } }),
      says: /content\[0\].resource.blob/,
    },
    'a resource': { ...error, trace: read('a:b', [{ uri: 'a:b', blob: 'x' }]), says: /contents\[0\].blob/ },
  },
  kept: {
    'base64, also none': returned(image('iVBORw0K'), image('AAA='), image('AA=='), image('')),
    'text that is not a data URI': returned(text('data:')),
    'data that lost a secret': [
      stdio,
      handshake(),
      call(1, 'x'),
      line('message', JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [image('[redacted]')] } }), {
        from: 'server',
        redacted: true,
      }),
    ],
  },
});

cases('big-text', {
  broken: {
    'a megabyte of text': {
      blame: 'server',
      severity: 'warning',
      trace: returned(text('x'.repeat(700_000)), text('y'.repeat(700_000))),
      says: /The tool "x" returned 1.4 MB of text, some 350,000 tokens/,
    },
  },
  kept: {
    'a lot of text': returned(text('x'.repeat(900_000))),
    'a large image': returned(image('A'.repeat(1_200_000))),
  },
});

cases('read-uri', {
  broken: {
    'another resource': {
      blame: 'server',
      severity: 'warning',
      trace: read('file:///a', [{ uri: 'file:///b', text: '' }]),
      says: /answered "file:\/\/\/a" with the contents of "file:\/\/\/b"/,
      cites: ['file:///a', 'file:///b'],
    },
    'a neighbour whose name begins alike': {
      blame: 'server',
      severity: 'warning',
      trace: read('file:///a', [{ uri: 'file:///ab', text: '' }]),
      says: /file:\/\/\/ab/,
    },
    nothing: { blame: 'server', severity: 'warning', trace: read('file:///a', []), says: /with nothing/ },
  },
  kept: {
    'the resource': read('file:///a', [{ uri: 'file:///a', text: '' }]),
    'a file in a folder': read('file:///a/', [{ uri: 'file:///a/b', text: '' }]),
    'the same address, written otherwise': read('file:///a b', [{ uri: 'file:///a%20b', text: '' }]),
    'a refusal': [stdio, handshake(), ask(1, 'resources/read', { uri: 'a:b' }), refuse(1, -32_002)],
  },
});

function completed(completion: unknown) {
  return [stdio, handshake(), ask(1, 'completion/complete'), answer(1, { completion })];
}
const many = Array.from({ length: 101 }, (_, index) => String(index));

cases('completion-size', {
  broken: {
    'more than 100 values': {
      ...error,
      trace: completed({ values: many }),
      says: /with 101 values/,
      cites: ['completion/complete', '100'],
    },
    'no values': { ...error, trace: completed({}), says: /without completion.values/ },
  },
  kept: {
    '100 values': completed({ values: many.slice(1), hasMore: true }),
    'a refusal': [stdio, handshake(), ask(1, 'completion/complete'), refuse(1, -32_601)],
  },
});
