import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Channel } from '../protocol/channel.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { isObject, type JsonObject, type RequestId } from '../protocol/jsonrpc.ts';
import { META } from '../protocol/meta.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';

/** A message that a scripted peer received: a request if it has an `id`. */
export interface PeerMessage {
  /** The method. */
  readonly method: string;
  /** The id of a request; a notification has none. */
  readonly id?: RequestId;
  /** The params, if there are any. */
  readonly params?: JsonObject;
}

/**
 * How a peer answers messages of a method: a result, or a function of the message. Undefined: no answer. Throwing a `ProtocolError` answers
 * with that error.
 */
export type Rule =
  | JsonObject
  | ((
      message: PeerMessage,
      peer: ScriptedPeer,
    ) => JsonObject | undefined | void | Promise<JsonObject | undefined | void>);

/** Rules by method; `*` for all other methods, which otherwise get error -32601. */
export type Script = Readonly<Record<string, Rule>>;

/** A peer that follows a script, valid or not, and records every message it receives. */
export interface ScriptedPeer {
  /** The messages as texts. */
  readonly texts: readonly string[];
  /** The messages, parsed. */
  readonly received: readonly JsonObject[];
  /** Requests and notifications of a method, in order. */
  calls(method: string): PeerMessage[];
  /** The next message of a method that was not returned yet. */
  next(method: string): Promise<PeerMessage>;
  /** Sends a message, or a string as it is. */
  send(message: object | string): Promise<void>;
  /** Sends a notification. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Answers a request with a result. */
  respond(id: RequestId | undefined, result: JsonObject): Promise<void>;
  /** Answers a request with an error. */
  fail(id: RequestId | undefined, code: number, message: string, data?: unknown): Promise<void>;
  /** Sends a request and resolves to the whole response. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Closes the channel. */
  close(): Promise<void>;
  /** Resolves when the other side has closed. */
  readonly done: Promise<void>;
}

/**
 * A scripted peer on one end of a channel. An error that a rule throws, unless it is a `ProtocolError`, closes the channel and rejects `done`.
 *
 * @example
 * ```ts
 * import { agreesOn, connect, memoryPair, scriptedPeer } from 'tenon/testing';
 *
 * const [near, far] = memoryPair();
 * // It agrees on a revision, and then answers nothing.
 * const peer = scriptedPeer(far, { ...agreesOn('2025-11-25'), '*': () => undefined });
 * await using client = await connect(near, { timeout: 50 });
 * ```
 */
export function scriptedPeer(channel: Channel, script: Script): ScriptedPeer {
  const texts: string[] = [];
  const received: JsonObject[] = [];
  const awaited = new Map<RequestId, (response: JsonObject) => void>();
  const waiting = new Map<string, ((message: PeerMessage) => void)[]>();
  const unread = new Map<string, PeerMessage[]>();
  let nextId = 1;

  const send = async (message: object | string): Promise<void> => {
    await channel.send(typeof message === 'string' ? message : JSON.stringify(message));
  };

  const follow = async (message: PeerMessage): Promise<void> => {
    const rule = Object.hasOwn(script, message.method) ? script[message.method]! : script['*'];
    const { id } = message;
    try {
      if (rule === undefined && id !== undefined)
        throw new ProtocolError(CODE.methodNotFound, `Method not found: ${message.method}`);
      const result = typeof rule === 'function' ? await rule(message, peer) : rule;
      if (id !== undefined && result !== undefined) await peer.respond(id, result);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      await peer.fail(id, error.code, error.message, error.data);
    }
  };

  const take = (message: JsonObject): void => {
    received.push(message);
    if (typeof message['method'] !== 'string') {
      awaited.get(message['id'] as RequestId)?.(message);
      awaited.delete(message['id'] as RequestId);
      return;
    }
    const call = message as unknown as PeerMessage;
    const taker = waiting.get(call.method)?.shift();
    if (taker === undefined) unread.set(call.method, [...(unread.get(call.method) ?? []), call]);
    else taker(call);
    follow(call).catch((error: unknown) => {
      // An error in the script ends the connection, so that the test fails instead of hanging.
      fault(error);
      return channel.close();
    });
  };

  let fault: (error: unknown) => void;
  const broken = new Promise<never>((_, reject) => {
    fault = reject;
  });
  broken.catch(() => {});

  const read = async (): Promise<void> => {
    for await (const item of channel.incoming) {
      if (typeof item !== 'string') continue;
      texts.push(item);
      const value: unknown = JSON.parse(item);
      for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) if (isObject(message)) take(message);
    }
  };

  const peer: ScriptedPeer = {
    texts,
    received,
    calls: (method) => received.filter((message) => message['method'] === method) as unknown as PeerMessage[],
    next(method) {
      const message = unread.get(method)?.shift();
      if (message !== undefined) return Promise.resolve(message);
      return new Promise((resolve) => waiting.set(method, [...(waiting.get(method) ?? []), resolve]));
    },
    send,
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    respond: (id, result) => send({ jsonrpc: '2.0', id, result }),
    fail: (id, code, message, data) => send({ jsonrpc: '2.0', id, error: { code, message, data } }),
    request(method, params) {
      const id = `peer-${nextId++}`;
      const response = new Promise<JsonObject>((resolve) => awaited.set(id, resolve));
      return send({ jsonrpc: '2.0', id, method, params }).then(() => response);
    },
    async close() {
      await channel.close();
    },
    done: Promise.race([read(), broken]),
  };
  peer.done.catch(() => {});
  return peer;
}

/** The capabilities and identity of a scripted server. */
export interface Offer {
  /** The capabilities. Default: none. */
  readonly capabilities?: ServerCapabilities;
  /** The instructions. Default: none. */
  readonly instructions?: string;
  /** The name of the server. Default `scripted`. */
  readonly name?: string;
}

/**
 * The rules for a scripted server that agrees on one revision, in the way of that revision: with `server/discover` or `initialize`.
 *
 * @example
 * ```ts
 * import { agreesOn, connectScripted } from 'tenon/testing';
 *
 * const { client } = await connectScripted(agreesOn('2026-07-28', { instructions: 'Be brief' }));
 * console.log(client.instructions);
 * ```
 */
export function agreesOn(
  revision: Revision,
  { capabilities = {}, instructions, name = 'scripted' }: Offer = {},
): Script {
  const said = { capabilities, instructions };
  const serverInfo = { name, version: '1.0.0' };
  if (featuresOf(revision).era === 'modern') {
    const result = { resultType: 'complete', supportedVersions: [revision], ttlMs: 0, cacheScope: 'private', ...said };
    return { 'server/discover': { ...result, _meta: { [META.serverInfo]: serverInfo } } };
  }
  return {
    initialize: { protocolVersion: revision, serverInfo, ...said },
    'notifications/initialized': () => {},
    ping: {},
  };
}
