import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withinCpuMs } from '../../../../../scripts/lib/cpu-time.ts';
import {
  answer,
  ask,
  cases,
  client,
  diagnose,
  exit,
  handshake,
  http,
  junk,
  line,
  server,
  stdio,
} from '../fixtures/traces.ts';

function noise(text: string) {
  return [stdio, handshake(), junk(text)];
}
const error = { blame: 'server', severity: 'error' } as const;

cases('stdout-noise', {
  broken: {
    'a banner': {
      ...error,
      trace: noise('Weather server listening on port 3000'),
      says: /that is not a message: a banner: "Weather server listening on port 3000"/,
      fix: /log to stderr/,
      cites: ['Weather server'],
      clause: /\/2025-11-25\/basic\/transports$/,
    },
    'a message over several lines': {
      ...error,
      trace: [
        stdio,
        handshake(),
        junk('{'),
        junk('  "jsonrpc": "2.0",'),
        junk('  "id": 1,'),
        junk('  "result": {}'),
        junk('}'),
      ],
      says: /wrote a message over 5 lines/,
      fix: /JSON.stringify\(message\) without indentation/,
      cites: ['{', '"jsonrpc"', '"id"', '"result"', '}'],
    },
    'a message over several lines, while the client writes': {
      ...error,
      trace: [
        stdio,
        handshake(),
        junk('{'),
        junk('  "jsonrpc": "2.0", "id": 1,'),
        ask(2, 'ping'),
        junk('  "result": {}'),
        junk('}'),
      ],
      says: /wrote a message over 4 lines/,
    },
    'a brace that nothing follows': { ...error, trace: noise('{'), says: /not a message: .*: "\{"/ },
    'a brace before a message': {
      ...error,
      trace: [stdio, junk('{'), server({ method: 'notifications/message', params: { level: 'info', data: 1 } })],
      says: /not a message/,
    },
    'a brace before the end': {
      ...error,
      trace: [stdio, junk('['), exit('exited with code 0')],
      says: /not a message/,
    },
    'a word that moves the cursor, made visible': {
      ...error,
      trace: noise('\u001b[2Jgone'),
      says: /"\\u001b\[2Jgone"/,
    },
    'noise in a session that nothing is known of': { ...error, trace: [junk('hello')], says: /"hello"/ },
  },
  kept: {
    'messages alone': [stdio, handshake(), ask(1, 'ping'), answer(1, {})],
    'text in an answer over HTTP': [http, junk('hello')],
    'text from the client': [stdio, junk('hello', 'client')],
    'words on stderr': [stdio, line('stderr', 'Server listening', { from: 'server' })],
  },
});

describe('a line on stdout', () => {
  const kinds: readonly (readonly [what: RegExp, text: string])[] = [
    [/an empty line/, ''],
    [/a message after a byte order mark/, '\ufeff{"jsonrpc":"2.0","id":1,"result":{}}'],
    [/several messages in one line/, '{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}'],
    [/a message behind other text/, 'Working... {"jsonrpc":"2.0","id":1,"result":{}}'],
    [/a part of a message/, '{"jsonrpc":"2.0","id":1,"result":'],
    [/a line of a structured log/, '{"level":30,"time":1700000000000,"msg":"listening"}'],
    [/JSON that is not a JSON-RPC message/, '{"hello":1}'],
    [/a header of the Language Server Protocol/, 'Content-Length: 119'],
    [/the announcement of dotenv/, '[dotenv@17.2.0] injecting env (2) from .env'],
    [/output of npm/, 'npm warn exec The following package was not found and will be installed'],
    [/output of npm/, '> weather@1.0.0 start'],
    [/output of npm/, 'added 120 packages in 11s'],
    [/watches files/, '[nodemon] starting `node server.js`'],
    [/output of Python/, 'Traceback (most recent call last):'],
    [/output of Python/, 'INFO:root:connected'],
    [/a Python value/, "{'city': 'Oslo', 'cold': True}"],
    [/coloured output/, '\u001b[32mready\u001b[39m'],
    [/printed with console.log/, "{ city: 'Oslo', days: [ 1, 2 ] }"],
    [/printed with console.log/, "Map(1) { 'a' => 1 }"],
    [/an error that was printed/, 'TypeError: x is not a function'],
    [/an error that was printed/, '    at main (/app/server.js:3:5)'],
    [/a banner/, 'Starting… see http://localhost:3000'],
    [/a banner/, '=============================='],
    [/: text:/, 'pudding'],
  ];
  for (const [what, text] of kinds) {
    it(`is recognised: ${JSON.stringify(text).slice(0, 50)}`, () => {
      const [finding] = diagnose(stdio, junk(text)).filter(({ rule }) => rule === 'stdout-noise');
      assert.match(finding?.message ?? '', what);
    });
  }

  it('that is long is examined quickly', () => {
    for (const text of ['{'.repeat(200_000), '{ a: '.repeat(50_000), `${'}{"'.repeat(60_000)}`, ' '.repeat(300_000)])
      withinCpuMs(1_000, () => diagnose(stdio, junk(text)), text.slice(0, 10));
  });
});

it('the bodies and headers after a header of the Language Server Protocol are no further findings', () => {
  const body = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const found = diagnose(
    stdio,
    junk('Content-Length: 36'),
    junk(`${body}Content-Length: 36`),
    junk(`${body}x`),
    junk('hi'),
  );
  assert.deepEqual(
    found.filter(({ rule }) => rule === 'stdout-noise').map(({ fix, evidence }) => [fix, evidence]),
    [
      ['The framing of MCP is one message per line, without headers.', [2]],
      ['stdout is for messages only: log to stderr (console.error, logging to sys.stderr).', [5]],
    ],
  );
});

cases('stdin-noise', {
  broken: {
    'words of the client': {
      blame: 'client',
      severity: 'error',
      trace: [stdio.as({ recorder: 'server' }), junk('hello', 'client')],
      says: /The client wrote text that is not a message: text: "hello"/,
      cites: ['hello'],
    },
  },
  kept: {
    'words of the server': [stdio, junk('hello')],
    messages: [stdio, client({ id: 1, method: 'ping' })],
  },
});

cases('answer-noise', {
  broken: {
    'a web page': {
      blame: 'unknown',
      severity: 'error',
      trace: [http, junk('<!DOCTYPE html><html><body>Sign in</body></html>')],
      says: /held a web page in place of a message/,
      fix: /login page/,
    },
    'other text': { blame: 'unknown', severity: 'error', trace: [http, junk('oops')], says: /held text .*"oops"/ },
  },
  kept: { 'the same on stdio': [stdio, junk('<html>')], 'what the client sends': [http, junk('x', 'client')] },
});

cases('input-lost', {
  broken: {
    'a line without end': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, line('lost', 'A line of more than 10 MB', { from: 'server' })],
      says: /Input of the server was not kept: "A line of more than 10 MB"/,
    },
    'input of an unknown side': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, line('lost', 'something')],
      says: /^Input was not kept/,
    },
  },
  kept: { 'a long message': [stdio, server({ id: 1, result: { text: 'x'.repeat(100_000) } })] },
});
