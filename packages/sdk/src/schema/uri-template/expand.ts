import type { Operator, Part, Variable } from './grammar.ts';

/** A value of a variable. An empty list or object counts as undefined. */
export type TemplateValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | null
  | undefined;

/** Values by variable name. Only own members count. */
export type TemplateValues = Readonly<Record<string, TemplateValue>> | ReadonlyMap<string, TemplateValue>;

/** Characters that `encodeURIComponent` does not encode although they are not unreserved (RFC 3986, section 2.3). */
const UNENCODED = /[!'()*]/g;
const NOT_IN_URI = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Encodes all characters but unreserved ones. Throws a `URIError` for a lone surrogate. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(UNENCODED, percent);
}

/** Encodes all characters but unreserved and reserved ones and existing percent-encoded triplets. */
function encodeReserved(text: string): string {
  return text.replace(NOT_IN_URI, (found) =>
    found.length === 3 && found.startsWith('%') ? found : encodeURIComponent(found),
  );
}

function encodeFor(operator: Operator, text: string): string {
  return operator.reserved ? encodeReserved(text) : encode(text);
}

/** `name=value`, in the operator's form for empty values. */
function pair(operator: Operator, name: string, encoded: string): string {
  return encoded === '' ? `${name}${operator.ifEmpty}` : `${name}=${encoded}`;
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (const character of text) {
    if (count-- === 0) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function expandText(operator: Operator, { name, prefix }: Variable, value: string): string {
  const encoded = encodeFor(operator, prefix === undefined ? value : firstCharacters(value, prefix));
  return operator.named ? pair(operator, name, encoded) : encoded;
}

function expandList(operator: Operator, { name, explode }: Variable, values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  const encoded = values.map((value) => encodeFor(operator, value));
  if (!explode) return operator.named ? pair(operator, name, encoded.join(',')) : encoded.join(',');
  return (operator.named ? encoded.map((value) => pair(operator, name, value)) : encoded).join(operator.separator);
}

function expandRecord(operator: Operator, { name, explode }: Variable, record: object): string | undefined {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length === 0) return undefined;
  const encoded = entries.map(
    ([key, value]) => [encodeFor(operator, key), encodeFor(operator, String(value))] as const,
  );
  if (!explode) {
    const joined = encoded.flat().join(',');
    return operator.named ? pair(operator, name, joined) : joined;
  }
  return encoded
    .map(([key, value]) => (operator.named ? pair(operator, key, value) : `${key}=${value}`))
    .join(operator.separator);
}

/** Section 3.2.1: one variable, or undefined if it has no value. */
function expandVariable(operator: Operator, variable: Variable, value: TemplateValue): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return expandText(operator, variable, String(value));
  if (variable.prefix !== undefined)
    throw new TypeError(`'${variable.name}:${variable.prefix}' needs a string, not a list or object`);
  if (!Array.isArray(value)) return expandRecord(operator, variable, value);
  return expandList(operator, variable, value.filter((item) => item !== undefined && item !== null).map(String));
}

function valueOf(values: TemplateValues, name: string): TemplateValue {
  if (values instanceof Map) return values.get(name) as TemplateValue;
  return Object.hasOwn(values, name) ? (values as Readonly<Record<string, TemplateValue>>)[name] : undefined;
}

/** Writes the URI for these values. Throws a `TypeError` for a value that a URI cannot contain. */
export function expandParts(parts: readonly Part[], values: TemplateValues): string {
  let uri = '';
  for (const part of parts) {
    if (part.kind === 'literal') {
      uri += encodeReserved(part.text);
      continue;
    }
    const { operator } = part;
    let lead = operator.first;
    for (const variable of part.variables) {
      const expanded = expandChecked(operator, variable, values);
      if (expanded === undefined) continue;
      uri += lead + expanded;
      lead = operator.separator;
    }
  }
  return uri;
}

function expandChecked(operator: Operator, variable: Variable, values: TemplateValues): string | undefined {
  try {
    return expandVariable(operator, variable, valueOf(values, variable.name));
  } catch (error) {
    if (error instanceof URIError)
      throw new TypeError(`The value of '${variable.name}' has a lone surrogate`, { cause: error });
    throw error;
  }
}
