import { ROUTES } from '../api/routes.ts';
import { type AuthView, type CompleteBody, type InboxAnswer, LIST_KINDS, type ServerView } from '../api/views.ts';
import type { CheckRow } from '../rules/finding.ts';
import { type Workbench, WorkbenchError } from '../session/contract.ts';
import { MOST_BODY } from './body.ts';
import { choiceOf, type Fields, flagOf, LONG, maybeTextOf, objectOf, textOf, textsOf, wholeOf } from './fields.ts';
import { badRequest } from './refusal.ts';
import { type Call, partOf, type Route } from './route.ts';

const MOST_TIMEOUT_MS = 24 * 3_600_000;
/** What is typed into the box for a server: a command, an address, or a whole file of settings. */
const MOST_TARGET = 256 * 1024;
const MOST_ROOTS = 1_000;
/** Answers that wait for their questions. */
const MOST_SCRIPT = 256 * 1024;
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
const CHECK_GROUPS: readonly CheckRow['group'][] = ['doctor', 'lint', 'wire', 'era', 'baseline', 'load', 'test'];

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

const completeBodyOf = (body: Fields): CompleteBody => {
  const ref = objectOf(body, 'ref');
  const prompt = maybeTextOf(ref, 'prompt');
  const resolved = body.get('resolved') === undefined ? undefined : objectOf(body, 'resolved');
  return {
    ref: prompt === undefined ? { template: textOf(ref, 'template', LONG) } : { prompt },
    argument: textOf(body, 'argument'),
    typed: textOf(body, 'typed', LONG),
    ...(resolved === undefined
      ? {}
      : { resolved: Object.fromEntries([...resolved.keys()].map((name) => [name, textOf(resolved, name, LONG)])) }),
  };
};

const inboxAnswerOf = (body: Fields): InboxAnswer => {
  const action = choiceOf(body, 'action', ['accept', 'decline', 'cancel', 'ignore', 'garbage']);
  if (action === 'garbage') return { action, result: textOf(body, 'result', MOST_BODY) };
  if (action !== 'accept') return { action };
  const content = maybeTextOf(body, 'content', MOST_BODY);
  return { action, ...(content === undefined ? {} : { content }) };
};

const checkGroupsOf = (body: Fields): readonly CheckRow['group'][] =>
  textsOf(body, 'groups', CHECK_GROUPS.length).map((name) =>
    choiceOf(new Map([['groups', name]]), 'groups', CHECK_GROUPS),
  );

/** What pages do with the servers under test. None of it names a command: servers are named by their id. */
export const workbenchRoutes = (workbench: Workbench, late: (error: unknown) => void): readonly Route[] => {
  const id = (call: Call): string => partOf(call, 'id');

  const authAct = async (call: Call): Promise<AuthView> => {
    const { body } = call;
    if (body.get('pausing') !== undefined) workbench.setPausing(id(call), flagOf(body, 'pausing'));
    else if (body.get('go') !== undefined) workbench.release(id(call), textOf(body, 'go'));
    else if (body.get('start') === true) await soon(workbench.login(id(call)), late);
    else if (body.get('forget') === true) await workbench.forgetLogin(id(call));
    else throw badRequest('One of pausing, go, start and forget must be there');
    return workbench.auth(id(call));
  };

  return [
    { method: 'GET', path: ROUTES.state, act: () => workbench.state() },
    {
      method: 'POST',
      path: ROUTES.targets,
      act: ({ body }) => workbench.addTargets(textOf(body, 'text', MOST_TARGET)),
    },
    {
      method: 'POST',
      path: ROUTES.connect,
      async act(call) {
        const revision = maybeTextOf(call.body, 'revision');
        await soon(workbench.connect(id(call), revision === undefined ? {} : { revision }), late);
        return serverViewOf(workbench, id(call));
      },
    },
    {
      method: 'POST',
      path: ROUTES.disconnect,
      async act(call) {
        await workbench.disconnect(id(call));
        return serverViewOf(workbench, id(call));
      },
    },
    {
      method: 'GET',
      path: ROUTES.list,
      act: (call) => workbench.list(id(call), choiceOf(call.parts, 'kind', LIST_KINDS)),
    },
    { method: 'POST', path: ROUTES.refresh, act: (call) => workbench.refresh(id(call)) },
    {
      method: 'POST',
      path: ROUTES.requests,
      act(call) {
        const { body } = call;
        const key = textOf(body, 'key');
        const params = maybeTextOf(body, 'params', MOST_BODY);
        const answered = workbench.request(id(call), {
          method: textOf(body, 'method'),
          key,
          ...(params === undefined ? {} : { params }),
          ...(body.get('timeoutMs') === undefined ? {} : { timeoutMs: wholeOf(body, 'timeoutMs', 1, MOST_TIMEOUT_MS) }),
        });
        return atOnce(answered, () => workbench.answerTo(id(call), key));
      },
    },
    {
      method: 'GET',
      path: ROUTES.answer,
      act: (call) => workbench.answerTo(id(call), partOf(call, 'key')),
    },
    { method: 'POST', path: ROUTES.cancel, act: (call) => workbench.cancel(id(call), textOf(call.body, 'key')) },
    {
      method: 'POST',
      path: ROUTES.frames,
      act: (call) => workbench.frame(id(call), textOf(call.body, 'text', MOST_BODY)),
    },
    {
      method: 'POST',
      path: ROUTES.complete,
      act: (call) => workbench.complete(id(call), completeBodyOf(call.body)),
    },
    {
      method: 'POST',
      path: ROUTES.watch,
      act: (call) => workbench.watchResource(id(call), textOf(call.body, 'uri', LONG), flagOf(call.body, 'on')),
    },
    {
      method: 'POST',
      path: ROUTES.logLevel,
      act: (call) => workbench.setLogLevel(id(call), choiceOf(call.body, 'level', LOG_LEVELS)),
    },
    {
      method: 'POST',
      path: ROUTES.roots,
      act(call) {
        const ask = call.body.get('ask') !== undefined && flagOf(call.body, 'ask');
        return workbench.setRoots(id(call), textsOf(call.body, 'roots', MOST_ROOTS), ask);
      },
    },
    { method: 'POST', path: ROUTES.inbox, act: (call) => workbench.answer(id(call), inboxAnswerOf(call.body)) },
    {
      method: 'POST',
      path: ROUTES.script,
      act: ({ body }) => workbench.setScript(textOf(body, 'text', MOST_SCRIPT)),
    },
    { method: 'POST', path: ROUTES.auth, act: authAct },
    {
      method: 'POST',
      path: ROUTES.checks,
      async act({ body, signal }) {
        const baseline = maybeTextOf(body, 'baseline', MOST_BODY);
        const rows = await workbench.check(
          {
            server: textOf(body, 'server'),
            groups: checkGroupsOf(body),
            ...(baseline === undefined ? {} : { baseline }),
          },
          signal,
        );
        return { rows };
      },
    },
    {
      method: 'POST',
      path: ROUTES.tests,
      act: ({ body }) =>
        workbench.saveTest({
          server: textOf(body, 'server'),
          name: textOf(body, 'name'),
          request: wholeOf(body, 'request', 1, Number.MAX_SAFE_INTEGER),
        }),
    },
  ];
};
