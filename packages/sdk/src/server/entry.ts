import { type Icon, isIconSource } from '../protocol/content.ts';
import { metaKeyProblem } from '../protocol/meta.ts';
import { shown } from '../protocol/text.ts';

/** Only the members that have a value. */
export const present = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Throws for `_meta` keys that may not be used, and for icons that no client may look at. */
export const checkEntry = ({ meta, icons }: { readonly meta?: object | undefined; readonly icons?: readonly Icon[] | undefined }): void => {
  for (const key of Object.keys(meta ?? {})) {
    const problem = metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`_meta key ${problem}`);
  }
  for (const { src } of icons ?? []) {
    if (!isIconSource(src)) throw new TypeError(`an icon comes from an https: or data: URI, not from ${shown(src, 60)}`);
  }
};
