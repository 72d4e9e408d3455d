import { matchesGlob } from '@tenon/host';
import { usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';

// Keys of `questions`: `server/name`. A key without a slash has no server name, which is allowed only if there is just one server.

function isBare(key: string): boolean {
  return !key.includes('/');
}

/** Whether a key matches. `*` matches any characters on its side of the slash. Either side may contain slashes itself. */
function fits(key: string, server: string, text: string): boolean {
  if (isBare(key)) return matchesGlob(key, text);
  for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1))
    if (matchesGlob(key.slice(0, at), server) && matchesGlob(key.slice(at + 1), text)) return true;
  return false;
}

function isExactly(key: string, server: string, text: string): boolean {
  return key === `${server}/${text}` || (isBare(key) && key === text);
}

/** Rejects keys that would answer any of several servers. Throws a usage failure. */
export function checkKeys(keys: readonly string[], servers: readonly string[]): void {
  const bare = keys.find(isBare);
  if (bare === undefined || servers.length < 2) return;
  const written = servers.slice(0, 3).map((server) => JSON.stringify(oneLine(`${server}/${bare}`, 100)));
  throw usage(
    `"questions" of the file of --answers: "${oneLine(bare, 100)}" names no server, and there are ${servers.length}`,
    `Name the server that gets this answer: ${written.join(' or ')}; or for all of them ${JSON.stringify(oneLine(`*/${bare}`, 100))}.`,
  );
}

/** The key for a question: exact keys take precedence over keys with `*`, and earlier texts over later ones. */
export function keyFor(keys: readonly string[], server: string, texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const exact = keys.find((key) => isExactly(key, server, text));
    if (exact !== undefined) return exact;
  }
  return keys.find((key) => texts.some((text) => fits(key, server, text)));
}
