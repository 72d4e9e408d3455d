/**
 * Seals values that clients carry for the server: encrypted, tamper-proof, bound to a context, and with an expiry. AES-256-GCM (NIST SP
 * 800-38D) by Web Crypto, with the context as additional data.
 */
export interface Sealer {
  /** Seals a JSON value for `lifeMs` milliseconds. */
  seal(value: unknown, context: string, lifeMs: number): Promise<string>;
  /** The value; undefined if it was not sealed with one of the keys for this context, or has expired. Callers do not learn which. */
  open(sealed: unknown, context: string): Promise<unknown>;
}
