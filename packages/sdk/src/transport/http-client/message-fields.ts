import type { ToolEntry } from '../../protocol/entities.ts';
import { isObject, type JsonObject, type Notification, type Request, type Response } from '../../protocol/jsonrpc.ts';
import { META, metaOf } from '../../protocol/meta.ts';
import { isRevision, type Revision } from '../../protocol/revision.ts';
import { HEADER, mirroredName, standardHeaders } from '../../wire/headers.ts';
import { type MirroredParam, mirroredParams, paramHeaders } from '../../wire/param-headers.ts';
import type { Fields } from './http-sender.ts';

const POST_FIELDS: Fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The revision in the `_meta` of a message: only modern messages have one. */
export function claimedBy(params: JsonObject | undefined): Revision | undefined {
  const version = metaOf(params)[META.protocolVersion];
  return isRevision(version) ? version : undefined;
}

/** For how many methods and names fields are kept. */
const MAX_KNOWN = 1_000;

/**
 * The header fields of the messages to one server: they repeat parts of the message, and identify the session. Messages with equal fields
 * get the same object, so that values derived from it can be cached.
 */
export class MessageFields {
  #session: string | undefined;
  #revision: Revision | undefined;
  readonly #mirrored = new Map<string, readonly MirroredParam[]>();
  /** The fields of the requests that claim one revision, by method and name. */
  #known = new Map<string, Map<string | undefined, Fields>>();
  #knownCount = 0;
  #claimed: Revision | undefined;
  /** The fields of every message of the session. */
  #ofSession: Fields | undefined;

  /** The session id, if the server assigned one. */
  get session(): string | undefined {
    return this.#session;
  }

  set session(session: string | undefined) {
    this.#session = session;
    this.#ofSession = undefined;
  }

  /** The revision negotiated by `initialize`. */
  set revision(revision: Revision) {
    this.#revision = revision;
    this.#ofSession = undefined;
  }

  /** Remembers which arguments of a tool are mirrored in headers. Returns the reason if the tool cannot be used. */
  learn(tool: ToolEntry): string | undefined {
    const found = mirroredParams(tool.inputSchema);
    if ('problem' in found) {
      this.#mirrored.delete(tool.name);
      return found.problem;
    }
    if (found.length > 0) this.#mirrored.set(tool.name, found);
    else this.#mirrored.delete(tool.name);
    return undefined;
  }

  /** The fields of the POST of a message. `claimed`: the revision that it claims. */
  forPost(message: Request | Notification | Response, claimed: Revision | undefined): Fields {
    if (claimed !== undefined) return this.#forModern(message as Request | Notification, claimed);
    const begins = 'method' in message && message.method === 'initialize';
    return begins ? POST_FIELDS : (this.#ofSession ??= { ...POST_FIELDS, ...this.forSession() });
  }

  /** The fields of every request in a session; these are all that a GET or DELETE has. */
  forSession(): Fields {
    const fields = this.#revision === undefined ? {} : standardHeaders(undefined, this.#revision);
    if (this.#session !== undefined) fields[HEADER.session] = this.#session;
    return fields;
  }

  #forModern(message: Request | Notification, claimed: Revision): Fields {
    const fields = this.#standardFields(message, claimed);
    const mirrored = message.method === 'tools/call' ? this.#mirrored.get(String(message.params?.['name'])) : undefined;
    if (mirrored === undefined) return fields;
    const args = message.params?.['arguments'];
    return { ...fields, ...paramHeaders(mirrored, isObject(args) ? args : undefined) };
  }

  #standardFields(message: Request | Notification, claimed: Revision): Fields {
    const isRequest = 'id' in message;
    if (claimed !== this.#claimed || this.#knownCount > MAX_KNOWN) {
      this.#claimed = claimed;
      this.#known = new Map();
      this.#knownCount = 0;
    }
    const name = mirroredName(message);
    const known = isRequest ? this.#known.get(message.method)?.get(name) : undefined;
    if (known !== undefined) return known;
    const fields = { ...POST_FIELDS, ...standardHeaders(message, claimed) };
    if (isRequest) this.#keep(message.method, name, fields);
    return fields;
  }

  #keep(method: string, name: string | undefined, fields: Fields): void {
    this.#knownCount++;
    const names = this.#known.get(method);
    if (names === undefined) this.#known.set(method, new Map([[name, fields]]));
    else names.set(name, fields);
  }
}
