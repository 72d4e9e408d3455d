import { type CallToolResult, ProtocolError, TimeoutError } from 'tenon/client';
import { HostError } from '../values/host-error.ts';
import { withoutSecrets } from '../audit/secrets.ts';
import type { PolicyDecision } from '../policy/gate.ts';
import type { HostTool } from '../registry/toolbox.ts';
import type { Connection } from '../servers/connection.ts';
import { messageOf } from '../values/message-of.ts';

/** An error result with a text for the model. */
export function errorResult(text: string): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
  };
}

/** Describes a failed call for the model. */
export function failureText(error: unknown, { name, server }: HostTool): string {
  const message = messageOf(error);
  if (error instanceof ProtocolError) return `The server '${server}' refused the call of ${name}: ${message}`;
  // The message may contain stderr output of the process, which must not reach a model unredacted.
  return `The call of ${name} failed: ${withoutSecrets(message)}`;
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

/** Tells the model why a tool of a stopped server is unavailable. */
export function unavailableText(name: string, { alias, isStarting: isComing, problem, state }: Connection): string {
  return isComing
    ? `${name} is unavailable for now: its server '${alias}' is being started again. Try again later, and continue with something else until then.`
    : `${name} is unavailable: its server '${alias}' is not running (${withoutSecrets(problem ?? state)}). Continue without it, and tell the person.`;
}
