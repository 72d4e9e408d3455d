import { metaKeyProblem } from '../protocol/meta.ts';

/** Only the members that have a value. */
export const present = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Throws for a `_meta` key that may not be used. */
export const checkMeta = (meta: object | undefined): void => {
  for (const key of Object.keys(meta ?? {})) {
    const problem = metaKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`_meta key ${problem}`);
  }
};
