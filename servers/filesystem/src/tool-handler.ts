import { type CallContext, ToolError } from 'tenon';
import { z } from 'zod';
import { checkWritable } from '../../shared/bytes.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** The path argument of tools. */
export const path = z.string().min(1).max(4_096);
/** Annotations of tools that change nothing. */
export const READS = { readOnly: true, openWorld: false } as const;

/** Makes a tool's handler from a function that also gets the folders that the call may use. */
export type WrapHandler = <In, Out>(
  act: (input: In, found: Folders, ctx: CallContext) => Promise<Out>,
) => (input: In, ctx: CallContext) => Promise<Out>;

/** Makes such a wrapper. It turns an `AccessError` into a tool error that the model can read. */
export function createHandlerWrapper(allowed: (ctx: CallContext) => Promise<Folders>): WrapHandler {
  return (act) => async (input, ctx) => {
    try {
      checkWritable(input);
      return await act(input, await allowed(ctx), ctx);
    } catch (error) {
      if (error instanceof AccessError) throw new ToolError(error.message);
      throw error;
    }
  };
}
