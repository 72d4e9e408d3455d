// The values of SQLite as JSON, without any loss.

/**
 * A value of a row. Objects are for values that JSON has no form for: integers beyond 2^53 as decimal text, infinite reals, blobs in
 * hexadecimal, and texts that are not valid in the encoding of the database, as their bytes in hexadecimal.
 */
export type Value =
  | null
  | number
  | string
  | { readonly integer: string }
  | { readonly real: 'Infinity' | '-Infinity' }
  | { readonly blob: string }
  | { readonly invalidText: string };

/** A value as it is bound to a placeholder. */
export type Parameter = null | number | bigint | string | Uint8Array;

/** What a database gives for a value: its type, and the value itself; texts as bytes, and all integers as `bigint`. */
type Raw = null | number | bigint | string | Uint8Array;

export type Decode = (bytes: Uint8Array) => string | undefined;

/** Makes the decoder for the texts of a database. `encoding`: as `PRAGMA encoding` gives it. */
export function createDecoder(encoding: string): Decode {
  const decoder = new TextDecoder(encoding.toLowerCase(), { fatal: true, ignoreBOM: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex').toUpperCase();
}

/** A value as JSON. `type`: as SQLite's `typeof()` gives it. */
export function toValue(type: string, raw: Raw, decode: Decode): Value {
  if (raw === null) return null;
  if (typeof raw === 'bigint') {
    const isSafe = raw >= BigInt(Number.MIN_SAFE_INTEGER) && raw <= BigInt(Number.MAX_SAFE_INTEGER);
    return isSafe ? Number(raw) : { integer: raw.toString() };
  }
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : { real: raw > 0 ? 'Infinity' : '-Infinity' };
  if (typeof raw === 'string') return raw;
  if (type !== 'text') return { blob: hex(raw) };
  return decode(raw) ?? { invalidText: hex(raw) };
}

/** The size of a value from the database in bytes, before it becomes JSON. */
export function sizeOf(raw: Raw): number {
  return typeof raw === 'string' ? raw.length : raw instanceof Uint8Array ? raw.byteLength : 8;
}
