import type { HostListener } from './events.ts';
import { LIMITS } from './options.ts';
import type { Desk } from './pending/desk.ts';
import type { Recorder } from './record.ts';
import type { Connection } from './servers/connection.ts';

export interface ResumeOptions {
  readonly desk: Desk;
  readonly recorder: Recorder;
  readonly connections: ReadonlyMap<string, Connection>;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
}

/** Goes on with calls that an earlier program left at a question. What they ask waits under the same ids as before. */
export const resumeLeft = async ({ desk, recorder, connections, closing, tell }: ResumeOptions): Promise<void> => {
  const seen = new Set<string>();
  for (const { item, call } of await desk.left()) {
    const text = JSON.stringify(call);
    const connection = connections.get(item.server);
    if (seen.has(text) || connection === undefined) continue;
    seen.add(text);
    void (async () => {
      const { method, params } = call;
      const what = String(params['name'] ?? params['uri']);
      const why = 'left at a question by an earlier program';
      const deed = { act: 'call', server: item.server, what, who: 'host', allow: true, why } as const;
      try {
        const result = await connection.use((client) =>
          client.resume(call, { signal: closing, maxTimeout: LIMITS.callMs }),
        );
        await recorder.write({ ...deed, outcome: 'ok' });
        tell({ kind: 'resumed', server: item.server, method, params, result });
      } catch (error) {
        if (closing.aborted) return;
        await recorder.write({ ...deed, outcome: 'error' });
        await desk.settled(call);
        tell({
          kind: 'problem',
          server: item.server,
          message: `A call that was left could not be gone on with: ${String(error)}`,
        });
      }
    })();
  }
};
