import { useEffect, useRef, useState } from 'react';
import { useTraceLength } from '../../store/model.ts';
import { type CallsOf, loadCalls, type PastCall, readCall, type ReadCall } from './calls.ts';

const NONE: readonly PastCall[] = [];
/**
 * The shortest interval between two loads of the calls, because the trace may grow a thousand times a second. In milliseconds.
 */
const PAUSE_MS = 400;

/** The length of the trace, updated at most once per interval. */
export function useGrowth(): number {
  const length = useTraceLength();
  const [asked, setAsked] = useState(0);
  const last = useRef(-Infinity);
  useEffect(() => {
    if (length === asked) return;
    // The timer is not restarted by new lines, however fast they arrive.
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

/** The previous calls of an item, newest first. Undefined: not loaded yet. */
export function usePastCalls({ server, method, subject }: CallsOf, paused: boolean): readonly PastCall[] | undefined {
  const [calls, setCalls] = useState<readonly PastCall[]>();
  const asked = useGrowth();
  useEffect(() => {
    if (asked === 0 || paused) return;
    const stop = new AbortController();
    loadCalls({ server, method, subject }, stop.signal)
      .then((found) => setCalls((before) => (same(before, found) ? before : found)))
      // The next line of the trace triggers another attempt.
      .catch(() => setCalls((before) => before ?? NONE));
    return () => stop.abort();
  }, [asked, paused, server, method, subject]);
  return calls;
}

/** Contains everything about a call that can change. */
function keyOf({ lines, outcome, ms }: PastCall): string {
  return `${lines.join()} ${outcome} ${ms}`;
}

function same(before: readonly PastCall[] | undefined, after: readonly PastCall[]): boolean {
  return before?.length === after.length && before.every((call, at) => keyOf(call) === keyOf(after[at]!));
}

/** A call, loaded from the trace. */
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
    // The key contains everything about a call that can change.
  }, [key]);
  return read?.of === key ? read.call : undefined;
}
