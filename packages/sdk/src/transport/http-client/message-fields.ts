import type { ToolEntry } from '../../protocol/entities.ts';
import { isObject, type JsonObject, type Notification, type Request, type Response } from '../../protocol/jsonrpc.ts';
import { META, metaOf } from '../../protocol/meta.ts';
import { isRevision, type Revision } from '../../protocol/revision.ts';
import { HEADER, standardHeaders } from '../../wire/headers.ts';
import { type MirroredParam, mirroredParams, paramHeaders } from '../../wire/param-headers.ts';
import type { Fields } from './fly.ts';

const POST_FIELDS: Fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The revision a message claims to be of: then it is a modern one. */
export function claimedBy(params: JsonObject | undefined): Revision | undefined {
  const version = metaOf(params)[META.protocolVersion];
  return isRevision(version) ? version : undefined;
}

/** The header fields of the messages to one server: what they repeat of a message, and what they say of the session. */
export class MessageFields {
  /** The id of the session, where the server gave one. */
  session: string | undefined;
  /** What `initialize` agreed on. */
  revision: Revision | undefined;
  readonly #mirrored = new Map<string, readonly MirroredParam[]>();

  /** Learns which arguments of a tool are repeated in headers; gives why the tool cannot be used. */
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

  /** Of the POST that carries a message. */
  of(message: Request | Notification | Response): Fields {
    const params = 'method' in message ? message.params : undefined;
    const claimed = claimedBy(params);
    if (claimed === undefined) {
      const begins = 'method' in message && message.method === 'initialize';
      return begins ? POST_FIELDS : { ...POST_FIELDS, ...this.ofSession(message) };
    }
    const call = message as Request;
    const fields = { ...POST_FIELDS, ...standardHeaders(call, claimed) };
    const mirrored = call.method === 'tools/call' ? this.#mirrored.get(String(params?.['name'])) : undefined;
    if (mirrored === undefined) return fields;
    const args = params?.['arguments'];
    return { ...fields, ...paramHeaders(mirrored, isObject(args) ? args : undefined) };
  }

  /** What every request in a session says. Without a message: of a GET or DELETE. */
  ofSession(message?: Request | Notification | Response): Fields {
    const fields: Record<string, string> =
      this.revision === undefined ? {} : { ...standardHeaders(message as never, this.revision) };
    if (this.session !== undefined) fields[HEADER.session] = this.session;
    return fields;
  }
}
