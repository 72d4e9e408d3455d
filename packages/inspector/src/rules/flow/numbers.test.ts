import { cases, client, server, stdio } from '../fixtures/traces.ts';

function sent(args: string) {
  return [stdio, client(`{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"a":${args}}}`)];
}
const found = { blame: 'unknown', severity: 'info' } as const;

cases('number-precision', {
  broken: {
    'an integer beyond the precision of doubles': {
      ...found,
      trace: sent('9007199254740993'),
      says: /The client wrote 9007199254740993; a program that reads numbers as doubles gets 9007199254740992/,
      cites: ['9007199254740993'],
    },
    'a negative one': { ...found, trace: sent('[-12345678901234567891]'), says: /-12345678901234567891/ },
    'one of the server': {
      ...found,
      trace: [stdio, server('{"jsonrpc":"2.0","id":1,"result":{"id":12345678901234567}}')],
      says: /The server wrote/,
    },
  },
  kept: {
    'a number that doubles hold': sent('9007199254740991'),
    'a large number that doubles hold': sent('9007199254740992'),
    'digits in text': sent('"9007199254740993 and \\" 9007199254740993"'),
    'a fraction': sent('0.1234567890123456789'),
    'a long key': sent('{"12345678901234567":1}'),
  },
});
