import assert from 'node:assert/strict';
import { openTrace, type TraceLine } from '@tenon/inspector/trace';

/** The lines of a trace, which must be in order. */
export async function linesOf(file: string): Promise<TraceLine[]> {
  const trace = await openTrace(file);
  try {
    await trace.indexed;
    assert.deepEqual(trace.problems, []);
    return trace.read(1, trace.length);
  } finally {
    await trace.close();
  }
}
