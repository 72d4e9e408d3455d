import { formatIssues, formatPath, type ValidationIssue } from '../../schema/issue.ts';

const MAX_FIELDS = 10;

/** The result of a tool does not match the tool's output schema. Its message, which is for the log, may contain values of the result. */
export class OutputMismatch extends TypeError {
  /** Where it does not match, for the caller: only names that are in the schema, which the caller can see. `''`: the value as a whole. */
  readonly fields: string;

  constructor(issues: readonly ValidationIssue[], schema: unknown) {
    super(`Its result does not match its output schema: ${formatIssues(issues)}`);
    this.fields = fieldsOf(issues, JSON.stringify(schema) ?? '');
  }
}

/** The places of the issues. The messages are left out: some libraries write the value into them. */
function fieldsOf(issues: readonly ValidationIssue[], schema: string): string {
  // The key of a record is part of the result: the path ends before it.
  const isPublic = (step: string | number): boolean =>
    typeof step === 'number' || schema.includes(JSON.stringify(step));
  const paths = issues.map(({ path }) => {
    const hidden = path.findIndex((step) => !isPublic(step));
    return formatPath(hidden === -1 ? path : path.slice(0, hidden));
  });
  const fields = [...new Set(paths)].filter((path) => path !== '');
  const more = fields.length - MAX_FIELDS;
  return `${fields.slice(0, MAX_FIELDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
