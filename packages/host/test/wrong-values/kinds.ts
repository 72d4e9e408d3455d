// Twelve values that are invalid in most places.

/** The member is missing. */
export const MISSING = Symbol('missing');

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

export const KINDS = {
  missing: MISSING,
  null: null,
  number: 7,
  negative: -1,
  // Larger than any number: parsed as Infinity.
  huge: rawJson('1e999'),
  boolean: true,
  array: ['a', 1, null, { b: 2 }],
  object: { a: { b: 1 }, toString: 3 },
  empty: '',
  control: 'a\r\nb\u0000\u001b[2J\u202ec',
  unpaired: 'é日\ud800',
  long: 'x'.repeat(2 ** 20),
} as const;

export type Kind = keyof typeof KINDS;

export const ALL_KINDS = Object.keys(KINDS) as Kind[];

type Container = Record<string, unknown>;

/**
 * A copy of a document with an invalid value at a path, such as `tools.0.name`; the empty path is the document itself.
 *
 * @example withValue({ tools: [{ name: 'a' }] }, 'tools.0.name', 3) // { tools: [{ name: 3 }] }
 */
export function withValue(document: unknown, path: string, value: unknown): unknown {
  if (path === '') return value === MISSING ? undefined : value;
  const copy = structuredClone(document) as Container;
  // A dot within a name is doubled.
  const steps = path.split(/(?<!\.)\.(?!\.)/).map((step) => step.replaceAll('..', '.'));
  const last = steps.pop()!;
  let at: Container = copy;
  for (const step of steps) at = at[step] as Container;
  if (value !== MISSING) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}
