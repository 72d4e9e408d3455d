import { shown } from './config-error.ts';
import type { Path } from './document.ts';

/** Something in a configuration that is not used as it is written. The rest of it is. */
export interface Problem {
  /** The server it is about, if it is about one. */
  readonly server?: string;
  /** Where in the document: `mcpServers.github.args[1]`. */
  readonly path: string;
  /** What is wrong, what became of it and what to do. Never repeats a value: it may be a secret. */
  readonly message: string;
}

const pieceOf = (piece: string | number): string => {
  if (typeof piece === 'number') return `[${piece}]`;
  return /^[\w$-]+$/.test(piece) ? `.${piece}` : `["${shown(piece)}"]`;
};

/** A path as people write it. */
const pathText = (path: Path): string => path.map(pieceOf).join('').replace(/^\./, '');

export const problem = (path: Path, message: string, server?: string): Problem => ({
  ...(server === undefined ? {} : { server: shown(server) }),
  path: pathText(path),
  message,
});
