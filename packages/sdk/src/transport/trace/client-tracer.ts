import type { Clock } from '../../client/clock.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import type { HttpSend } from '../http-client/send.ts';
import { tracedSend } from './traced-send.ts';
import { createTracer, type Tracer } from './tracer.ts';

/** The tracer of a client, for all its transports. */
export interface ClientTracer extends Tracer {
  /** The same function for sending HTTP requests, with tracing. */
  send(send: HttpSend): HttpSend;
}

export function createClientTracer(onTrace: (entry: TraceEntry) => void, limits: Limits, clock: Clock): ClientTracer {
  const tracer = createTracer(onTrace, limits, clock);
  return { ...tracer, send: (send) => tracedSend(send, tracer, limits) };
}
