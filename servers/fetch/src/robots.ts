import { ToolError } from 'tenon';
import type { Reach } from './reach.ts';
import { isAllowed, type Rules, rulesIn } from './rules.ts';

const KEPT_MS = 600_000;
const MOST_KEPT = 200;
/** How much of a robots.txt is read, as RFC 9309 has it (2.5): what comes after that is not looked at. */
const MOST_BYTES = 500 * 1024;

/** Half a line could forbid, or allow, more than the whole one. */
const wholeLines = (text: string): string =>
  text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);

/** Looks whether a site wants programs to read a page. Throws a `ToolError` when it does not. */
export const createRobots = (
  reach: Reach,
  userAgent: string,
): ((address: string, signal: AbortSignal) => Promise<void>) => {
  const kept = new Map<string, { readonly until: number; readonly rules: Rules }>();

  /** What a site says. */
  const read = async (place: string, signal: AbortSignal): Promise<Rules> => {
    const { status, text, isCut } = await reach(place, signal, { cutAt: MOST_BYTES });
    if (status === 401 || status === 403)
      throw new ToolError(
        `${place} may not be read (status ${status}): the site seems not to want programs to read its pages`,
      );
    if (status >= 500)
      throw new ToolError(`${place} could not be read (status ${status}), so nobody knows whether the page may be`);
    if (status < 200 || status >= 300) return [];
    return rulesIn(isCut ? wholeLines(text) : text, userAgent);
  };

  return async (address, signal) => {
    const place = new URL('/robots.txt', address).href;
    let found = kept.get(place);
    if (found === undefined || found.until < Date.now()) {
      found = { until: Date.now() + KEPT_MS, rules: await read(place, signal) };
      kept.delete(place);
      kept.set(place, found);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    }
    if (!isAllowed(found.rules, address))
      throw new ToolError(
        `The site's robots.txt (${place}) does not want programs to read this page. The user may read it with the fetch prompt.`,
      );
  };
};
