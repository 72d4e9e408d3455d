import { type Icon, isIconSource } from '../protocol/content.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { metaKeyProblem } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';

/** Only the members that have a value. */
export const present = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Names of options, checked by the compiler to be all there are. */
export type Known<Options> = Readonly<Record<keyof Options, 1>>;

/** Throws for options that are none, or that nobody reads: a misspelt one must not be lost silently. */
export const checkOptions = (options: unknown, known: Readonly<Record<string, 1>>): void => {
  if (!isObject(options)) throw new TypeError('its options are an object');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new TypeError(`there is no option '${shown(unknown, 60)}'; there are ${Object.keys(known).join(', ')}`);
};

/** The same, for something with a handler. */
export const checkParts = (
  { options, handler }: { readonly options: unknown; readonly handler: unknown },
  known: Readonly<Record<string, 1>>,
): void => {
  checkOptions(options, known);
  if (typeof handler !== 'function') throw new TypeError('its handler is a function');
};

/** Throws for `_meta` keys that may not be used, and for icons that no client may look at. */
export const checkEntry = ({
  _meta,
  icons,
}: {
  readonly _meta?: object | undefined;
  readonly icons?: readonly Icon[] | undefined;
}): void => {
  for (const key of Object.keys(_meta ?? {})) {
    const problem = metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`_meta key ${problem}`);
  }
  for (const { src } of icons ?? []) {
    if (!isIconSource(src))
      throw new TypeError(`an icon comes from an https: or data: URI, not from ${shown(src, 60)}`);
  }
};
