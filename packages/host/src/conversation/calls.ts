import type { CallToolResult } from 'tenon/client';
import type { Toolbox } from '../registry/toolbox.ts';
import { waitFor } from '../values/wait-for.ts';
import { inParallel, MAX_PARALLEL } from './in-parallel.ts';
import { clip } from './clip.ts';
import { answerMeta, innerCall, unknownTool } from './discovery.ts';
import { cannotKeep } from './lost-number.ts';
import type { Offer } from './discovery.ts';
import { isObject } from '@tenon/values/is-object';
import type { ModelCall } from './step.ts';
import { errorResult } from './tool-result.ts';
import type { RunCall, RunEvent, ToolSearch } from './types.ts';

interface CallOptions {
  readonly toolbox: Toolbox;
  readonly offer: Offer;
  readonly search: ToolSearch;
  readonly callMs: number | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

/** A call of the model and its result. */
export interface CallOutcome {
  readonly call: ModelCall;
  readonly result: CallToolResult;
  /** True if the model wrote an invalid call. */
  readonly malformed: boolean;
  /** Undefined if the call was not made, because the run had ended. */
  readonly made: RunCall | undefined;
}

/** A call of the model after meta tools were resolved: a tool call, a ready answer, or an invalid call. */
type ResolvedCall = { readonly tool: string; readonly args: unknown } & (
  | { readonly kind: 'tool' }
  | { readonly kind: 'answer'; readonly result: CallToolResult }
  | { readonly kind: 'malformed'; readonly wrong: string }
);

/** Makes the calls of a step, several at a time. Every call gets a result, even if the signal aborts. */
export function makeCalls(calls: readonly ModelCall[], options: CallOptions): Promise<CallOutcome[]> {
  return inParallel(calls, MAX_PARALLEL, (call) => makeCall(call, options));
}

/** Gives each call a result that says why it was not made. */
export function skipCalls(calls: readonly ModelCall[], why: string): CallOutcome[] {
  return calls.map((call) => skipped(call, `Not run: ${why}`));
}

function skipped(call: ModelCall, text: string): CallOutcome {
  return {
    call,
    result: errorResult(text),
    malformed: false,
    made: undefined,
  };
}

async function makeCall(call: ModelCall, options: CallOptions): Promise<CallOutcome> {
  const { signal, onEvent } = options;
  if (signal.aborted) return skipped(call, 'Not run: the run had already ended.');
  const resolved = resolveCall(call, options);
  const { id } = call;
  onEvent({ type: 'call', id, tool: resolved.tool, arguments: resolved.args });
  const start = performance.now();
  const result = await resultOf(resolved, id, options);
  const ms = Math.round(performance.now() - start);
  const isError = result.isError === true;
  onEvent({ type: 'result', id, tool: resolved.tool, result, isError, ms });
  const made = { tool: resolved.tool, arguments: resolved.args, ms, isError };
  return { call, result, malformed: resolved.kind === 'malformed', made };
}

/** Whether a tool is offered, unavailable for now, or available again. The toolbox then handles the call. */
function isKnown(name: string, { offer, toolbox }: Pick<CallOptions, 'offer' | 'toolbox'>): boolean {
  return (
    offer.tools.has(name) ||
    toolbox.unavailableReason?.(name) !== undefined ||
    toolbox.tools().some((tool) => tool.name === name)
  );
}

function resolveCall(call: ModelCall, { offer, search, toolbox }: CallOptions): ResolvedCall {
  const { tool, input, unreadable, lostNumber } = call;
  const as = { tool, args: input };
  const isMeta = offer.mode === 'search' && offer.definitions.some((each) => each.name === tool);
  if (!isMeta && !isKnown(tool, { offer, toolbox }))
    return { ...as, kind: 'malformed', wrong: unknownTool(tool, offer, search) };
  if (unreadable || !isObject(input)) return { ...as, kind: 'malformed', wrong: notAnObject(input, unreadable) };
  if (lostNumber !== undefined) return { ...as, kind: 'malformed', wrong: cannotKeep(lostNumber) };
  if (!isMeta) return { ...as, kind: 'tool' };
  const result = answerMeta(tool, input, { offer, search, toolbox });
  return result ? { ...as, kind: 'answer', result } : resolveInnerCall(input, { offer, search, toolbox });
}

function resolveInnerCall(
  input: Record<string, unknown>,
  { offer, search, toolbox }: Pick<CallOptions, 'offer' | 'search' | 'toolbox'>,
): ResolvedCall {
  const inner = innerCall(input);
  if ('wrong' in inner) return { kind: 'malformed', tool: 'call_tool', args: input, wrong: inner.wrong };
  if (!isKnown(inner.tool, { offer, toolbox }))
    return { ...inner, kind: 'malformed', wrong: unknownTool(inner.tool, offer, search) };
  if (!isObject(inner.args)) return { ...inner, kind: 'malformed', wrong: notAnObject(inner.args, false) };
  return { ...inner, kind: 'tool' };
}

function notAnObject(input: unknown, unreadable: boolean): string {
  const written = clip(unreadable ? String(input) : JSON.stringify(input), 500);
  const what = unreadable ? 'not valid JSON' : 'not a JSON object';
  return `The arguments are ${what}: ${written}\nCall the tool again with the arguments as one JSON object.`;
}

async function resultOf(resolved: ResolvedCall, id: string, options: CallOptions): Promise<CallToolResult> {
  if (resolved.kind === 'answer') return resolved.result;
  if (resolved.kind === 'malformed') return errorResult(resolved.wrong);
  const { toolbox, callMs, signal, onEvent } = options;
  const { tool, args } = resolved;
  let over = false;
  try {
    const calling = toolbox.call(tool, args, {
      signal,
      by: 'model',
      timeout: callMs,
      // A server may send progress after the call has ended.
      onProgress: (progress) => void (over || onEvent({ type: 'progress', id, tool, ...progress })),
    });
    return await waitFor(calling, signal);
  } catch (error) {
    return errorResult(signal.aborted ? CUT_OFF : `The call failed: ${error instanceof Error ? error.message : error}`);
  } finally {
    over = true;
  }
}

const CUT_OFF = 'The run ended before this call had a result. The call may have taken effect nevertheless.';
