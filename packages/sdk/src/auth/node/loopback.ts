import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { AuthError } from '../../protocol/auth-error.ts';
import type { Browser } from '../browser.ts';

/** How a user logs in with the browser of this machine. */
export interface LoopbackOptions {
  /** Where the user comes back to. Default: any port that is free. Needed where the client is registered with a fixed address. */
  readonly port?: number;
  /** Is told the address in case the browser does not open. Default: a line on stderr. */
  readonly show?: (url: URL) => void;
  /** Opens the browser. Default: the program of the system; `false`: nobody does. */
  readonly opener?: ((url: URL) => void) | false;
  /** How long the login may take, in milliseconds. Default 300,000. */
  readonly timeout?: number;
}

/** The program that opens an address, and its arguments before it. Never through a shell, which would read the address as commands. */
const OPENERS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map<string, readonly [string, ...string[]]>([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);

const openInBrowser = ({ href }: URL): void => {
  const [command, ...before] = OPENERS.get(process.platform) ?? ['xdg-open'];
  try {
    const child = spawn(command, [...before, href], { stdio: 'ignore', detached: true, shell: false });
    child.on('error', () => {});
    child.unref();
  } catch {
    // The address is too long for a command line. It was shown, too.
  }
};

const PATH = '/callback';
const pageOf = (title: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><p>${title}. You can close this page and go back to the program.`;
/** What is in the address is not checked yet, and not shown: anybody can send a browser here. */
const LOGGED_IN = pageOf('Logged in');
const NOT_LOGGED_IN = pageOf('Not logged in');
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new AuthError('authorization', `Nobody can come back to port ${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Logs a user in with the browser of this machine, which comes back to a port on 127.0.0.1 that is open only during the login (RFC 8252, section
 * 7.3). The login is rejected with an `AuthError` after `timeout` milliseconds, by default five minutes. Needs Node.
 *
 * @example
 * ```ts
 * import { loopback, oauth } from 'tenon/auth';
 *
 * // The client was registered by hand, with http://127.0.0.1:8976/callback as its redirect address.
 * const auth = oauth({
 *   browser: loopback({ port: 8976, show: (url) => console.error(`Log in at ${url.href}`) }),
 *   client: { id: 'my-editor' },
 * });
 * ```
 */
export const loopback = (options: LoopbackOptions = {}): Browser => {
  const {
    port = 0,
    show = (url) => void process.stderr.write(`Log in at ${url.href}\n`),
    opener = openInBrowser,
    timeout = 300_000,
  } = options;
  return {
    async open() {
      let back!: (url: URL) => void;
      const came = new Promise<URL>((resolve) => (back = resolve));
      let redirectUri = '';
      let state: string | null = '';
      let timer: ReturnType<typeof setTimeout> | undefined;
      const server = createServer((request, response) => {
        const url = new URL(request.url ?? '/', redirectUri);
        const isAnswer =
          request.method === 'GET' &&
          url.pathname === PATH &&
          request.headers.host === new URL(redirectUri).host &&
          // Anybody on this machine can come here; only the authorization server knows this.
          url.searchParams.get('state') === state &&
          (url.searchParams.has('code') || url.searchParams.has('error'));
        if (!isAnswer) return response.writeHead(404, HEADERS).end();
        response
          .writeHead(200, HEADERS)
          .end(url.searchParams.has('error') ? NOT_LOGGED_IN : LOGGED_IN, () => back(url));
        return undefined;
      });
      redirectUri = `http://127.0.0.1:${await listen(server, port)}${PATH}`;
      return {
        redirectUri,
        async authorize(url) {
          state = url.searchParams.get('state');
          show(url);
          if (opener !== false) opener(url);
          const late = new Promise<never>((_, reject) => {
            timer = setTimeout(() => reject(new AuthError('authorization', 'Nobody logged in in time')), timeout);
          });
          return Promise.race([came, late]).finally(() => clearTimeout(timer));
        },
        close() {
          // Nobody waits for the user any more, and nothing that waits keeps the program alive.
          clearTimeout(timer);
          server.close();
          // Browsers open connections in advance, and keep them.
          server.closeAllConnections();
        },
      };
    },
  };
};
