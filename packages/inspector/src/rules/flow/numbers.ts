import type { Rule } from '../rule.ts';
import { shown } from '../words.ts';

/** Quoted strings, which are skipped, and numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const LONG = /^-?\d{16,}$/;
const MAYBE = /\d{16}/;
/** The longest message that is searched, in characters. */
const MAX_LENGTH = 1_000_000;

/** The first number that changes when it is parsed as a double. */
function changedIn(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !MAYBE.test(text)) return undefined;
  for (const [found] of text.matchAll(TOKENS)) {
    if (LONG.test(found) && !Number.isSafeInteger(Number(found)) && BigInt(Number(found)) !== BigInt(found))
      return found;
  }
  return undefined;
}

export const numberPrecision: Rule = {
  id: 'number-precision',
  title: 'A number that many programs change when they read it',
  blame: ['unknown'],
  severity: ['info'],
  why: 'It is valid JSON, and no rule is broken. But JavaScript and others read a different number.',
  page: 'messages',
  watch: (report) => ({
    text({ line }) {
      const number = changedIn(line.text);
      if (number === undefined) return;
      report({
        severity: 'info',
        blame: 'unknown',
        message: `The ${line.from ?? 'sender'} wrote ${shown(number, 40)}; a program that reads numbers as doubles gets ${shown(String(BigInt(Number(number))), 40)}`,
        fix: 'Write numbers beyond ±9007199254740991 as text.',
        evidence: [line.n],
      });
    },
  }),
};
