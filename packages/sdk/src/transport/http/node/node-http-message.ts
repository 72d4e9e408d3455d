import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MessageText, wholeText } from '../../../protocol/message-text.ts';
import { type AllFields, findRepeated } from '../../../wire/headers.ts';
import { afterTurn, MAX_COLLECTED } from '../after-turn.ts';
import {
  bodyText,
  type Headers,
  type HttpReply,
  type HttpRequest,
  TOO_LARGE,
  type UnreadableBody,
} from '../http-message.ts';
import type { WriteBatch } from './write-batch.ts';

/** A request with members that frameworks add. */
export type NodeRequest = IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown };

/** A request of `node:http`. */
export class NodeHttpRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly authority: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly #message: NodeRequest;

  constructor(message: NodeRequest) {
    this.#message = message;
    const { headers } = message;
    this.header = (name) => {
      const value = headers[name];
      return typeof value === 'string' || value === undefined ? value : value.join(', ');
    };
    this.method = message.method ?? 'GET';
    // Frameworks remove the path at which they mounted a handler from `url`.
    const { authority, rest } = readTarget(message.originalUrl ?? message.url ?? '/');
    const mark = rest.indexOf('?');
    this.authority = authority;
    this.path = mark === -1 ? rest : rest.slice(0, mark);
    this.search = mark === -1 ? '' : rest.slice(mark + 1);
  }

  /** Undefined if the target and the `Host` header name different hosts: a proxy may have used either of them. */
  get host(): string | undefined {
    const host = this.#message.headers.host ?? this.header(':authority');
    if (this.authority === undefined) return host;
    return host === undefined || host.toLowerCase() === this.authority.toLowerCase() ? this.authority : undefined;
  }

  /** Node keeps the first of several values, or joins them. */
  get repeated(): string | undefined {
    const { headers, rawHeaders } = this.#message;
    let names = 0;
    for (const _ in headers) names++;
    return names * 2 === rawHeaders.length ? undefined : findRepeated(rawHeaders);
  }

  get address(): string | undefined {
    // Some callers of request listeners, such as test tools, have no socket.
    return (this.#message.socket as NodeRequest['socket'] | undefined)?.remoteAddress;
  }

  fields(): AllFields {
    return Object.entries(this.#message.headers);
  }

  query(name: string): string | undefined {
    return new URLSearchParams(this.search).get(name) ?? undefined;
  }

  body(most: number, take: (body: string | UnreadableBody) => void): void {
    const message = this.#message;
    if (message.readableEnded || (message.complete && message.body !== undefined))
      return take(parsedBody(message.body, message.headers['content-type']));
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= most) return void chunks.push(chunk);
      message.off('data', onData);
      message.off('end', onEnd);
      message.pause();
      take(TOO_LARGE);
    };
    const onEnd = (): void => take(readText(chunks));
    message.on('data', onData);
    message.on('end', onEnd);
    // A sender that disconnects in the middle gets no response.
    message.on('error', ignore);
  }
}

function ignore(): void {}

/** Adds up a number for each piece of a text. */
function sumOf(text: MessageText, numberOf: (piece: string) => number): number {
  return typeof text === 'string' ? numberOf(text) : text.reduce((sum, piece) => sum + numberOf(piece), 0);
}

function bytesOf(piece: string): number {
  return Buffer.byteLength(piece);
}

function charactersOf(piece: string): number {
  return piece.length;
}

/** The text of a body. Node decodes fastest, but replaces invalid bytes: if it may have done so, they are decoded again. */
function readText(chunks: readonly Buffer[]): string | UnreadableBody {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const text = bytes.toString();
  return text.includes('\ufffd') ? bodyText([bytes]) : text;
}

