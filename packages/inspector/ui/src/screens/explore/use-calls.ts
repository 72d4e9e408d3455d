import { useEffect, useRef, useState } from 'react';
import { useTraceLength } from '../../store/model.ts';
import { type CallsOf, loadCalls, type PastCall, readCall, type ReadCall } from './calls.ts';

const NONE: readonly PastCall[] = [];
/** The trace may grow a thousand times a second; its calls are asked for at most this often. */
const PAUSE_MS = 400;

/** The length of the trace, told only now and then. */
export function useGrowth(): number {
  const length = useTraceLength();
  const [asked, setAsked] = useState(0);
  const last = useRef(-Infinity);
  useEffect(() => {
    if (length === asked) return;
    // However fast lines come, it is not put off again and again.
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setAsked(length);
      },
      Math.max(0, last.current + PAUSE_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [length, asked]);
  return asked;
}

/** The calls of an item so far, newest first; undefined: not read yet. */
export function usePastCalls({ server, method, subject }: CallsOf, paused: boolean): readonly PastCall[] | undefined {
  const [calls, setCalls] = useState<readonly PastCall[]>();
  const asked = useGrowth();
  useEffect(() => {
    if (asked === 0 || paused) return;
    const stop = new AbortController();
    loadCalls({ server, method, subject }, stop.signal)
      .then((found) => setCalls((before) => (same(before, found) ? before : found)))
      // The next line of the trace asks again.
      .catch(() => setCalls((before) => before ?? NONE));
    return () => stop.abort();
  }, [asked, paused, server, method, subject]);
  return calls;
}

/** All that can change about a call. */
function keyOf({ lines, outcome, ms }: PastCall): string {
  return `${lines.join()} ${outcome} ${ms}`;
}

function same(before: readonly PastCall[] | undefined, after: readonly PastCall[]): boolean {
  return before?.length === after.length && before.every((call, at) => keyOf(call) === keyOf(after[at]!));
}

/** A call as the trace has it. */
export function useReadCall(call: PastCall | undefined): ReadCall | undefined {
  const [read, setRead] = useState<{ of: string; call: ReadCall | undefined }>();
  const key = call === undefined ? '' : keyOf(call);
  useEffect(() => {
    if (call === undefined) return;
    const stop = new AbortController();
    readCall(call, stop.signal)
      .then((found) => setRead({ of: key, call: found }))
      .catch(() => undefined);
    return () => stop.abort();
    // The key says all that can change about a call.
  }, [key]);
  return read?.of === key ? read.call : undefined;
}
