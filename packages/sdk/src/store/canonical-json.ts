/** Deeper than anything a peer can send. Stops at values that contain themselves. */
const MAX_DEPTH = 1_000;

/**
 * The canonical JSON text of a value: without spaces, members sorted by name (RFC 8785). Values that differ only in the order of their
 * members have the same text. Throws the errors of `JSON.stringify`, and a `RangeError` for a value that is nested more than `maxDepth`
 * levels deep or contains itself.
 *
 * @example canonicalJson({ b: 1, a: [2] }) // {"a":[2],"b":1}
 */
export function canonicalJson(value: unknown, maxDepth = MAX_DEPTH): string {
  return write(withToJson(value), 0, maxDepth);
}

function write(value: unknown, depth: number, maxDepth: number): string {
  if (isLeftOut(value)) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === maxDepth) throw new RangeError(`The value is nested deeper than ${maxDepth} levels`);
  // `Array.from` also visits holes.
  if (Array.isArray(value))
    return `[${Array.from(value, (item) => write(withToJson(item), depth + 1, maxDepth)).join()}]`;
  const members: string[] = [];
  // The default order is by UTF-16 code units, as the RFC requires.
  for (const name of Object.keys(value).sort()) {
    const member = withToJson((value as Record<string, unknown>)[name]);
    if (!isLeftOut(member)) members.push(`${JSON.stringify(name)}:${write(member, depth + 1, maxDepth)}`);
  }
  return `{${members.join()}}`;
}

/** Values that JSON leaves out as members, and writes as `null` in arrays. */
function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

function withToJson(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}
