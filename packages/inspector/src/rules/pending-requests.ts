import type { Side } from '../trace/line.ts';
import type { Request } from './message.ts';
import { createRecent, type Recent } from './recent.ts';

/** Requests waiting for an answer, and recently answered ones. */
export interface PendingRequests {
  readonly open: Readonly<Record<Side, ReadonlyMap<string, Request>>>;
  /** More requests waited than are kept, so an answer to an unknown request proves nothing. */
  readonly forgetful: boolean;
  /** A request was sent. */
  add(request: Request): void;
  /** It was answered by this line. */
  answered(request: Request, n: number): void;
  /** Returns whether several requests wait under this id, so that an answer cannot be assigned to one of them. */
  isShared(from: Side, key: string): boolean;
  /** One of several requests under this id was answered by this line. */
  answeredOne(from: Side, key: string, n: number): void;
  /** The line that answered a request which is no longer pending. */
  earlier(from: Side, key: string): number | undefined;
  clear(): void;
}

/** The most pending requests, and answers, that are kept. */
const MAX_OPEN = 10_000;
const MAX_ANSWERED = 10_000;
/** The total size of pending requests, in characters. */
const MAX_KEPT = 32 * 1024 * 1024;

export function createPendingRequests(): PendingRequests {
  const open: Record<Side, Map<string, Request>> = { client: new Map(), server: new Map() };
  const done: Record<Side, Recent<number>> = {
    client: createRecent(MAX_ANSWERED),
    server: createRecent(MAX_ANSWERED),
  };
  /** The number of requests waiting under an id that was reused while in use. */
  const shared: Record<Side, Map<string, number>> = { client: new Map(), server: new Map() };
  let kept = 0;
  let forgetful = false;

  const drop = (request: Request): void => {
    if (open[request.from].delete(request.key!)) kept -= request.size;
    shared[request.from].delete(request.key!);
  };

  return {
    open,
    get forgetful() {
      return forgetful;
    },
    add(request) {
      const { key, from, size, generation } = request;
      if (key === undefined) return;
      const before = open[from].get(key);
      // If an id is reused, the first request keeps waiting, unless it belongs to an earlier process or handshake.
      if (before?.generation === generation) {
        shared[from].set(key, (shared[from].get(key) ?? 1) + 1);
        return;
      }
      if (before !== undefined) drop(before);
      if (open[from].size >= MAX_OPEN || kept + size > MAX_KEPT) {
        forgetful = true;
        return;
      }
      kept += size;
      open[from].set(key, request);
      done[from].delete(key);
    },
    answered(request, n) {
      drop(request);
      done[request.from].set(request.key!, n);
    },
    isShared: (from, key) => shared[from].has(key),
    answeredOne(from, key, n) {
      const left = (shared[from].get(key) ?? 1) - 1;
      const request = open[from].get(key);
      if (left > 0) shared[from].set(key, left);
      else if (request !== undefined) {
        drop(request);
        done[from].set(key, n);
      }
    },
    earlier: (from, key) => done[from].get(key),
    clear() {
      for (const side of ['client', 'server'] as const) {
        open[side].clear();
        done[side].clear();
        shared[side].clear();
      }
      kept = 0;
      forgetful = false;
    },
  };
}
