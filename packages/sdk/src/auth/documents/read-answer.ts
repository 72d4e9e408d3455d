import { AuthError, type AuthStep } from '../../protocol/auth-error.ts';
import { shown } from '../../protocol/text.ts';
import { ERROR_ANSWER, KEY, KEY_SET, TOKEN_ANSWER } from './documents.ts';
import { isJsonType, type JsonDocument, type MediaTypes, readDocument, readMembersOnce } from './read-document.ts';
import { type Members, type Read, readMembers, type Source } from './read-members.ts';

/** A source whose documents are refused with an `AuthError` of this step. */
export function sourceOf(what: string, step: AuthStep): Source {
  return { what, refuse: (sentence) => new AuthError('invalid-response', step, sentence) };
}

/** The error that an authorization server reported. */
function refusalOf(
  what: string,
  step: AuthStep,
  { error, error_description: more }: Read<typeof ERROR_ANSWER>,
): AuthError {
  const said = more === undefined ? '' : `: ${shown(more, 200)}`;
  return new AuthError('refused', step, `${what} refused: ${shown(error, 60)}${said}`, { oauthError: error });
}

/** An endpoint of an authorization server, whose answers are read. */
export interface Endpoint {
  /** Begins a sentence: `The token endpoint`. */
  readonly what: string;
  readonly step: AuthStep;
  /** The statuses of a success. Default: 200. */
  readonly statuses?: readonly number[];
}

/**
 * Reads the answer of an endpoint. Throws an `AuthError`: `refused` with the code of the error if the answer reports one, whatever its status
 * is (GitHub and Slack send errors with status 200), else `invalid-response`.
 */
export async function readAnswer<M extends Members>(
  response: Response,
  members: M,
  { what, step, statuses = [200] }: Endpoint,
): Promise<{ readonly read: Read<M>; readonly document: JsonDocument }> {
  const isSuccess = statuses.includes(response.status);
  const source = sourceOf(`The answer of ${what.charAt(0).toLowerCase()}${what.slice(1)}`, step);
  const status = `${what} answered with status ${response.status}`;
  if (!isSuccess && !isJsonType(response.headers.get('content-type'))) {
    await response.body?.cancel();
    throw new AuthError('invalid-response', step, status);
  }
  let document: JsonDocument;
  try {
    document = await readDocument(response, source);
    const reported = readMembersOnce(document, ERROR_ANSWER, source);
    if (reported.error !== undefined) throw refusalOf(what, step, reported);
  } catch (error) {
    if (isSuccess || !(error instanceof AuthError) || error.code === 'refused') throw error;
    throw new AuthError('invalid-response', step, `${status}. ${error.message}`);
  }
  if (!isSuccess) throw new AuthError('invalid-response', step, status);
  return { read: readMembersOnce(document, members, source), document };
}

/** The parsed members as a response, for a library that expects one. */
function jsonResponse(value: object): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
}

/** Reads the answer of a token endpoint, and returns it as a response with only the members that were read. Throws an `AuthError`. */
export async function tokenAnswer(
  response: Response,
  what = 'The token endpoint of the authorization server',
): Promise<Response> {
  const { read } = await readAnswer(response, TOKEN_ANSWER, { what, step: 'token' });
  return jsonResponse(read);
}

/** The media types of a set of keys: RFC 7517, section 8.5.2 defines one, most servers use that of JSON. */
const KEY_SET_TYPES: MediaTypes = {
  words: 'application/jwk-set+json or application/json',
  pattern: /^application\/(?:jwk-set\+)?json$/,
};

/** The same for a set of keys. */
export async function keySetAnswer(response: Response): Promise<Response> {
  const source = sourceOf('The set of keys', 'token');
  if (response.status !== 200) {
    await response.body?.cancel();
    throw source.refuse(`The keys could not be fetched: the answer has status ${response.status}`);
  }
  const document = await readDocument(response, source, KEY_SET_TYPES);
  const { keys } = readMembersOnce(document, KEY_SET, source);
  for (const key of keys) readMembers(key, KEY, sourceOf('A key in the set of keys', 'token'));
  return jsonResponse({ keys });
}
