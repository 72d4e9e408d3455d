import { randomUUID } from 'node:crypto';
import { UnorderedList } from '@tenon/values/unordered-list';
import type { Progress } from 'tenon/client';
import type { HostListener } from '../events.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { HostCallOptions, HostTool } from '../registry/toolbox.ts';
import { createRateLimit } from '../values/rate-limit.ts';

/** Progress reports of one call that are passed on per second. Beyond that, only the latest is reported. */
const MAX_PROGRESS_PER_SECOND = 50;

interface ActiveCall {
  place: number;
  readonly tool: HostTool;
  isOver: boolean;
}

/** The calls of tools that are in progress, and their events. */
export class ActiveCalls {
  readonly #calls = new UnorderedList<ActiveCall>();
  readonly #emit: HostListener;
  readonly #queue: Pick<DecisionQueue, 'waitedMs'>;

  constructor({ emit, queue }: { readonly emit: HostListener; readonly queue: Pick<DecisionQueue, 'waitedMs'> }) {
    this.#emit = emit;
    this.#queue = queue;
  }

  /** Those of a server. `own` is the server's own name for the tool. */
  of(server: string): readonly { readonly name: string; readonly own: string }[] {
    return [...this.#calls]
      .filter(({ tool }) => tool.server === server)
      .map(({ tool: { name, entry } }) => ({ name, own: entry.name }));
  }

  /** Emits that a call begins. Returns functions that emit its progress and its end. */
  begin(tool: HostTool, onProgress: HostCallOptions['onProgress']) {
    const emit = this.#emit;
    const queue = this.#queue;
    const call = randomUUID();
    const named = { call, server: tool.server, tool: tool.name };
    const active: ActiveCall = { place: 0, tool, isOver: false };
    this.#calls.add(active);
    emit({ kind: 'calling', ...named });
    const startedAt = performance.now();
    const waitedBefore = queue.waitedMs(tool.server);
    let latest: Progress | undefined;
    const report = (progress: Progress): void => {
      latest = undefined;
      emit({ kind: 'progress', call, tool: tool.name, progress });
      onProgress?.(progress);
    };
    const progressLimit = createRateLimit(MAX_PROGRESS_PER_SECOND, () => {
      if (latest !== undefined && !active.isOver) report(latest);
    });
    return {
      onProgress: (progress: Progress): void => {
        if (progressLimit.tryTake()) report(progress);
        else latest = progress;
      },
      end: (isError: boolean, revision: string | undefined): void => {
        active.isOver = true;
        this.#calls.delete(active);
        const ms = performance.now() - startedAt;
        const waitedMs = queue.waitedMs(tool.server) - waitedBefore;
        emit({ kind: 'called', ...named, ms, waitedMs, isError, revision });
      },
    };
  }
}
