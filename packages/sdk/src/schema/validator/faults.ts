import { SchemaError } from '../schema-error.ts';

/** Where the faults of a schema go: the first is thrown, or all are written down by their place. */
interface Ledger {
  readonly faults: Map<string, SchemaError> | undefined;
}

const MOST = 100;

/** Throws the fault, or writes it down and lets the work go on. One fault for each place: what follows from it is none. */
export const complain = ({ faults }: Ledger, fault: SchemaError): void => {
  // Nothing can be said about a schema that is too large to be read.
  if (faults === undefined || fault.kind === 'size') throw fault;
  if (faults.size < MOST && !faults.has(fault.at)) faults.set(fault.at, fault);
};

/** Does a part of the work. Where faults are written down, one ends only this part: then the result is undefined. */
export const tolerating = <T>(ledger: Ledger, part: () => T): T | undefined => {
  try {
    return part();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    complain(ledger, error);
    return undefined;
  }
};
