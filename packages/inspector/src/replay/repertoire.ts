import { saysTheSame, type Scene } from './script.ts';

/** Finds what is to be played for a message of a client. What was recorded several times is played in that order, then the last again. */
export interface Repertoire {
  find(method: string, params: string): Scene | undefined;
}

/** What may be said in other words and is meant all the same. */
const ANY_PARAMS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

function withoutResponses(params: string): string {
  const { inputResponses: _, ...rest } = JSON.parse(params) as { inputResponses?: unknown };
  return JSON.stringify(rest);
}

export function createRepertoire(scenes: readonly Scene[]): Repertoire {
  const byMethod = grouped(scenes);
  const played = new Set<number>();

  const next = (list: readonly Scene[]): Scene | undefined => {
    const scene = list.find(({ n }) => !played.has(n)) ?? list.at(-1);
    if (scene !== undefined) played.add(scene.n);
    return scene;
  };

  return {
    find(method, params) {
      const own = byMethod.get(method) ?? [];
      // Where a client had to greet twice, the first time was in vain.
      if (ANY_PARAMS.has(method)) return next(own.filter(({ answer }) => answer !== undefined));
      const same = own.filter((scene) => saysTheSame(scene.params, params));
      if (same.length > 0 || !params.includes('"inputResponses"')) return next(same);
      // The questions were the same, and this client answers them in its own way (2026-07-28).
      const asked = withoutResponses(params);
      return next(
        own.filter(
          (scene) => scene.params.includes('"inputResponses"') && saysTheSame(withoutResponses(scene.params), asked),
        ),
      );
    },
  };
}

function grouped(scenes: readonly Scene[]): Map<string, Scene[]> {
  const groups = new Map<string, Scene[]>();
  for (const scene of scenes) {
    const group = groups.get(scene.method);
    if (group === undefined) groups.set(scene.method, [scene]);
    else group.push(scene);
  }
  return groups;
}
