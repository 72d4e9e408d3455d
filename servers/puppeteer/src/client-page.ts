import { randomUUID } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { type CallContext, ToolError } from 'tenon';
import { runExclusive } from '../../shared/exclusive.ts';
import { type RunningBrowser, startBrowser } from './browser-process.ts';
import { type ConsoleLog, createConsoleLog } from './console-log.ts';
import { isAnswering } from './evaluate.ts';
import { findBrowser } from './find-browser.ts';
import type { Launch } from './launch-options.ts';
import type { Origins } from './origins.ts';
import { createScreenshots, type Screenshots } from './screenshots.ts';
import { watchPage, windowsClosed } from './watch-page.ts';

/** After this time without a call, in milliseconds, the browser of a client is closed. */
const IDLE_MS = 30 * 60_000;
const MAX_NOTES = 20;

/** What the pages of all clients share. */
export interface PageSetting {
  readonly origins: Origins;
  readonly launch: Launch;
  readonly warn: (message: string) => void;
  /** Makes room for one more browser. Rejects with a `ToolError` if there is none. */
  readonly makeRoom: (page: ClientPage) => Promise<void>;
  readonly onLog: () => void;
}

/** A page in a running browser. */
export interface OpenPage {
  readonly running: RunningBrowser;
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly launch: Launch;
}

/** What a call does with the page. */
export interface PageUse<T> {
  readonly act: (open: OpenPage) => Promise<T>;
  /** The browser that is needed; one that was started differently is replaced. Default: any. */
  readonly launch?: Launch | undefined;
  /** Whether it leaves the page anyway, so that it does not matter if that is lost. Default: false. */
  readonly isNavigation?: boolean;
}

/** The browser of one client, with its only page. It starts with the first use. Calls use it one after the other. */
export class ClientPage {
  readonly log: ConsoleLog = createConsoleLog();
  readonly screenshots: Screenshots = createScreenshots();
  readonly #setting: PageSetting;
  readonly #id = randomUUID();
  #open: OpenPage | undefined;
  /** Why the page is gone that the client had. */
  #lost: string | undefined;
  #notes: string[] = [];
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(setting: PageSetting) {
    this.#setting = setting;
  }

  /** Whether a call uses it, or waits for it. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** What happened since the last result, for the model. */
  takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  /** Does something with the page. Rejects with a `ToolError` if the page is lost. */
  async use<T>({ signal }: Pick<CallContext, 'signal'>, { act, launch, isNavigation = false }: PageUse<T>): Promise<T> {
    this.#calls++;
    clearTimeout(this.#idle);
    try {
      return await runExclusive(this.#id, async () => {
        signal.throwIfAborted();
        if (isNavigation) this.#lost = undefined;
        if (this.#lost !== undefined) throw new ToolError(`The page is gone: ${this.#lost}. Navigate again.`);
        const open = await this.#opened(launch);
        try {
          const result = await act(open);
          await windowsClosed(open.devtools, signal);
          return result;
        } catch (error) {
          signal.throwIfAborted();
          throw await this.#explained(error, open);
        }
      });
    } finally {
      this.#calls--;
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.close('it was not used for a long time'), IDLE_MS).unref();
    }
  }

  async #opened(launch: Launch | undefined): Promise<OpenPage> {
    if (this.#open !== undefined && (launch === undefined || isSame(launch, this.#open.launch))) return this.#open;
    await this.close();
    await this.#setting.makeRoom(this);
    const chosen = launch ?? this.#setting.launch;
    const { origins, warn } = this.#setting;
    const running = await startBrowser({ path: chosen.executablePath ?? findBrowser(), launch: chosen, origins, warn });
    try {
      return (this.#open = await this.#newPage(running, chosen));
    } catch (error) {
      running.kill();
      throw error;
    }
  }

  async #newPage(running: RunningBrowser, launch: Launch): Promise<OpenPage> {
    const context = await running.browser.newContext({
      viewport: launch.viewport,
      acceptDownloads: false,
      serviceWorkers: 'block',
      ignoreHTTPSErrors: launch.ignoresCertificates,
    });
    const page = await context.newPage();
    const open = { running, page, devtools: await context.newCDPSession(page), launch };
    const lost = (reason: string): void => {
      if (this.#open === open) void this.close(reason);
    };
    watchPage(page, running, {
      log: (line) => this.#logged(line),
      note: (text) => {
        if (this.#notes.length < MAX_NOTES) this.#notes.push(text);
        this.#logged(`[note] ${text}`);
      },
      lost,
    });
    void running.ended.then(() => lost('the browser ended unexpectedly'));
    return open;
  }

  #logged(line: string): void {
    this.log.add(line);
    this.#setting.onLog();
  }

  /** An error that says if the page is lost. A page that does not answer any more is closed. */
  async #explained(error: unknown, open: OpenPage): Promise<unknown> {
    if (isTimeout(error) && this.#open === open && !(await isAnswering(open.devtools)))
      await this.close('it was busy and did not answer any more');
    return this.#open === open
      ? error
      : new ToolError(`The page is gone: ${this.#lost ?? 'it was closed'}. Navigate again.`);
  }

  /** Ends the browser. `reason`: why the client's page is gone; without it the client does not miss it. */
  async close(reason?: string): Promise<void> {
    clearTimeout(this.#idle);
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#lost = reason;
    open.running.kill();
    await open.running.ended;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));
}

function isSame(one: Launch, other: Launch): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
