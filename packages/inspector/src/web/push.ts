import type { ServerResponse } from 'node:http';
import type { PushEvent } from '../api/views.ts';
import type { Workbench } from '../session/contract.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { Refusal } from './refusal.ts';

/** Sends changes to pages. However much happens, each page gets the newest state of everything a few times a second, and no history. */
export interface Push {
  /** Turns a response into a stream of events for a session. Throws a refusal if there are too many streams. */
  add(response: ServerResponse, session: string): void;
  close(): void;
}

interface Viewer {
  readonly response: ServerResponse;
  readonly session: string;
  /** Since when, as `performance.now()`, its buffer is full; undefined: it is not. */
  stuckSince: number | undefined;
  /** Events were skipped while its buffer was full: it is sent the whole state once it drains. */
  missed: boolean;
  /** The length of the trace that it was sent last. */
  sentLength: number;
}

const FLUSH_MS = 50;
const HEARTBEAT_MS = 15_000;
/** After this time with a full buffer a viewer counts as gone. */
const STUCK_MS = 60_000;
/** A browser opens six connections to a server, for all its pages together. Some must be left for requests. */
const MAX_PER_SESSION = 4;
const MAX_VIEWERS = 64;
/** Traces that cannot be watched are polled. */
const POLL_MS = 250;

const HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': DATA_POLICY,
  'content-type': 'text/event-stream; charset=utf-8',
};

/** Events with the same key replace each other. */
function keyOf(event: PushEvent): string {
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
}

function frameOf(event: PushEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

export function createPush(workbench: Pick<Workbench, 'trace' | 'state' | 'watch' | 'setViewers'>): Push {
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
      const text = viewer.sentLength === length ? events : events + grown;
      if (text === '') continue;
      viewer.sentLength = length;
      if (viewer.stuckSince === undefined) send(viewer, text);
      else viewer.missed = true;
    }
  };

  /** The buffer of a viewer has drained. */
  const drained = (viewer: Viewer): void => {
    viewer.stuckSince = undefined;
    if (!viewer.missed || !viewers.has(viewer)) return;
    viewer.missed = false;
    viewer.sentLength = trace.index.length;
    send(viewer, stateFrame());
  };

  const unwatch = [
    workbench.watch((event) => {
      if (viewers.size === 0) return;
      // The whole state includes all events before it.
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
  const polling =
    trace.watch === undefined
      ? setInterval(() => {
          for (const { sentLength } of viewers) if (sentLength !== trace.index.length) schedule();
        }, POLL_MS).unref()
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
      if (own.length >= MAX_PER_SESSION || viewers.size >= MAX_VIEWERS)
        throw new Refusal(429, 'too-many-pages', 'The inspector is open in too many pages. Close one of them.');
      const viewer: Viewer = {
        response,
        session,
        stuckSince: undefined,
        missed: false,
        sentLength: trace.index.length,
      };
      viewers.add(viewer);
      response.on('close', () => remove(viewer));
      response.on('drain', () => {
        // A slow viewer must not be sent the whole state each time a little of its buffer drains.
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
      clearInterval(polling);
      clearTimeout(timer);
      for (const { response } of viewers) response.end();
      // Viewers that do not read the end are cut off.
      setImmediate(() => {
        for (const { response } of viewers) response.destroy();
      });
    },
  };
}
