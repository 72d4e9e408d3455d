import * as robotsParser from 'robots-parser';
import { ToolError } from 'tenon';
import type { Reach } from './reach.ts';

interface Robots {
  /** Undefined for addresses of another site. */
  isAllowed(address: string, userAgent: string): boolean | undefined;
}

const { default: parse } = robotsParser as unknown as { readonly default: (place: string, text: string) => Robots };

const KEPT_MS = 600_000;
const MOST_KEPT = 200;

/** Looks whether a site wants programs to read a page. Throws a `ToolError` when it does not. */
export const createRobots = (
  reach: Reach,
  userAgent: string,
): ((address: string, signal: AbortSignal) => Promise<void>) => {
  const kept = new Map<string, { readonly until: number; readonly robots: Robots | undefined }>();

  /** What a site says; undefined: nothing. */
  const read = async (place: string, signal: AbortSignal): Promise<Robots | undefined> => {
    const { status, text } = await reach(place, signal);
    if (status === 401 || status === 403)
      throw new ToolError(
        `${place} may not be read (status ${status}): the site seems not to want programs to read its pages`,
      );
    if (status >= 500)
      throw new ToolError(`${place} could not be read (status ${status}), so nobody knows whether the page may be`);
    return status >= 200 && status < 300 ? parse(place, text) : undefined;
  };

  return async (address, signal) => {
    const place = new URL('/robots.txt', address).href;
    let found = kept.get(place);
    if (found === undefined || found.until < Date.now()) {
      found = { until: Date.now() + KEPT_MS, robots: await read(place, signal) };
      kept.delete(place);
      kept.set(place, found);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    }
    if (found.robots?.isAllowed(address, userAgent) === false)
      throw new ToolError(
        `The site's robots.txt (${place}) does not want programs to read this page. The user may read it with the fetch prompt.`,
      );
  };
};