/** Splits a request target (RFC 9112, section 3.2). An absolute target names the host, whatever the `Host` header says. */
function readTarget(target: string): { readonly authority: string | undefined; readonly rest: string } {
  if (target.startsWith('/') || target === '*') return { authority: undefined, rest: target };
  const [, authority, rest = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  // The target has neither form, so the host is empty, which is in no list.
  if (authority === undefined) return { authority: '', rest: target };
  return { authority, rest: rest.startsWith('/') ? rest : `/${rest}` };
}

/** A body that a framework has already read and parsed. */
function parsedBody(body: unknown, type = ''): string | UnreadableBody {
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return readText([body]);
  if (type.startsWith('application/x-www-form-urlencoded'))
    return new URLSearchParams(body as Record<string, string>).toString();
  return JSON.stringify(body) ?? '';
}

/** Data after a request without a body is not read: it is not part of the request. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The maximum length of an ASCII text that is written as Latin-1, which has the same bytes. Node writes it faster than UTF-8, but not if it
 * has a megabyte.
 */
const MAX_LATIN1 = 64 * 1024;

/** An answer of `node:http`. */
export class NodeHttpReply implements HttpReply {
  readonly #response: ServerResponse;
  readonly #batch: WriteBatch;
  /** The whole response has been passed on, and may wait for others to be written. */
  #sent = false;
  /** The whole response was written, but ends when the rest of the request has been read. It is the last one of its connection. */
  #endsLater = false;
  /** Resolves when there is room again. */
  #room: Promise<void> | undefined;
  /** The headers of a stream until they are sent: together with its first events or, if it ends in the same turn, as a whole response. */
  #streamHeaders: Headers | undefined;
  /** The text that a stream sends at the end of this turn: one write costs as much as many events. Undefined: no write is scheduled. */
  #text: string | undefined;

  constructor(response: ServerResponse, batch: WriteBatch) {
    this.#response = response;
    this.#batch = batch;
  }

  get closed(): boolean {
    // Connections break between turns, and the write at the end of this one checks again.
    if (this.#text !== undefined) return false;
    return this.#sent || this.#response.writableEnded || this.#isGone;
  }

  get #isGone(): boolean {
    const { destroyed, closed, socket } = this.#response;
    return destroyed || closed || socket?.destroyed === true;
  }

  get unsent(): number {
    return this.#response.writableLength + (this.#text?.length ?? 0);
  }

  send(status: number, headers: Headers, body?: MessageText, close?: boolean): void {
    const response = this.#response;
    if (this.closed) return;
    // Names and values in turn: Node writes them without looking each one up.
    const fields: string[] = [];
    for (const name in headers) fields.push(name, headers[name]!);
    const length = body === undefined ? 0 : sumOf(body, bytesOf);
    if (status !== 204) fields.push('content-length', String(length));
    const unread = close === true && !response.req.complete;
    if (unread) fields.push('connection', 'close');
    this.#endsLater = unread && announcesBody(response.req);
    response.writeHead(status, fields);
    this.#sent = true;
    if (!this.#endsLater) {
      // A client can read the beginning of a long response while the next request is handled.
      if (length > MAX_LATIN1) return this.#end(body, 'utf8');
      const encoding = length === sumOf(body ?? '', charactersOf) ? 'latin1' : 'utf8';
      return this.#batch.add(() => this.#end(body, encoding));
    }
    if (body === undefined) response.flushHeaders();
    else response.write(wholeText(body));
    // Node closes the connection when the response has ended.
    discardRest(response.req, () => response.end());
  }

  #end(body: MessageText | undefined, encoding: 'latin1' | 'utf8'): void {
    const response = this.#response;
    if (this.#isGone) return;
    // With a text, even an empty one, HTTP/2 would write to the stream of a response that has no body.
    if (body === undefined) return void response.end();
    if (typeof body === 'string') return void response.end(body, encoding);
    for (const piece of body) response.write(piece, encoding);
    response.end();
  }

  stream(headers: Headers): void {
    this.#streamHeaders = headers;
    this.#collect('');
  }

  write(text: string): void | Promise<void> {
    if (this.closed) return undefined;
    this.#collect(text);
    if (this.#text!.length > MAX_COLLECTED) this.#flush();
    return this.#room;
  }

  end(): void {
    if (this.closed) return;
    const text = this.#text;
    const headers = this.#streamHeaders;
    this.#text = undefined;
    this.#streamHeaders = undefined;
    if (headers !== undefined) this.send(200, headers, text ?? '');
    else if (text) this.#response.end(text);
    else this.#response.end();
  }

  #collect(text: string): void {
    if (this.#text === undefined) afterTurn(() => this.#flush());
    this.#text = (this.#text ?? '') + text;
  }

  #flush(): void {
    const response = this.#response;
    const text = this.#text;
    this.#text = undefined;
    if (text === undefined || this.closed) return;
    const headers = this.#streamHeaders;
    this.#streamHeaders = undefined;
    if (headers !== undefined) response.writeHead(200, headers);
    if (text === '') response.flushHeaders();
    else if (!response.write(text)) this.#wait();
  }

  /** The peer is behind: writers wait until there is room, or the peer has disconnected. */
  #wait(): void {
    const response = this.#response;
    this.#room ??= new Promise((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        this.#room = undefined;
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  destroy(): void {
    this.#text = undefined;
    this.#response.destroy();
  }

  onGone(listener: () => void): void {
    const response = this.#response;
    if (response.closed) return listener();
    response.once('close', () => {
      if (!response.writableFinished && !this.#endsLater) listener();
    });
  }
}

/** Limits for reading an unused body: bytes, total milliseconds, and milliseconds without data. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 10_000;
const MAX_SILENT_MS = 1_000;

/**
 * Reads the rest of a body and discards it, within limits. If a connection is closed while the peer is still sending, the peer may lose the
 * response that it has not read yet (RFC 9112, section 9.6). `done` is called once.
 */
function discardRest(request: IncomingMessage, done: () => void): void {
  const until = performance.now() + MAX_MS;
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', end).off('close', end);
    done();
  };
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    timer.refresh();
    if (bytes > MAX_BYTES || performance.now() > until) end();
  };
  const timer = setTimeout(end, MAX_SILENT_MS).unref();
  request.on('data', onData).once('end', end).once('close', end).on('error', ignore);
  request.resume();
}
