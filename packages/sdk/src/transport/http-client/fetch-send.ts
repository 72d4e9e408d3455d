import type { HttpSend } from './send.ts';

/** Sends by `fetch`: works everywhere. */
export const fetchSend =
  (fetch: typeof globalThis.fetch = globalThis.fetch): HttpSend =>
  ({ method, url, headers, body }, incoming) => {
    const controller = new AbortController();
    let over = false;
    let delivered = false;
    const run = async (): Promise<void> => {
      const response = await fetch(url, {
        method,
        headers: headers as Record<string, string>,
        redirect: 'manual',
        signal: controller.signal,
        ...(body === undefined ? {} : { body }),
      });
      delivered = true;
      if (over) return;
      // A browser hides where a redirect leads.
      if (response.type === 'opaqueredirect')
        throw new Error('The server sends on to another address, which is not followed');
      const { headers: fields } = response;
      incoming.head(
        response.status,
        (name) => fields.get(name) ?? undefined,
        () => fields,
      );
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
    return () => {
      over = true;
      controller.abort();
    };
  };

/** Errors of connecting, as Node names them in the cause of what `fetch` rejects with. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const mayHaveArrived = (error: unknown): boolean =>
  !NEVER_SENT.has(((error as { cause?: { code?: unknown } }).cause ?? (error as { code?: unknown })).code);

/** `fetch`, where there is nothing faster. */
export const defaultSend = (): HttpSend => fetchSend();
