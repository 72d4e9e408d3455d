import type { Host, HostEvent, RunEvent } from '@tenon/host';

/** A completed call, with data from the events of both the run and the host. */
export interface CompletedCall {
  readonly tool: string;
  /** Undefined if the call was not sent, because it was not allowed or the tool does not exist. */
  readonly server: string | undefined;
  readonly revision: string | undefined;
  /** How long the server took, in milliseconds, without the time in which the user was asked. */
  readonly ms: number | undefined;
  readonly isError: boolean;
  readonly result: Extract<RunEvent, { type: 'result' }>['result'];
}

type CalledEvent = Extract<HostEvent, { kind: 'called' }>;

/** Combines the host's and the run's events of each call. */
export function watchCalls(host: Host) {
  const called = new Map<string, CalledEvent[]>();
  const stop = host.on((event) => {
    if (event.kind !== 'called') return;
    const list = called.get(event.tool) ?? [];
    called.set(event.tool, [...list, event]);
  });
  return {
    stop,
    over({ tool, result, isError }: Extract<RunEvent, { type: 'result' }>): CompletedCall {
      const list = called.get(tool) ?? [];
      const [first] = list;
      called.set(tool, list.slice(1));
      return {
        tool,
        server: first?.server,
        revision: first?.revision,
        ms: first && Math.max(0, first.ms - first.waitedMs),
        isError,
        result,
      };
    },
  };
}
