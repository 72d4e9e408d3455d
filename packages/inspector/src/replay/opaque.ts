import { rewriteJson } from '../record/rewrite-json.ts';

/** Members whose values a server makes up and a client hands back: they are new each time. */
const OPAQUE: ReadonlySet<string> = new Set([
  'nextCursor',
  'cursor',
  'requestState',
  'taskId',
  'elicitationId',
  'subscriptionId',
]);
/** How a client calls what it was given under another name. */
const KEPT_AS: ReadonlyMap<string, string> = new Map([['nextCursor', 'cursor']]);

export function isOpaque(name: string): boolean {
  return OPAQUE.has(name);
}

/** Puts the values a server gives now in the place of those it gave when it was recorded. */
export interface Translation {
  learn(name: string, recorded: string, now: string): void;
  translate(text: string): string;
}

/** Older ones are forgotten. */
const MAX_VALUES = 10_000;

export function createTranslation(): Translation {
  const known = new Map<string, string>();
  const keyOf = (name: string, value: string): string => `${KEPT_AS.get(name) ?? name}\n${value}`;
  return {
    learn(name, recorded, now) {
      if (recorded === now) return;
      known.set(keyOf(name, recorded), now);
      if (known.size > MAX_VALUES) known.delete([...known.keys()][0]!);
    },
    translate: (text) =>
      known.size === 0
        ? text
        : rewriteJson(text, ({ type, value, name }) => {
            if (type !== 'string' || name === undefined || !OPAQUE.has(name)) return undefined;
            const now = known.get(keyOf(name, value));
            return now === undefined ? undefined : JSON.stringify(now);
          }),
  };
}
