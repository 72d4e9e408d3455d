import { matches } from './glob.ts';

const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(text);

/** As a path is written most simply: with slashes, and in an address without escapes. */
const normalizeSeparators = (text: string): string => {
  const slashed = text.replaceAll('\\', '/');
  if (!isUri(slashed)) return slashed;
  try {
    return decodeURIComponent(slashed).replaceAll('\\', '/');
  } catch {
    return slashed;
  }
};

/** A path without its detours. From an absolute one nothing leads above its beginning. */
const removeDotSegments = (path: string): string => {
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
};

/** Where a path or an address leads: `/tmp/../etc` to `/etc`, `file:///tmp/%2e%2e/etc` to `file:///etc`. */
const resolvePath = (text: string): string => {
  const [, start = '', path = ''] = /^([a-z][a-z0-9+.-]+:(?:\/\/[^/]*)?)?([^]*)$/i.exec(normalizeSeparators(text))!;
  return `${start}${removeDotSegments(path)}`;
};

/**
 * Does a glob hold for a text, which may be a path or an address that leads elsewhere than it says? What is allowed has to say so and lead
 * there; what is denied or asked about is so either way.
 */
export const matchesPath = (glob: string, text: string, isAllowed: boolean): boolean => {
  if (glob === text) return true;
  const matchesText = matches(glob, text);
  const destination = resolvePath(text);
  if (destination === text) return matchesText;
  const matchesDestination = matches(resolvePath(glob), destination);
  return isAllowed ? matchesText && matchesDestination : matchesText || matchesDestination;
};
