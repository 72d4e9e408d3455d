import type { Root } from '../protocol/entities.ts';
import { shown } from '../protocol/text.ts';

const checkedRoot = (root: Root | string): Root => {
  const entry: Root = typeof root === 'string' ? { uri: root } : root;
  const { uri } = entry;
  let url: URL | undefined;
  try {
    url = new URL(uri);
  } catch {
    // Reported below.
  }
  if (url?.protocol !== 'file:') throw new TypeError(`A root must be a file:// URI, got '${shown(uri)}'`);
  // The parser removes `..`, so a root that contains it names another directory than it seems to (specification, "Roots", security).
  if (/(?:^|[\\/])(?:\.|%2e){2}(?:[\\/]|$)/i.test(uri.slice('file:'.length).replace(/[?#].*$/s, ''))) {
    throw new TypeError(`A root must not contain '..', got '${shown(uri)}'`);
  }
  return entry;
};

/** The roots as entries. Throws a `TypeError` for one that is no `file://` URI or climbs with `..`. */
export const checkedRoots = (roots: readonly (Root | string)[]): Root[] => roots.map(checkedRoot);
