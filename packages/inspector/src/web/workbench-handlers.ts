import type { AuthBody } from '../api/bodies.ts';
import type { AuthView, ServerView } from '../api/views.ts';
import { type Workbench, WorkbenchError } from '../session/contract.ts';
import type { Handlers } from './route.ts';

/** How long a call waits for the user or a slow server, in milliseconds. Pages learn a later outcome from events. */
const MAX_WAIT_MS = 5_000;

/** Waits for work to finish, but not long. An error after that is passed to `late`. */
async function waitBriefly(work: Promise<unknown>, late: (error: unknown) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, MAX_WAIT_MS);
  });
  const watched = work.catch((error: unknown) => {
    if (!isLate) throw error;
    // The view of the server already shows errors for users.
    if (!(error instanceof WorkbenchError)) late(error);
  });
  await Promise.race([watched, enough]).finally(() => clearTimeout(timer));
}

/**
 * How long a page waits for the answer of a server under test, in milliseconds. A browser opens six connections to the inspector: if waiting
 * calls took all of them, the page could not send the answers that the calls wait for.
 */
const MAX_ANSWER_WAIT_MS = 400;

/** The result of work if it is available soon, otherwise an interim answer. */
async function resultOrInterim<T>(work: Promise<T>, interim: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_ANSWER_WAIT_MS);
  });
  // The workbench keeps a later outcome, and the page fetches it.
  work.catch(() => {});
  const first = await Promise.race([work, enough]).finally(() => clearTimeout(timer));
  return first ?? interim();
}

function serverViewOf(workbench: Workbench, id: string): ServerView {
  const view = workbench.state().servers.find((server) => server.id === id);
  if (view === undefined) throw new WorkbenchError('unknown-server', `There is no server ${id}`);
  return view;
}

/**
 * The handlers of the routes for servers under test, which are identified by id: a command from a page is never run without
 * confirmation in the terminal.
 */
export function workbenchHandlers(
  workbench: Workbench,
  late: (error: unknown) => void,
): Omit<Handlers, 'session' | 'events' | 'sandbox' | 'trace' | 'lines' | 'lanes' | 'download'> {
  const actOnLogin = async (id: string, body: AuthBody): Promise<AuthView> => {
    if ('pausing' in body) workbench.setPausing(id, body.pausing);
    else if ('go' in body) workbench.release(id, body.go);
    else if ('start' in body) await waitBriefly(workbench.login(id), late);
    else await workbench.forgetLogin(id);
    return workbench.auth(id);
  };

  return {
    state: () => workbench.state(),
    targets: ({ body }) => workbench.addTargets(body.text),
    async connect({ parts: { id }, body }) {
      await waitBriefly(workbench.connect(id, body), late);
      return serverViewOf(workbench, id);
    },
    launch: ({ parts: { id }, body }) => workbench.changeLaunch(id, body),
    async disconnect({ parts: { id } }) {
      await workbench.disconnect(id);
      return serverViewOf(workbench, id);
    },
    list: ({ parts: { id, kind } }) => workbench.list(id, kind),
    refresh: ({ parts: { id } }) => workbench.refresh(id),

    requests: ({ parts: { id }, body }) =>
      resultOrInterim(workbench.request(id, body), () => workbench.answerTo(id, body.key)),
    answer: ({ parts: { id, key } }) => workbench.answerTo(id, key),
    cancel: ({ parts: { id }, body }) => workbench.cancel(id, body.key),
    frames: ({ parts: { id }, body }) => workbench.frame(id, body.text),
    app: ({ parts: { id }, body }) => workbench.readApp(id, body.uri),
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
