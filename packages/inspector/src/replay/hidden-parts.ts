import { GONE } from '../record/secret-patterns.ts';

/** Does a recorded text with redacted parts match a current value? Such a part matches anything. */
export function matchesHidden(recorded: string, now: unknown): boolean {
  if (!recorded.includes(GONE)) return recorded === now;
  // A number may have been redacted, too.
  if (typeof now !== 'string' && typeof now !== 'number') return false;
  const text = String(now);
  const [first = '', ...rest] = recorded.split(GONE);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (found < at || !text.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return true;
}
