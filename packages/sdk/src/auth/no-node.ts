import { AuthError } from '../protocol/auth-error.ts';
import type { UrlGuard } from './url-guard.ts';
import type { TokenStore } from './tokens.ts';
import type { Browser } from './browser.ts';

const needsNode = (what: string): never => {
  throw new AuthError('authorization', `${what} needs Node: in this runtime, give your own browser or store`);
};

/** For runtimes without Node's modules. */
export const guardedFetch =
  (_guard: UrlGuard): typeof globalThis.fetch =>
  (input, init) =>
    globalThis.fetch(input, init);
export const loopback = (): Browser => needsNode('loopback()');
export const publicFetch = (): typeof globalThis.fetch => needsNode('publicFetch()');
export const askOnTerminal = (): Promise<string> => needsNode('pasting() without `ask`');
export const fileTokens = (): TokenStore => needsNode('fileTokens()');
