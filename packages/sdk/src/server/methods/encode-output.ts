import type { Maybe } from '../../protocol/maybe.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { textResultMembers } from '../../wire/encode.ts';
import type { RawResult } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';

/** The result that the return value of a handler becomes. */
export function encodeOutput(tool: CompiledTool, returned: unknown, request: RequestContext): Maybe<RawResult> {
  // The usual case.
  if (typeof returned === 'string' && tool.output === undefined) return { text: textResultMembers(returned) };
  return results === undefined
    ? loadResults().then((loaded) => loaded.encodeReturned(tool, returned, request))
    : results.encodeReturned(tool, returned, request);
}

let results: typeof import('./tool-result.ts') | undefined;

/** Loaded with the first call whose result is more than a text. */
async function loadResults() {
  return (results ??= await import('./tool-result.ts'));
}
