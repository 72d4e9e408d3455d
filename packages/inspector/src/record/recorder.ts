import type { HttpPart, LineKind, SessionHead, Side, TraceLine } from '../trace/line.ts';
import type { TraceSink } from '../trace/node/trace-writer.ts';
import { createCauses } from './causes.ts';
import { shownHeaders, shownUrl } from './headers.ts';
import type { Redactor } from './redact.ts';
import { createTextLines } from './text-lines.ts';

/** An entry that a client or a server passes to its option `onTrace`. */
export interface Passed {
  /** What happened, from the perspective of that side. */
  readonly kind: 'open' | 'http' | 'auth' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  /** A message as it was on the wire; for other kinds, a description. */
  readonly text: string;
  /** The HTTP exchange that contains the message. */
  readonly exchange?: number | undefined;
  /** The session of a server over HTTP that the entry belongs to. */
  readonly session?: number | undefined;
  /** For `http` and `auth`: the part of the exchange. */
  readonly http?: PassedHttp | undefined;
}

/** A part of an HTTP exchange, as it is reported. */
export interface PassedHttp extends Partial<Omit<HttpPart, 'exchange' | 'part'>> {
  /** The number of the exchange, counted by the client or the server. */
  readonly exchange: number;
  /** The part of the exchange. */
  readonly part: HttpPart['part'];
  /** Why it ended early. */
  readonly error?: string | undefined;
}

/** Writes the traffic of one connection to a trace. */
export interface Recorder {
  /** The session of the lines that it writes. */
  readonly session: string;
  /** For the option `onTrace` of a client or a server. */
  onTrace(entry: Passed): void;
  /** Writes a line of the recorder's own. */
  write(line: Omit<TraceLine, 'n' | 'at' | 'session' | 'redacted'>): TraceLine;
  /** Writes buffered text: an unfinished line of stderr. */
  flush(): void;
}

const KINDS: Readonly<Record<Passed['kind'], LineKind>> = {
  open: 'open',
  http: 'http',
  auth: 'auth',
  sent: 'message',
  received: 'message',
  junk: 'junk',
  lost: 'lost',
  stderr: 'stderr',
  exit: 'exit',
};

/** A part of an exchange as it is written: without secrets, and without the message, which has a line of its own. */
function shownPart(kind: Passed['kind'], http: PassedHttp, redactor: Redactor): HttpPart {
  const { exchange, part, method, url, status, headers, event, step, body } = http;
  return {
    exchange,
    part,
    method,
    url: url === undefined ? undefined : shownUrl(url) || undefined,
    status,
    headers: headers === undefined ? undefined : shownHeaders(Object.entries(headers), redactor),
    event: event === undefined ? undefined : { name: event.name, id: event.id },
    step,
    body: body === undefined || (kind === 'http' && part === 'request') ? undefined : redactor.clean(body).text,
  };
}

/** Begins a session of a trace. Its name must be unique in the trace. */
export function createRecorder(sink: TraceSink, session: string, head: SessionHead, redactor: Redactor): Recorder {
  const side: Side = head.recorder === 'server' ? 'server' : 'client';
  const other: Side = side === 'client' ? 'server' : 'client';
  const causes = createCauses();
  /** The line of the open process or connection. */
  let opened: number | undefined;

  const write: Recorder['write'] = (line) => {
    const { text, redacted } = redactor.clean(line.text);
    return sink.append({ ...line, text, session, redacted: redacted ? true : undefined });
  };
  const stderr = createTextLines((text) => write({ kind: 'stderr', from: 'server', text }));

  const about = { ...head, target: redactor.clean(head.target).text };
  write({ kind: 'session', text: about.target === '' ? head.name : `${head.name}: ${about.target}`, about });

  const senderOf = ({ kind, http }: Passed): Side | undefined => {
    if (kind === 'sent') return side;
    if (kind === 'received' || kind === 'junk' || kind === 'lost') return other;
    if (kind === 'exit') return 'server';
    if (http === undefined) return undefined;
    return http.part === 'request' ? 'client' : 'server';
  };

  const causeOf = ({ kind, text, exchange, http }: Passed): number | undefined => {
    if (http !== undefined) return causes.part(http, http.body);
    if (kind === 'sent') return causes.message(text, exchange);
    if (kind === 'exit') return opened;
    return exchange === undefined ? undefined : causes.message(text, exchange);
  };

  return {
    session,
    write,
    flush: stderr.flush,
    onTrace(entry) {
      const { kind, text, http, exchange } = entry;
      if (kind === 'stderr') return stderr.push(text);
      // The rest of stderr must be written before the exit.
      if (kind === 'exit') stderr.flush();
      const from = senderOf(entry);
      const cause = causeOf(entry);
      const { n } = write({
        kind: KINDS[kind],
        text: http?.error === undefined ? text : `${text}: ${http.error}`,
        from,
        cause,
        http: http === undefined ? undefined : shownPart(kind, http, redactor),
      });
      if (http !== undefined || exchange !== undefined || kind === 'sent') causes.wrote(n);
      if (kind === 'open') opened = n;
    },
  };
}
