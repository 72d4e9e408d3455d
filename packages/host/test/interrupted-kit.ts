// Helpers for tests of items and calls that survive a host.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { server, tool } from 'tenon';
import { z } from 'zod';
import { until } from '../../../scripts/lib/until.ts';
import { createHost, type Host, type HostEvent, type HostOptions, listPending } from '../src/index.ts';

export function newState(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'left-'));
}

export function yes() {
  return { allow: true };
}

export { until };

/** A server with a tool that asks a question. Records completed calls, and all requests. */
export function asking(description = 'Does something') {
  const done: string[] = [];
  const app = server({
    name: 'web',
    tools: {
      confirm: tool({ description, input: z.object({ what: z.string() }) }, async ({ what }, ctx) => {
        const { sure } = await ctx.ask('sure', `Really ${what}?`, z.object({ sure: z.boolean() }));
        if (sure) done.push(what);
        return sure ? `Did ${what}` : `Left ${what}`;
      }),
    },
  });
  return { app, done };
}

/** Makes a call that waits at a question, and closes its host. */
export async function leaveCall(state: string, servers: HostOptions['servers'], what = 'leave'): Promise<string> {
  const host = await createHost({ state, servers, approve: yes });
  await host.start();
  void host.call('one__confirm', { what });
  await until(() => host.pending().some(({ kind }) => kind === 'question'));
  await host.close();
  const [item] = await listPending(state);
  return item!.id;
}

/** Resolves with the first event of one of these kinds. */
export function nextOf(host: Host, ...kinds: HostEvent['kind'][]): Promise<HostEvent> {
  return new Promise((resolve) => {
    const stop = host.on((event) => {
      if (!kinds.includes(event.kind)) return;
      stop();
      resolve(event);
    });
  });
}
