import type { AnswerOf, Routes } from '../../../src/api/routes.ts';
import type { PushEvent } from '../../../src/api/views.ts';
import { codeOf } from '../route/route.ts';
import { api, ApiError, onLoggedOut, openEvents } from './api.ts';
import { readEvents } from './events.ts';
import { forgetLists } from './lists.ts';
import { apply, type LinkStatus, model, runOf, traceLength } from './model.ts';

// Keeps the model like the server of the web: what is known first, then every change.

export const take = (event: PushEvent): void => {
  if (event.type === 'trace') return traceLength.set(event.length);
  if (event.type === 'state') {
    if (runOf(event.state) !== runOf(model.get().state)) forgetLists();
    traceLength.set(event.state.trace.length);
  }
  model.set((before) => apply(before, event));
};

/** After this time a stream that broke is opened anew. */
const AGAIN_MS = 1_000;
/** Where too many pages are open, somebody has to close one. */
const CROWDED_MS = 4_000;

const linkAfter = (error: unknown): LinkStatus => {
  if (!(error instanceof ApiError)) return 'lost';
  if (error.status === 401) return 'locked';
  return error.code === 'too-many-pages' ? 'crowded' : 'lost';
};

/** A stream begins with the state, and goes on from it until it breaks. */
const listen = async (signal: AbortSignal): Promise<LinkStatus> => {
  try {
    await readEvents(await openEvents(signal), (data) => {
      if (!signal.aborted) take(JSON.parse(data) as AnswerOf<Routes['events']>);
    });
    return 'lost';
  } catch (error) {
    return linkAfter(error);
  }
};

let following = new AbortController();

/** Follows the server of the web until the page is logged out, or it begins anew. */
const start = async (): Promise<void> => {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  for (;;) {
    const link = await listen(signal);
    if (signal.aborted) return;
    model.set((before) => ({ ...before, link }));
    if (link === 'locked') return;
    await new Promise((resolve) => setTimeout(resolve, link === 'crowded' ? CROWDED_MS : AGAIN_MS));
    if (signal.aborted) return;
  }
};

/** Exchanges the code of the address, if there is one, for the cookie; the code leaves the address and the history. */
const enter = async (): Promise<void> => {
  const code = codeOf(location.hash);
  if (code === undefined) return;
  history.replaceState(null, '', '#/');
  dispatchEvent(new HashChangeEvent('hashchange'));
  // A code that was used before is no harm: the cookie of then may still be good.
  await api.session({ body: { code } }).catch(() => undefined);
};

/** A new link that is pasted into the page that is open changes only the fragment. */
const enterAgain = async (): Promise<void> => {
  if (codeOf(location.hash) === undefined) return;
  await enter();
  if (model.get().link !== 'open') await start();
};

/** Begins to follow the server of the web. Called once. */
export const goLive = async (): Promise<void> => {
  onLoggedOut(() => model.set((before) => ({ ...before, link: 'locked' })));
  addEventListener('hashchange', () => void enterAgain());
  await enter();
  await start();
};
