import type { AskContext, Client, SuspendedCall } from 'tenon/client';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { isRewritten, readJson } from '../values/exact-json.ts';
import { memberText } from '../values/json-text.ts';
import type { Asker } from './inbox.ts';
import type { OpenServer } from './open.ts';

/** The retry of a call, with an invalid answer to each of its questions. `before`: the parameters of the call. */
function answeredBadly(call: SuspendedCall, result: string, before: string | undefined, line: number): string {
  const meta = memberText(before ?? '{}', '_meta');
  const members = [
    ...Object.entries(call.params)
      .filter(([name]) => name !== '_meta')
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...(meta === undefined ? [] : [`"_meta":${meta}`]),
    `"inputResponses":{${Object.keys(call.inputRequests)
      .map((name) => `${JSON.stringify(name)}:${result}`)
      .join(',')}}`,
    ...(call.state === undefined ? [] : [`"requestState":${JSON.stringify(call.state)}`]),
  ];
  return `{"jsonrpc":"2.0","id":"inspector-${line}","method":${JSON.stringify(call.method)},"params":{${members.join(',')}}}`;
}

type Json = Readonly<Record<string, unknown>>;

function objectOf(text: string | undefined): Json {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** The number of lines read to find one. */
const MAX_ROWS_READ = 200;

/** Returns whether this result of a call asks these questions. */
function asks(text: string, { inputRequests, state }: SuspendedCall): boolean {
  const { inputRequests: sent, requestState } = objectOf(memberText(text, 'result'));
  const names = Object.keys((sent as Json | undefined) ?? {});
  return (
    requestState === state &&
    names.length === Object.keys(inputRequests).length &&
    names.every((name) => name in inputRequests)
  );
}

/**
 * Finds the line of a question. Several questions may be pending, so the newest line need not be the right one: a call is
 * identified by its questions (2026-07-28), a request of the server by its parameters.
 */
function lineFinder(session: string, store: TraceStore) {
  const taken = new Set<number>();
  return (method: string, { call }: AskContext, same: (params: Json) => boolean): number | undefined => {
    const candidates = store.index.all.filter(
      (facts) =>
        facts.session === session &&
        facts.from === 'server' &&
        (call === undefined ? facts.method === method && facts.message === 'request' : facts.outcome === 'input') &&
        !taken.has(facts.n),
    );
    const textOf = (n: number): string => store.read(n, n)[0]?.text ?? '';
    if (call !== undefined) return candidates.slice(-MAX_ROWS_READ).findLast(({ n }) => asks(textOf(n), call))?.n;
    // Oldest first, because none of them has been answered.
    const open = candidates.filter(({ outcome }) => outcome === 'pending').slice(0, MAX_ROWS_READ);
    const n = (open.find((facts) => same(objectOf(memberText(textOf(facts.n), 'params')))) ?? open[0])?.n;
    if (n !== undefined) taken.add(n);
    return n;
  };
}

/** The asker for a task that asks in its state (2026-07-28). An invalid answer is sent with `tasks/update`, like a valid one. */
export function ofTask(asker: Asker, task: string, name: string, client: Client, store: TraceStore): Asker {
  const { session } = asker;
  return {
    ...asker,
    task,
    line: () =>
      store.index.all.findLast(
        (facts) =>
          facts.session === session &&
          facts.from === 'server' &&
          facts.subject === task &&
          facts.method === 'tasks/get',
      )?.n,
    async garbage(result) {
      const params = { taskId: task, inputResponses: { [name]: readJson(result, isRewritten) } };
      await client.request('tasks/update', params as never);
    },
  };
}

/** The asker for a connection: identifies the server, finds the lines of its questions, and sends invalid answers. */
export function askerOf(server: string, session: string, store: TraceStore, open: () => OpenServer | undefined): Asker {
  return {
    server,
    session,
    now: () => store.now(),
    line: lineFinder(session, store),
    async garbage(result, line, { call }: AskContext) {
      const wire = open();
      if (wire === undefined) return;
      if (call !== undefined) {
        const asked = line === undefined ? undefined : store.index.at(line)?.pair;
        const [request] = asked === undefined ? [] : store.read(asked, asked);
        await wire.frame(answeredBadly(call, result, memberText(request?.text ?? '{}', 'params'), line ?? 0));
        return;
      }
      const id = line === undefined ? undefined : store.index.at(line)?.id;
      if (id !== undefined) await wire.frame(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    },
  };
}
