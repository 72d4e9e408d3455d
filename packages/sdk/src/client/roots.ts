import type { Root } from '../protocol/entities.ts';
import { shown } from '../protocol/text.ts';

function checkedRoot(root: Root | string): Root {
  const entry: Root = typeof root === 'string' ? { uri: root } : root;
  const { uri } = entry;
  let url: URL | undefined;
  try {
    url = new URL(uri);
  } catch {
    // Reported below.
  }
  if (url?.protocol !== 'file:') throw new TypeError(`A root must be a file:// URI, got '${shown(uri)}'`);
  // The URL parser resolves `..`, so such a root names another directory than it seems to (specification, "Roots", security).
  if (/(?:^|[\\/])(?:\.|%2e){2}(?:[\\/]|$)/i.test(uri.slice('file:'.length).replace(/[?#].*$/s, ''))) {
    throw new TypeError(`A root must not contain '..', got '${shown(uri)}'`);
  }
  return entry;
}

/** Converts roots to entries. Throws a `TypeError` for a root that is not a `file://` URI or contains `..`. */
export function checkedRoots(roots: readonly (Root | string)[]): Root[] {
  return roots.map(checkedRoot);
}
