import { shown } from './config-error.ts';
import type { Path } from './document.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** A part of a configuration that is not used. The rest of the configuration is. */
export interface Problem {
  /** The alias of the server, if the problem is about one. */
  readonly server?: string;
  /** The path in the document: `mcpServers.github.args[1]`. */
  readonly path: string;
  /** What is wrong, its effect, and what to do. Never contains a value, which may be a secret. */
  readonly message: string;
}

function pieceOf(piece: string | number): string {
  if (typeof piece === 'number') return `[${piece}]`;
  return /^[\w$-]+$/.test(piece) ? `.${piece}` : `["${shown(piece)}"]`;
}

/** Formats a path as JavaScript would. */
export function pathText(path: Path): string {
  return path.map(pieceOf).join('').replace(/^\./, '');
}

export function problem(path: Path, message: string, server?: string): Problem {
  return withoutUndefined({
    server: server === undefined ? undefined : shown(server),
    path: pathText(path),
    message,
  });
}
