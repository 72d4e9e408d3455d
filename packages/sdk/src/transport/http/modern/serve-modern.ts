import type { ClientCapabilities } from '../../../protocol/capabilities.ts';
import type { Implementation } from '../../../protocol/entities.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { JsonObject } from '../../../protocol/jsonrpc.ts';
import type { LogLevel } from '../../../protocol/log.ts';
import type { KnownTool, Principal } from '../../../protocol/request-context.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { Claim } from '../../../wire/claim.ts';
import type { IncomingRequest } from '../../serving/message.ts';
import { serveCall } from '../../serving/serve-call.ts';
import { type Caller, ServerCall } from '../../serving/server-call.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { PostResponse } from '../post-response.ts';
import { refuseToolCall } from '../run-checks.ts';

/** The sender of a modern request: its claim, and the facts the transport knows about it. */
class ModernCaller implements Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly principal: Principal | undefined;
  readonly #http: HttpExchange;

  constructor({ revision, capabilities, client, logLevel }: Claim, http: HttpExchange) {
    this.revision = revision;
    this.capabilities = capabilities;
    this.client = client;
    this.logLevel = logLevel;
    this.principal = http.principal;
    this.#http = http;
  }

  get quotaKey(): string | undefined {
    return this.#http.quotaKey;
  }
}

/** Serves a modern request. */
export function serveModern(endpoint: Endpoint, http: HttpExchange, message: IncomingRequest): void {
  const caller = new ModernCaller(http.claim!, http);
  const writer = new PostResponse(http, endpoint.streams);
  const { header } = http.request;
  // Only the arguments of tools are mirrored.
  const call =
    message.method === 'tools/call'
      ? new ServerCall(message, caller, writer, header, (tool, args) => checkMirrors(endpoint, http, tool, args))
      : new ServerCall(message, caller, writer, header);
  serveCall(endpoint.modern, call);
}

/** Throws if the headers of a call do not mirror its arguments: a proxy would act on one value and the server on another. */
function checkMirrors({ mirrors, rules }: Endpoint, http: HttpExchange, tool: KnownTool, args: JsonObject): void {
  const mirrored = mirrors.of(tool);
  const { text } = http;
  http.text = '';
  if (mirrored.length === 0) return;
  const refusal = refuseToolCall({ header: http.request.header, text, mirrored, args }, rules);
  if (refusal !== undefined) throw new ProtocolError(refusal.error.code, refusal.error.message);
}
