import type { TraceSource } from '../session/contract.ts';

/** The names of the sessions of a trace. */
export interface TraceSessions {
  /** Reads the lines since the last update. */
  update(): void;
  nameOf(session: string): string | undefined;
}

/** The most sessions remembered. */
const MAX = 20_000;

export function createTraceSessions(trace: TraceSource): TraceSessions {
  const names = new Map<string, string>();
  let seen = 0;
  return {
    update() {
      const { all } = trace.index;
      for (; seen < all.length; seen++) {
        if (all[seen]!.kind !== 'session' || names.size >= MAX) continue;
        const [line] = trace.read(seen + 1, seen + 1);
        if (line?.about !== undefined) names.set(line.session, line.about.name);
      }
    },
    nameOf: (session) => names.get(session),
  };
}
