import { isProofKey } from './dpop.ts';
import { type Grant, readGrant, type TokenStore } from './tokens.ts';

/**
 * What is kept for one server: the login that is in use, and those at authorization servers that the server named before. Each is from one
 * authorization server, and for it alone.
 */
export class Kept {
  readonly #store: TokenStore;
  readonly #key: string;

  /** `who`: whose credentials they are, where they are not those of the user. */
  constructor(store: TokenStore, server: string, who: string) {
    this.#store = store;
    this.#key = who === '' ? server : `${server} ${who}`;
  }

  get(): Promise<Grant | undefined> {
    return this.#read(this.#key);
  }

  /** What is kept of an authorization server, whether it is in use or was before. */
  async from(issuer: string): Promise<Grant | undefined> {
    const current = await this.#read(this.#key);
    return current?.issuer === issuer ? current : this.#read(this.#beside(issuer));
  }

  /** Puts a login into use. What was in use of another authorization server is kept beside it. */
  async set(grant: Grant): Promise<void> {
    const before = await this.#read(this.#key);
    if (before !== undefined && before.issuer !== grant.issuer)
      await this.#store.set(this.#beside(before.issuer), before);
    await this.#store.set(this.#key, grant);
  }

  delete(): Promise<void> {
    return Promise.resolve(this.#store.delete(this.#key));
  }

  /** Runs something while nobody else who shares the store does. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const { lock } = this.#store;
    return lock === undefined ? run() : lock(this.#key, run);
  }

  async #read(key: string): Promise<Grant | undefined> {
    const grant = readGrant(await this.#store.get(key));
    if (grant?.dpopKey === undefined || (await isProofKey(grant.dpopKey))) return grant;
    // Tokens that are bound to a key cannot be used without it.
    const { issuer, clientId, clientSecret, clientAuth, redirectUri } = grant;
    return readGrant({ issuer, clientId, clientSecret, clientAuth, redirectUri });
  }

  #beside(issuer: string): string {
    return `${this.#key} at ${issuer}`;
  }
}
