import { type Icon, isIconSource } from '../protocol/content.ts';
import { DefinitionError } from '../protocol/errors.ts';
import { checkOptions } from '../protocol/known-options.ts';
import { metaKeyProblem } from '../protocol/meta.ts';
import { messageOf, shown } from '../protocol/text.ts';

/** The error for something that an author defined and that cannot work. */
export function unusable(kind: string, name: string, cause: unknown): DefinitionError {
  return new DefinitionError('invalid-definition', `The ${kind} '${shown(name)}' cannot be used: ${messageOf(cause)}`, {
    cause,
  });
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
