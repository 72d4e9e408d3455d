import type { AuthStep } from '../../trace/line.ts';
import { shownLocation, shownUrl } from '../headers.ts';
import type { Safely } from '../safely.ts';
import { saysJsonRpc } from '../says-json-rpc.ts';
import { MAX_MESSAGE_LENGTH } from '../tap-log.ts';
import { type AnswerBody, eventStreamBody, plainBody, SHOWN_BODY } from './answer-body.ts';
import { type BodyCopy, copyBody } from './body-copy.ts';
import { createExchangeLines, type ExchangeLines } from './exchange-lines.ts';
import { keepText } from './kept-text.ts';
import { isEventStream } from './rewrite.ts';
import type { Belonging, TapSession, TapSessions } from './tap-sessions.ts';
import { type Field, valueOf } from './wire-headers.ts';

/** Records one exchange, as it passes. */
export interface ExchangeLog {
  /** A chunk of the body of the request. */
  requestBody(chunk: Buffer): void;
  /** The request is complete. */
  requestEnd(): void;
  answer(status: number, fields: readonly Field[]): void;
  answerBody(chunk: Buffer): void;
  /** The exchange has ended. `why`: the reason, if it ended early. */
  end(why?: string): void;
  /** A note about a change that the proxy made. */
  note(text: string): void;
  /** Resolves when everything so far is decoded and written, or recording has failed. */
  settled(): Promise<void>;
}

export interface ExchangeHead {
  readonly method: string;
  /** The path, with its query. */
  readonly url: string;
  readonly fields: readonly Field[];
  /** The origin of the server. */
  readonly origin: string;
  /** The path of the MCP endpoint. */
  readonly path: string;
}

/** Methods whose requests have no body. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

function initializes(text: string): boolean {
  if (!text.includes('initialize')) return false;
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return (first as { method?: unknown } | null)?.method === 'initialize';
  } catch {
    return false;
  }
}

function shownFields(fields: readonly Field[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
}

/** An exchange whose beginning has been written. */
interface Begun {
  readonly session: TapSession;
  readonly belonging: Belonging;
  readonly lines: ExchangeLines;
  readonly isAuth: boolean;
}

/**
 * Writes the beginning of an exchange: first the message, because it causes the request. `body`: undefined until it is complete.
 */
function beginExchange(
  { method, url, fields, origin, path: messages }: ExchangeHead,
  sessions: TapSessions,
  body: string | undefined,
): Begun {
  const path = shownUrl(url);
  const text = body ?? '';
  const step = authStepOf(method, path, url.slice(path.length), text);
  const belonging: Belonging = {
    url,
    id: valueOf(fields, 'mcp-session-id'),
    initializes: initializes(text),
    listens: method === 'GET' && path === messages,
  };
  const session = sessions.of(belonging);
  const lines = createExchangeLines(session, step);
  const isAuth = step !== undefined;
  if (!isAuth && saysJsonRpc(text)) lines.message('client', text, () => {});
  lines.part(
    {
      part: 'request',
      method,
      url: origin + path,
      headers: shownFields(fields),
      body: isAuth && text !== '' ? text.slice(0, SHOWN_BODY) : undefined,
    },
    `${method} ${shownLocation(url)}`,
  );
  if (!isAuth && text !== '' && !saysJsonRpc(text)) lines.aside('junk', 'client', text);
  return { session, belonging, lines, isAuth };
}

