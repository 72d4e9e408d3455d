import {
  answer,
  ask,
  body,
  call,
  cases,
  client,
  closed,
  complete,
  discovered,
  end,
  event,
  get,
  handshake,
  http,
  inside,
  line,
  modern,
  post,
  refuse,
  status,
  STREAM,
  tell,
} from '../fixtures/traces.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const begin = [http, handshake()];
const done = inside(answer(1, { content: [] }));

cases('http-answer', {
  broken: {
    'a web page': {
      blame: 'unknown',
      severity: 'error',
      trace: [...begin, post(1, call(1, 'x')), status(1, 200, HTML)],
      says: /tools\/call was answered with 200 and a web page/,
      fix: /\/mcp/,
      cites: ['tools/call', 'POST', '200'],
    },
    'another type': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, post(1, call(1, 'x')), status(1, 200, { 'content-type': 'text/plain' })],
      says: /content of the type "text\/plain"/,
    },
    'nothing but a status': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, post(1, call(1, 'x')), status(1, 202, {}), end(1)],
      says: /with 202 and nothing that could be read/,
    },
  },
  kept: {
    JSON: [
      ...begin,
      post(1, call(1, 'x')),
      status(1, 200, { 'content-type': 'application/json; charset=utf-8' }),
      done,
      end(1),
    ],
    'a stream': [...begin, post(1, call(1, 'x')), status(1, 200, STREAM), event(1), done, end(1)],
    'a refusal': [...begin, post(1, call(1, 'x')), status(1, 500, HTML), end(1)],
    'no answer at all': [
      ...begin,
      post(1, call(1, 'x')),
      end(1, 'left before the end'),
      get(2),
      end(2, 'left before the end'),
    ],
    'headers that were not recorded': [
      ...begin,
      post(1, call(1, 'x')),
      line('http', '200', { http: { exchange: 1, part: 'answer', status: 200 } }),
    ],
    'a notification': [...begin, post(1, tell('notifications/x', undefined, 'client')), status(1, 202, {}), end(1)],
    'a request that was cancelled': [
      ...begin,
      post(1, call(1, 'x')),
      client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
      status(1, 202, {}),
    ],
    'the older transport': [
      http,
      get(1),
      status(1, 200, STREAM),
      event(1, '', 'endpoint'),
      post(2, ask(1, 'ping')),
      status(2, 202, {}),
    ],
  },
});

cases('http-notification', {
  broken: {
    'a notification with 200': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, post(1, tell('notifications/x', undefined, 'client')), status(1, 200), end(1)],
      says: /took notifications\/x with the status 200, not with 202/,
      cites: ['notifications/x', 'POST', '200'],
    },
    'a response with 204': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, ask(5, 'ping', {}, 'server'), post(1, answer(5, {}, 'client')), status(1, 204, {}), end(1)],
      says: /took a response with the status 204/,
    },
  },
  kept: {
    '202': [...begin, post(1, tell('notifications/x', undefined, 'client')), status(1, 202, {}), end(1)],
    'a refusal': [...begin, post(1, tell('notifications/x', undefined, 'client')), status(1, 400), end(1)],
    'a request with 200': [...begin, post(1, ask(1, 'ping')), status(1, 200), inside(answer(1, {})), end(1)],
  },
});

function asked(code: number, given: Parameters<typeof inside>[0], type = {}) {
  return [
    http,
    discovered(),
    post(1, modern(1, 'tools/call', { name: 'x' })),
    status(1, code, { 'content-type': 'application/json', ...type }),
    inside(given),
    end(1),
  ];
}

