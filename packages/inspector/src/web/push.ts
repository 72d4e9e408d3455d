import type { ServerResponse } from 'node:http';
import type { PushEvent } from '../api/views.ts';
import type { Workbench } from '../session/contract.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { Refusal } from './refusal.ts';

/** Tells pages what changes. However much happens, each gets the newest of everything a few times a second, and no history. */
export interface Push {
  /** Makes an answer a stream of events; `session` is whose it is. Throws a refusal if there are too many. */
  add(response: ServerResponse, session: string): void;
  close(): void;
}

interface Viewer {
  readonly response: ServerResponse;
  readonly session: string;
  /** It takes nothing at the moment: since when, of `performance.now()`. */
  stuckSince: number | undefined;
  /** Something happened meanwhile: it gets everything as it is then, and not what happened. */
  missed: boolean;
  /** The length of the trace it was told last. */
  told: number;
}

const FLUSH_MS = 50;
const HEARTBEAT_MS = 15_000;
/** Who takes nothing for so long has gone. */
const STUCK_MS = 60_000;
/** Browsers have six connections to a server, for all their pages together. Some must be left for requests. */
const MOST_PER_SESSION = 4;
const MOST_VIEWERS = 64;
/** Traces that do not tell of new lines are asked. */
const ASK_MS = 250;

const HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': DATA_POLICY,
  'content-type': 'text/event-stream; charset=utf-8',
};

/** Events with the same key replace each other. */
const keyOf = (event: PushEvent): string => {
  switch (event.type) {
    case 'server':
      return `server ${event.server.id}`;
    case 'auth':
      return `auth ${event.auth.server}`;
    case 'progress':
      return `progress ${JSON.stringify([event.server, event.key])}`;
    default:
      return event.type;
  }
};

const frameOf = (event: PushEvent): string => `data: ${JSON.stringify(event)}\n\n`;

export const createPush = (workbench: Pick<Workbench, 'trace' | 'state' | 'watch' | 'setViewers'>): Push => {
  const { trace } = workbench;
  const viewers = new Set<Viewer>();
  const pending = new Map<string, PushEvent>();
  let timer: NodeJS.Timeout | undefined;
  let flushed = -Infinity;

  const schedule = (): void => {
    if (viewers.size === 0) return;
    timer ??= setTimeout(flush, Math.max(0, flushed + FLUSH_MS - performance.now())).unref();
  };

  const send = (viewer: Viewer, text: string): void => {
    if (!viewer.response.write(text)) viewer.stuckSince = performance.now();
  };

  const stateFrame = (): string => frameOf({ type: 'state', state: workbench.state() });

  const flush = (): void => {
    timer = undefined;
    flushed = performance.now();
    const { length } = trace.index;
    const events = [...pending.values()].map(frameOf).join('');
    pending.clear();
    const grown = frameOf({ type: 'trace', length });
    for (const viewer of viewers) {
      const text = viewer.told === length ? events : events + grown;
      if (text === '') continue;
      viewer.told = length;
      if (viewer.stuckSince === undefined) send(viewer, text);
      else viewer.missed = true;
    }
  };

  /** A viewer takes something again. */
  const drained = (viewer: Viewer): void => {
    viewer.stuckSince = undefined;
    if (!viewer.missed || !viewers.has(viewer)) return;
    viewer.missed = false;
    viewer.told = trace.index.length;
    send(viewer, stateFrame());
  };

  const unwatch = [
    workbench.watch((event) => {
      if (viewers.size === 0) return;
      // The whole state has everything that came before it.
      if (event.type === 'state') pending.clear();
      pending.set(keyOf(event), event);
      schedule();
    }),
    trace.watch?.(schedule),
  ];

  const beat = setInterval(() => {
    const now = performance.now();
    for (const { response, stuckSince } of viewers) {
      if (stuckSince === undefined) response.write(': \n\n');
      else if (now - stuckSince > STUCK_MS) response.destroy();
    }
  }, HEARTBEAT_MS).unref();
  const asking =
    trace.watch === undefined
      ? setInterval(() => {
          for (const { told } of viewers) if (told !== trace.index.length) schedule();
        }, ASK_MS).unref()
      : undefined;

  const remove = (viewer: Viewer): void => {
    if (!viewers.delete(viewer)) return;
    if (viewers.size === 0) {
      clearTimeout(timer);
      timer = undefined;
      pending.clear();
    }
    workbench.setViewers(viewers.size);
  };

  return {
    add(response, session) {
      const own = [...viewers].filter((viewer) => viewer.session === session);
      if (own.length >= MOST_PER_SESSION || viewers.size >= MOST_VIEWERS)
        throw new Refusal(429, 'too-many-pages', 'The inspector is open in too many pages. Close one of them.');
      const viewer: Viewer = { response, session, stuckSince: undefined, missed: false, told: trace.index.length };
      viewers.add(viewer);
      response.on('close', () => remove(viewer));
      response.on('drain', () => {
        // Who takes a little at a time is not sent everything each time at once.
        if (viewer.missed) setTimeout(drained, FLUSH_MS, viewer).unref();
        else drained(viewer);
      });
      response.writeHead(200, HEADERS);
      workbench.setViewers(viewers.size);
      send(viewer, stateFrame());
    },
    close() {
      for (const end of unwatch) end?.();
      clearInterval(beat);
      clearInterval(asking);
      clearTimeout(timer);
      for (const { response } of viewers) response.end();
      // Who does not take the end of it is cut off.
      setImmediate(() => {
        for (const { response } of viewers) response.destroy();
      });
    },
  };
};
