import { formatIssues, readSchema } from 'tenon/schema';

/** Returns the problem with a value, in words. Undefined: none. */
export type Check = (value: unknown) => string | undefined;

/** Creates a check from a schema of a peer. Undefined if the schema is unusable: then its values are not judged. */
export function checkerOf(schema: unknown): Check | undefined {
  if (schema === undefined || schema === true) return undefined;
  const read = readSchema(schema);
  if (read.dialect === undefined) return undefined;
  return (value) => {
    const issues = read.check(value);
    return issues.length === 0 ? undefined : formatIssues(issues);
  };
}
