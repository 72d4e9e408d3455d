import { answer, ask, cases, handshake, modern, stdio } from '../fixtures/traces.ts';

function sendRoots(...uris: string[]) {
  return [
    stdio,
    handshake(),
    ask(1, 'roots/list', {}, 'server'),
    answer(1, { roots: uris.map((uri) => ({ uri })) }, 'client'),
  ];
}

cases('root-uri', {
  broken: {
    'a path': {
      blame: 'client',
      severity: 'error',
      trace: sendRoots('file:///a', '/home/ada'),
      says: /tells the root "\/home\/ada"/,
      fix: /pathToFileURL/,
      cites: ['roots/list', '/home/ada'],
    },
    'an address in an answer to a question': {
      blame: 'client',
      severity: 'error',
      trace: [
        stdio,
        modern(1, 'tools/call', { name: 'x', inputResponses: { r: { roots: [{ uri: 'https://a.example' }] } } }),
      ],
      says: /"https:\/\/a.example"/,
    },
  },
  kept: { folders: sendRoots('file:///a', 'file:///b%20c'), 'no roots': sendRoots() },
});
