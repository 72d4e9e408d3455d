import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import type { Engine, RawResult } from '../engine.ts';
import { formatIssues } from '../../schema/issue.ts';
import type { ValidationIssue } from '../../schema/issue.ts';
import { reportFailure } from '../report-failure.ts';
import type { CompiledTool } from '../tool.ts';
import { OutputMismatch } from './output-mismatch.ts';
import { finishResult } from './tool-result.ts';

/** A tool result with an error, for the model. */
function toolFailure(message: string): CallToolResult {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
  };
}

/** The result that a `ToolError` becomes. */
export function toolErrorResult({ message, result }: ToolError): CallToolResult {
  return result === undefined ? toolFailure(message) : { ...result, isError: true };
}

/** The result for arguments that do not match the input schema. */
export function refuseArguments(
  issues: readonly ValidationIssue[],
  tool: CompiledTool,
  request: RequestContext,
): RawResult {
  return finishResult(toolFailure(`Invalid arguments: ${formatIssues(issues)}`), tool, request);
}

/** A `ToolError` is shown to the model, a `ProtocolError` is sent to the peer, and anything else is logged for the operator. */
export function failTool(engine: Engine, request: RequestContext, tool: CompiledTool, error: unknown): RawResult {
  if (error instanceof ProtocolError) throw error;
  return finishResult(failureOf(engine, request, tool, error), tool, request);
}

function failureOf(engine: Engine, request: RequestContext, { name }: CompiledTool, error: unknown): CallToolResult {
  if (error instanceof ToolError) return toolErrorResult(error);
  const id = reportFailure(`Tool '${name}'`, error, engine.log, request);
  const why = error instanceof OutputMismatch ? `: ${mismatch(error)}` : '';
  return toolFailure(`The tool failed${why}. The details are in the server's log under error ${id}.`);
}

function mismatch({ fields }: OutputMismatch): string {
  return `its result does not match its output schema${fields === '' ? '' : ` at ${fields}`}`;
}
