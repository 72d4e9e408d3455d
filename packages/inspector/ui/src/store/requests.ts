import type { RequestBody } from '../../../src/api/bodies.ts';
import type { RequestAnswer } from '../../../src/api/views.ts';
import { api } from './api.ts';
import { model } from './model.ts';

// A request does not keep a connection open while the server works: the state says when it has ended, and then the page fetches
// the answer.

/** The longest interval between two polls of the answer, in milliseconds. */
const POLL_MS = 2_000;

function isRunning(server: string, key: string): boolean {
  return (
    model
      .get()
      .state?.servers.find(({ id }) => id === server)
      ?.running?.some((one) => one.key === key) === true
  );
}

/** Resolves at the next change of the state, or after the interval. */
function nextChange(): { readonly come: Promise<void>; end(): void } {
  let end = (): void => {};
  const come = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, POLL_MS);
    const stop = model.subscribe(resolve);
    end = () => {
      clearTimeout(timer);
      stop();
    };
  });
  return { come, end: () => end() };
}

/** Waits for the end of a running request. Rejects with an `ApiError` if the inspector no longer knows it. */
export async function answerTo(server: string, key: string, signal?: AbortSignal): Promise<RequestAnswer> {
  for (;;) {
    const { come, end } = nextChange();
    try {
      if (!isRunning(server, key)) {
        const answer = await api.answer({ parts: { id: server, key }, signal });
        if (answer.outcome !== 'running') return answer;
      }
      await come;
      signal?.throwIfAborted();
    } finally {
      end();
    }
  }
}

/** Sends a request, and waits for its end. */
export async function sendRequest(server: string, body: RequestBody, signal?: AbortSignal): Promise<RequestAnswer> {
  const answer = await api.requests({ parts: { id: server }, body, signal });
  return answer.outcome === 'running' ? answerTo(server, body.key, signal) : answer;
}
