import type { JsonSchema } from '../protocol/entities.ts';
import type { Validate } from './output.ts';

/**
 * Makes a check of a schema that a peer wrote; the validator is loaded only now. What of the schema cannot be checked is left out and
 * reported. Rejects for a schema that is none.
 */
export const compileOutput = async (schema: JsonSchema, warn: (warning: string) => void): Promise<Validate> => {
  const [{ compileSchema }, { formatIssues }] = await Promise.all([
    import('../schema/validator/compile.ts'),
    import('../schema/issue.ts'),
  ]);
  const { validate, warnings } = compileSchema(schema, { untrusted: true });
  for (const warning of warnings) warn(warning);
  return (value) => {
    const issues = validate(value);
    return issues.length === 0 ? undefined : formatIssues(issues);
  };
};
