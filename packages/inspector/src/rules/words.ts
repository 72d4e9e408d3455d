import type { Side } from '../trace/line.ts';

export { objectOf, listOf, textOf, shown, quoted, listed, duration, bytes, written } from '../values/words.ts';
export type { Json } from '../values/words.ts';

export function other(side: Side): Side {
  return side === 'client' ? 'server' : 'client';
}