cases('http-status', {
  broken: {
    'an unknown method with 200': {
      blame: 'server',
      severity: 'error',
      trace: asked(200, refuse(1, -32_601)),
      says: /The error -32601 came with the status 200, not 404/,
      cites: ['tools/call', 'POST', '200', '-32601'],
    },
    'a mismatch with 500': {
      blame: 'server',
      severity: 'error',
      trace: asked(500, refuse(1, -32_020)),
      says: /status 500, not 400/,
    },
    'a result with 201': {
      blame: 'server',
      severity: 'error',
      trace: asked(201, complete(1, { content: [] })),
      says: /A result came with the status 201, not 200/,
    },
  },
  kept: {
    'an unknown method with 404': asked(404, refuse(1, -32_601)),
    'a rejected call': asked(200, refuse(1, -32_602)),
    'a result': asked(200, complete(1, { content: [] })),
    'an error in a stream that has begun': asked(200, refuse(1, -32_601), STREAM),
    'a handshake revision': [...begin, post(1, ask(1, 'x/y')), status(1, 200), inside(refuse(1, -32_601)), end(1)],
  },
});

cases('http-get', {
  broken: {
    'a page': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, get(1), status(1, 200, HTML), end(1)],
      says: /A GET was answered with 200 and content of the type "text\/html"/,
    },
    '404': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, get(1), status(1, 404, {}), end(1)],
      says: /answered with 404/,
      fix: /405/,
    },
  },
  kept: {
    'a stream': [...begin, get(1), status(1, 200, STREAM)],
    '405': [...begin, get(1), status(1, 405, {}), end(1)],
    'a client that looks for the older transport': [http, get(1), status(1, 404, {}), end(1)],
  },
});

function lost(exchange: number, code = 404) {
  return [
    post(exchange, modern(exchange, 'server/discover')),
    status(exchange, code, HTML),
    body(exchange, '<pre>Cannot POST /mcpp</pre>'),
    end(exchange),
  ];
}

cases('wrong-path', {
  broken: {
    'an address that has nothing': {
      blame: 'unknown',
      severity: 'error',
      trace: [
        http,
        ...lost(1),
        ...lost(2),
        get(3),
        status(3, 404, HTML),
        body(3, '<html><title>Error</title><pre>Cannot GET /mcpp</pre></html>'),
        end(3),
      ],
      says: /https:\/\/mcp.example\/mcp answers with 404 and a web page, and without a message: "Error Cannot GET \/mcpp"/,
      fix: /many servers are at \/api\/mcp, \/ or \/sse\.$/,
    },
    'a client that gives up at once': { blame: 'unknown', severity: 'error', trace: [http, ...lost(1)], says: /404/ },
    'a client that closes': {
      blame: 'unknown',
      severity: 'error',
      trace: [http, ...lost(1, 405), closed()],
      says: /405/,
    },
  },
  kept: {
    'the way to the older transport': [
      http,
      ...lost(1),
      get(2),
      status(2, 200, STREAM),
      event(2, '', 'endpoint'),
      post(3, ask(1, 'ping')),
      status(3, 202, {}),
      answer(1, {}),
    ],
    'a refusal that is a message': [
      http,
      post(1, modern(1, 'server/discover')),
      status(1, 404),
      inside(refuse(1, -32_601)),
      end(1),
    ],
    'another status': [http, post(1, modern(1, 'server/discover')), status(1, 503, HTML), end(1)],
  },
});

function moved(code: number, location: string) {
  return [http, post(1, ask(1, 'ping')), status(1, code, { location }), end(1)];
}

cases('http-redirect', {
  broken: {
    'another origin': {
      blame: 'server',
      severity: 'warning',
      trace: moved(307, 'https://other.example/mcp'),
      says: /answered with 307: the origin https:\/\/other.example/,
    },
    'another path': { blame: 'server', severity: 'info', trace: moved(301, '/mcp/'), says: /the address \/mcp\// },
  },
  kept: {
    'a GET that is sent to another path': [http, get(1), status(1, 302, { location: '/sse' }), end(1)],
    'a location of something that was made': [
      http,
      post(1, ask(1, 'ping')),
      status(1, 201, { location: 'https://other.example/' }),
      end(1),
    ],
  },
});
