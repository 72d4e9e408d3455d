/** Deeper than anything a peer can send. A value that contains itself ends here. */
const MOST_DEPTH = 1_000;

/** A value to be written, or a text to be put out as it is. */
type Task = string | { readonly value: unknown; readonly depth: number };

/** What JSON leaves out as a member, and writes as `null` in an array. */
const isNothing = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';

const resolved = (value: unknown): unknown => {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
};

const itemsOf = (values: readonly unknown[], depth: number): Task[] => [
  '[',
  ...values.flatMap((value, index): Task[] => (index === 0 ? [{ value, depth }] : [',', { value, depth }])),
  ']',
];

const membersOf = (object: Readonly<Record<string, unknown>>, depth: number): Task[] => {
  const tasks: Task[] = [];
  // The default order is by UTF-16 code units, as the RFC wants it.
  for (const name of Object.keys(object).sort()) {
    const value = resolved(object[name]);
    if (isNothing(value)) continue;
    tasks.push(`${tasks.length === 0 ? '' : ','}${JSON.stringify(name)}:`, { value, depth });
  }
  return ['{', ...tasks, '}'];
};

const piecesOf = (value: unknown, depth: number): string | Task[] => {
  if (isNothing(value)) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MOST_DEPTH) throw new RangeError(`The value is nested deeper than ${MOST_DEPTH} levels`);
  return Array.isArray(value)
    ? itemsOf(value, depth + 1)
    : membersOf(value as Readonly<Record<string, unknown>>, depth + 1);
};

/**
 * The one JSON text of a value: without spaces, members by name. The same value gives the same text, whatever the order its members came
 * in. See RFC 8785. Throws for what JSON cannot say: a BigInt, and a value that contains itself.
 *
 * @example canonicalJson({ b: 1, a: [2] }) // {"a":[2],"b":1}
 */
export const canonicalJson = (value: unknown): string => {
  const parts: string[] = [];
  // A stack of our own: a hostile schema must not end the one of the program.
  const todo: Task[] = [{ value, depth: 0 }];
  for (let task = todo.pop(); task !== undefined; task = todo.pop()) {
    if (typeof task === 'string') {
      parts.push(task);
      continue;
    }
    const pieces = piecesOf(resolved(task.value), task.depth);
    if (typeof pieces === 'string') parts.push(pieces);
    else for (let index = pieces.length - 1; index >= 0; index--) todo.push(pieces[index]!);
  }
  return parts.join('');
};
