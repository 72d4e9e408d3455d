import type { AuthBody } from '../api/bodies.ts';
import type { AuthView, ServerView } from '../api/views.ts';
import { type Workbench, WorkbenchError } from '../session/contract.ts';
import type { Handlers } from './route.ts';

/** So long a page waits for what a person or a slow server may draw out, in milliseconds. What comes later it hears by events. */
const SOON_MS = 5_000;

/** Waits for something, but not long. What goes wrong later is told to `late`. */
const soon = async (work: Promise<unknown>, late: (error: unknown) => void): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, SOON_MS);
  });
  const watched = work.catch((error: unknown) => {
    if (!isLate) throw error;
    // A failure that is for people stands in the view already.
    if (!(error instanceof WorkbenchError)) late(error);
  });
  await Promise.race([watched, enough]).finally(() => clearTimeout(timer));
};

/**
 * So long a page waits for the answer of a server, in milliseconds. A browser has six connections to the inspector: calls that wait must not
 * take all of them, or nobody could answer what they wait for.
 */
const AT_ONCE_MS = 400;

/** What comes soon, else what there is to say until it comes. */
const atOnce = async <T>(work: Promise<T>, meanwhile: () => T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), AT_ONCE_MS);
  });
  // What it comes to later is kept for who asks then.
  work.catch(() => {});
  const first = await Promise.race([work, enough]).finally(() => clearTimeout(timer));
  return first ?? meanwhile();
};

const serverViewOf = (workbench: Workbench, id: string): ServerView => {
  const view = workbench.state().servers.find((server) => server.id === id);
  if (view === undefined) throw new WorkbenchError('unknown-server', `There is no server ${id}`);
  return view;
};

/** What pages do with the servers under test. None of it names a command: servers are named by their id. */
export function workbenchHandlers(
  workbench: Workbench,
  late: (error: unknown) => void,
): Omit<Handlers, 'session' | 'events' | 'sandbox' | 'trace' | 'lines' | 'lanes' | 'download'> {
  const actOnLogin = async (id: string, body: AuthBody): Promise<AuthView> => {
    if ('pausing' in body) workbench.setPausing(id, body.pausing);
    else if ('go' in body) workbench.release(id, body.go);
    else if ('start' in body) await soon(workbench.login(id), late);
    else await workbench.forgetLogin(id);
    return workbench.auth(id);
  };

  return {
    state: () => workbench.state(),
    targets: ({ body }) => workbench.addTargets(body.text),
    async connect({ parts: { id }, body }) {
      await soon(workbench.connect(id, body), late);
      return serverViewOf(workbench, id);
    },
    async disconnect({ parts: { id } }) {
      await workbench.disconnect(id);
      return serverViewOf(workbench, id);
    },
    list: ({ parts: { id, kind } }) => workbench.list(id, kind),
    refresh: ({ parts: { id } }) => workbench.refresh(id),

    requests: ({ parts: { id }, body }) => atOnce(workbench.request(id, body), () => workbench.answerTo(id, body.key)),
    answer: ({ parts: { id, key } }) => workbench.answerTo(id, key),
    cancel: ({ parts: { id }, body }) => workbench.cancel(id, body.key),
    frames: ({ parts: { id }, body }) => workbench.frame(id, body.text),
    complete: ({ parts: { id }, body }) => workbench.complete(id, body),
    watch: ({ parts: { id }, body }) => workbench.watchResource(id, body.uri, body.on),
    logLevel: ({ parts: { id }, body }) => workbench.setLogLevel(id, body.level),
    roots: ({ parts: { id }, body }) => workbench.setRoots(id, body.roots, body.ask ?? false),

    inbox: ({ parts: { id }, body }) => workbench.answer(id, body),
    script: ({ body }) => workbench.setScript(body.text),
    auth: ({ parts: { id }, body }) => actOnLogin(id, body),

    checks: async ({ body, signal }) => ({ rows: await workbench.check(body, signal) }),
    tests: ({ body }) => workbench.saveTest(body),
  };
}
