import type { AskContext, SuspendedCall } from 'tenon/client';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { memberText } from '../values/json-text.ts';
import type { Asker } from './inbox.ts';
import type { OpenServer } from './open.ts';

/** The call again, with an answer to each of its questions that is none. `before`: the parameters it was sent with. */
const answeredBadly = (call: SuspendedCall, result: string, before: string | undefined, line: number): string => {
  const meta = memberText(before ?? '{}', '_meta');
  const members = [
    ...Object.entries(call.params)
      .filter(([name]) => name !== '_meta')
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...(meta === undefined ? [] : [`"_meta":${meta}`]),
    `"inputResponses":{${Object.keys(call.questions)
      .map((name) => `${JSON.stringify(name)}:${result}`)
      .join(',')}}`,
    ...(call.state === undefined ? [] : [`"requestState":${JSON.stringify(call.state)}`]),
  ];
  return `{"jsonrpc":"2.0","id":"inspector-${line}","method":${JSON.stringify(call.method)},"params":{${members.join(',')}}}`;
};

/** Who asks on a connection, and where in the trace. */
export const askerOf = (
  server: string,
  session: string,
  store: TraceStore,
  open: () => OpenServer | undefined,
): Asker => ({
  server,
  session,
  now: () => store.now(),
  // The question has just come: by itself, or in the result of a call (2026-07-28).
  line: (method) =>
    store.index.all.findLast(
      (facts) =>
        facts.session === session &&
        facts.from === 'server' &&
        (facts.method === method || facts.outcome === 'input') &&
        facts.message !== 'notification',
    )?.n,
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
});
