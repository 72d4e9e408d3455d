import { isProofKey } from './dpop.ts';
import { type Grant, readGrant, type TokenStore } from './tokens.ts';

/** The key of the current login for a server. `owner`: the owner of the credentials; empty for the user. */
export function grantKey(server: string, owner: string): string {
  return owner === '' ? server : `${server} ${owner}`;
}

/**
 * The stored logins for one server: the current one, and those at authorization servers that the server named earlier. Each is used only
 * with the authorization server that issued it.
 */
export class GrantStore {
  readonly #store: TokenStore;
  readonly #key: string;

  constructor(store: TokenStore, server: string, owner: string) {
    this.#store = store;
    this.#key = grantKey(server, owner);
  }

  get(): Promise<Grant | undefined> {
    return this.#read(this.#key);
  }

  /** The login at an authorization server, whether it is the current one or an earlier one. */
  async forIssuer(issuer: string): Promise<Grant | undefined> {
    const current = await this.#read(this.#key);
    return current?.issuer === issuer ? current : this.#read(this.#keyFor(issuer));
  }

  /** Makes a login the current one. The previous one is kept if another authorization server issued it. */
  async set(grant: Grant): Promise<void> {
    const before = await this.#read(this.#key);
    if (before !== undefined && before.issuer !== grant.issuer)
      await this.#store.set(this.#keyFor(before.issuer), before);
    await this.#store.set(this.#key, grant);
  }

  delete(): Promise<void> {
    return Promise.resolve(this.#store.delete(this.#key));
  }

  /** Runs a function while no other user of the store does. */
  withLock<T>(run: () => Promise<T>): Promise<T> {
    const { lock } = this.#store;
    return lock === undefined ? run() : lock(this.#key, run);
  }

  async #read(key: string): Promise<Grant | undefined> {
    const grant = readGrant(await this.#store.get(key));
    if (grant?.dpopKey === undefined || (await isProofKey(grant.dpopKey))) return grant;
    // Without a usable key, the tokens that are bound to it are useless.
    const { issuer, clientId, clientSecret, clientAuth, redirectUri } = grant;
    return readGrant({ issuer, clientId, clientSecret, clientAuth, redirectUri });
  }

  #keyFor(issuer: string): string {
    return `${this.#key} at ${issuer}`;
  }
}
