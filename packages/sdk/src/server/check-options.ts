import { type Icon, isIconSource } from '../protocol/content.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { metaKeyProblem } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';

/** The names of all options; the compiler checks that none is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, 1>>;

/** Throws if the options are not an object, or have an unknown name: a misspelt option must not be ignored silently. */
export function checkOptions(options: unknown, known: Readonly<Record<string, 1>>): void {
  if (!isObject(options)) throw new TypeError('its options must be an object');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new TypeError(`unknown option '${shown(unknown, 60)}'; options are ${Object.keys(known).join(', ')}`);
}

/** The same check, for options with a handler. */
export function checkParts(
  { options, handler }: { readonly options: unknown; readonly handler: unknown },
  known: Readonly<Record<string, 1>>,
): void {
  checkOptions(options, known);
  if (typeof handler !== 'function') throw new TypeError('its handler is a function');
}

/** Throws for reserved `_meta` keys, and for icons that clients may not load. */
export function checkEntry({
  _meta,
  icons,
}: {
  readonly _meta?: object | undefined;
  readonly icons?: readonly Icon[] | undefined;
}): void {
  for (const key of Object.keys(_meta ?? {})) {
    const problem = metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`_meta key ${problem}`);
  }
  for (const { src } of icons ?? []) {
    if (!isIconSource(src))
      throw new TypeError(`an icon comes from an https: or data: URI, not from ${shown(src, 60)}`);
  }
}
