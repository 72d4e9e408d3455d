import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { Answerer } from './answerer.ts';
import type { SuspendedCall } from './server-question.ts';
import type { RpcConnection, RequestOptions } from './rpc-connection.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';
import type { ListName, Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** Receives the changes that a server announces. */
export interface ChangeListener {
  listChanged(list: ListName): void;
  updated(uri: string): void;
  /** The server now announces changes of these. After a break, changes may have been missed. */
  watching(topics: Topics): void;
  /** The server has stopped announcing changes of these. */
  lost(topics: Topics): void;
  /** The server will not announce changes of these. */
  refused(topics: Topics, reason: Error): void;
}

/** The parts of the client that a connection needs. */
export interface ConnectionContext {
  readonly rpc: RpcConnection;
  readonly agreement: Agreement;
  readonly settings: Settings;
  readonly answerer: Answerer;
  readonly listener: ChangeListener;
  readonly report: Report;
  /** May this request be sent again if it is unknown whether the server has processed it? */
  canRetry(method: string, params: JsonObject | undefined): boolean;
}

/** Options of one request. */
export interface SendOptions extends CallOptions {
  /** This request declares that the client accepts tasks (2026-07-28), whatever the options of the client say. */
  readonly takesTasks?: boolean;
}

/** A connection to a server in the negotiated revision. Legacy and modern connections have the same interface. */
export interface ServerConnection {
  readonly agreement: Agreement;
  readonly rpc: RpcConnection;
  /**
   * Sends a request and returns its final result, checked and in the format of the newest revision; for a call that became a task, the
   * answer with the task. Answers the server's questions; `onRound` is called if there are any.
   */
  request(method: string, params: JsonObject, options: SendOptions, onRound?: () => void): Promise<JsonObject>;
  /** Continues a call that waits for answers. Throws a `ConnectionError` if the revision cannot do that. */
  resume(call: SuspendedCall, options: CallOptions): Promise<JsonObject>;
  /** Sends a request unchanged and returns the result as it arrived. */
  raw(method: string, params: JsonObject | undefined, options: SendOptions): Promise<JsonObject>;
  /** Sends a notification, with the metadata that the revision requires. */
  notify(method: string, params: JsonObject | undefined): Promise<void>;
  /** Requests announcements of changes of exactly these topics. */
  setTopics(topics: Topics): void;
  ping(options: CallOptions): Promise<void>;
  setLogLevel(level: LogLevel): Promise<void>;
  /** Notifies the server that the roots have changed. */
  rootsChanged(): Promise<void>;
}

/** The result of negotiation: the agreement, and a function that starts the connection. */
export interface NegotiationResult {
  readonly rpc: RpcConnection;
  readonly agreement: Agreement;
  /** Starts the connection in the negotiated revision. */
  start(context: ConnectionContext): ServerConnection;
}

/** The time on the client's clock at which a call that starts now is given up. */
export function deadlineOf(settings: Settings, { timeout = 0, maxTimeout }: CallOptions): number {
  return settings.clock.now() + (maxTimeout ?? Math.max(settings.maxTimeout, timeout));
}

/** The options of one request of a call. */
export function requestOptionsOf(settings: Settings, options: CallOptions, deadline: number): RequestOptions {
  return {
    timeout: options.timeout ?? settings.timeout,
    deadline,
    signal: options.signal,
    onProgress: options.onProgress,
  };
}

/** Reports a part of a result that was left out because it is malformed. */
export function reportLeftOut(report: Report) {
  return (problem: string): void =>
    report('warn', 'bad-entry', `A part of a result is malformed and left out: ${problem}`);
}

/** A request that is sent separately, as over HTTP. */
export interface SeparateRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  send(): Promise<JsonObject>;
}
