// The syntax of values from authorization servers, clients and tokens. A value is checked here before it is stored or sent in a request.
import { isScope } from '../protocol/scope.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';

/** The syntax of a value. */
export interface Syntax<T> {
  /** Completes "it must be". */
  readonly words: string;
  fits(value: unknown): value is T;
}

/** The maximum number of characters of any text. */
const MAX_TEXT = 65_536;
/** The maximum number of characters of a code or a name that a specification defines. */
const MAX_NAME = 256;
/** The maximum number of elements of a list. */
const MAX_LIST = 10_000;
/** The latest time that a `Date` has, in seconds since 1970. Greater numbers lose precision when they are added to a time. */
const MAX_SECONDS = 8.64e12;

function textOf(words: string, pattern: RegExp, max = MAX_TEXT): Syntax<string> {
  return {
    words,
    fits: (value): value is string => typeof value === 'string' && value.length <= max && pattern.test(value),
  };
}

function numberFrom(words: string, min: number): Syntax<number> {
  return {
    words,
    fits: (value): value is number => typeof value === 'number' && value >= min && value <= MAX_SECONDS,
  };
}

function listOf<T>(words: string, item: Syntax<T>): Syntax<readonly T[]> {
  return {
    words,
    fits: (value): value is readonly T[] =>
      Array.isArray(value) && value.length <= MAX_LIST && value.every((one) => item.fits(one)),
  };
}

function either<A, B>(words: string, one: Syntax<A>, other: Syntax<B>): Syntax<A | B> {
  return { words, fits: (value): value is A | B => one.fits(value) || other.fits(value) };
}

/** A text for people, or one that is checked elsewhere: an address, an issuer. */
export const TEXT = textOf(`a text of at most ${MAX_TEXT} characters`, /^/);
/** The `true` or `false` of JSON. */
export const FLAG: Syntax<boolean> = {
  words: 'true or false',
  fits: (value): value is boolean => typeof value === 'boolean',
};
export const TEXTS = listOf('a list of texts', TEXT);
export const OBJECT: Syntax<JsonObject> = { words: 'an object', fits: isObject };
export const OBJECTS = listOf('a list of objects', OBJECT);

/**
 * An access token: visible ASCII. RFC 6750, section 2.1 excludes some of these characters, but issuers use them (`12|secret`), and they are
 * valid in a header. Spaces, line breaks and non-ASCII characters are not.
 */
export const ACCESS_TOKEN = textOf('visible ASCII characters without spaces', /^[\x21-\x7e]+$/);
/** Client ids, refresh tokens, codes and states (RFC 6749, appendix A.1, A.5, A.11 and A.17). */
export const VISIBLE = textOf('visible ASCII characters', /^[\x20-\x7e]+$/);
/** A client secret, which may be empty (RFC 6749, appendix A.2). */
export const SECRET = textOf('visible ASCII characters', /^[\x20-\x7e]*$/);
export const SCOPE_LIST = listOf('a list of scopes', { words: 'a scope', fits: isScope });
/** Scopes in one text (RFC 6749, section 3.3). Some servers write extra spaces, or an empty text if there are no scopes. */
export const SCOPES = textOf('scopes, separated by spaces', /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/);
/** The scopes of a token: a text in RFC 9068, section 2.2.3, but some issuers write a list. */
export const SCOPES_OF_TOKEN = either('scopes, separated by spaces or in a list', SCOPES, SCOPE_LIST);
/** The code of an error (RFC 6749, appendix A.7). */
export const ERROR_CODE = textOf('the code of an error', /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, MAX_NAME);
/** RFC 6749, appendix A.13: a name, or a URI. */
export const TOKEN_TYPE = textOf('the name of a token type', /^[\w.:/~#?&=%+-]+$/, MAX_NAME);
/** A method of client authentication (RFC 7591, section 2). */
export const AUTH_METHOD = textOf('the name of a method', /^[\w.:/-]+$/, MAX_NAME);
/** A signed or encrypted JWT. */
export const JWT = textOf('a JWT', /^[\w-]+(?:\.[\w-]*){2,4}$/);
/** A lifetime (RFC 6749, appendix A.14). */
export const SECONDS = numberFrom(`a number of seconds from 0 to ${MAX_SECONDS}`, 0);
/** A `NumericDate` (RFC 7519, section 2). */
export const TIME = numberFrom('a time as a number of seconds since 1970', -MAX_SECONDS);
/** The audience of a token (RFC 7519, section 4.1.3). */
export const AUDIENCE = either('a text or a list of texts', TEXT, TEXTS);
/** The id of a user (RFC 7519, section 4.1.2): not blank, without characters that would disturb a log or a comparison. */
export const SUBJECT = textOf(
  'a text that is not blank, without control characters',
  /^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u,
  4_096,
);
/** A nonce for proofs (RFC 9449, section 8.1). */
export const PROOF_NONCE = textOf('a nonce', /^[\x21\x23-\x5b\x5d-\x7e]+$/, 2_048);
/** The thumbprint of a key (RFC 9449, section 6.1). */
export const THUMBPRINT = textOf('a hash in base64url', /^[\w-]+$/, MAX_NAME);
/** A PKCE verifier (RFC 7636, section 4.1). */
export const CODE_VERIFIER = textOf('43 to 128 unreserved characters', /^[\w.~-]{43,128}$/);
/** A PKCE challenge by S256 (RFC 7636, section 4.2). */
export const CODE_CHALLENGE = textOf('a SHA-256 hash in base64url', /^[\w-]{43}$/);

export function isAccessToken(value: unknown): value is string {
  return ACCESS_TOKEN.fits(value);
}

/** Is it a client id, a client secret, or a refresh token? */
export function isVisibleText(value: unknown): value is string {
  return VISIBLE.fits(value);
}

/** The valid scopes of a space-separated list. */
export function scopesIn(text: string | undefined): string[] {
  return text?.split(' ').filter(isScope) ?? [];
}
