import { spawn } from 'node:child_process';
import process from 'node:process';

/** The program that opens a URL, and its first arguments. Never a shell, which could interpret the URL as commands. */
const OPENERS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map<string, readonly [string, ...string[]]>([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);
const OTHERS: readonly [string, ...string[]] = ['xdg-open'];

export interface OpenPageOptions {
  /** Default: the program of the operating system. For tests. */
  readonly opener?: readonly [string, ...string[]];
}

/**
 * Opens a page in the browser of this machine. Resolves with whether its program could be started; if not, show the URL to the
 * user. Throws a `TypeError` unless the URL is http or https.
 *
 * @example
 * ```ts
 * import { openPage, openTraceInspector } from '@tenon/inspector';
 *
 * const { url } = await openTraceInspector('weather.mcptrace', { by: 'my tool 1.0' });
 * if (!(await openPage(url))) console.error(`Open ${url}`);
 * ```
 */
export async function openPage(url: string, options: OpenPageOptions = {}): Promise<boolean> {
  const { protocol, href } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`Only http and https pages are opened`);
  const [command, ...before] = options.opener ?? OPENERS.get(process.platform) ?? OTHERS;
  return new Promise((resolve) => {
    const child = spawn(command, [...before, href], { stdio: 'ignore', detached: true, shell: false });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
