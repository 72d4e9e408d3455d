import { jsonSchema, tool } from 'ai';
import type { ToolSet } from 'ai';
import type { JsonSchema, ToolEntry } from 'tenon/client';
import { estimateTokens } from './clip.ts';
import { wellFormed } from '../values/well-formed.ts';
import { modelSchema } from './model-schema.ts';

/** The definition of a tool for a model. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** The members of a tool that are part of its definition. */
interface DefinedTool {
  readonly name: string;
  readonly entry: Pick<ToolEntry, 'title' | 'description' | 'inputSchema'>;
}

/** With `anyKeys`, arguments may have names that Anthropic rejects. */
export function definitionOf({ name, entry }: DefinedTool, anyKeys = false): Definition {
  const { schema, note } = modelSchema(entry.inputSchema, anyKeys);
  const about = entry.description ?? entry.title ?? '';
  return { name, description: wellFormed([about, note].filter(Boolean).join('\n\n')), schema };
}

export function definitionTokens(definitions: readonly Definition[]): number {
  return estimateTokens(definitions.reduce((sum, each) => sum + JSON.stringify(each).length, 0));
}

/** The definitions for the AI SDK. Without `execute`, because the run calls the tools itself. */
export function toolSetOf(definitions: readonly Definition[]): ToolSet {
  // Not by assignment, because a tool may be named `__proto__`.
  return Object.fromEntries(
    definitions.map(({ name, description, schema }) => [
      name,
      // Arguments are not validated here: the toolbox returns errors that are written for the model.
      tool({ description, inputSchema: jsonSchema<Record<string, unknown>>(schema) }),
    ]),
  );
}
