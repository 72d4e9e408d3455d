import type { AuthStep } from '../../trace/line.ts';
import { ask, cases, end, handshake, http, line, post, status, type Step } from '../fixtures/traces.ts';

let exchanges = 0;
/** One hop of a login. */
function hop(step: AuthStep, url: string, code: number, body: unknown, method = 'GET'): Step {
  const exchange = ++exchanges;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [
    line('auth', `${method} ${url}`, { from: 'client', http: { exchange, part: 'request', method, url, step } }),
    line('auth', String(code), {
      from: 'server',
      cause: -1,
      http: { exchange, part: 'answer', status: code, step, body: text },
    }),
  ];
}
function resource(body: object) {
  return [http, hop('resource-metadata', 'https://mcp.example/.well-known/oauth-protected-resource/mcp', 200, body)];
}
function metadata(body: object, url = 'https://login.example/.well-known/oauth-authorization-server') {
  return [
    http,
    hop('server-metadata', url, 200, {
      issuer: 'https://login.example',
      authorization_endpoint: 'https://login.example/authorize',
      token_endpoint: 'https://login.example/token',
      code_challenge_methods_supported: ['S256'],
      ...body,
    }),
  ];
}
const good = { resource: 'https://mcp.example/mcp', authorization_servers: ['https://login.example'] };
const error = { blame: 'server', severity: 'error' } as const;

cases('http-challenge', {
  broken: {
    '401 that says nothing': {
      blame: 'server',
      severity: 'warning',
      trace: [http, post(1, ask(1, 'ping')), status(1, 401), end(1)],
      says: /answered a POST with 401 and does not say which credentials it requires/,
      cites: ['ping', 'POST', '401'],
    },
    'the same where it is a must': {
      ...error,
      trace: [http, handshake('2025-06-18'), post(1, ask(1, 'ping')), status(1, 401), end(1)],
      says: /401/,
      clause: /2025-06-18\/basic\/authorization/,
    },
  },
  kept: {
    'a challenge': [http, post(1, ask(1, 'ping')), status(1, 401, { 'www-authenticate': 'Bearer' }), end(1)],
    '403': [http, post(1, ask(1, 'ping')), status(1, 403), end(1)],
  },
});

cases('auth-resource', {
  broken: {
    'another server': {
      ...error,
      trace: resource({ ...good, resource: 'https://other.example/mcp' }),
      says: /names the resource "https:\/\/other.example\/mcp", but the server is https:\/\/mcp.example\/mcp/,
      cites: ['GET', '200'],
    },
    'another path': { ...error, trace: resource({ ...good, resource: 'https://mcp.example/m' }), says: /\/m"/ },
    'no resource': {
      ...error,
      trace: resource({ authorization_servers: ['https://login.example'] }),
      says: /names no resource/,
    },
  },
  kept: {
    'this server': resource(good),
    'this server, written otherwise': resource({ ...good, resource: 'HTTPS://MCP.example/mcp/' }),
    'a parent path': resource({ ...good, resource: 'https://mcp.example' }),
    'metadata that is not there': [
      http,
      hop('resource-metadata', 'https://mcp.example/.well-known/oauth-protected-resource', 404, 'no'),
    ],
  },
});

cases('auth-servers', {
  broken: {
    'a body in a separate line': {
      ...error,
      trace: [
        http,
        line('auth', 'GET', {
          http: {
            exchange: 999,
            part: 'request',
            method: 'GET',
            url: 'https://mcp.example/.well-known/oauth-protected-resource',
            step: 'resource-metadata',
          },
        }),
        line('auth', '200', { http: { exchange: 999, part: 'answer', status: 200 } }),
        line('auth', 'a body', {
          http: { exchange: 999, part: 'body', body: '{"resource":"https://mcp.example/mcp"}' },
        }),
      ],
      says: /has no authorization_servers/,
    },
    'no authorization server': {
      ...error,
      trace: resource({ ...good, authorization_servers: [] }),
      says: /has no authorization_servers/,
    },
  },
  kept: { one: resource(good) },
});

cases('auth-issuer', {
  broken: {
    'another issuer': {
      ...error,
      trace: metadata({ issuer: 'https://evil.example' }),
      says: /metadata of https:\/\/login.example names the issuer "https:\/\/evil.example"/,
    },
    'no issuer': { ...error, trace: metadata({ issuer: undefined }), says: /names no issuer/ },
    'the issuer without its path': {
      ...error,
      trace: metadata({}, 'https://login.example/.well-known/oauth-authorization-server/tenant'),
      says: /login.example\/tenant names/,
    },
  },
  kept: {
    'the issuer': metadata({}),
    'the issuer with a slash': metadata({ issuer: 'https://login.example/' }),
    'an issuer with a path': metadata(
      { issuer: 'https://login.example/t' },
      'https://login.example/.well-known/oauth-authorization-server/t',
    ),
    'an issuer of OpenID': metadata(
      { issuer: 'https://login.example/t' },
      'https://login.example/t/.well-known/openid-configuration',
    ),
  },
});

cases('auth-pkce', {
  broken: {
    nothing: {
      ...error,
      trace: metadata({ code_challenge_methods_supported: undefined }),
      says: /does not say which methods of PKCE it supports/,
    },
    'plain alone': {
      ...error,
      trace: metadata({ code_challenge_methods_supported: ['plain'] }),
      says: /supports only plain of the methods of PKCE/,
    },
  },
  kept: {
    S256: metadata({ code_challenge_methods_supported: ['plain', 'S256'] }),
    'a server without logins': metadata({
      authorization_endpoint: undefined,
      code_challenge_methods_supported: undefined,
    }),
  },
});

cases('auth-https', {
  broken: {
    'an open address': {
      ...error,
      trace: metadata({ token_endpoint: 'http://login.example/token' }),
      says: /not https: token_endpoint http:\/\/login.example\/token/,
    },
    'an address that is a program': {
      ...error,
      trace: metadata({ authorization_endpoint: 'javascript:alert(1)' }),
      says: /authorization_endpoint javascript:alert\(1\)/,
    },
  },
  kept: {
    https: metadata({}),
    'the own machine': metadata({
      token_endpoint: 'http://127.0.0.1:8080/token',
      registration_endpoint: 'http://[::1]/r',
    }),
  },
});

function token(body: unknown, code = 400) {
  return [http, hop('token', 'https://login.example/token', code, body, 'POST')];
}

cases('auth-refused', {
  broken: {
    'a request that is wrong': {
      blame: 'client',
      severity: 'warning',
      trace: token({ error: 'invalid_target', error_description: 'Unknown\u001b[2J resource <b>' }),
      says: /refused \(token\) with "invalid_target"\. Its description: "Unknown\\u001b\[2J resource <b>"/,
      cites: ['POST', '400'],
    },
    'a server that cannot': {
      blame: 'server',
      severity: 'warning',
      trace: token({ error: 'temporarily_unavailable' }, 503),
      says: /temporarily_unavailable/,
    },
    'a user who declines': {
      blame: 'unknown',
      severity: 'warning',
      trace: [http, hop('authorization', 'https://login.example/authorize', 302, { error: 'access_denied' })],
      says: /access_denied/,
    },
  },
  kept: {
    'a token': token({ access_token: '[redacted]', token_type: 'Bearer' }, 200),
    'metadata that is not there': [http, hop('server-metadata', 'https://login.example/', 404, { error: 'not_found' })],
  },
});
