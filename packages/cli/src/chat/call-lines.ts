import type { Host, HostEvent, RunEvent } from '@tenon/host';

/** A call that is over, with what both the conversation and the host know of it. */
export interface CallOver {
  readonly tool: string;
  /** Undefined: no server was asked, as it was not allowed, or no tool is called that. */
  readonly server: string | undefined;
  readonly revision: string | undefined;
  /** What the server took, without the time in which somebody was asked. */
  readonly ms: number | undefined;
  readonly isError: boolean;
  readonly result: Extract<RunEvent, { type: 'result' }>['result'];
}

type Called = Extract<HostEvent, { kind: 'called' }>;

/** Puts together what is told of a call in two places. */
export const watchCalls = (host: Host) => {
  const called = new Map<string, Called[]>();
  const stop = host.on((event) => {
    if (event.kind !== 'called') return;
    const list = called.get(event.tool) ?? [];
    called.set(event.tool, [...list, event]);
  });
  return {
    stop,
    over({ tool, result, isError }: Extract<RunEvent, { type: 'result' }>): CallOver {
      const list = called.get(tool) ?? [];
      const [first] = list;
      called.set(tool, list.slice(1));
      return { tool, server: first?.server, revision: first?.revision, ms: first?.ms, isError, result };
    },
  };
};