export function createExchangeLog(head: ExchangeHead, sessions: TapSessions, safely: Safely): ExchangeLog {
  const { method, fields, origin, url, path } = head;
  const sent = keepText(MAX_MESSAGE_LENGTH);
  const problems: string[] = [];
  const sentCopy = copyBody(valueOf(fields, 'content-encoding'), sent.push, (text) => problems.push(text));
  let begun: Begun | undefined;
  let complete = BODYLESS.has(method);
  let body: AnswerBody | undefined;
  let bodyCopy: BodyCopy | undefined;
  let over = false;
  /** Lines to write once the body of the request has been decoded, so that a message comes before its answer. */
  let waiting: (() => void)[] | undefined;
  /** The decoding that started last. */
  let decoding: Promise<unknown> = Promise.resolve();

  const inOrder =
    <Args extends unknown[]>(act: (...args: Args) => void) =>
    (...args: Args): void => {
      if (waiting === undefined) act(...args);
      else waiting.push(() => act(...args));
    };

  const requestEnd = (): void => {
    waiting = [];
    const read = (): void => {
      const later = waiting ?? [];
      waiting = undefined;
      requestRead();
      for (const act of later) act();
    };
    decoding = sentCopy.end().then(safely(read));
  };

  /** Writes the beginning, unless that is done already, with the body if it is complete. */
  const begin = (): Begun =>
    (begun ??= beginExchange(head, sessions, complete && !sent.tooLong ? sent.text() : undefined));

  const requestRead = (): void => {
    complete = true;
    const late = begun;
    const { lines, isAuth } = begin();
    if (sent.tooLong) lines.tooLong('client', 'body', sent.bytes);
    else if (late !== undefined && !isAuth && sent.bytes > 0)
      lines.message('client', sent.text(), () => lines.aside('junk', 'client', sent.text()));
    for (const problem of problems) lines.aside('lost', 'client', problem);
  };

  const onEndpoint =
    (session: TapSession) =>
    (address: string): void => {
      if (!URL.canParse(address, origin + url)) return;
      const { pathname, search } = new URL(address, origin + url);
      sessions.endpoint(session, pathname + search);
    };

  const answered = (status: number, given: readonly Field[]): void => {
    const { session, belonging, lines, isAuth } = begin();
    sessions.answered(session, belonging, status);
    const id = valueOf(given, 'mcp-session-id');
    if (id !== undefined) sessions.named(session, id);
    if (method === 'DELETE' && belonging.id !== undefined && status < 300) sessions.ended(belonging.id);
    lines.part({ part: 'answer', status, headers: shownFields(given) }, String(status));
    const expected = !isAuth && method === 'POST' && shownUrl(url) === path && status < 300;
    body = isEventStream(given) ? eventStreamBody(lines, onEndpoint(session)) : plainBody(lines, expected);
    bodyCopy = copyBody(valueOf(given, 'content-encoding'), body.push, (text) => lines.aside('lost', 'server', text));
  };

  const end = (why: string | undefined): void => {
    if (over) return;
    over = true;
    const { lines } = begin();
    if (!complete && sent.bytes > 0) lines.aside('lost', 'client', `${sent.bytes} bytes of a body that did not end`);
    const read = (): void => {
      body?.end();
      lines.part({ part: 'end', error: why }, 'end');
    };
    decoding = (bodyCopy?.end() ?? Promise.resolve()).then(safely(read));
  };

  if (complete) safely(begin)();

  return {
    requestBody: safely((chunk) => sentCopy.push(chunk)),
    requestEnd: safely(requestEnd),
    answer: safely(inOrder(answered)),
    answerBody: safely(inOrder((chunk) => bodyCopy?.push(chunk))),
    end: safely(inOrder(end)),
    note: safely(inOrder((text) => begin().lines.note(text))),
    async settled() {
      // Decoding the answer may begin only after the request has been decoded, so there may be another promise by then.
      for (let last: unknown; last !== decoding;) await (last = decoding);
    },
  };
}

/** The OAuth step of a request. Undefined: it is not part of a login. */
function authStepOf(method: string, path: string, query: string, body: string): AuthStep | undefined {
  if (path.startsWith('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(path)) return 'server-metadata';
  if (path.endsWith('/.well-known/openid-configuration')) return 'server-metadata';
  if (method === 'GET' && /(?:^|[?&])response_type=/.test(query)) return 'authorization';
  if (method !== 'POST') return undefined;
  const grant = /(?:^|&)grant_type=([^&]*)/.exec(body)?.[1];
  if (grant !== undefined) return grant === 'refresh_token' ? 'refresh' : 'token';
  return /"redirect_uris"\s*:/.test(body) && !/"jsonrpc"\s*:/.test(body) ? 'registration' : undefined;
}
