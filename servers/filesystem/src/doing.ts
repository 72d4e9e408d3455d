import { type CallContext, ToolError } from 'tenon';
import { z } from 'zod';
import { AccessError, type Folders } from '../../shared/folders.ts';

/** What every tool takes that is given a place. */
export const path = z.string().min(1).max(4_096);
/** Of the tools that change nothing. */
export const READS = { readOnly: true, openWorld: false } as const;

/** Makes the handler of a tool of what it does in the folders that a call may use. */
export type Doing = <In, Out>(
  act: (input: In, found: Folders, ctx: CallContext) => Promise<Out>,
) => (input: In, ctx: CallContext) => Promise<Out>;

/** Runs a tool; what somebody may not do, the model can read. */
export const createDoing =
  (allowed: (ctx: CallContext) => Promise<Folders>): Doing =>
  (act) =>
  async (input, ctx) => {
    try {
      return await act(input, await allowed(ctx), ctx);
    } catch (error) {
      if (error instanceof AccessError) throw new ToolError(error.message);
      throw error;
    }
  };
