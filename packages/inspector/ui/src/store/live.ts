import { ROUTES } from '../../../src/api/routes.ts';
import type { PushEvent, StateView } from '../../../src/api/views.ts';
import { codeOf } from '../route/route.ts';
import { get, onLoggedOut, post, ApiError } from './api.ts';
import { apply, model, traceLength } from './model.ts';

// Keeps the model like the server of the web: what is known first, then every change.

const take = (event: PushEvent): void => {
  if (event.type === 'trace') traceLength.set(event.length);
  else {
    if (event.type === 'state') traceLength.set(event.state.trace.length);
    model.set((before) => apply(before, event));
  }
};

const refresh = async (): Promise<void> => {
  try {
    take({ type: 'state', state: await get<StateView>(ROUTES.state) });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    model.set((before) => ({ ...before, link: 'lost' }));
  }
};

/** After this time a stream that broke is opened anew. */
const AGAIN_MS = 1_000;

/** A stream begins with the state, and goes on from it. To ask for the state beside it would bring back what is old by then. */
const listen = (): void => {
  const stream = new EventSource(ROUTES.events);
  stream.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as PushEvent));
  stream.addEventListener('error', () => {
    stream.close();
    if (model.get().link === 'locked') return;
    model.set((before) => ({ ...before, link: before.state === undefined ? 'starting' : 'lost' }));
    setTimeout(() => void start(), AGAIN_MS);
  });
};

/** A browser hides the status that an event stream was refused with, so the state is asked for first. */
const start = async (): Promise<void> => {
  await refresh();
  const { link } = model.get();
  if (link === 'open') listen();
  else if (link === 'lost') setTimeout(() => void start(), AGAIN_MS);
};

/** Exchanges the code of the address, if there is one, for the cookie; the code leaves the address and the history. */
const enter = async (): Promise<void> => {
  const code = codeOf(location.hash);
  if (code === undefined) return;
  history.replaceState(null, '', '#/');
  dispatchEvent(new HashChangeEvent('hashchange'));
  // A code that was used before is no harm: the cookie of then may still be good.
  await post(ROUTES.session, { code }).catch(() => undefined);
};

/** A new link that is pasted into the page that is open changes only the fragment. */
const enterAgain = async (): Promise<void> => {
  if (codeOf(location.hash) === undefined) return;
  await enter();
  if (model.get().link === 'locked') await start();
};

/** Begins to follow the server of the web. Called once. */
export const goLive = async (): Promise<void> => {
  onLoggedOut(() => model.set((before) => ({ ...before, link: 'locked' })));
  addEventListener('hashchange', () => void enterAgain());
  await enter();
  await start();
};
