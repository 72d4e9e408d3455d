/** What errors of this package are marked with. */
export const BRAND: unique symbol = Symbol.for('tenon.error');

/** Recognises errors of every installed copy of this package. */
export const isKind = (value: unknown, kind: string): boolean =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === kind;
