import type { CallOptions, Client } from 'tenon/client';
import { textOf } from './ways.ts';

/** What a tool gives, whose shape only its tests know. */
// oxlint-disable-next-line typescript/no-explicit-any
type Structured = Readonly<Record<string, any>>;

/** The result of a call, in the parts that tests look at. */
export interface ToolResult {
  readonly isError: boolean;
  /** The whole content as text. */
  readonly text: string;
  /** An empty object if there is none. */
  readonly structured: Structured;
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly uri?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
}

/** Calls a tool. Unlike `client.call`, an error of the tool is a result, too. */
export async function callTool(
  client: Client,
  name: string,
  args: object = {},
  options: CallOptions = {},
): Promise<ToolResult> {
  const result = await client.result(name, args as Record<string, unknown>, options);
  return {
    isError: result.isError === true,
    text: textOf(result as never),
    structured: (result.structuredContent ?? {}) as Structured,
    content: result.content as ToolResult['content'],
  };
}
