import { matchesGlob } from '@tenon/host';
import { usage } from '../failure.ts';
import { oneLine } from '../printable.ts';

// Keys of `questions`: `server/name`. Without a slash a key names no server, which is for a chat with one alone.

const isBare = (key: string): boolean => !key.includes('/');

/** A star stands for any characters on its side of the slash. Both sides may have a slash in them themselves. */
const fits = (key: string, server: string, text: string): boolean => {
  if (isBare(key)) return matchesGlob(key, text);
  for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1))
    if (matchesGlob(key.slice(0, at), server) && matchesGlob(key.slice(at + 1), text)) return true;
  return false;
};

const isExactly = (key: string, server: string, text: string): boolean =>
  key === `${server}/${text}` || (isBare(key) && key === text);

/** Refuses keys that any of several servers could make use of. Throws a usage failure. */
export const checkKeys = (keys: readonly string[], servers: readonly string[]): void => {
  const bare = keys.find(isBare);
  if (bare === undefined || servers.length < 2) return;
  const written = servers.slice(0, 3).map((server) => JSON.stringify(oneLine(`${server}/${bare}`, 100)));
  throw usage(
    `"questions" of the file of --answers: "${oneLine(bare, 100)}" names no server, and there are ${servers.length}`,
    `Write which of them may have this answer: ${written.join(' or ')}; or for all of them ${JSON.stringify(oneLine(`*/${bare}`, 100))}.`,
  );
};

/** The key that counts for a question: one that is written out before one with a star, the first text before the next. */
export const keyFor = (keys: readonly string[], server: string, texts: readonly string[]): string | undefined => {
  for (const text of texts) {
    const exact = keys.find((key) => isExactly(key, server, text));
    if (exact !== undefined) return exact;
  }
  return keys.find((key) => texts.some((text) => fits(key, server, text)));
};
