import { useEffect, useState } from 'react';
import { useTraceLength } from '../../store/model.ts';
import { type CallsOf, loadCalls, type PastCall, readCall, type ReadCall } from './calls.ts';

const NONE: readonly PastCall[] = [];
/** The trace may grow a thousand times a second; its calls are asked for at most this often. */
const PAUSE_MS = 400;

/** The calls of an item so far, newest first; undefined: not read yet. */
export const usePastCalls = (
  { server, method, subject }: CallsOf,
  paused: boolean,
): readonly PastCall[] | undefined => {
  const [calls, setCalls] = useState<readonly PastCall[]>();
  const length = useTraceLength();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (length === asked) return;
    const timer = setTimeout(() => setAsked(length), asked === 0 ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [length, asked]);
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
};

const same = (before: readonly PastCall[] | undefined, after: readonly PastCall[]): boolean =>
  before?.length === after.length &&
  before.every((call, at) => call.request === after[at]!.request && call.response === after[at]!.response);

/** A call as the trace has it. */
export const useReadCall = (call: PastCall | undefined): ReadCall | undefined => {
  const [read, setRead] = useState<{ of: string; call: ReadCall | undefined }>();
  const key = call === undefined ? '' : `${call.request} ${call.response} ${call.outcome}`;
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
};
