/**
 * The schemas and URI templates of servers: for programs that show, check or fill them in. Works in any runtime, without generated code.
 */
export { readSchema } from '../schema/read-schema.ts';
export type { ReadSchema, ReadSchemaOptions, SchemaProblem } from '../schema/read-schema.ts';
export type { DialectName } from '../schema/validator/dialect-name.ts';
export type { SchemaFault } from '../schema/schema-error.ts';
export { formatIssues } from '../schema/issue.ts';
export type { ValidationIssue } from '../schema/issue.ts';
export { parseTemplate } from '../schema/uri-template.ts';
export type { MatchedValues, TemplateValue, TemplateValues, UriTemplate } from '../schema/uri-template.ts';
