import { matches } from './glob.ts';

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(text);

/** As a path is written most simply: with slashes, and in an address without escapes. */
const plain = (text: string): string => {
  const slashed = text.replaceAll('\\', '/');
  if (!isAddress(slashed)) return slashed;
  try {
    return decodeURIComponent(slashed).replaceAll('\\', '/');
  } catch {
    return slashed;
  }
};

/** A path without its detours. From an absolute one nothing leads above its beginning. */
const straight = (path: string): string => {
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
const destinationOf = (text: string): string => {
  const [, start = '', path = ''] = /^([a-z][a-z0-9+.-]+:(?:\/\/[^/]*)?)?([^]*)$/i.exec(plain(text))!;
  return `${start}${straight(path)}`;
};

/**
 * Does a glob hold for a text, which may be a path or an address that leads elsewhere than it says? What is allowed has to say so and lead
 * there; what is denied or asked about is so either way.
 */
export const holds = (glob: string, text: string, isAllowed: boolean): boolean => {
  if (glob === text) return true;
  const says = matches(glob, text);
  const destination = destinationOf(text);
  if (destination === text) return says;
  const leads = matches(destinationOf(glob), destination);
  return isAllowed ? says && leads : says || leads;
};
