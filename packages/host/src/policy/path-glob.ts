import { globMatcher, type Matcher } from './glob.ts';

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(text);
}

/** Converts backslashes to slashes, and decodes the escapes of a URI. */
function normalizeSeparators(text: string): string {
  const slashed = text.replaceAll('\\', '/');
  if (!isUri(slashed)) return slashed;
  try {
    return decodeURIComponent(slashed).replaceAll('\\', '/');
  } catch {
    return slashed;
  }
}

/** Removes `.` and `..` segments. An absolute path cannot lead above its root. */
function removeDotSegments(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  const isFolder = parts.length > 0 && /\/\.{0,2}$/.test(path);
  return `${isAbsolute ? '/' : ''}${parts.join('/')}${isFolder ? '/' : ''}`;
}

/** Resolves a path or URI: `/tmp/../etc` to `/etc`, `file:///tmp/%2e%2e/etc` to `file:///etc`. */
function resolvePath(text: string): string {
  const [, start = '', path = ''] = /^([a-z][a-z0-9+.-]+:(?:\/\/[^/]*)?)?([^]*)$/i.exec(normalizeSeparators(text))!;
  return `${start}${removeDotSegments(path)}`;
}

/**
 * A matcher for texts that may be paths or URIs. For an `allow` rule both the text and the resolved path have to match; for `deny` and
 * `ask`, one of them is enough.
 */
export function pathMatcher(glob: string, isAllowed: boolean): Matcher {
  const matchesText = globMatcher(glob);
  const matchesDestination = globMatcher(resolvePath(glob));
  return (text) => {
    if (glob === text) return true;
    const destination = resolvePath(text);
    if (destination === text) return matchesText(text);
    return isAllowed
      ? matchesText(text) && matchesDestination(destination)
      : matchesText(text) || matchesDestination(destination);
  };
}
