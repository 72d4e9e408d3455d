import { formatIssues, readSchema } from 'tenon/schema';

/** Says what is wrong with a value, in words; undefined: nothing. */
export type Check = (value: unknown) => string | undefined;

/** Makes a check of a schema of a peer; undefined where it cannot be used: then nothing is said about values. */
export function checkerOf(schema: unknown): Check | undefined {
  if (schema === undefined || schema === true) return undefined;
  const read = readSchema(schema);
  if (read.dialect === undefined) return undefined;
  return (value) => {
    const issues = read.check(value);
    return issues.length === 0 ? undefined : formatIssues(issues);
  };
}
