// What happens in a page without being asked for: messages, dialogs, windows, downloads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Dialog, Page } from 'playwright-core';
import { limited } from './limited.ts';
import { MAX_CONSOLE_TEXT } from './message-pipe.ts';
import { destinationOf, shownAddress } from './origins.ts';
import type { RunningBrowser } from './browser-process.ts';

/** Where the events of a page go. */
export interface PageEvents {
  /** A line for the log. */
  log(line: string): void;
  /** Something that the model should read with the next result. */
  note(text: string): void;
  /** The page cannot be used any more. */
  lost(reason: string): void;
}

/** How long a window stays open that goes nowhere, in milliseconds. */
const WINDOW_MS = 1_000;

/** The protocols that a page can have. `chrome-error:` is that of the page about a failed navigation. */
const PROTOCOLS = /^(?:https?|about|data|blob|chrome-error):/;

function quoted(text: string): string {
  return JSON.stringify(text.length > 500 ? `${text.slice(0, 500)}…` : text);
}

/** The answer that lets the page go on. */
async function answer(dialog: Dialog): Promise<void> {
  // Otherwise a page could refuse to be left.
  await (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss());
}

/** Why a request of the browser failed, if its connection was not made. */
export function connectionFailure({ proxy }: RunningBrowser, url: string, error: string): string | undefined {
  if (!/ERR_SOCKS_CONNECTION/.test(error) || !URL.canParse(url)) return undefined;
  return proxy.failureOf(destinationOf(new URL(url)));
}

/** Reports what happens in a page, answers its dialogs, and closes its windows. */
export function watchPage(page: Page, running: RunningBrowser, events: PageEvents): void {
  page.on('console', (message) => {
    const type = message.type() === 'warning' ? 'warn' : message.type();
    events.log(`[${type}] ${message.text()}`.slice(0, MAX_CONSOLE_TEXT));
  });
  page.on('pageerror', (error) => events.log(`[pageerror] ${String(error.stack ?? error)}`.slice(0, MAX_CONSOLE_TEXT)));
  page.on('requestfailed', (request) => {
    const url = request.url();
    const reason = connectionFailure(running, url, request.failure()?.errorText ?? '');
    if (reason !== undefined) events.log(`[network] ${shownAddress(url)}: ${reason}`);
  });
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload')
      events.note(`The page showed a dialog (${dialog.type()}), which was dismissed: ${quoted(dialog.message())}`);
    answer(dialog).catch(() => {});
  });
  page.on('download', (download) => {
    events.note(`The page started a download, which was refused: ${quoted(download.url())}`);
    download.cancel().catch(() => {});
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && !PROTOCOLS.test(frame.url())) events.lost('it left the web');
  });
  page.on('crash', () => events.lost('it crashed'));
  page.context().on('page', (window) => {
    if (window !== page)
      void closeWindow(window, (url) =>
        events.note(`The page opened a window, which was closed. Navigate there if you need it: ${quoted(url)}`),
      );
  });
}

/** Waits until the windows are closed that the page has opened, but not for a browser that does not answer. */
export async function windowsClosed(devtools: CDPSession, signal: AbortSignal): Promise<void> {
  const watch = async (): Promise<void> => {
    for (const late = performance.now() + 2 * WINDOW_MS; performance.now() < late; await sleep(5)) {
      const { targetInfos } = await devtools.send('Target.getTargets');
      if (targetInfos.filter(({ type }) => type === 'page').length <= 1) return;
    }
  };
  await limited(watch(), { signal, timeoutMs: 2 * WINDOW_MS }).catch((error: Error) => {
    if (error.name !== 'TimeoutError') throw error;
  });
}

/** Closes a window as soon as its address is known. */
async function closeWindow(window: Page, report: (url: string) => void): Promise<void> {
  // It begins empty, and its address comes with its first request.
  if (window.url() === 'about:blank') {
    const request = await window.waitForEvent('request', { timeout: WINDOW_MS }).catch(() => undefined);
    report(request?.url() ?? window.url());
  } else report(window.url());
  await window.close().catch(() => {});
}
