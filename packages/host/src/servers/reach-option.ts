import { type ClientMiddleware, type ConnectOptions, ProtocolError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import { messageOf } from '../values/message-of.ts';
import { connectionErrorOf } from './plain-failure.ts';

/**
 * The option that observes whether requests reach a server at a URL: there is no process or pipe whose end would say so. `onReach` gets the
 * problem of a request, or undefined if it was answered.
 */
export function reachOption(
  { launch }: ServerConfig,
  given: ConnectOptions,
  onReach: (problem: string | undefined) => void,
): Pick<ConnectOptions, 'use'> {
  if (!('url' in launch)) return {};
  const observe: ClientMiddleware = async (_call, next) => {
    try {
      const answer = await next();
      onReach(undefined);
      return answer;
    } catch (error) {
      if (error instanceof ProtocolError) onReach(undefined);
      else if (connectionErrorOf(error) !== undefined) onReach(messageOf(error));
      throw error;
    }
  };
  return { use: [...(given.use ?? []), observe] };
}
