import type { CallOutcome } from './calls.ts';
import { canonicalJson } from '@tenon/values/canonical-json';

/** How often the same calls may give the same results before the model is warned. The next repetition ends the run. */
const MAX_REPEATS = 3;
/** How many consecutive steps may consist of invalid calls only. */
const MAX_MALFORMED = 3;

/** The assessment of a step. */
type Verdict = 'fine' | 'tell' | 'stuck' | 'malformed';

/** Warns the model once before the run ends. */
export const STUCK_NOTE =
  `[The same call with the same arguments gave the same result ${MAX_REPEATS} times in a row. Do not repeat it: ` +
  'do something else, or answer with what you have.]';

/** Detects a model that makes no progress. */
export function createLoopDetector(): (answered: readonly CallOutcome[]) => Verdict {
  let last: string | undefined;
  let same = 0;
  let malformed = 0;
  return (answered) => {
    const signature = signatureOf(answered);
    same = signature === last ? same + 1 : 1;
    last = signature;
    malformed = answered.every((each) => each.malformed) ? malformed + 1 : 0;
    if (malformed >= MAX_MALFORMED) return 'malformed';
    if (same > MAX_REPEATS) return 'stuck';
    return same === MAX_REPEATS ? 'tell' : 'fine';
  };
}

/** Identifies the calls and results of a step, independently of their order and number. */
function signatureOf(answered: readonly CallOutcome[]): string {
  const each = answered.map(({ call, result: { content, structuredContent, isError } }) =>
    canonicalJson([call.tool, call.input, content, structuredContent, isError]),
  );
  return [...new Set(each)].sort().join('\n');
}
