import { canonicalJsonText } from '../values/canonical-json-text.ts';
import { memberTexts, valueTextAt } from '../values/json-text.ts';
import type { Check, Expectation, JsonType } from './test-file.ts';

/** The outcome of a request. */
export interface Answer {
  readonly outcome: string;
  /** The result or the error object, exactly as received. */
  readonly text: string;
  readonly ms: number;
}

const MAX_LENGTH = 300;
function shown(text: string | undefined): string {
  return text === undefined ? 'nothing' : text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function typeOf(text: string): JsonType {
  const value: unknown = JSON.parse(text);
  return value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as JsonType);
}

function containing(text: string, part: string): boolean {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'string') return value.includes(part);
  return Array.isArray(value) ? value.includes(part) : memberTexts(text)?.some(([name]) => name === part) === true;
}

/** Why a value fails a check. Undefined: it passes. */
function wrong(answer: string, check: Check): string | undefined {
  const found = valueTextAt(answer, check.at);
  const where = check.at === '' ? 'the answer' : check.at;
  if ('equals' in check)
    return found !== undefined && canonicalJsonText(found) === canonicalJsonText(check.equals)
      ? undefined
      : `${where} is ${shown(found)}, expected ${shown(check.equals)}`;
  if (found === undefined) return `${where} is missing`;
  if ('contains' in check)
    return containing(found, check.contains)
      ? undefined
      : `${where} does not contain ${JSON.stringify(check.contains)}: ${shown(found)}`;
  return typeOf(found) === check.type ? undefined : `${where} is of type ${typeOf(found)}, expected ${check.type}`;
}

/** How an answer differs from the expectation, in words. Empty: it does not. */
export function mismatches(answer: Answer, { outcome, maxMs, checks }: Expectation): string[] {
  return [
    ...(answer.outcome === outcome
      ? []
      : [`it ended with ${answer.outcome}, expected ${outcome}: ${shown(answer.text)}`]),
    ...(maxMs === undefined || answer.ms <= maxMs ? [] : [`it took ${answer.ms} ms, at most ${maxMs} are allowed`]),
    ...checks.map((check) => wrong(answer.text, check)).filter((problem) => problem !== undefined),
  ];
}

const ANSWERED: ReadonlySet<string> = new Set(['ok', 'error', 'tool-error']);

/**
 * The expectation with the current values. Without an answer, nothing is changed. Checks of values that no longer exist, of parts
 * and of types stay: only their author knows what they are for.
 */
export function updated(expect: Expectation, answer: Answer): Expectation {
  if (!ANSWERED.has(answer.outcome)) return expect;
  return {
    ...expect,
    outcome: answer.outcome as Expectation['outcome'],
    checks: expect.checks.map((check) => {
      const found = valueTextAt(answer.text, check.at);
      return 'equals' in check && found !== undefined ? { at: check.at, equals: found } : check;
    }),
  };
}

/** The expectation for a correct call: its essential part, not the values that change each time. */
export function expectationFrom(answer: Answer): Expectation {
  const outcome = answer.outcome === 'error' || answer.outcome === 'tool-error' ? answer.outcome : 'ok';
  const parts = outcome === 'error' ? ['/code'] : ['/structuredContent', '/content', '/contents', '/messages'];
  const at = parts.find((part) => valueTextAt(answer.text, part) !== undefined);
  return { outcome, checks: at === undefined ? [] : [{ at, equals: valueTextAt(answer.text, at)! }] };
}
