import { startFilled } from '../servers/redis/src/fixtures/filled.ts';
import type { Comparison, Result } from './comparison.ts';

/** The lines in a fixed order: Redis gives keys in any order. */
function sortedLines({ content }: Result): string {
  const text = content.map(({ text = '' }) => text).join('\n');
  return text.split('\n').toSorted().join('\n');
}

export const redis: Comparison = {
  name: 'redis',
  start: () => startFilled({ a: '1', 'ä b': '日本\n"x"', e: '' }),
  ours: (url) => ({ args: [url, '--no-confirm'] }),
  original: (url) => ({ args: [url] }),
  read: sortedLines,
  readOriginal: sortedLines,
  calls: [
    { name: 'get', args: { key: 'a' } },
    { name: 'get', args: { key: 'ä b' } },
    { name: 'get', args: { key: 'e' } },
    { name: 'get', args: { key: 'none' } },
    { name: 'get', args: {} },
    { name: 'set', args: { key: 'n', value: '日本\n"x"' } },
    { name: 'set', args: { key: 'n', value: '', expireSeconds: 100 } },
    { name: 'set', args: { key: 'x' } },
    { name: 'list', args: {} },
    { name: 'list', args: { pattern: 'a*' } },
    { name: 'list', args: { pattern: 'zz' } },
    { name: 'delete', args: { key: ['a', 'e'] } },
    { name: 'delete', args: { key: 'ä b' } },
    {
      name: 'delete',
      args: { key: 'none' },
      otherAnswer: 'the original claims to have deleted a key that was not there',
    },
  ],
};
