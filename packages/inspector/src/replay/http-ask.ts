import type { ClientAuth } from 'tenon/auth';
import type { Fields } from './message-fields.ts';

/** Sends one request over HTTP. */
export type HttpAsk = (target: string, method: string, fields: Fields, body?: string) => Promise<Response>;

const MAX_REFUSALS = 3;

/** Sends requests with headers of one's own and, where the server asks for them, with credentials. Follows no redirect. */
export function httpAsk(server: string, headers: Fields, auth: ClientAuth | undefined, signal: AbortSignal): HttpAsk {
  return async (target, method, fields, body) => {
    for (let attempt = 0; ; attempt++) {
      const sent = (await auth?.credentials({ server, method, url: target })) ?? {};
      const answer = await fetch(target, {
        method,
        headers: { ...fields, ...headers, ...sent },
        redirect: 'error',
        signal,
        ...(body === undefined ? {} : { body }),
      });
      const { status } = answer;
      const header = (name: string): string | undefined => answer.headers.get(name) ?? undefined;
      const challenge = header('www-authenticate');
      const asks = status === 401 || (status === 403 && challenge !== undefined);
      if (auth === undefined || !asks || attempt >= MAX_REFUSALS) return answer;
      if (!(await auth.challenged({ status, challenge, server, method, url: target, sent, attempt, header })))
        return answer;
      await answer.body?.cancel();
    }
  };
}

/** What a failure of `fetch` is really about. */
export function reasonOf(error: Error): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
}
