import { type CallToolResult, ProtocolError, TimeoutError } from 'tenon/client';
import { withoutSecrets } from './audit/secrets.ts';
import type { PolicyDecision } from './policy/gate.ts';
import type { HostTool } from './registry/toolbox.ts';
import type { Connection } from './servers/connection.ts';
import { messageOf } from './values/message-of.ts';

/** A result that only says what went wrong, for the model. */
export const errorResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

/** For the model: what it can do about it. */
export const failureText = (error: unknown, { name, server }: HostTool): string => {
  const message = messageOf(error);
  if (error instanceof ProtocolError) return `The server '${server}' refused the call of ${name}: ${message}`;
  // What a process wrote to its stderr is in it, which is not for models.
  return `The call of ${name} failed: ${withoutSecrets(message)}`;
};

/** It is not what it was when it was decided about. */
export class ServerChangedError extends Error {}

/** How something ended that threw. */
export const outcomeOf = (error: unknown, isCancelled: boolean): 'error' | 'cancelled' | 'timeout' => {
  if (isCancelled || error instanceof ServerChangedError) return 'cancelled';
  return error instanceof TimeoutError ? 'timeout' : 'error';
};

/** Why it was not called. */
export const refusalText = ({ why, decision }: PolicyDecision, name: string): string => {
  const reason = decision?.reason;
  return `${name} was not called: ${reason ?? why}. Do not try it again unless the person asks for it.`;
};

/** Why a tool of a server that is gone is not there. */
export const unavailableText = (name: string, { alias, isStarting: isComing, problem, state }: Connection): string =>
  isComing
    ? `${name} is away for now: its server '${alias}' is being started again. Try it again later, and go on with something else until then.`
    : `${name} is away: its server '${alias}' is not there (${withoutSecrets(problem ?? state)}). Go on without it, and tell the person.`;
