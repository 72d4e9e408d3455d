import { AuthError } from '../protocol/auth-error.ts';
import type { UrlGuard } from './guard.ts';
import type { TokenStore } from './tokens.ts';
import type { Browser } from './browser.ts';

const nowhere = (what: string): never => {
  throw new AuthError('authorization', `${what} needs Node: here bring a browser, or a store, of your own`);
};

/** Where there is no Node. */
export const reachFor =
  (_guard: UrlGuard): typeof globalThis.fetch =>
  (input, init) =>
    globalThis.fetch(input, init);
export const loopback = (): Browser => nowhere('loopback()');
export const publicFetch = (): typeof globalThis.fetch => nowhere('publicFetch()');
export const askOnTerminal = (): Promise<string> => nowhere('pasting() without `ask`');
export const fileTokens = (): TokenStore => nowhere('fileTokens()');
