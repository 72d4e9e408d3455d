import { createSseParser, type SseEvent } from 'tenon/http';
import type { Side } from '../../trace/line.ts';
import { shownLocation, shownUrl } from '../headers.ts';
import type { PassedHttp } from '../recorder.ts';
import type { Safely } from '../safely.ts';
import { saysJsonRpc } from '../says-json-rpc.ts';
import { LONGEST_MESSAGE } from '../tap-log.ts';
import { authStepOf } from './auth-step.ts';
import { type BodyCopy, copyBody } from './body-copy.ts';
import { type KeptText, keepText } from './kept-text.ts';
import type { Belonging, TapSession, TapSessions } from './tap-sessions.ts';
import { type Field, valueOf } from './wire-headers.ts';

/** Writes down one exchange, as it passes. */
export interface ExchangeLog {
  /** A piece of the body of the request. */
  requestBody(chunk: Buffer): void;
  /** The request is complete, or its client is gone. */
  requestEnd(): void;
  answer(status: number, fields: readonly Field[]): void;
  answerBody(chunk: Buffer): void;
  /** Nothing more comes. `why`: where that is not because all was said. */
  end(why?: string): void;
  /** Something that was done to it on the way. */
  note(text: string): void;
}

export interface ExchangeHead {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly fields: readonly Field[];
  /** The origin of the server. */
  readonly origin: string;
  /** The path where messages go. */
  readonly path: string;
}

/** What is shown of a body that is no message, in bytes. */
const SHOWN_BODY = 64 * 1024;

const initializes = (text: string): boolean => {
  if (!text.includes('initialize')) return false;
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return (first as { method?: unknown } | null)?.method === 'initialize';
  } catch {
    return false;
  }
};

