// Trace context in `_meta`, in the W3C formats, whatever propagator the program uses (specification, "OpenTelemetry Trace Context").

import {
  type Baggage,
  baggageEntryMetadataFromString,
  type Context,
  createTraceState,
  isSpanContextValid,
  propagation,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import type { Meta } from '../protocol/meta.ts';

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** The maximum lengths of a peer's `tracestate` and `baggage`, in characters. Longer ones are ignored, as in the OpenTelemetry SDK. */
const MAX = { tracestate: 512, baggage: 8_192, entries: 180 };

/** The trace context in the `_meta` of a request; `from` if it has none or an invalid one. */
export function contextIn({ traceparent, tracestate, baggage }: Meta, from: Context): Context {
  const parent = spanContextOf(traceparent, tracestate);
  const within = parent === undefined ? from : trace.setSpanContext(from, parent);
  return typeof baggage === 'string' && baggage.length <= MAX.baggage
    ? propagation.setBaggage(within, baggageOf(baggage))
    : within;
}

function spanContextOf(traceparent: unknown, tracestate: unknown): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  // Later versions may have more members, the first has none.
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(context)) return undefined;
  return typeof tracestate === 'string' && tracestate.length <= MAX.tracestate
    ? { ...context, traceState: createTraceState(tracestate) }
    : context;
}

/** The `_meta` with the trace context; empty if there is no trace. */
export function metaOfContext(context: Context): Meta {
  const meta: Meta = {};
  const span = trace.getSpanContext(context);
  if (span !== undefined && isSpanContextValid(span)) {
    const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
    meta['traceparent'] = `00-${span.traceId}-${span.spanId}-${flags}`;
    const state = span.traceState?.serialize();
    if (state !== undefined && state !== '') meta['tracestate'] = state;
  }
  const baggage = propagation.getBaggage(context);
  const text = baggage === undefined ? '' : textOfBaggage(baggage);
  if (text !== '') meta['baggage'] = text;
  return meta;
}

/** The syntax of a key, and of a value, of baggage. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const OCTETS = /^[!#-+\--:<-[\]-~]*$/;

/** https://www.w3.org/TR/baggage/#header-content */
function baggageOf(text: string): Baggage {
  let baggage = propagation.createBaggage();
  for (const member of text.split(',', MAX.entries)) {
    const [pair = '', ...properties] = member.split(';');
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    const value = decoded(pair.slice(at + 1).trim());
    if (!TOKEN.test(key) || value === undefined) continue;
    const kept = properties.map(propertyOf).filter((property) => property !== undefined);
    const metadata = kept.length === 0 ? {} : { metadata: baggageEntryMetadataFromString(kept.join(';')) };
    baggage = baggage.setEntry(key, { value, ...metadata });
  }
  return baggage;
}

/** A property of a member without spaces around its parts; undefined if it is invalid. Propagators write it unchanged, also into headers. */
function propertyOf(text: string): string | undefined {
  const [key = '', ...value] = text.split('=').map((part) => part.trim());
  const isProperty = TOKEN.test(key) && OCTETS.test(value.join('='));
  return isProperty ? [key, ...value].join('=') : undefined;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function textOfBaggage(baggage: Baggage): string {
  let text = '';
  for (const [key, { value, metadata }] of baggage.getAllEntries()) {
    const properties = metadata === undefined ? '' : `;${metadata.toString()}`;
    const member = `${text === '' ? '' : ','}${key}=${encodeURIComponent(value)}${properties}`;
    if (text.length + member.length <= MAX.baggage) text += member;
  }
  return text;
}
