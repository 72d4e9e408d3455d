import type { JsonSchema } from '../protocol/entities.ts';
import type { Validate } from './output-checker.ts';

/**
 * Compiles an untrusted output schema; loads the validator on demand. Parts of the schema that cannot be checked are skipped and
 * reported. Rejects for an invalid schema.
 */
export async function compileOutput(schema: JsonSchema, warn: (warning: string) => void): Promise<Validate> {
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
}
