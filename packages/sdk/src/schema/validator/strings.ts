import { shown } from '../../protocol/text.ts';
import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import { FORMATS } from '../formats.ts';
import { quoted } from '../quoted.ts';
import type { Matcher } from '../pattern/matcher.ts';
import { PatternError } from '../pattern/parse.ts';
import { compilePattern } from '../pattern/pattern.ts';
import { SchemaError } from '../schema-error.ts';
import type { Build, Family, Part } from './build.ts';
import { reportFault } from './faults.ts';
import type { SchemaNode } from './model.ts';
import { readCount, readString } from './read.ts';
import { report } from './run.ts';
import { locate } from './tree.ts';

/** The keywords for strings. */
export const stringFamily: Family = (node, build) => [
  ...lengthParts(node),
  patternPart(node, build),
  formatPart(node, build),
];

function lengthParts(node: SchemaNode): Part[] {
  const parts: Part[] = [];
  const min = readCount(node, 'minLength');
  const max = readCount(node, 'maxLength');
  if (min !== undefined) {
    const message = `must have at least ${min} ${min === 1 ? 'character' : 'characters'}`;
    parts.push({
      check: (value, run) => typeof value !== 'string' || codePoints(value, min, run) >= min || report(run, message),
    });
  }
  if (max !== undefined) {
    const message = `must have at most ${max} ${max === 1 ? 'character' : 'characters'}`;
    parts.push({
      check: (value, run) =>
        typeof value !== 'string' || codePoints(value, max + 1, run) <= max || report(run, message),
    });
  }
  return parts;
}

/** The number of code points, which JSON Schema counts; only as exact as needed to compare it with `enough`. */
function codePoints(text: string, enough: number, budget: Budget): number {
  // A code point has one or two UTF-16 units.
  if (text.length < enough) return text.length;
  return text.length >= enough * 2 ? enough : countCodePoints(text, budget);
}

function countCodePoints(text: string, budget: Budget): number {
  spend(budget, text.length >> 2);
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.codePointAt(at)! <= 0xffff) continue;
    pairs += 1;
    at += 1;
  }
  return text.length - pairs;
}

function patternPart(node: SchemaNode, build: Build): Part | undefined {
  const source = readString(node, 'pattern');
  if (source === undefined) return undefined;
  const matches = patternMatcher(source, node, 'pattern', build);
  if (matches === undefined) {
    return {
      check: (value, run) => {
        if (typeof value === 'string') run.unsure = true;
        return true;
      },
    };
  }
  const message = `must match the pattern ${shown(source, 200)}`;
  return { check: (value, run) => typeof value !== 'string' || matches(value, run) || report(run, message) };
}

/** The matcher of a pattern; undefined if it is left out. Throws a `SchemaError` for one that can't be run. */
export function patternMatcher(source: string, node: SchemaNode, key: string, build: Build): Matcher | undefined {
  try {
    return compilePattern(source, build.budget, build.pool);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const message = `The pattern ${quoted(source)} can't be used: ${error.message}`;
    if (!build.skipPatterns) {
      reportFault(build.document, new SchemaError(message, locate(node, key), 'pattern'));
      return undefined;
    }
    if (build.warnings.length < MAX_WARNINGS) build.warnings.push(`${message} (at ${locate(node, key)})`);
    return undefined;
  }
}

const MAX_WARNINGS = 20;

function formatPart(node: SchemaNode, build: Build): Part | undefined {
  const name = readString(node, 'format');
  const format = name === undefined || !build.formats ? undefined : FORMATS.get(name);
  if (format === undefined) return undefined;
  return {
    check: (value, run) => {
      if (typeof value !== 'string') return true;
      spend(run, value.length >> 2);
      return format.test(value) || report(run, format.message);
    },
  };
}
