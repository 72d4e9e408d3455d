import type { ServerResponse } from 'node:http';
import type { PushEvent } from '../api/views.ts';
import type { Workbench } from '../session/contract.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { Refusal } from './refusal.ts';

interface Viewer {
  readonly response: ServerResponse;
  readonly session: string;
  /** When its buffer became full, as `performance.now()`. Undefined: it is not full. */
  stuckSince: number | undefined;
  /** Events were skipped while its buffer was full: it is sent the whole state once it drains. */
  missed: boolean;
  /** The trace length that it was last sent. */
  sentLength: number;
}

const FLUSH_MS = 50;
const HEARTBEAT_MS = 15_000;
/** A viewer whose buffer is full for this long counts as gone, in milliseconds. */
const STUCK_MS = 60_000;
/** A browser opens six connections to a server, for all its pages together. Some must remain for requests. */
const MAX_PER_SESSION = 4;
const MAX_VIEWERS = 64;
/** The interval for polling traces that cannot be watched, in milliseconds. */
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

type PushSource = Pick<Workbench, 'trace' | 'state' | 'watch' | 'setViewers'>;

/**
 * Sends changes to pages. However much happens, each page gets the newest state of everything a few times a second, without
 * history.
 */
export class Push {
  readonly #workbench: PushSource;
  readonly #viewers = new Set<Viewer>();
  readonly #pending = new Map<string, PushEvent>();
  #timer: NodeJS.Timeout | undefined;
  #flushed = -Infinity;
  readonly #unwatch: ((() => void) | undefined)[];
  readonly #beat = setInterval(() => this.#keepAlive(), HEARTBEAT_MS).unref();
  readonly #polling: NodeJS.Timeout | undefined;

  constructor(workbench: PushSource) {
    this.#workbench = workbench;
    const { trace } = workbench;
    this.#unwatch = [workbench.watch((event) => this.#add(event)), trace.watch?.(() => this.#schedule())];
    this.#polling = trace.watch === undefined ? setInterval(() => this.#poll(), POLL_MS).unref() : undefined;
  }

  /** Turns a response into a stream of events for a session. Throws a refusal if there are too many streams. */
  add(response: ServerResponse, session: string): void {
    const { trace } = this.#workbench;
    const own = [...this.#viewers].filter((viewer) => viewer.session === session);
    if (own.length >= MAX_PER_SESSION || this.#viewers.size >= MAX_VIEWERS)
      throw new Refusal(429, 'too-many-pages', 'The inspector is open in too many pages. Close one of them.');
    const viewer: Viewer = {
      response,
      session,
      stuckSince: undefined,
      missed: false,
      sentLength: trace.index.length,
    };
    this.#viewers.add(viewer);
    response.on('close', () => this.#remove(viewer));
    response.on('drain', () => {
      // A slow viewer must not get the whole state each time a little of its buffer drains.
      if (viewer.missed) setTimeout(() => this.#drained(viewer), FLUSH_MS).unref();
      else this.#drained(viewer);
    });
    response.writeHead(200, HEADERS);
    this.#workbench.setViewers(this.#viewers.size);
    this.#send(viewer, this.#stateFrame());
  }

  close(): void {
    for (const end of this.#unwatch) end?.();
    clearInterval(this.#beat);
    clearInterval(this.#polling);
    clearTimeout(this.#timer);
    for (const { response } of this.#viewers) response.end();
    // Connections whose viewers do not read the end are destroyed.
    setImmediate(() => {
      for (const { response } of this.#viewers) response.destroy();
    });
  }

  #add(event: PushEvent): void {
    if (this.#viewers.size === 0) return;
    // The whole state includes all events before it.
    if (event.type === 'state') this.#pending.clear();
    this.#pending.set(keyOf(event), event);
    this.#schedule();
  }

  #poll(): void {
    const { length } = this.#workbench.trace.index;
    for (const { sentLength } of this.#viewers) if (sentLength !== length) this.#schedule();
  }

  #keepAlive(): void {
    const now = performance.now();
    for (const { response, stuckSince } of this.#viewers) {
      if (stuckSince === undefined) response.write(': \n\n');
      else if (now - stuckSince > STUCK_MS) response.destroy();
    }
  }

  #schedule(): void {
    if (this.#viewers.size === 0) return;
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#flushed + FLUSH_MS - performance.now())).unref();
  }

  #send(viewer: Viewer, text: string): void {
    if (!viewer.response.write(text)) viewer.stuckSince = performance.now();
  }

  #stateFrame(): string {
    return frameOf({ type: 'state', state: this.#workbench.state() });
  }

  #flush(): void {
    const { trace } = this.#workbench;
    this.#timer = undefined;
    this.#flushed = performance.now();
    const { length } = trace.index;
    const events = [...this.#pending.values()].map(frameOf).join('');
    this.#pending.clear();
    const grown = frameOf({ type: 'trace', length });
    for (const viewer of this.#viewers) {
      const text = viewer.sentLength === length ? events : events + grown;
      if (text === '') continue;
      viewer.sentLength = length;
      if (viewer.stuckSince === undefined) this.#send(viewer, text);
      else viewer.missed = true;
    }
  }

  /** The buffer of a viewer has drained. */
  #drained(viewer: Viewer): void {
    const { trace } = this.#workbench;
    viewer.stuckSince = undefined;
    if (!viewer.missed || !this.#viewers.has(viewer)) return;
    viewer.missed = false;
    viewer.sentLength = trace.index.length;
    this.#send(viewer, this.#stateFrame());
  }

  #remove(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer)) return;
    if (this.#viewers.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#pending.clear();
    }
    this.#workbench.setViewers(this.#viewers.size);
  }
}
