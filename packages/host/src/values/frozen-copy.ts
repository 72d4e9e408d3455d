import { types } from 'node:util';

/** Whether a value is raw JSON: a number whose digits JavaScript would not keep. Undefined if this Node does not support it. */
const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean };

/**
 * An immutable copy of a value, as JSON would write it, so that the value that was shown to a person is the one that is sent. Each member
 * is read once. Throws for values that JSON cannot represent.
 */
export function frozenCopy(value: unknown, key = ''): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  const plain: unknown = typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
  if (typeof plain === 'bigint') throw new TypeError('JSON has no value for a BigInt');
  if (typeof plain === 'function' || typeof plain === 'symbol') return undefined;
  if (typeof plain === 'number') return Number.isFinite(plain) ? plain : null;
  if (typeof plain !== 'object' || plain === null || isRawJSON?.(plain) === true) return plain;
  if (types.isBoxedPrimitive(plain)) return plain.valueOf();
  if (Array.isArray(plain))
    return Object.freeze(plain.map((item: unknown, index) => frozenCopy(item, String(index)) ?? null));
  const members = Object.keys(plain)
    .map((name): [string, unknown] => [name, frozenCopy((plain as Record<string, unknown>)[name], name)])
    .filter(([, member]) => member !== undefined);
  return Object.freeze(Object.fromEntries(members));
}
