import { SchemaError } from '../schema-error.ts';

/** Where faults of a schema go: the first one is thrown, or all are collected by location. */
interface FaultSink {
  readonly faults: Map<string, SchemaError> | undefined;
}

const MAX_FAULTS = 100;

/** Throws the fault, or records it and continues. Only one fault for each location: others would be consequences of it. */
export function reportFault({ faults }: FaultSink, fault: SchemaError): void {
  // A schema that is too large cannot be examined.
  if (faults === undefined || fault.kind === 'size') throw fault;
  if (faults.size < MAX_FAULTS && !faults.has(fault.at)) faults.set(fault.at, fault);
}

/** Does a part of the work. If faults are collected, one ends only this part, and the result is undefined. */
export function tolerateFault<T>(ledger: FaultSink, part: () => T): T | undefined {
  try {
    return part();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    reportFault(ledger, error);
    return undefined;
  }
}
