import type { Side } from '../trace/line.ts';
import type { Request } from './message.ts';
import { createRecent, type Recent } from './recent.ts';

/** Requests that wait for an answer, and those that had one. */
export interface PendingRequests {
  readonly open: Readonly<Record<Side, ReadonlyMap<string, Request>>>;
  /** More waited than are remembered: an answer to an unknown one says nothing. */
  readonly forgetful: boolean;
  /** A request was sent. */
  add(request: Request): void;
  /** It was answered, on this line. */
  answered(request: Request, n: number): void;
  /** Whether several requests wait under this id, so that nobody can tell which of them an answer is for. */
  isShared(from: Side, key: string): boolean;
  /** One of several requests under this id was answered, on this line. */
  answeredOne(from: Side, key: string, n: number): void;
  /** The line that answered a request that no longer waits. */
  earlier(from: Side, key: string): number | undefined;
  clear(): void;
}

/** Requests that wait, and answers that were given. */
const MAX_OPEN = 10_000;
const MAX_ANSWERED = 10_000;
/** Of all that wait together, in characters. */
const MAX_KEPT = 32 * 1024 * 1024;

export function createPendingRequests(): PendingRequests {
  const open: Record<Side, Map<string, Request>> = { client: new Map(), server: new Map() };
  const done: Record<Side, Recent<number>> = {
    client: createRecent(MAX_ANSWERED),
    server: createRecent(MAX_ANSWERED),
  };
  /** How many requests wait under an id that was used again while it was in use. */
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
      // The same id twice: the first goes on waiting, unless it belongs to a conversation that is over.
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
