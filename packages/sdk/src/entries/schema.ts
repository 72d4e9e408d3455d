/** Schemas, patterns and URI templates of servers: for programs that show, check or fill them in. For any runtime, without generated code. */
export { readSchema } from '../schema/read-schema.ts';
export type { ReadSchema, ReadSchemaOptions, SchemaProblem } from '../schema/read-schema.ts';
export type { SchemaFault } from '../schema/schema-error.ts';
export { formatIssues } from '../schema/issue.ts';
export type { ValidationIssue } from '../schema/issue.ts';
export { patternExample } from '../schema/pattern/pattern-example.ts';
export type { ExampleOptions } from '../schema/pattern/pattern-example.ts';
export { patternProblem } from '../schema/pattern/pattern-problem.ts';
export type { PatternProblem } from '../schema/pattern/pattern-problem.ts';
export { parseTemplate } from '../schema/uri-template.ts';
export type { MatchedValues, TemplateValue, TemplateValues, UriTemplate } from '../schema/uri-template.ts';
export { mirroredParams } from '../wire/param-headers.ts';
export type { MirroredParam } from '../wire/param-headers.ts';
