import {
  answer,
  ask,
  call,
  cases,
  handshake,
  line,
  refuse,
  server,
  stdio,
  tell,
  text,
  tools,
} from '../fixtures/traces.ts';

const add = {
  name: 'add',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, note: { type: 'string' } }, required: ['a'] },
};
const begin = [stdio, handshake(), tools(add)];
const done = answer(1, { content: [text('3')] });
const failed = answer(1, { content: [text('no')], isError: true });
const warning = { blame: 'client', severity: 'warning' } as const;

cases('input-schema', {
  broken: {
    'an argument of another type': {
      ...warning,
      trace: [...begin, call(1, 'add', { a: 'x' }), failed],
      says: /arguments of add violate its inputSchema: a: must be a number, got a string\. a is text, as if it had not been converted/,
      cites: ['inputSchema', 'tools/call'],
    },
    'a number that was lost': {
      ...warning,
      trace: [...begin, call(1, 'add', { a: null }), failed],
      says: /a is null: JSON writes NaN, which is not a number, as null/,
    },
    'text that was made something else': {
      ...warning,
      trace: [...begin, call(1, 'add', { a: 1, note: true }), failed],
      says: /note is a boolean, as if text had been converted/,
    },
    'an object that became text': {
      ...warning,
      trace: [...begin, call(1, 'add', { note: '[object Object]' }), failed],
      says: /note is "\[object Object\]": an object that was made text/,
    },
    'an argument that is missing': {
      ...warning,
      trace: [...begin, call(1, 'add'), failed],
      says: /a: is required|a.*required/,
    },
  },
  kept: {
    'arguments that fit': [...begin, call(1, 'add', { a: 1 }), done],
    'a tool that was never listed': [stdio, handshake(), call(1, 'add', { a: 'x' }), failed],
    'arguments that lost a secret': [
      ...begin,
      line(
        'message',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"[redacted]"}}}',
        { from: 'client', redacted: true },
      ),
    ],
  },
});

cases('arguments-refused', {
  broken: {
    'arguments that fit': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, call(1, 'add', { a: 1 }), refuse(1, -32_602, 'a must be even')],
      says: /refused add with -32602 \(a must be even\), although the arguments fit its inputSchema/,
      cites: ['inputSchema', 'tools/call', '-32602'],
    },
  },
  kept: {
    'arguments that do not fit': [...begin, call(1, 'add', {}), refuse(1, -32_602)],
    'another error': [...begin, call(1, 'add', { a: 1 }), refuse(1, -32_603)],
    'a tool that was not listed': [...begin, call(1, 'sub', { a: 1 }), refuse(1, -32_602)],
  },
});

cases('arguments-as-error', {
  broken: {
    'a protocol error': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'add', {}), refuse(1, -32_602)],
      says: /refused the arguments of add with -32602; a model does not see that/,
    },
  },
  kept: {
    'a failed result': [...begin, call(1, 'add', {}), failed],
    'an older revision': [stdio, handshake('2025-06-18'), tools(add), call(1, 'add', {}), refuse(1, -32_602)],
  },
});

cases('unlisted-tool', {
  broken: {
    'a tool that does not exist': {
      ...warning,
      trace: [...begin, call(1, 'sub'), refuse(1, -32_602)],
      says: /The client called sub, which the server does not list/,
      cites: ['inputSchema', 'tools/call', '-32602'],
    },
    'a tool that is hidden': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'sub'), done],
      says: /The server ran sub, which it does not list/,
    },
  },
  kept: {
    'a tool of the list': [...begin, call(1, 'add', { a: 1 }), done],
    'a list that is not known whole': [
      stdio,
      handshake(),
      ask('t', 'tools/list'),
      answer('t', { tools: [add], nextCursor: 'p' }),
      call(1, 'sub'),
      refuse(1, -32_602),
    ],
    'a list that has changed': [...begin, tell('notifications/tools/list_changed'), call(1, 'sub'), done],
    'a list that came during the call': [stdio, handshake(), call(1, 'sub'), tools(add), done],
    'nothing that was listed': [stdio, handshake(), call(1, 'sub'), done],
  },
});

cases('unknown-tool-answer', {
  broken: {
    'a result of a tool that does not exist': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'sub'), failed],
      says: /refused the unknown tool sub with a result of a tool/,
    },
    'another code': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'sub'), refuse(1, -32_601)],
      says: /with the code -32601/,
    },
  },
  kept: {
    'the error of the specification': [...begin, call(1, 'sub'), refuse(1, -32_602)],
    'a tool that exists and fails': [...begin, call(1, 'add', { a: 1 }), failed],
  },
});

function listed(method: string, result: object) {
  return [stdio, handshake(), ask(1, method), answer(1, result)];
}
const error = { blame: 'server', severity: 'error' } as const;

cases('list-shape', {
  broken: {
    'a result without the list': {
      ...error,
      trace: listed('tools/list', {}),
      says: /result of tools\/list tools is not a list/,
      clause: /server\/tools#tool$/,
    },
    'a tool without a name': {
      ...error,
      trace: listed('tools/list', { tools: [{ inputSchema: { type: 'object' } }] }),
      says: /tools\[0\] has no usable name/,
    },
    'a tool without a schema': {
      ...error,
      trace: listed('tools/list', { tools: [{ name: 'a' }] }),
      says: /tools\[0\] has no usable inputSchema/,
    },
    'a schema of another type': {
      ...error,
      trace: listed('tools/list', { tools: [{ name: 'a', inputSchema: { type: 'string' } }] }),
      says: /inputSchema of a is not of type "object"/,
    },
    'a resource without an address': {
      ...error,
      trace: listed('resources/list', { resources: [{ name: 'a' }] }),
      says: /resources\[0\] has no usable uri/,
      clause: /server\/resources/,
    },
    'a template that is text': {
      ...error,
      trace: listed('resources/templates/list', { resourceTemplates: ['a'] }),
      says: /resourceTemplates\[0\] is not an object/,
    },
    'a prompt without a name': {
      ...error,
      trace: listed('prompts/list', { prompts: [{}] }),
      says: /prompts\[0\] has no usable name/,
    },
  },
  kept: {
    lists: [
      ...listed('tools/list', { tools: [add] }),
      ask(2, 'resources/list'),
      answer(2, { resources: [{ uri: 'a:b', name: 'a' }] }),
      ask(3, 'prompts/list'),
      answer(3, { prompts: [] }),
    ],
    'a refusal': [stdio, handshake(), ask(1, 'tools/list'), refuse(1, -32_601), server({ method: 'notifications/x' })],
  },
});
