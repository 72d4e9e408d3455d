import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { KnownTool, Principal } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { LogLevel } from '../../protocol/log.ts';
import { settle } from '../../protocol/maybe.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Claim } from '../../wire/claim.ts';
import type { IncomingRequest } from '../serving/message.ts';
import { type Caller, RunningCall } from '../serving/running-call.ts';
import { serveCall } from '../serving/serve-call.ts';
import { refusePost, refuseToolCall } from './run-checks.ts';
import { Answer } from './answer.ts';
import { type HttpCall, readBody } from './http-call.ts';
import type { Endpoint } from './endpoint.ts';
import type { UnreadableBody } from './message.ts';
import { failRequest, refuse, sendDenial } from './refuse.ts';
import { initialize, serveInSession } from './serve-session.ts';
import { serveStateless } from './serve-stateless.ts';

/** Serves a POST whose body has been read: runs the checks, checks the scopes of its token, and serves its messages. */
export function servePost(endpoint: Endpoint, http: HttpCall, text: string | UnreadableBody): void {
  const body = (http.body = readBody(text, endpoint.engine.limits));
  if (typeof text === 'string') http.text = text;
  const refusal = refusePost(http, endpoint.rules);
  if (http.era === 'legacy' || body.kind !== 'request' || body.method !== 'tools/call') http.text = '';
  if (refusal !== undefined) return refuse(endpoint, http, refusal);
  if (!endpoint.scopes.inUse) return serveMessages(endpoint, http);
  return void settle(
    () => endpoint.scopes.refuses(body.kind === 'batch' ? body.messages : body, http.principal),
    (denial) => (denial === undefined ? serveMessages(endpoint, http) : sendDenial(http, denial)),
    // A request whose scopes cannot be determined is not served.
    (error) => failRequest(endpoint.engine, http, error),
  );
}

function serveMessages(endpoint: Endpoint, http: HttpCall): void {
  const { body, era, session } = http;
  if (body.kind === 'request' && era === 'modern') return serveModern(endpoint, http, body);
  if (body.kind === 'request' && body.method === 'initialize') return initialize(endpoint, http, body);
  if (era === 'legacy' && session !== undefined) return serveInSession(endpoint, http, session);
  return serveStateless(endpoint, http);
}

/** The sender of a modern request: its claim, and the facts the transport knows about it. */
class ModernCaller implements Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly principal: Principal | undefined;
  readonly #http: HttpCall;

  constructor({ revision, capabilities, client, logLevel }: Claim, http: HttpCall) {
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

function serveModern(endpoint: Endpoint, http: HttpCall, message: IncomingRequest): void {
  const caller = new ModernCaller(http.claim as Claim, http);
  const writer = new Answer(http, endpoint.streams);
  // Only the arguments of tools are mirrored.
  const call =
    message.method === 'tools/call'
      ? new RunningCall(message, caller, writer, (tool, args) => checkMirrors(endpoint, http, tool, args))
      : new RunningCall(message, caller, writer);
  serveCall(endpoint.modern, call);
}

/** Throws if the headers of a call do not mirror its arguments: a proxy would act on one value and the server on another. */
function checkMirrors({ mirrors, rules }: Endpoint, http: HttpCall, tool: KnownTool, args: JsonObject): void {
  const mirrored = mirrors.of(tool);
  const { text } = http;
  http.text = '';
  if (mirrored.length === 0) return;
  const refusal = refuseToolCall({ header: http.request.header, text, mirrored, args }, rules);
  if (refusal !== undefined) throw new ProtocolError(refusal.error.code, refusal.error.message);
}
