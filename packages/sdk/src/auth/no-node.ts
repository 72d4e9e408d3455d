import { AuthError } from '../protocol/auth-error.ts';
import type { UrlGuard } from './url-guard.ts';
import type { TokenStore } from './tokens.ts';
import type { Browser } from './browser.ts';

function needsNode(what: string): never {
  throw new AuthError(
    'login-unavailable',
    'authorization',
    `${what} needs Node: in this runtime, give your own browser or store`,
  );
}

/** For runtimes without Node's modules. */
export function guardedFetch(_guard: UrlGuard): typeof globalThis.fetch {
  return (input, init) => globalThis.fetch(input, init);
}
export function loopback(): Browser {
  return needsNode('loopback()');
}
export function internetOnlyFetch(): typeof globalThis.fetch {
  return needsNode('internetOnlyFetch()');
}
export function askOnTerminal(): Promise<string> {
  return needsNode('pasteRedirect() without `ask`');
}
export function fileTokens(): TokenStore {
  return needsNode('fileTokens()');
}
