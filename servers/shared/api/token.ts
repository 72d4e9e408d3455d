// The token of a service: where it comes from, how it is sent, and how it stays out of everything else.
import process from 'node:process';

/** The parts of a request that a token is added to. */
export interface Authorizable {
  readonly url: URL;
  readonly headers: Headers;
}

export interface ApiToken {
  /** Undefined: no token is set. Read for each request, so a token that expires is a getter. */
  readonly value: string | undefined;
  /** How to set one, as a sentence for the user. */
  readonly help: string;
  /** Adds the token to a request. Default: `authorization: Bearer …`. */
  readonly add?: (token: string, request: Authorizable) => void;
  /** Whether requests that only read are sent without a token. Default: false. */
  readonly isOptionalToRead?: boolean;
}

/**
 * Reads a token from the first of these environment variables that has one. Throws an `Error` if it cannot be sent: the error of `fetch`
 * would contain it.
 */
export function tokenFromEnvironment(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  for (const name of names) {
    const token = env[name]?.trim() ?? '';
    if (token === '') continue;
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`${name} is not a token: it has characters that cannot be sent`);
    return token;
  }
  return undefined;
}

export function addBearer(token: string, { headers }: Authorizable): void {
  headers.set('authorization', `Bearer ${token}`);
}

/** How a token appears in what a service sends: as it is, and percent-encoded. */
function formsOf(token: string): string[] {
  return [...new Set([token, encodeURIComponent(token)])];
}

/** Removes every occurrence of the token from a text that a service sent. */
export function textWithoutToken(text: string, token: string | undefined): string {
  if (token === undefined) return text;
  return formsOf(token).reduce((rest, form) => rest.replaceAll(form, '[token]'), text);
}

/** Removes every occurrence of the token from bytes that a service sent. */
export function withoutToken(bytes: Uint8Array<ArrayBuffer>, token: string | undefined): Uint8Array<ArrayBuffer> {
  if (token === undefined) return bytes;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!formsOf(token).some((form) => view.includes(form))) return bytes;
  return Uint8Array.from(Buffer.from(textWithoutToken(view.toString('latin1'), token), 'latin1'));
}
