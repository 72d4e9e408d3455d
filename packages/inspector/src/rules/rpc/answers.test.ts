import {
  answer,
  ask,
  cases,
  client,
  closed,
  discovered,
  end,
  exit,
  handshake,
  http,
  line,
  modern,
  post,
  refuse,
  rest,
  server,
  status,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const error = { severity: 'error', blame: 'server' } as const;
const later = [rest(6_000), tell('notifications/message', { level: 'info', data: 1 })];

cases('response-shape', {
  broken: {
    'a result and an error': {
      ...error,
      trace: [stdio, ask(1, 'ping'), server({ id: 1, result: {}, error: { code: 1, message: 'x' } })],
      says: /The answer of the server to ping has a result and an error/,
      cites: ['ping', 'result'],
    },
    'a result that is nothing': {
      ...error,
      trace: [stdio, ask(1, 'ping'), answer(1, null)],
      says: /result of the server to ping is null/,
    },
    'a result that is text': {
      ...error,
      trace: [stdio, ask(1, 'ping'), answer(1, 'ok')],
      says: /is "ok", not an object/,
    },
  },
  kept: { 'a result': [stdio, ask(1, 'ping'), answer(1, {})], 'an error': [stdio, ask(1, 'ping'), refuse(1, -32_601)] },
});

cases('error-shape', {
  broken: {
    'an error that is text': {
      ...error,
      trace: [stdio, ask(1, 'ping'), server({ id: 1, error: 'no' })],
      says: /error of the server is "no"/,
    },
    'a code that is text': { ...error, trace: [stdio, ask(1, 'ping'), refuse(1, 'E_NO')], says: /the code "E_NO"/ },
    'a code with a fraction': { ...error, trace: [stdio, ask(1, 'ping'), refuse(1, 1.5)], says: /the code 1.5/ },
    'no message': {
      ...error,
      trace: [stdio, ask(1, 'ping'), server({ id: 1, error: { code: 1 } })],
      says: /the message nothing/,
    },
  },
  kept: { 'an error with data': [stdio, ask(1, 'ping'), refuse(1, -32_601, 'No', { a: 1 })] },
});

function refused(code: number, data?: unknown) {
  return [stdio, discovered(), modern(1, 'resources/read', { uri: 'a:b' }), refuse(1, code, 'No', data)];
}

cases('error-code', {
  broken: {
    'a code that is retired': {
      ...error,
      trace: refused(-32_002),
      says: /-32002 that answers resources\/read is no longer used: an unknown resource is -32602/,
      cites: ['resources/read', '-32002'],
      clause: /2026-07-28\/basic#error-codes$/,
    },
    'another that is retired': { ...error, trace: refused(-32_042), says: /a server asks in the result/ },
    'a code that is reserved': { ...error, trace: refused(-32_050), says: /reserved/ },
    'a version that is refused without others': { ...error, trace: refused(-32_022), says: /needs data.supported/ },
    'a capability that is not named': {
      ...error,
      trace: refused(-32_021, { requiredCapabilities: ['roots'] }),
      says: /needs data.requiredCapabilities/,
    },
    'a code of a range that is left': {
      blame: 'server',
      severity: 'info',
      trace: refused(-32_005),
      says: /new programs should not use/,
    },
  },
  kept: {
    'codes as they should be': [
      ...refused(-32_602),
      modern(2, 'x/y'),
      refuse(2, -32_601),
      modern(3, 'x/y'),
      refuse(3, 7),
    ],
    'a refusal with its data': refused(-32_022, { supported: ['2026-07-28'], requested: '2027-01-01' }),
    'an older server that is asked in words of 2026-07-28': [stdio, modern(1, 'server/discover'), refuse(1, -32_002)],
    'older revisions': [stdio, handshake(), ask(1, 'resources/read', { uri: 'a:b' }), refuse(1, -32_002)],
  },
});

cases('unknown-method', {
  broken: {
    'a server that answers anything': {
      blame: 'unknown',
      severity: 'info',
      trace: [stdio, handshake(), ask(1, 'no/such'), answer(1, {})],
      says: /no\/such is not a method of the protocol, and the server answered it with a result/,
    },
  },
  kept: {
    'a refusal': [stdio, handshake(), ask(1, 'no/such'), refuse(1, -32_601)],
    'an extension': [
      stdio,
      handshake('2025-11-25', { server: { experimental: { x: {} } } }),
      ask(1, 'no/such'),
      answer(1, {}),
    ],
    'a method': [stdio, handshake(), ask(1, 'ping'), answer(1, {})],
  },
});

cases('never-answered', {
  broken: {
    'a request that waits at the end': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, handshake(), ask(1, 'tools/list'), later],
      says: /tools\/list of the client waited 6 s and had no answer/,
      cites: ['tools/list'],
    },
    'a request of the server': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, handshake(), ask(1, 'roots/list', {}, 'server'), later],
      says: /roots\/list of the server/,
    },
    'one that has waited a little': {
      blame: 'unknown',
      severity: 'info',
      trace: [
        stdio,
        handshake(),
        ask(1, 'tools/list'),
        rest(2_000),
        tell('notifications/message', { level: 'info', data: 1 }),
      ],
      says: /waited 2 s/,
    },
    'one whose session says nothing more, while others do': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, handshake(), ask(1, 'tools/list'), rest(9_000), line('note', 'elsewhere', { session: 'other' })],
      says: /waited 9 s/,
    },
  },
  kept: {
    'a request that was just sent': [stdio, handshake(), ask(1, 'tools/list')],
    'an answered request': [stdio, handshake(), ask(1, 'tools/list'), answer(1, { tools: [] }), later],
    'a cancelled request': [
      stdio,
      handshake(),
      ask(1, 'tools/list'),
      client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
      later,
    ],
    'a subscription': [stdio, discovered(), modern(1, 'subscriptions/listen', { notifications: {} }), later],
    'a question to a person': [
      stdio,
      handshake(),
      ask(1, 'elicitation/create', { message: 'a', requestedSchema: { type: 'object', properties: {} } }, 'server'),
      later,
    ],
    'a process that ended': [stdio, handshake(), ask(1, 'tools/list'), exit('exited with code 1'), later],
    'a client that closed': [stdio, handshake(), ask(1, 'tools/list'), closed(), later],
    'the probe before the handshake': [stdio, modern(0, 'server/discover'), handshake(), later],
    'a refusal by the status of HTTP': [
      http,
      post(1, ask(1, 'ping')),
      status(1, 404),
      end(1),
      rest(6_000),
      line('note', 'later'),
    ],
  },
});
