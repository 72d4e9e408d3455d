// A login during a call: the client shows the user the page of Google, which sends the browser back to a port of this machine.
import { type CallContext, ToolError } from 'tenon';
import type { Browser } from 'tenon/auth';
import { untilAborted } from './access-token.ts';
import { SERVICE } from './google.ts';

/** A login whose page was shown. */
interface OpenLogin {
  readonly url: string;
  /** Resolves when the credentials are stored. */
  readonly done: Promise<void>;
  /** Ends the login if it is not done. */
  readonly stop: () => void;
}

export interface PageLoginOptions {
  /** Takes the user through the login, and stores the credentials. */
  readonly logIn: (browser: Browser) => Promise<void>;
  /** How long the user may take, in milliseconds. Default: five minutes. */
  readonly timeoutMs?: number | undefined;
}

/** A browser that only this login uses: its page is shown by `show`, and `signal` ends it. */
async function browserFor(show: (url: URL) => void, signal: AbortSignal, timeoutMs?: number): Promise<Browser> {
  const { loopback } = await import('tenon/auth');
  const browser = loopback({ opener: false, show, timeout: timeoutMs });
  return {
    async open() {
      const opened = await browser.open();
      return { ...opened, authorize: (url) => untilAborted(Promise.resolve(opened.authorize(url)), signal) };
    },
  };
}

function openLogin({ logIn, timeoutMs }: PageLoginOptions): Promise<OpenLogin> {
  const stopper = new AbortController();
  return new Promise((resolve, reject) => {
    const show = ({ href }: URL): void => resolve({ url: href, done, stop: () => stopper.abort() });
    const done = browserFor(show, stopper.signal, timeoutMs).then(logIn);
    done.catch(reject);
  });
}

/** Makes a function that lets the user log in. Throws a `ToolError` if the user declines, or does not finish. */
export function createPageLogin(options: PageLoginOptions): (ctx: CallContext) => Promise<void> {
  // One at a time: the credentials are of the server.
  let current: Promise<OpenLogin> | undefined;
  const start = (): Promise<OpenLogin> => {
    if (current === undefined) {
      const opened = (current = openLogin(options));
      const forget = (): void => {
        if (current === opened) current = undefined;
      };
      opened.then(({ done }) => done).then(forget, forget);
    }
    return current;
  };
  return async (ctx) => {
    const url = await ctx.once('page of the login', async () => (await start()).url);
    const { action, complete } = await ctx.visit(
      'login',
      `Log in to Google, so that files of ${SERVICE} can be read`,
      url,
    );
    const login = await current;
    // Otherwise it has ended meanwhile: then there are credentials, or the user was too slow.
    const isOpen = login?.url === url;
    if (action !== 'accept') {
      if (isOpen) login.stop();
      throw new ToolError(`The user declined to log in to ${SERVICE}.`);
    }
    if (!isOpen) return;
    await ctx.progress({ progress: 0, message: 'Waiting until the user has logged in' });
    await untilAborted(login.done, ctx.signal).catch((error: unknown) => {
      ctx.signal.throwIfAborted();
      throw error instanceof ToolError
        ? error
        : new ToolError(`${(error as Error).message}. Call again to start another login.`);
    });
    await complete();
  };
}
