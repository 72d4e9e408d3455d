import { type CallToolResult, PeerError, ProtocolError, TimeoutError } from 'tenon/client';
import { HostError } from '../values/host-error.ts';
import { withoutSecrets } from '../audit/secrets.ts';
import type { PolicyDecision } from '../policy/gate.ts';
import type { HostTool } from '../registry/toolbox.ts';
import type { Connection } from '../servers/connection.ts';
import { connectionErrorOf, isUnreachable, plainFailure } from '../servers/plain-failure.ts';
import type { ServerState } from '../servers/view.ts';
import { messageOf } from '../values/message-of.ts';

/** An error result with a text for the model. */
export function errorResult(text: string): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
  };
}

/** Errors whose messages say what a model can react to. Those of other errors may contain stderr of the server, addresses and paths. */
const READABLE = [ProtocolError, PeerError, TimeoutError, HostError] as const;

/** Whether the message of an error is not for the model. The operator has to get it in another way. */
export function isWithheld(error: unknown): boolean {
  return !READABLE.some((kind) => error instanceof kind);
}

/** Describes a failed call for the model. */
export function failureText(error: unknown, { name, server }: HostTool): string {
  const message = messageOf(error);
  if (error instanceof ProtocolError) return `The server '${server}' refused the call of ${name}: ${message}`;
  if (!isWithheld(error)) return `The call of ${name} failed: ${withoutSecrets(message)}`;
  const isSafe = connectionErrorOf(error)?.processed === 'no';
  const next = isSafe ? 'Try again later.' : 'It may have taken effect nevertheless.';
  return `The call of ${name} failed at its server '${server}': ${plainFailure(error)}. ${next}`;
}

/** Tells the model that a tool was not called, because the tools of its server could not be read again. */
export function unreadText(error: unknown, { name, server }: HostTool): string {
  return isUnreachable(error)
    ? `${name} was not called: its server '${server}' cannot be reached for now. Try again later.`
    : `${name} was not called: the tools of its server '${server}' could not be read again, and so not be compared with the approved ones. Try again later.`;
}

/** Is this error that the tool or the server changed after the decision? */
export function isServerChanged(error: unknown): boolean {
  return error instanceof HostError && error.code === 'server-changed';
}

/** The outcome of an action that threw. */
export function outcomeOf(error: unknown, isCancelled: boolean): 'error' | 'cancelled' | 'timeout' {
  if (isCancelled || isServerChanged(error)) return 'cancelled';
  return error instanceof TimeoutError ? 'timeout' : 'error';
}

/** Tells the model why a tool was not called. */
export function refusalText({ why, decision }: PolicyDecision, name: string): string {
  const reason = decision?.reason;
  return `${name} was not called: ${reason ?? why}. Do not try again unless the person asks for it.`;
}

/** Why a server is not running and is not being started either, without the details, which are for the operator. */
const NOT_RUNNING: Readonly<Partial<Record<ServerState, string>>> = {
  refused: 'it was not allowed to start',
  failed: 'it failed',
  stopped: 'it was stopped',
};

/** Tells the model why a tool of a stopped server is unavailable. */
export function unavailableText(name: string, { alias, state }: Connection): string {
  const reason = NOT_RUNNING[state];
  return reason === undefined
    ? `${name} is unavailable for now: its server '${alias}' is starting. Try again later, and continue with something else until then.`
    : `${name} is unavailable: its server '${alias}' is not running (${reason}). Continue without it, and tell the person.`;
}
