import { ToolError } from 'tenon';
import type { FetchPage } from './page-fetch.ts';
import { isAllowed, type Rules, rulesIn } from './rules.ts';

const CACHE_MS = 600_000;
const MAX_CACHED = 200;
/** How much of a robots.txt is read, in bytes; RFC 9309, 2.5 requires at least this. The rest is ignored. */
const MAX_BYTES = 500 * 1024;

/** Drops an incomplete last line: half a line could disallow, or allow, more than the whole one. */
function wholeLines(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

/** Makes a function that checks a page against the site's robots.txt. It throws a `ToolError` if the page is disallowed. */
export function createRobots(
  fetchPage: FetchPage,
  userAgent: string,
): (address: string, signal: AbortSignal) => Promise<void> {
  const kept = new Map<string, { readonly until: number; readonly rules: Rules }>();

  /** Reads the rules of a site. */
  const read = async (place: string, signal: AbortSignal): Promise<Rules> => {
    const { status, text, isCut } = await fetchPage(place, signal, { cutAt: MAX_BYTES });
    if (status === 401 || status === 403)
      throw new ToolError(
        `${place} may not be read (status ${status}), so the site probably disallows automated reading of its pages`,
      );
    if (status >= 500)
      throw new ToolError(
        `${place} could not be read (status ${status}), so it is unknown whether the page may be read`,
      );
    if (status < 200 || status >= 300) return [];
    return rulesIn(isCut ? wholeLines(text) : text, userAgent);
  };

  return async (address, signal) => {
    const place = new URL('/robots.txt', address).href;
    let found = kept.get(place);
    if (found === undefined || found.until < performance.now()) {
      found = { until: performance.now() + CACHE_MS, rules: await read(place, signal) };
      kept.delete(place);
      kept.set(place, found);
      if (kept.size > MAX_CACHED) kept.delete(kept.keys().next().value!);
    }
    if (!isAllowed(found.rules, address))
      throw new ToolError(
        `The site's robots.txt (${place}) disallows automated reading of this page. The user can read it with the fetch prompt.`,
      );
  };
}
