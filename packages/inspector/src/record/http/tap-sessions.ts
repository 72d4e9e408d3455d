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

/** What a request tells about the session it belongs to. */
export interface Belonging {
  /** Its path and query. */
  readonly url: string;
  /** `Mcp-Session-Id` */
  readonly id: string | undefined;
  /** It carries `initialize`. */
  readonly initializes: boolean;
  /** It wants a stream that belongs to no request. */
  readonly listens: boolean;
}

/**
 * Tells the clients of a server apart, as far as they can be: each legacy session is one of the trace. What has no session, as all of
 * 2026-07-28, is one together.
 */
export interface TapSessions {
  of(request: Belonging): TapSession;
  /** A request that began the session, or listened, was answered. */
  answered(session: TapSession, request: Belonging, status: number): void;
  /** The server gave a session an id. */
  named(session: TapSession, id: string): void;
  /** The server told a session where its messages go (2024-11-05). */
  endpoint(session: TapSession, url: string): void;
  /** A session is over. */
  ended(id: string): void;
  /** Says something that concerns all of them. */
  note(text: string): void;
  flush(): void;
}

/** More sessions at a time are not told apart. */
const MAX_SESSIONS = 1_000;

export function createTapSessions(sink: TraceSink, head: SessionHead, redactor: Redactor): TapSessions {
  const nameFor = createNames();
  const byId = new Map<string, Entry>();
  const byEndpoint = new Map<string, Entry>();
  /** The last session that has no id, nor a place of its own: where requests go that say nothing. */
  let loose: Entry | undefined;
  let last: Entry | undefined;

  interface Entry extends TapSession {
    /** `fresh`: not begun. `stateless`: `initialize` was answered, and it got no id. */
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
    // It began before we came, or it is made up.
    const session = begin();
    session.recorder.write({ kind: 'note', text: 'A session goes on whose beginning was not recorded' });
    remember(byId, id, session);
    return session;
  };

  return {
    of(request) {
      const session = known(request);
      if (session !== undefined) return (last = session);
      // What was tried before, in vain, belongs to the same client. And a session without an id may listen without one.
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
