import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { AuthError } from '../../protocol/auth-error.ts';
import type { Browser } from '../browser.ts';

/** Options of `loopback`. */
export interface LoopbackOptions {
  /** The port of the redirect URI. Default: any free port. Needed if the client is registered with a fixed redirect URI. */
  readonly port?: number;
  /** Shows the login URL, in case the browser does not open. Default: writes it to stderr. */
  readonly show?: (url: URL) => void;
  /** Opens the browser. Default: the opener of the system. `false`: the browser is not opened. */
  readonly opener?: ((url: URL) => void) | false;
  /** How long the login may take, in milliseconds. Default 300,000. */
  readonly timeout?: number;
}

/** The program that opens a URL, and its first arguments. Never through a shell, which would interpret the URL. */
const OPENERS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map<string, readonly [string, ...string[]]>([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);

function openInBrowser({ href }: URL): void {
  const [command, ...before] = OPENERS.get(process.platform) ?? ['xdg-open'];
  try {
    const child = spawn(command, [...before, href], { stdio: 'ignore', detached: true, shell: false });
    child.on('error', () => {});
    child.unref();
  } catch {
    // The URL is too long for a command line. It has also been shown.
  }
}

const PATH = '/callback';
function pageOf(title: string): string {
  return `<!doctype html><meta charset="utf-8"><title>${title}</title><p>${title}. You can close this page and go back to the program.`;
}
/** The pages show nothing of the URL, which has not been checked: any page can send a browser here. */
const LOGGED_IN = pageOf('Logged in');
const NOT_LOGGED_IN = pageOf('Not logged in');
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new AuthError(
          'login-unavailable',
          'authorization',
          `The login cannot listen on port ${port}: ${cause.message}`,
          { cause },
        ),
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** The port of a redirect URI of an earlier login; 0 for any other URI. */
function portOf(redirectUri: string | undefined): number {
  return Number(/^http:\/\/127\.0\.0\.1:(\d{1,5})\/callback$/.exec(redirectUri ?? '')?.[1] ?? 0);
}

/**
 * Logs a user in with the browser of this machine, which is redirected to a port on 127.0.0.1 that is open only during the login (RFC 8252,
 * section 7.3). The login is rejected with an `AuthError` after `timeout` milliseconds, by default five minutes. Needs Node.
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
export function loopback(options: LoopbackOptions = {}): Browser {
  const {
    port = 0,
    show = (url) => void process.stderr.write(`Log in at ${url.href}\n`),
    opener = openInBrowser,
    timeout = 300_000,
  } = options;
  return {
    async open(registered) {
      let onRedirect!: (url: URL) => void;
      const redirected = new Promise<URL>((resolve) => (onRedirect = resolve));
      let redirectUri = '';
      let state: string | null = '';
      let timer: ReturnType<typeof setTimeout> | undefined;
      const server = createServer((request, response) => {
        // Any program on this machine can send a request target that is not a URL.
        const url = URL.canParse(request.url ?? '/', redirectUri)
          ? new URL(request.url ?? '/', redirectUri)
          : undefined;
        const isAnswer =
          url !== undefined &&
          request.method === 'GET' &&
          url.pathname === PATH &&
          request.headers.host === new URL(redirectUri).host &&
          // Any program on this machine can send requests here; only the authorization server knows the state.
          url.searchParams.get('state') === state &&
          (url.searchParams.has('code') || url.searchParams.has('error'));
        if (!isAnswer) return response.writeHead(404, HEADERS).end();
        response
          .writeHead(200, HEADERS)
          .end(url.searchParams.has('error') ? NOT_LOGGED_IN : LOGGED_IN, () => onRedirect(url));
        return undefined;
      });
      const before = port === 0 ? portOf(registered) : 0;
      // Another program may have the earlier port now.
      const bound = before === 0 ? listen(server, port) : listen(server, before).catch(() => listen(server, 0));
      redirectUri = `http://127.0.0.1:${await bound}${PATH}`;
      return {
        redirectUri,
        async authorize(url) {
          state = url.searchParams.get('state');
          show(url);
          if (opener !== false) opener(url);
          const late = new Promise<never>((_, reject) => {
            timer = setTimeout(
              () => reject(new AuthError('login-incomplete', 'authorization', 'The login was not completed in time')),
              timeout,
            );
          });
          return Promise.race([redirected, late]).finally(() => clearTimeout(timer));
        },
        close() {
          // The timer would keep the program alive.
          clearTimeout(timer);
          server.close();
          // Browsers open connections in advance and keep them open.
          server.closeAllConnections();
        },
      };
    },
  };
}
