import { patternProblem, type PatternProblem } from 'tenon/internal';
import { meantKeyword } from './keywords.ts';

/** Caches the results of expensive checks of texts, for a limited number of texts. */
export interface Memo {
  patternProblem(pattern: string): PatternProblem | undefined;
  meantKeyword(word: string): string | undefined;
  /** The number of texts that were not checked. */
  skipped(): number;
}

/** The most different patterns, and unknown keywords, of one server that are checked. */
const MAX_PATTERNS = 500;

export function createMemo(): Memo {
  let skipped = 0;
  const once = <T>(find: (text: string) => T): ((text: string) => T | undefined) => {
    const known = new Map<string, T>();
    return (text) => {
      if (known.has(text)) return known.get(text);
      if (known.size >= MAX_PATTERNS) {
        skipped += 1;
        return undefined;
      }
      const found = find(text);
      known.set(text, found);
      return found;
    };
  };
  return { patternProblem: once(patternProblem), meantKeyword: once(meantKeyword), skipped: () => skipped };
}
