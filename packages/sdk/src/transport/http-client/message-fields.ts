import type { ToolEntry } from '../../protocol/entities.ts';
import { isObject, type JsonObject, type Notification, type Request, type Response } from '../../protocol/jsonrpc.ts';
import { META, metaOf } from '../../protocol/meta.ts';
import { isRevision, type Revision } from '../../protocol/revision.ts';
import { HEADER, standardHeaders } from '../../wire/headers.ts';
import { type MirroredParam, mirroredParams, paramHeaders } from '../../wire/param-headers.ts';
import type { Fields } from './send-authorized.ts';

const POST_FIELDS: Fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The revision in the `_meta` of a message: only modern messages have one. */
export function claimedBy(params: JsonObject | undefined): Revision | undefined {
  const version = metaOf(params)[META.protocolVersion];
  return isRevision(version) ? version : undefined;
}

/** The header fields of the messages to one server: they repeat parts of the message, and identify the session. */
export class MessageFields {
  /** The session id, if the server assigned one. */
  session: string | undefined;
  /** The revision negotiated by `initialize`. */
  revision: Revision | undefined;
  readonly #mirrored = new Map<string, readonly MirroredParam[]>();

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

  /** The fields of the POST of a message. */
  forPost(message: Request | Notification | Response): Fields {
    const params = 'method' in message ? message.params : undefined;
    const claimed = claimedBy(params);
    if (claimed === undefined) {
      const begins = 'method' in message && message.method === 'initialize';
      return begins ? POST_FIELDS : { ...POST_FIELDS, ...this.forSession(message) };
    }
    const call = message as Request;
    const fields = { ...POST_FIELDS, ...standardHeaders(call, claimed) };
    const mirrored = call.method === 'tools/call' ? this.#mirrored.get(String(params?.['name'])) : undefined;
    if (mirrored === undefined) return fields;
    const args = params?.['arguments'];
    return { ...fields, ...paramHeaders(mirrored, isObject(args) ? args : undefined) };
  }

  /** The fields of every request in a session. Without a message: of a GET or DELETE. */
  forSession(message?: Request | Notification | Response): Fields {
    const fields: Record<string, string> =
      this.revision === undefined ? {} : { ...standardHeaders(message as never, this.revision) };
    if (this.session !== undefined) fields[HEADER.session] = this.session;
    return fields;
  }
}
