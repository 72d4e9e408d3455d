import type { HttpSend } from './send.ts';

/** Sends with `fetch`, which every runtime has. */
export function fetchSend(fetch: typeof globalThis.fetch = globalThis.fetch): HttpSend {
  return ({ method, url, headers, body }, incoming) => {
    const controller = new AbortController();
    let over = false;
    let delivered = false;
    const run = async (): Promise<void> => {
      const init: RequestInit = {
        method,
        headers: headers as Record<string, string>,
        redirect: 'manual',
        signal: controller.signal,
        body,
      };
      const response = await fetch(url, init);
      delivered = true;
      if (over) return;
      // Browsers hide the target of a redirect.
      if (response.type === 'opaqueredirect')
        throw new Error('The server redirects to another address, which is not followed');
      const { headers: fields, status } = response;
      incoming.head({ status, header: (name) => fields.get(name) ?? undefined, all: () => fields });
      const reader = response.body?.getReader();
      for (;;) {
        if (over || reader === undefined) break;
        const { done, value } = await reader.read();
        if (done) break;
        if (!over) incoming.data(value);
      }
    };
    run().then(
      () => {
        if (over) return;
        over = true;
        incoming.end();
      },
      (error: unknown) => {
        if (over) return;
        over = true;
        incoming.end(error instanceof Error ? error : new Error(String(error)), delivered || mayHaveArrived(error));
      },
    );
    return {
      abort() {
        over = true;
        controller.abort();
      },
    };
  };
}

/** Codes of connection errors in Node: the cause of a rejection of `fetch` has them. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function mayHaveArrived(error: unknown): boolean {
  return !NEVER_SENT.has(((error as { cause?: { code?: unknown } }).cause ?? (error as { code?: unknown })).code);
}

/** The default in runtimes other than Node. */
export function defaultSend(): HttpSend {
  return fetchSend();
}
