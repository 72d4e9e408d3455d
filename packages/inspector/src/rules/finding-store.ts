import type { Finding } from './finding.ts';
import { counted } from '@tenon/values/counted';

/** Keeps findings: a limited number of each kind, and the count of the others. */
export interface FindingStore {
  add(finding: Finding): void;
  /** The findings kept since the last call. */
  fresh(): readonly Finding[];
  /** The kept findings, and for each kind with more findings one that counts the others. */
  readonly all: readonly Finding[];
  /** Only those that count others. */
  readonly rest: readonly Finding[];
}

/** The most findings of one rule in one session. */
const MAX_PER_RULE = 50;
/** The most findings of a trace. */
const MAX_FINDINGS = 10_000;
/** The most pairs of rule and session that are counted separately. */
const MAX_KINDS = 100_000;

const NONE: readonly Finding[] = [];

interface Kind {
  readonly first: Finding;
  count: number;
  kept: number;
  /** The last line cited by a finding that was not kept. */
  last: number | undefined;
}

export function createFindingStore(): FindingStore {
  const kept: Finding[] = [];
  let handedOut = 0;
  const kinds = new Map<string, Kind>();

  const rest = (): Finding[] =>
    [...kinds.values()]
      .filter(({ count, kept }) => count > kept)
      .map(({ first, count, kept, last }) => ({
        ...first,
        message: `${counted(count - kept, 'more case')} like this: ${first.message}`,
        evidence: last === undefined ? [] : [last],
      }));

  return {
    add(finding) {
      const key = `${finding.rule}\n${finding.session}`;
      const kind = kinds.get(key) ?? { first: finding, count: 0, kept: 0, last: undefined };
      if (kinds.size < MAX_KINDS) kinds.set(key, kind);
      kind.count++;
      if (kind.kept < MAX_PER_RULE && kept.length < MAX_FINDINGS) {
        kind.kept++;
        kept.push(finding);
      } else kind.last = finding.evidence.at(-1);
    },
    fresh() {
      if (handedOut === kept.length) return NONE;
      const some = kept.slice(handedOut);
      handedOut = kept.length;
      return some;
    },
    get all() {
      return [...kept, ...rest()];
    },
    get rest() {
      return rest();
    },
  };
}
