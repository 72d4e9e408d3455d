import type { RequestBody } from '../../../src/api/bodies.ts';
import type { RequestAnswer } from '../../../src/api/views.ts';
import { api } from './api.ts';
import { model } from './model.ts';

// A request does not keep a connection while the server thinks: the page hears when it has ended, and fetches the answer then.

/** Asked again after this, whatever was heard meanwhile. */
const AGAIN_MS = 2_000;

const isRunning = (server: string, key: string): boolean =>
  model
    .get()
    .state?.servers.find(({ id }) => id === server)
    ?.running?.some((one) => one.key === key) === true;

/** Resolves when something is heard, or after a while. */
const news = (): { readonly come: Promise<void>; end(): void } => {
  let end = (): void => {};
  const come = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    const stop = model.subscribe(resolve);
    end = () => {
      clearTimeout(timer);
      stop();
    };
  });
  return { come, end: () => end() };
};

/** How a request ended that is under way. Rejects with an `ApiError` if nobody knows it any more. */
export const answerTo = async (server: string, key: string, signal?: AbortSignal): Promise<RequestAnswer> => {
  for (;;) {
    const { come, end } = news();
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
};

/** Sends a request, and waits for how it ends. */
export const sendRequest = async (server: string, body: RequestBody, signal?: AbortSignal): Promise<RequestAnswer> => {
  const answer = await api.requests({ parts: { id: server }, body, signal });
  return answer.outcome === 'running' ? answerTo(server, body.key, signal) : answer;
};
