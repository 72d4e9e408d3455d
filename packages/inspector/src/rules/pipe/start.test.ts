import {
  answer,
  ask,
  cases,
  closed,
  exit,
  http,
  junk,
  line,
  modern,
  server,
  stderr,
  stdio,
} from '../fixtures/traces.ts';

cases('not-started', {
  broken: {
    'a program that does not exist': {
      blame: 'client',
      severity: 'error',
      trace: [
        stdio,
        line('note', "'weathr' could not be started: there is no such program, or no such folder (ENOENT)"),
      ],
      says: /could not be started: there is no such program, or no such folder to start it in/,
      fix: /Look at the command/,
      cites: ['weathr'],
    },
    'a file that may not be executed': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, line('note', 'spawn ./server.js EACCES')],
      says: /may not be executed/,
      fix: /chmod/,
    },
  },
  kept: {
    'other notes': [stdio, line('note', 'SIGINT was passed on to the server')],
    'a server that speaks of files': [stdio, stderr('Error: ENOENT: no such file')],
    'an address over HTTP': [http, line('note', 'spawn x ENOENT')],
  },
});

cases('stderr-only', {
  broken: {
    'a server that answers on the wrong stream': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, modern(1, 'server/discover'), stderr('usage: weather --stdio')],
      says: /answered nothing\. Its stderr: "usage: weather --stdio"/,
      cites: ['server/discover', 'usage'],
    },
    'a server that its client ends because it says nothing': {
      blame: 'unknown',
      severity: 'warning',
      trace: [
        stdio,
        line('open', 'node server.js'),
        modern(1, 'server/discover'),
        stderr('DB down ECONNREFUSED'),
        line('timer', 'server did not answer for 3 s'),
        closed(),
        exit('ended by SIGTERM'),
      ],
      says: /answered nothing\. Its stderr: "DB down ECONNREFUSED"/,
      cites: ['server/discover', 'DB down'],
    },
  },
  kept: {
    'a server that answers': [stdio, stderr('hello'), ask(1, 'ping'), answer(1, {})],
    'a server that writes to stdout, too': [stdio, ask(1, 'ping'), junk('hello'), stderr('hello')],
    'a server that ended': [stdio, ask(1, 'ping'), stderr('no'), exit('exited with code 1')],
    'a server that was asked nothing': [stdio, stderr('hello')],
    'a server that asks': [stdio, stderr('hello'), ask(1, 'ping'), server({ id: 1, method: 'ping' })],
  },
});
