import {
  answer,
  ask,
  cases,
  closed,
  discovered,
  exit,
  handshake,
  junk,
  line,
  modern,
  rest,
  server,
  stderr,
  stdio,
} from '../fixtures/traces.ts';

const open = line('open', 'node server.js');
const start = [stdio, open, handshake()];

cases('exited', {
  broken: {
    'a server that dies before it says anything': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, open, stderr('reading settings'), stderr('DATABASE_URL missing'), exit('exited with code 3')],
      says: /exited with code 3 before it sent anything\. Its stderr: "reading settings \| DATABASE_URL missing"/,
      fix: /stderr/,
      cites: ['reading', 'DATABASE_URL', 'code 3'],
    },
    'a server that dies although nothing waits for it': {
      blame: 'server',
      severity: 'error',
      trace: [
        stdio,
        open,
        ask(1, 'ping'),
        line('message', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', {
          from: 'client',
        }),
        exit('exited with code 3'),
      ],
      says: /before it sent anything/,
    },
    'a crash of Node, with the stack and the version below its message': {
      blame: 'server',
      severity: 'error',
      trace: [
        stdio,
        open,
        ...['starting', 'file:///a.mjs:3', '   ^', '', "TypeError: Cannot read 'url'", '    at load (a.mjs:3:30)'].map(
          (text) => stderr(text),
        ),
        stderr('Node.js v24.0.0'),
        exit('exited with code 1'),
      ],
      says: /before it sent anything\. Its stderr: "starting \| TypeError: Cannot read 'url'"$/,
      cites: ['starting', 'TypeError', 'code 1'],
    },
    'a server that just ends': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, open, exit('exited with code 0')],
      says: /exited with code 0 before it sent anything$/,
    },
    'a server that fails later': {
      blame: 'server',
      severity: 'warning',
      trace: [...start, exit('exited with code 1')],
      says: /exited with code 1$/,
    },
    'a crash': {
      blame: 'server',
      severity: 'error',
      trace: [...start, exit('ended by SIGSEGV')],
      says: /was ended by SIGSEGV/,
    },
    'a code that means something': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, open, exit('exited with code 127')],
      says: /the command was not found/,
    },
    'only the words of this process': {
      blame: 'server',
      severity: 'warning',
      trace: [
        ...start,
        stderr('old words'),
        exit('ended by SIGTERM'),
        open,
        handshake(),
        stderr('new words'),
        exit('exited with code 1'),
      ],
      says: /Its stderr: "new words"/,
    },
  },
  kept: {
    'an end after a conversation': [...start, exit('exited with code 0')],
    'a server that its client ends': [...start, exit('ended by SIGTERM')],
    'a server that notices that it is ended': [...start, exit('exited with code 143')],
    'an exit after the client closed': [...start, closed(), exit('exited with code 1')],
    'an end while a request waits, which has a rule of its own': [...start, ask(1, 'ping'), exit('exited with code 1')],
  },
});

cases('exit-during-request', {
  broken: {
    'a server that dies in a call': {
      blame: 'server',
      severity: 'error',
      trace: [...start, ask(1, 'tools/call', { name: 'boom' }), stderr('out of cheese'), exit('exited with code 7')],
      says: /exited with code 7 before it answered tools\/call boom\. Its stderr: "out of cheese"/,
      cites: ['tools/call', 'out of cheese', 'code 7'],
    },
    'a server that dies at the first question': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, open, modern(0, 'server/discover'), exit('exited with code 1')],
      says: /before it answered server\/discover/,
    },
    'one that was killed from outside': {
      blame: 'unknown',
      severity: 'warning',
      trace: [...start, ask(1, 'ping'), ask(2, 'tools/list'), exit('ended by SIGKILL')],
      says: /was ended by SIGKILL before it answered ping, tools\/list/,
      fix: /memory/,
    },
  },
  kept: {
    'an end when all is answered': [...start, ask(1, 'ping'), answer(1, {}), exit('exited with code 1')],
    'an end after the client closed': [...start, ask(1, 'ping'), closed(), exit('exited with code 1')],
    'a subscription that ends with its client': [
      stdio,
      open,
      discovered(),
      modern(1, 'subscriptions/listen', { notifications: {} }),
      exit('exited with code 0'),
    ],
    'a request that was cancelled': [
      ...start,
      ask(1, 'tools/call', { name: 'x' }),
      line('message', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', {
        from: 'client',
      }),
      exit('exited with code 1'),
    ],
    'a request to the previous process': [...start, ask(1, 'ping'), open, handshake(), exit('exited with code 0')],
  },
});

cases('slow-exit', {
  broken: {
    'a server that stays': {
      blame: 'server',
      severity: 'warning',
      trace: [...start, closed(), rest(3_000), exit('exited with code 0')],
      says: /ended 3 s after its stdin was closed/,
      cites: ['closed', 'code 0'],
    },
    'a server that must be killed': {
      blame: 'server',
      severity: 'warning',
      trace: [...start, closed(), rest(2_500), exit('ended by SIGKILL')],
      says: /, by SIGKILL/,
    },
  },
  kept: {
    'a server that ends at once': [...start, closed(), rest(100), exit('exited with code 0')],
    'a server that ends at once, after a long time': [
      ...start,
      rest(9_000),
      closed(),
      rest(100),
      exit('exited with code 0'),
    ],
    'a client that kills at once': [...start, closed(), rest(500), exit('ended by SIGKILL')],
    'an unrequested end': [...start, rest(9_000), exit('ended by SIGKILL')],
  },
});

cases('stdin-closed-early', {
  broken: {
    'a client that does not wait': {
      blame: 'client',
      severity: 'info',
      trace: [...start, ask(1, 'tools/list'), closed()],
      says: /closed the connection while 1 request waited for an answer: tools\/list/,
      cites: ['tools/list', 'closed'],
    },
  },
  kept: {
    'a client that waited': [...start, ask(1, 'tools/list'), answer(1, { tools: [] }), closed()],
    'a subscription, which ends like this': [stdio, modern(1, 'subscriptions/listen', { notifications: {} }), closed()],
    'a server that closes': [...start, ask(1, 'tools/list'), closed('server')],
    'a server whose answers cannot be read': [...start, ask(1, 'tools/list'), junk('Content-Length: 120'), closed()],
  },
});

cases('process-left', {
  broken: {
    'a second process beside the first': {
      blame: 'client',
      severity: 'warning',
      trace: [...start, open, handshake()],
      says: /started a new process while the one before it was still running/,
      cites: ['node server.js', 'node server.js'],
    },
    'a process that outlives its client': {
      blame: 'client',
      severity: 'warning',
      trace: [...start, closed(), rest(20_000), line('note', 'elsewhere', { session: 'other' })],
      says: /still running 20 s after the connection was closed/,
    },
  },
  kept: {
    'a restart': [...start, exit('exited with code 0'), open, handshake(), exit('exited with code 0')],
    'a trace that ends while it runs': [
      ...start,
      rest(60_000),
      server({ method: 'notifications/message', params: { level: 'info', data: 1 } }),
    ],
    'a trace that ends soon after': [...start, closed(), rest(1_000), line('note', 'bye')],
  },
});
