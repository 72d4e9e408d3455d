import type { AnswerOf, Routes } from '../../../src/api/routes.ts';
import type { PushEvent } from '../../../src/api/views.ts';
import { codeOf } from '../route/route.ts';
import { api, ApiError, onLoggedOut, openEvents } from './api.ts';
import { readEvents } from './events.ts';
import { forgetLists } from './lists.ts';
import { apply, type LinkStatus, model, runOf, traceLength } from './model.ts';

// Keeps the model in sync with the inspector: the whole state first, then every change.

export function applyEvent(event: PushEvent): void {
  if (event.type === 'trace') return traceLength.set(event.length);
  if (event.type === 'state') {
    if (runOf(event.state) !== runOf(model.get().state)) forgetLists();
    traceLength.set(event.state.trace.length);
  }
  model.set((before) => apply(before, event));
}

/** The delay before a broken stream is opened again, in milliseconds. */
const RETRY_MS = 1_000;
/** The same if too many pages are open, so that the user has to close one. */
const CROWDED_MS = 4_000;

function linkAfter(error: unknown): LinkStatus {
  if (!(error instanceof ApiError)) return 'lost';
  if (error.status === 401) return 'locked';
  return error.code === 'too-many-pages' ? 'crowded' : 'lost';
}

/** Reads one stream of events until it breaks. */
async function listen(signal: AbortSignal): Promise<LinkStatus> {
  try {
    await readEvents(await openEvents(signal), (data) => {
      if (!signal.aborted) applyEvent(JSON.parse(data) as AnswerOf<Routes['events']>);
    });
    return 'lost';
  } catch (error) {
    return linkAfter(error);
  }
}

let following = new AbortController();

/** Follows the inspector until the page is logged out, or this is called again. */
async function start(): Promise<void> {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  for (;;) {
    const link = await listen(signal);
    if (signal.aborted) return;
    model.set((before) => ({ ...before, link }));
    if (link === 'locked') return;
    await new Promise((resolve) => setTimeout(resolve, link === 'crowded' ? CROWDED_MS : RETRY_MS));
    if (signal.aborted) return;
  }
}

/** Exchanges the code in the fragment, if there is one, for the cookie, and removes it from the address and the history. */
async function enter(): Promise<void> {
  const code = codeOf(location.hash);
  if (code === undefined) return;
  history.replaceState(null, '', '#/');
  dispatchEvent(new HashChangeEvent('hashchange'));
  // A code that was already used does no harm: its cookie may still be valid.
  await api.session({ body: { code } }).catch(() => undefined);
}

/** Pasting a new link into an open page changes only the fragment. */
async function enterAgain(): Promise<void> {
  if (codeOf(location.hash) === undefined) return;
  await enter();
  if (model.get().link !== 'open') await start();
}

/** Starts to follow the inspector. Called once. */
export async function goLive(): Promise<void> {
  onLoggedOut(() => model.set((before) => ({ ...before, link: 'locked' })));
  addEventListener('hashchange', () => void enterAgain());
  await enter();
  await start();
}
