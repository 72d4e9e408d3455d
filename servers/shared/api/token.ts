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
  /** What else must not come back in answers, such as the id of a key that requests are signed with. Read for each request. */
  readonly others?: readonly string[] | undefined;
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

/** What must not come back in an answer. */
export function secretsOf(token: ApiToken | undefined): readonly string[] {
  return [token?.value ?? '', ...(token?.others ?? [])].filter((one) => one !== '');
}

/** How secrets appear in what a service sends: as they are, and percent-encoded. */
function formsOf(secrets: readonly string[]): string[] {
  return [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))];
}

/** Removes every occurrence of secrets from a text that a service sent. */
export function textWithoutSecrets(text: string, secrets: readonly string[]): string {
  return formsOf(secrets).reduce((rest, form) => rest.replaceAll(form, '[token]'), text);
}

/** Removes every occurrence of secrets from bytes that a service sent. */
export function withoutSecrets(bytes: Uint8Array<ArrayBuffer>, secrets: readonly string[]): Uint8Array<ArrayBuffer> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!formsOf(secrets).some((form) => view.includes(form))) return bytes;
  return Uint8Array.from(Buffer.from(textWithoutSecrets(view.toString('latin1'), secrets), 'latin1'));
}
