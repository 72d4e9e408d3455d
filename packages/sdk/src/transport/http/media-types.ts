import { mediaTypeOf } from '../../wire/media-type.ts';

/** Which kinds of response a client accepts. */
export interface AcceptedKinds {
  readonly json: boolean;
  readonly stream: boolean;
}

const ALL_ACCEPTED: AcceptedKinds = { json: true, stream: true };
const COMMON_VALUES: ReadonlySet<string> = new Set([
  'application/json, text/event-stream',
  'text/event-stream, application/json',
  '*/*',
]);

/** Reads an `Accept` header (RFC 9110, section 12.5.1). Without one, all types are accepted. */
export function readAccept(accept: string | null | undefined): AcceptedKinds {
  if (typeof accept !== 'string' || COMMON_VALUES.has(accept)) return ALL_ACCEPTED;
  const accepted = new Map(accept.split(',').map(readRange));
  const takes = (type: string): boolean => {
    const group = `${type.slice(0, type.indexOf('/'))}/*`;
    // The most specific range decides.
    return accepted.get(type) ?? accepted.get(group) ?? accepted.get('*/*') ?? false;
  };
  return { json: takes('application/json'), stream: takes('text/event-stream') };
}

const NOT_ACCEPTED = /;[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;

function readRange(range: string): [type: string, accepted: boolean] {
  return [mediaTypeOf(range), !NOT_ACCEPTED.test(range)];
}

/**
 * Is a body JSON by its `Content-Type`? Parameters are ignored: JSON is UTF-8 (RFC 8259, section 8.1). A comma outside quotes means that
 * several values were joined.
 */
export function isJsonType(contentType: string | null | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (typeof contentType !== 'string' || mediaTypeOf(contentType) !== 'application/json') return false;
  return !contentType.replace(/"(?:[^"\\]|\\.)*"/g, '').includes(',');
}
