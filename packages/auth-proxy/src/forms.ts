import type { PageRequest } from 'tenon/auth';
import { type Members, type Read, readParameters, type Source } from 'tenon/internal/auth';
import { OAuthError } from './responses.ts';

/** A request of a program or a browser. RFC 8707, section 2 allows several resources, which are not supported here. */
export const REQUEST: Source = {
  what: 'The request',
  refuse: (sentence, member) => new OAuthError(member === 'resource' ? 'invalid_target' : 'invalid_request', sentence),
};

const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Reads a form of at most `most` bytes (RFC 6749, appendix B). Throws an `OAuthError`. */
export async function readForm<M extends Members>(request: PageRequest, members: M, most: number): Promise<Read<M>> {
  if (!FORM.test(request.header('content-type') ?? ''))
    throw REQUEST.refuse('The request must be a form: application/x-www-form-urlencoded in UTF-8');
  const text = await request.body(most);
  if (text === undefined) throw REQUEST.refuse(`The form must have at most ${most} bytes, in UTF-8`);
  return readParameters(text, members, REQUEST);
}
