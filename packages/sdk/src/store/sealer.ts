/**
 * Seals what a client carries for the server: nobody can read or change it, it is bound to a context and it
 * expires. AES-256-GCM (NIST SP 800-38D) by Web Crypto, the context as additional data.
 */
export interface Sealer {
  /** Seals a JSON value for `lifeMs` milliseconds. */
  seal(value: unknown, context: string, lifeMs: number): Promise<string>;
  /** The value; undefined for anything that was not sealed here, for this context, or not lately. The reason is not told. */
  open(sealed: unknown, context: string): Promise<unknown>;
}
