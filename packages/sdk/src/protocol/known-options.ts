import { isObject } from './jsonrpc.ts';
import { shown } from './text.ts';

/** The names of all options; the compiler checks that none is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, 1>>;

/** Throws if the options are not an object, or have an unknown name: a misspelt option must not be ignored silently. */
export function checkOptions(options: unknown, known: Readonly<Record<string, 1>>): void {
  if (!isObject(options)) throw new TypeError('its options must be an object');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new TypeError(`unknown option '${shown(unknown, 60)}'; options are ${Object.keys(known).join(', ')}`);
}
