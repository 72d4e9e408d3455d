// A user who logs in, comes back later with the stored login, and must not be asked to log in again.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type Grant, oauth, type TokenStore } from 'tenon/auth';
import { type Client, connect } from 'tenon/client';
import { clickingBrowser } from '../../examples/auth/clicks.ts';
import { failureOf } from './clients.ts';
import type { ActionKind, History } from './history.ts';

/** What the user presses: the consent of the cluster, then the login and the consent of the provider. */
const BUTTONS = ['yes', 'Ann', 'yes'];
/** How often a user comes back with one login. */
const VISITS = 4;
/** A user does not log in without a break: a node accepts 60 registrations a minute. */
const PAUSE_MS = 1_000;

export interface LoginWorkerOptions {
  readonly name: string;
  readonly url: string;
  readonly history: History;
  readonly callMs: number;
  readonly revision: '2026-07-28' | '2025-11-25';
}

/** Stores one login, which can be made to expire. */
class StoredLogin implements TokenStore {
  #grant: Grant | undefined;

  get(): Grant | undefined {
    return this.#grant;
  }

  set(_key: string, grant: Grant): void {
    this.#grant = grant;
  }

  delete(): void {
    this.#grant = undefined;
  }

  /** The next client that uses the login has to refresh its token first. */
  expire(): void {
    if (this.#grant !== undefined) this.#grant = { ...this.#grant, expiresAt: Date.now() - 1 };
  }
}

export class LoginWorker {
  readonly #options: LoginWorkerOptions;
  #stopped = false;

  constructor(options: LoginWorkerOptions) {
    this.#options = options;
  }

  /** Logs in and comes back until it is stopped. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const login = new StoredLogin();
      if (await this.#visit('login', login, clickingBrowser(BUTTONS))) await this.#comeBack(login);
      await sleep(PAUSE_MS);
    }
  }

  get name(): string {
    return this.#options.name;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #comeBack(login: StoredLogin): Promise<void> {
    const { history, name } = this.#options;
    const seen = { isAsked: false };
    const refusing: Browser = {
      open() {
        seen.isAsked = true;
        throw new Error('The user does not log in again');
      },
    };
    for (let visit = 0; visit < VISITS && !seen.isAsked && !this.#stopped; visit++) {
      login.expire();
      await this.#visit('refresh', login, refusing);
    }
    if (seen.isAsked) history.violations.push(`${name} had logged in, and was asked to log in again`);
  }

  /** Connects with a login, and makes sure that the server knows whose it is. Resolves with false if that failed. */
  async #visit(kind: ActionKind, store: TokenStore, browser: Browser): Promise<boolean> {
    const { url, history, name: client, callMs, revision } = this.#options;
    const name = history.newName(client, kind);
    let connected: Client | undefined;
    try {
      connected = await connect(url, { revision, timeout: callMs, auth: oauth({ store, browser }) });
      const user = String(await connected.call('whoami'));
      if (user !== `${new URL(url).origin}|Ann`) history.violations.push(`${name} was taken for ${user}`);
      history.attempts.push({ client, kind, name });
      return true;
    } catch (error) {
      history.attempts.push({ client, kind, name, failure: failureOf(error) });
      return false;
    } finally {
      await connected?.close().catch(() => {});
    }
  }
}
