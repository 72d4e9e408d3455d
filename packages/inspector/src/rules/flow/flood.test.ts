import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cases, diagnose, handshake, rest, type Step, stdio, tell } from '../fixtures/traces.ts';

function notify(count: number, from: 'client' | 'server' = 'server', pause = 0): Step[] {
  return Array.from({ length: count }, (_, index) => [
    tell('notifications/message', { level: 'info', data: index }, from),
    rest(pause - 1),
  ]);
}
const begin = [stdio, handshake()];

cases('flood', {
  broken: {
    'many notifications at once': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, ...notify(5_000, 'server', 0.1)],
      says: /The server sent 1001 notifications in \d+ ms, most of them notifications\/message/,
      cites: ['"data":0', '"data":1000'],
    },
    'a flood that lasts is one': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, ...notify(20_000, 'server', 0.2)],
      says: /1001/,
    },
    'a client that floods': {
      blame: 'client',
      severity: 'info',
      trace: [...begin, ...notify(2_000, 'client', 0.1)],
      says: /The client sent/,
    },
  },
  kept: {
    'as many in a longer time': [...begin, ...notify(3_000, 'server', 2)],
    'half of it from each side': [...begin, ...notify(900, 'server', 0.1), ...notify(900, 'client', 0.1)],
  },
});

it('a flood after a pause is a new one', () => {
  const found = diagnose(...begin, ...notify(1_500, 'server', 0.1), rest(10_000), ...notify(1_500, 'server', 0.1));
  assert.equal(found.filter(({ rule }) => rule === 'flood').length, 2);
});
