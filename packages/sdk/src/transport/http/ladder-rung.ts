import type { ErrorObject } from '../../protocol/jsonrpc.ts';
import type { Lookup } from './facts.ts';

/** What a check has against a request: the status to answer with, and the error of the body. */
export interface Objection extends ErrorObject {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to a request that is not served, and for the log, the check it comes from. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: ErrorObject;
  readonly rank: string;
  readonly rung: string;
}

/** One check. Ranks are those in which the checks are made; the first that fails answers. */
export interface Rung<Facts> {
  readonly rank: string;
  readonly name: string;
  /** Every status with its code that the check can answer. */
  readonly answers: readonly (readonly [status: number, code: number])[];
  check(facts: Facts, lookup: Lookup): Objection | undefined;
}

/** What the first check that fails answers; undefined when none does. */
export const firstRefusal = <Facts>(
  rungs: readonly Rung<Facts>[],
  facts: Facts,
  lookup: Lookup,
): Refusal | undefined => {
  for (const rung of rungs) {
    const objection = rung.check(facts, lookup);
    if (objection === undefined) continue;
    const { status, headers = {}, ...error } = objection;
    return { status, headers, error, rank: rung.rank, rung: rung.name };
  }
  return undefined;
};