export const createExchangeLog = (head: ExchangeHead, sessions: TapSessions, safely: Safely): ExchangeLog => {
  const { method, fields, origin } = head;
  const path = shownUrl(head.url);
  const query = head.url.slice(path.length);
  const sentBody = keepText(LONGEST_MESSAGE);
  const problems: string[] = [];
  let session: TapSession | undefined;
  let belonging!: Belonging;
  let exchange = 0;
  let step: ReturnType<typeof authStepOf>;
  let events: ((chunk: Buffer) => void) | undefined;
  let status = 0;
  const gotBody = keepText(LONGEST_MESSAGE);
  let gotCopy: BodyCopy | undefined;
  let complete = false;
  let over = false;

  const part = (http: Omit<PassedHttp, 'exchange'>, text: string): void =>
    session!.recorder.onTrace({
      kind: step === undefined ? 'http' : 'auth',
      text,
      http: { ...http, exchange, ...(step === undefined ? {} : { step }) },
    });

  /** A text that may be a message; otherwise it is what `else` does with it. */
  const message = (from: Side, text: string, otherwise: (text: string) => void): void => {
    if (!saysJsonRpc(text)) return otherwise(text);
    session!.recorder.onTrace({ kind: from === 'client' ? 'sent' : 'received', text, exchange });
  };
  const aside = (kind: 'junk' | 'lost', from: Side) => (text: string) => {
    if (from === 'server') session!.recorder.onTrace({ kind, text, exchange });
    else session!.recorder.write({ kind, from, text });
  };
  const lost = (from: Side, what: string, { bytes }: KeptText): void =>
    aside('lost', from)(`The ${what} of ${bytes} bytes is longer than the ${LONGEST_MESSAGE} that are recorded`);

  /** Writes the beginning. The message first, because it is why there is a request. */
  const begin = (): void => {
    if (session !== undefined) return;
    const text = sentBody.tooLong ? '' : sentBody.text();
    step = authStepOf(method, path, query, text);
    belonging = {
      url: head.url,
      id: valueOf(fields, 'mcp-session-id'),
      initializes: complete && initializes(text),
      listens: method === 'GET' && path === head.path,
    };
    session = sessions.of(belonging);
    exchange = session.nextExchange();
    const isMessage = complete && text !== '' && step === undefined && saysJsonRpc(text);
    if (isMessage) message('client', text, () => {});
    part(
      {
        part: 'request',
        method,
        url: origin + path,
        headers: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
        ...(step === undefined || text === '' ? {} : { body: text.slice(0, SHOWN_BODY) }),
      },
      `${method} ${shownLocation(head.url)}`,
    );
    if (complete && !isMessage) said(text);
  };

  /** What the client sent, where it was no message at the beginning. */
  const said = (text: string): void => {
    if (sentBody.tooLong) lost('client', 'body', sentBody);
    else if (text !== '' && step === undefined) message('client', text, aside('junk', 'client'));
  };

  const event = ({ kind, event: name, id, data }: SseEvent): void => {
    const isEndpoint = name === 'endpoint';
    const about = isEndpoint ? [shownLocation(data)] : kind === 'empty' ? ['no data'] : [];
    part(
      { part: 'event', event: { name, id } },
      [`event: ${name}`, ...(id === '' ? [] : [`id: ${id}`]), ...about].join('; '),
    );
    if (isEndpoint && URL.canParse(data, origin + head.url)) {
      const { pathname, search } = new URL(data, origin + head.url);
      sessions.endpoint(session!, pathname + search);
    } else if (kind === 'message') message('server', data, aside('junk', 'server'));
  };

  const eventReader = (): ((chunk: Buffer) => void) => {
    const parser = createSseParser(event, { maxBytes: LONGEST_MESSAGE });
    let broken = false;
    return (chunk) => {
      if (broken) return;
      try {
        parser.push(chunk);
      } catch (error) {
        broken = true;
        aside('lost', 'server')(`The stream is not read any further: ${(error as Error).message}`);
      }
    };
  };

  /** The body of an answer that is no stream. */
  const answered = (): void => {
    if (gotBody.bytes === 0) return;
    if (gotBody.tooLong) return lost('server', 'answer', gotBody);
    message('server', gotBody.text(), (text) => {
      // In the place of a message of a success it is wrong; anywhere else it is what there is to say.
      if (step === undefined && path === head.path && method === 'POST' && status < 300)
        return aside('junk', 'server')(text);
      return part({ part: 'body', body: text.slice(0, SHOWN_BODY) }, `${gotBody.bytes} bytes that are no message`);
    });
  };

  const sentCopy = copyBody(valueOf(fields, 'content-encoding'), sentBody.push, (text) => problems.push(text));
  const withBody = method !== 'GET' && method !== 'HEAD' && method !== 'DELETE' && method !== 'OPTIONS';
  if (!withBody) {
    complete = true;
    safely(begin)();
  }

  return {
    requestBody: safely((chunk) => sentCopy.push(chunk)),
    requestEnd: safely(() => {
      const read = (): void => {
        complete = true;
        if (session === undefined) begin();
        else if (withBody) said(sentBody.text());
        for (const problem of problems) aside('lost', 'client')(problem);
      };
      void sentCopy.end().then(safely(read));
    }),
    answer: safely((code, given) => {
      begin();
      status = code;
      const id = valueOf(given, 'mcp-session-id');
      sessions.answered(session!, belonging, status);
      if (id !== undefined) sessions.named(session!, id);
      part(
        {
          part: 'answer',
          status,
          headers: Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
        },
        String(status),
      );
      if (/^text\/event-stream\b/i.test(valueOf(given, 'content-type') ?? '')) events = eventReader();
      gotCopy = copyBody(valueOf(given, 'content-encoding'), events ?? gotBody.push, aside('lost', 'server'));
      const own = valueOf(fields, 'mcp-session-id');
      if (method === 'DELETE' && own !== undefined && status < 300) sessions.ended(own);
    }),
    answerBody: safely((chunk) => gotCopy?.push(chunk)),
    end: safely((why) => {
      if (over) return;
      over = true;
      begin();
      if (!complete && sentBody.bytes > 0)
        aside('lost', 'client')(`${sentBody.bytes} bytes of a body that did not end`);
      const read = (): void => {
        if (events === undefined) answered();
        part({ part: 'end', ...(why === undefined ? {} : { error: why }) }, 'end');
      };
      void (gotCopy?.end() ?? Promise.resolve()).then(safely(read));
    }),
    note: safely((text) => {
      begin();
      session!.recorder.write({ kind: 'note', text });
    }),
  };
};
