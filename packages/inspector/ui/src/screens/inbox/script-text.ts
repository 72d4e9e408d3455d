import type { InboxAnswer } from '../../../../src/api/bodies.ts';
import type { InboxItem } from '../../../../src/api/views.ts';
import { memberTexts, prettyJson } from '../../../../src/values/json-text.ts';

// Scripted answers are a JSON text, so that no number in it changes.

/** The number of answers in a script. */
export function answersIn(script: string): number {
  return script.trim() === '' ? 0 : (memberTexts(script)?.length ?? 0);
}

/** The key of a question in a script. */
function keyOf({ key, message }: InboxItem): string {
  return key ?? message;
}

/** Returns whether a script has an answer to this question. */
export function isScripted(script: string, item: InboxItem): boolean {
  return script.trim() !== '' && (memberTexts(script) ?? []).some(([key]) => key === keyOf(item));
}

/** An answer in the form of a script. Undefined: it cannot be scripted. */
function valueOf(kind: InboxItem['kind'], answer: InboxAnswer): string | undefined {
  if (answer.action === 'garbage') return undefined;
  return answer.action === 'accept' && kind !== 'url' ? (answer.content ?? '{}') : JSON.stringify(answer.action);
}

/** The script with this answer added or replaced. */
export function withAnswer(script: string, item: InboxItem, answer: InboxAnswer): string {
  const value = valueOf(item.kind, answer);
  if (value === undefined) return script;
  const members = new Map(script.trim() === '' ? [] : memberTexts(script));
  members.set(keyOf(item), value);
  return prettyJson(`{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`);
}
