// Glob patterns, matched in time proportional to the length of the path. They are not turned into regular expressions, because patterns are
// untrusted and could make those slow.

import { AccessError } from '../../shared/folders.ts';

/** Maximum number of alternatives in all patterns of a call together, because each is tried with every path. */
const MAX_BRANCHES = 256;

function tooMany(): AccessError {
  return new AccessError(
    `The patterns have more than ${MAX_BRANCHES} alternatives in total: leave some out, or make several calls`,
  );
}

/** Expands alternatives: `a{b,c}d` → `abd`, `acd`. Throws an `AccessError` for too many. */
function branchesOf(pattern: string): string[] {
  const done: string[] = [];
  const left = [pattern];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const [, before = '', inside, after = ''] = /^([^{}]*)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(one) ?? [];
    if (inside === undefined) done.push(one);
    else for (const branch of inside.split(',')) left.push(before + branch + after);
    if (done.length + left.length > MAX_BRANCHES) throw tooMany();
  }
  return done;
}

interface Sign {
  readonly star: boolean;
  readonly fits: (character: string) => boolean;
  readonly literal?: string;
}

function inClass(inside: string): (character: string) => boolean {
  const negated = /^[!^]/.test(inside);
  const body = negated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < body.length; at++) {
    const from = body[at]!;
    if (body[at + 1] === '-' && body[at + 2] !== undefined) {
      ranges.push([from, body[at + 2]!]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated;
}

/** Parses one segment of a pattern: stars, question marks, character classes, literals. */
function signsOf(part: string): Sign[] {
  const signs: Sign[] = [];
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!;
    const end = character === '[' ? part.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (signs.at(-1)?.star !== true) signs.push({ star: true, fits: () => true });
    } else if (character === '?') signs.push({ star: false, fits: () => true });
    else if (end !== -1) {
      signs.push({ star: false, fits: inClass(part.slice(at + 1, end)) });
      at = end;
    } else {
      const literal = character === '\\' && at + 1 < part.length ? part[++at]! : character;
      signs.push({ star: false, fits: (one) => one === literal });
    }
  }
  return signs;
}

/** Matches one name. After a mismatch it retries only from the last star, which is sufficient. */
function fitsName(signs: readonly Sign[], name: string): boolean {
  let at = 0;
  let sign = 0;
  let star = -1;
  let from = 0;
  while (at < name.length) {
    if (signs[sign]?.star === true) {
      star = sign++;
      from = at;
    } else if (sign < signs.length && signs[sign]!.fits(name[at]!)) {
      sign++;
      at++;
    } else if (star !== -1) {
      sign = star + 1;
      at = ++from;
    } else return false;
  }
  while (signs[sign]?.star === true) sign++;
  return sign === signs.length;
}

type Part = 'any' | readonly Sign[];

/** Matches a path by dynamic programming: each name is matched with each segment at most once. */
function fitsPath(parts: readonly Part[], names: readonly string[]): boolean {
  let open = Array.from({ length: names.length + 1 }, () => false);
  open[0] = true;
  for (const part of parts) {
    const next = Array.from({ length: names.length + 1 }, () => false);
    for (let at = 0; at <= names.length; at++) {
      if (part === 'any') next[at] = open[at]! || (at > 0 && next[at - 1]!);
      else if (at > 0) next[at] = open[at - 1]! && fitsName(part, names[at - 1]!);
    }
    open = next;
  }
  return open[names.length]!;
}

function partsOf(branch: string): Part[] {
  return branch
    .replace(/^\.?\//, '')
    .split('/')
    .map((part): Part => (part === '**' ? 'any' : signsOf(part)));
}

/** Makes a pattern match at any depth, including everything inside; except one that starts with `/` or `./`. */
function anywhere(branch: string): string {
  return /^\.?\//.test(branch) ? branch : `**/${branch}/**`;
}

export interface MatcherOptions {
  /** Whether patterns without a star match at any depth, including everything inside. Default: false. */
  readonly anywhere?: boolean;
  /** The alternatives counted so far, for a call with several matchers. */
  readonly counted?: Set<string>;
}

/**
 * Makes a function that says whether a path with `/` matches any of the patterns. They support `*`, `**`, `?`, `[a-z]` and `{a,b}`; names with
 * a leading dot are not special. Throws an `AccessError` for too many alternatives; equal ones count once.
 */
export function matcherOf(
  patterns: readonly string[],
  { anywhere: isAnywhere = false, counted = new Set() }: MatcherOptions = {},
): (relative: string) => boolean {
  const branches = new Set<string>();
  for (const pattern of new Set(patterns))
    for (const branch of branchesOf(pattern)) {
      if (counted.add(branch).size > MAX_BRANCHES) throw tooMany();
      branches.add(isAnywhere && !pattern.includes('*') ? anywhere(branch) : branch);
    }
  const all = [...branches].map(partsOf);
  return (relative) => {
    const names = relative.split('/');
    return all.some((parts) => fitsPath(parts, names));
  };
}
