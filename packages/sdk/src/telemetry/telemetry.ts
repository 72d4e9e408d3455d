import {
  type Attributes,
  context,
  type Context,
  type Histogram,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import type { Call, CallAnswer } from '../protocol/middleware.ts';
import { attributesOf, attributesOfAnswer, attributesOfError, spanNameOf, withoutNames } from './attributes.ts';
import { contextIn, metaOfContext } from './trace-context.ts';

/** Options of `telemetry`. */
export interface TelemetryOptions {
  /**
   * Record the arguments of calls and the results of tools, as JSON of up to 10,000 characters. They may be personal or secret. Default
   * false.
   */
  readonly content?: boolean;
  /** The provider for spans. Default: the global provider of `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider;
  /** The provider for metrics. Default: the global provider of `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider;
}

/** A call on either side. */
type AnyCall = Call & { readonly url?: string | undefined };

/** Continues with a call. On clients it takes additional `_meta`. */
type AnyNext = (more?: { readonly _meta?: Readonly<Record<string, unknown>> }) => Promise<CallAnswer>;

/** Telemetry of OpenTelemetry, as middleware of servers and clients. */
export type Telemetry = (call: AnyCall, next: AnyNext) => Promise<CallAnswer>;

/**
 * Creates a span for each call and measures its duration, following the semantic conventions of OpenTelemetry for MCP. A client sends the
 * trace context in `_meta`, and a server continues the trace; spans that a handler starts are children of its call's span. Needs
 * `@opentelemetry/api`, and does nothing until the program has set up an SDK of OpenTelemetry.
 *
 * @example
 * ```ts
 * import { server, tool } from 'tenon';
 * import { connect } from 'tenon/client';
 * import { telemetry } from 'tenon/otel';
 *
 * const app = server({ name: 'clock', tools: { now: tool({}, () => new Date().toISOString()) } });
 * app.use(telemetry());
 * await using client = await connect(app, { use: [telemetry()] });
 * await client.call('now');
 * ```
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions(options, OPTIONS);
  const { content = false, tracerProvider = trace, meterProvider } = options;
  const tracer = tracerProvider.getTracer('tenon');
  const measure = createMeasure(meterProvider);
  return async (call, next) => {
    const { side, task } = call;
    const active = context.active();
    const parent = contextIn(call._meta, active);
    const { few, all } = attributesOf(call, call.url);
    const span = tracer.startSpan(
      spanNameOf(call),
      {
        kind: side === 'client' ? SpanKind.CLIENT : task === undefined ? SpanKind.SERVER : SpanKind.INTERNAL,
        attributes: content ? { ...all, ...argumentsOf(call) } : all,
        links: linksTo(active, parent),
      },
      parent,
    );
    const within = trace.setSpan(parent, span);
    const began = performance.now();
    const end = (attributes: Attributes, measured = few): void => {
      span.setAttributes(attributes);
      if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      measure[side]().record((performance.now() - began) / 1_000, { ...measured, ...attributes }, within);
    };
    let answer: CallAnswer;
    try {
      answer = await context.with(within, () => (side === 'client' ? next({ _meta: metaOfContext(within) }) : next()));
    } catch (error) {
      end(attributesOfError(error, side), side === 'server' ? withoutNames(few) : few);
      throw error;
    }
    if (content) recordResult(span, call, answer);
    end(attributesOfAnswer(answer));
    return answer;
  };
}

const OPTIONS: KnownOptions<TelemetryOptions> = { content: 1, tracerProvider: 1, meterProvider: 1 };

/** A link to the span that is active when a request arrives if it is not the parent, such as the span of an HTTP request. */
function linksTo(active: Context, parent: Context) {
  const ambient = trace.getSpanContext(active);
  const found = trace.getSpanContext(parent);
  return ambient === undefined || ambient.spanId === found?.spanId ? [] : [{ context: ambient }];
}

/** The boundaries that the conventions recommend, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The histograms of both sides. Created late: a program may set up its SDK after its servers and clients are made. */
function createMeasure(provider: MeterProvider | undefined): Readonly<Record<Call['side'], () => Histogram>> {
  const histogram = (side: Call['side']) => {
    let made: Histogram | undefined;
    return () =>
      (made ??= (provider ?? metrics).getMeter('tenon').createHistogram(`mcp.${side}.operation.duration`, {
        description: side === 'client' ? 'How long a call takes for its client' : 'How long a call takes in its server',
        unit: 's',
        advice: { explicitBucketBoundaries: BUCKETS },
      }));
  };
  return { client: histogram('client'), server: histogram('server') };
}

/** The maximum recorded length of arguments and results, in characters. */
const MAX_CONTENT = 10_000;

function argumentsOf({ method, params }: Call): Attributes {
  const args = params['arguments'];
  if (args === undefined) return {};
  if (method === 'tools/call') return { 'gen_ai.tool.call.arguments': JSON.stringify(args).slice(0, MAX_CONTENT) };
  if (method !== 'prompts/get') return {};
  const variables = Object.entries(args as object).slice(0, 100);
  return Object.fromEntries(
    variables.map(([name, value]) => [`gen_ai.prompt.variable.${name}`, String(value).slice(0, MAX_CONTENT)]),
  );
}

function recordResult(span: Span, { method }: Call, { kind, result }: CallAnswer): void {
  if (method === 'tools/call' && kind === 'result')
    span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result).slice(0, MAX_CONTENT));
}
