import { askOnTerminal } from '#auth';
import { AuthError } from '../protocol/auth-error.ts';
import type { Browser } from './browser.ts';

/** Options of `pasteRedirect`. */
export interface PasteRedirectOptions {
  /** The redirect URI. Nothing has to listen there. Default `http://127.0.0.1:8976/callback`. */
  readonly redirectUri?: string;
  /** Shows the user the login URL and returns what they enter. `problem`: what was wrong with the previous input. Default: on the terminal. */
  readonly ask?: (url: URL, problem: string | undefined) => Promise<string>;
}

const MAX_TRIES = 3;

/** The redirect URL in the pasted text, if there is one. */
function addressIn(text: string, redirectUri: string): URL | undefined {
  const trimmed = text.trim().replace(/^['"<]|['">]$/g, '');
  try {
    const url = new URL(trimmed.includes('://') ? trimmed : `${redirectUri}?${trimmed.replace(/^\?/, '')}`);
    return url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'))
      ? url
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Logs a user in on a machine without a browser, such as a server. The user opens the URL in a browser on any machine, and pastes the URL
 * to which that browser is redirected; the page there does not load, and need not. After three inputs without such a URL the login rejects
 * with an `AuthError`. The default `ask` uses the terminal and needs Node.
 *
 * @example
 * ```ts
 * import { oauth, pasteRedirect } from 'tenon/auth';
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect('https://mcp.example.com/mcp', { auth: oauth({ browser: pasteRedirect() }) });
 * ```
 */
export function pasteRedirect({
  redirectUri = 'http://127.0.0.1:8976/callback',
  ask = askOnTerminal,
}: PasteRedirectOptions = {}): Browser {
  return {
    open: () => ({
      redirectUri,
      async authorize(url) {
        let problem: string | undefined;
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          const found = addressIn(await ask(url, problem), redirectUri);
          if (found !== undefined) return found;
          problem = 'That is not the address at which the browser ended: it begins with ' + redirectUri;
        }
        throw new AuthError(
          'login-incomplete',
          'authorization',
          'The address at which the browser ended was not pasted',
        );
      },
      close() {},
    }),
  };
}
