import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import { JsonError, parseJson } from '../../wire/json.ts';
import { repeatedMember } from '../../wire/repeated-members.ts';
import { decodeUtf8 } from '../../wire/utf8.ts';
import { type Members, type Read, readMembers, type Source } from './read-members.ts';

/** A JSON object as it was sent. */
export interface JsonDocument {
  readonly value: JsonObject;
  readonly text: string;
}

/** RFC 8259, section 8.1 allows parsers to ignore a byte order mark, which some editors write. */
const BYTE_ORDER_MARK = /^\ufeff/;

/** Parses a JSON object. Throws the error of `source` for anything else. */
export function parseDocument(text: string, source: Source): JsonDocument {
  const own = text.replace(BYTE_ORDER_MARK, '');
  let value: unknown;
  try {
    value = parseJson(own);
  } catch (error) {
    throw source.refuse(`${source.what} is not JSON: ${error instanceof JsonError ? error.message : 'unknown reason'}`);
  }
  if (!isObject(value)) throw source.refuse(`${source.what} is not a JSON object`);
  return { value, text: own };
}

/** The media types that a document may have. */
export interface MediaTypes {
  /** Completes "it is not". */
  readonly words: string;
  readonly pattern: RegExp;
}

/** The media type that most specifications require. */
const JSON_TYPE: MediaTypes = { words: 'application/json', pattern: /^application\/json$/ };

/** The media type of a `content-type` field without its parameters; undefined if the text is not UTF-8, or the field is not one. */
function typeOf(field: string): string | undefined {
  const [, type, parameters = ''] = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;(.*))?$/s.exec(field) ?? [];
  // Several fields are joined by commas.
  if (type === undefined || parameters.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').includes(',')) return undefined;
  const [, charset = 'utf-8'] = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)/i.exec(parameters) ?? [];
  return /^utf-?8$/i.test(charset) ? type.toLowerCase() : undefined;
}

/** Is this the `content-type` of a JSON document in UTF-8? */
export function isJsonType(field: string | null | undefined, types = JSON_TYPE): boolean {
  const type = typeof field === 'string' ? typeOf(field) : undefined;
  return type !== undefined && types.pattern.test(type);
}

/** Reads the body of a response: of one of these media types, in UTF-8, a JSON object. Throws the error of `source` for anything else. */
export async function readDocument(response: Response, source: Source, types = JSON_TYPE): Promise<JsonDocument> {
  const field = response.headers.get('content-type');
  if (!isJsonType(field, types))
    throw source.refuse(
      `${source.what} is not ${types.words} in UTF-8: it ${field === null ? 'has no type' : `is ${shown(field, 60)}`}`,
    );
  const text = decodeUtf8(new Uint8Array(await response.arrayBuffer()));
  if (text === undefined) throw source.refuse(`${source.what} is not UTF-8`);
  return parseDocument(text, source);
}

/** Reads members of a document. A repeated member is refused, because another JSON parser may use the other value. */
export function readMembersOnce<M extends Members>({ value, text }: JsonDocument, members: M, source: Source): Read<M> {
  const twice = repeatedMember(text, new Map(Object.keys(members).map((name) => [name, new Map()])));
  if (twice !== undefined) throw source.refuse(`${source.what} has \`${twice}\` more than once`, twice);
  return readMembers(value, members, source);
}
