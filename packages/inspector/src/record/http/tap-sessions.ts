import type { SessionHead } from '../../trace/line.ts';
import type { TraceSink } from '../../trace/node/trace-writer.ts';
import { createRecorder, type Recorder } from '../recorder.ts';
import type { Redactor } from '../redact.ts';
import { createNames } from '../names.ts';

/** A session of the trace, to which exchanges belong. */
export interface TapSession {
  readonly recorder: Recorder;
  /** The number of its next exchange. */
  nextExchange(): number;
}

/** The facts of a request that determine its session. */
export interface Belonging {
  /** Its path and query. */
  readonly url: string;
  /** `Mcp-Session-Id` */
  readonly id: string | undefined;
  /** Its message is `initialize`. */
  readonly initializes: boolean;
  /** It opens a stream that does not belong to a request. */
  readonly listens: boolean;
}

/**
 * Assigns requests to sessions of the trace, as far as clients can be distinguished: each legacy session is one. Requests without
 * a session, such as all of 2026-07-28, share one.
 */
export interface TapSessions {
  of(request: Belonging): TapSession;
  /** A request that began the session, or opened a stream, was answered. */
  answered(session: TapSession, request: Belonging, status: number): void;
  /** The server gave a session an id. */
  named(session: TapSession, id: string): void;
  /** The server sent a session its URL for messages (2024-11-05). */
  endpoint(session: TapSession, url: string): void;
  /** A session has ended. */
  ended(id: string): void;
  /** Writes a note about all sessions. */
  note(text: string): void;
  flush(): void;
}

/** The most sessions that are distinguished at a time. */
const MAX_SESSIONS = 1_000;

export function createTapSessions(sink: TraceSink, head: SessionHead, redactor: Redactor): TapSessions {
  const nameFor = createNames();
  const byId = new Map<string, Entry>();
  const byEndpoint = new Map<string, Entry>();
  /** The latest session without an id or an endpoint: it gets the requests that identify no session. */
  let loose: Entry | undefined;
  let last: Entry | undefined;

  interface Entry extends TapSession {
    /** `fresh`: not initialized. `stateless`: `initialize` was answered without an id. */
    state: 'fresh' | 'beginning' | 'stateless';
  }

  const begin = (): Entry => {
    let exchanges = 0;
    const recorder = createRecorder(sink, nameFor(head.name), head, redactor);
    last = loose = { recorder, state: 'fresh', nextExchange: () => ++exchanges };
    return last;
  };

  const remember = (map: Map<string, Entry>, key: string, session: TapSession): void => {
    map.set(key, session as Entry);
    if (loose === session) loose = undefined;
    if (map.size > MAX_SESSIONS) map.delete([...map.keys()][0]!);
  };

  const known = ({ id, url }: Belonging): Entry | undefined => {
    if (id === undefined) return byEndpoint.get(url);
    const found = byId.get(id);
    if (found !== undefined) return found;
    // It began before the tap, or the id is invented.
    const session = begin();
    session.recorder.write({ kind: 'note', text: 'A session goes on whose beginning was not recorded' });
    remember(byId, id, session);
    return session;
  };

  return {
    of(request) {
      const session = known(request);
      if (session !== undefined) return (last = session);
      // Failed attempts before belong to the same client. A session without an id may also open a stream without one.
      const fits = loose?.state === 'fresh' || (loose?.state === 'stateless' && !request.initializes);
      if (request.initializes || request.listens) {
        const own = loose !== undefined && fits ? loose : begin();
        if (own.state === 'fresh') own.state = 'beginning';
        return (last = own);
      }
      return (last = loose ?? begin());
    },
    answered(session, { initializes, listens }, status) {
      const own = session as Entry;
      if (own.state !== 'beginning' || !(initializes || listens)) return;
      if (status >= 300) own.state = 'fresh';
      else if (initializes) own.state = 'stateless';
    },
    named(session, id) {
      if (byId.get(id) !== session) remember(byId, id, session);
    },
    endpoint: (session, url) => remember(byEndpoint, url, session),
    ended: (id) => void byId.delete(id),
    note: (text) => void (last ?? begin()).recorder.write({ kind: 'note', text }),
    flush() {
      for (const { recorder } of [...byId.values(), ...byEndpoint.values(), ...(last === undefined ? [] : [last])])
        recorder.flush();
    },
  };
}
