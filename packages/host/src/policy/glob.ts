/**
 * Whether a text matches a glob. `*` matches any number of characters, including none; everything else is literal. Takes linear time.
 *
 * @example
 * ```ts
 * import { matchesGlob } from '@tenon/host';
 *
 * const isReader = matchesGlob('read_*', 'read_file');
 * ```
 */
export function matches(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split(/\*+/);
  if (rest.length === 0) return glob === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
