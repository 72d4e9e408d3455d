import { rewriteJson } from '../record/rewrite-json.ts';

/** Members with values that a server generates and a client returns: they are new each time. */
const OPAQUE: ReadonlySet<string> = new Set([
  'nextCursor',
  'cursor',
  'requestState',
  'taskId',
  'elicitationId',
  'subscriptionId',
]);
/** Values that a client returns under another name. */
const KEPT_AS: ReadonlyMap<string, string> = new Map([['nextCursor', 'cursor']]);

export function isOpaque(name: string): boolean {
  return OPAQUE.has(name);
}

/** Replaces values generated when recording by the current ones. */
export interface Translation {
  learn(name: string, recorded: string, now: string): void;
  translate(text: string): string;
}

/** The most values kept; older ones are dropped. */
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
