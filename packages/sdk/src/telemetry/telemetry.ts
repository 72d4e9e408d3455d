import {
  type Attributes,
  context,
  type Context,
  type Histogram,
  type Link,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import type { Call, CallAnswer } from '../protocol/middleware.ts';
import type { AskedQuestion, QuestionStep, SendQuestion } from '../protocol/question-step.ts';
import {
  attributesOf,
  attributesOfAnswer,
  attributesOfError,
  attributesOfQuestion,
  spanNameOf,
  withoutNames,
} from './attributes.ts';
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
type AnyCall = Call & {
  readonly url?: string | undefined;
  readonly aroundQuestions?: ((step: QuestionStep<SendQuestion>) => void) | undefined;
};

/** Continues with a call. On clients it takes additional `_meta`. */
type AnyNext = (more?: { readonly _meta?: Readonly<Record<string, unknown>> }) => Promise<CallAnswer>;

/** Telemetry of OpenTelemetry, as middleware of servers and clients. */
export interface Telemetry {
  (call: AnyCall, next: AnyNext): Promise<CallAnswer>;
  /** Makes a span of the answer to a question, on clients. */
  readonly aroundAnswer: QuestionStep<() => Promise<JsonObject>>;
}

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
  const bounded = createBound();

  /** Runs something in a span, and measures it. */
  async function observe<T>(what: Observed<T>): Promise<T> {
    const { side, parent, few, all = few, kind, links = [] } = what;
    const span = tracer.startSpan(what.name, { kind, attributes: all, links }, parent);
    const within = trace.setSpan(parent, span);
    const began = performance.now();
    const end = (attributes: Attributes, measured = few): void => {
      span.setAttributes(attributes);
      if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      measure[side]().record((performance.now() - began) / 1_000, { ...measured, ...bounded(attributes) }, within);
    };
    let ended: T;
    try {
      ended = await context.with(within, () => what.run(within));
    } catch (error) {
      end(attributesOfError(error, side), what.fewIfFailed);
      throw error;
    }
    end(what.ended(ended, span));
    return ended;
  }

  function aroundCall(call: AnyCall, next: AnyNext): Promise<CallAnswer> {
    const { side, task } = call;
    const active = context.active();
    const parent = contextIn(call._meta, active);
    const { few, all } = attributesOf(call, call.url);
    call.aroundQuestions?.(aroundQuestion);
    return observe({
      ...{ side, parent, few, name: spanNameOf(call), links: linksTo(active, parent) },
      fewIfFailed: side === 'server' ? withoutNames(few) : few,
      all: content ? { ...all, ...argumentsOf(call) } : all,
      kind: side === 'client' ? SpanKind.CLIENT : task === undefined ? SpanKind.SERVER : SpanKind.INTERNAL,
      run: (within) => (side === 'client' ? next({ _meta: metaOfContext(within) }) : next()),
      ended(answer, span) {
        if (content) recordResult(span, call, answer);
        return attributesOfAnswer(call, answer);
      },
    });
  }

  /** A question that a server sends: it is the client of this request. */
  function aroundQuestion(question: AskedQuestion, send: SendQuestion): Promise<JsonObject> {
    return observe({
      ...{ side: 'client', kind: SpanKind.CLIENT, parent: context.active(), name: question.method },
      few: attributesOfQuestion(question),
      run: (within) => send(metaOfContext(within)),
      ended: () => ({}),
    });
  }

  function aroundAnswer(question: AskedQuestion, answer: () => Promise<JsonObject>): Promise<JsonObject> {
    const active = context.active();
    const parent = contextIn(question._meta, active);
    return observe({
      ...{ side: 'server', kind: SpanKind.SERVER, parent, links: linksTo(active, parent), name: question.method },
      few: attributesOfQuestion(question),
      run: answer,
      ended: () => ({}),
    });
  }

  return Object.assign(aroundCall, { aroundAnswer });
}

/** Something that is observed. */
interface Observed<T> {
  readonly side: Call['side'];
  readonly kind: SpanKind;
  readonly name: string;
  readonly parent: Context;
  readonly links?: Link[];
  /** The attributes with few values, also for metrics. */
  readonly few: Attributes;
  /** Those for metrics of what failed. */
  readonly fewIfFailed?: Attributes;
  /** Those of the span. */
  readonly all?: Attributes;
  readonly run: (within: Context) => Promise<T>;
  /** What is known when it has ended. */
  readonly ended: (value: T, span: Span) => Attributes;
}

const OPTIONS: KnownOptions<TelemetryOptions> = { content: 1, tracerProvider: 1, meterProvider: 1 };

/** A span that is active where a request arrives, but not its parent, such as that of an HTTP request. */
function linksTo(active: Context, parent: Context): Link[] {
  const ambient = trace.getSpanContext(active);
  const found = trace.getSpanContext(parent);
  return ambient === undefined || ambient.spanId === found?.spanId ? [] : [{ context: ambient }];
}

/** How many error codes metrics tell apart. */
const MAX_CODES = 100;

/** Replaces error codes beyond the first ones: the peer chooses them, and must not be able to make any number of time series. */
function createBound(): (attributes: Attributes) => Attributes {
  const codes = new Set<unknown>();
  return (attributes) => {
    const code = attributes['rpc.response.status_code'];
    if (code === undefined || codes.has(code)) return attributes;
    if (codes.size < MAX_CODES) {
      codes.add(code);
      return attributes;
    }
    const type = attributes['error.type'] === undefined ? {} : { 'error.type': '_OTHER' };
    return { ...attributes, 'rpc.response.status_code': '_OTHER', ...type };
  };
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
  // They are as the client sent them: not checked yet.
  if (method !== 'prompts/get' || !isObject(args)) return {};
  const variables = Object.entries(args).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(
    variables
      .slice(0, 100)
      .map(([name, value]) => [`gen_ai.prompt.variable.${shown(name)}`, (value as string).slice(0, MAX_CONTENT)]),
  );
}

function recordResult(span: Span, { method }: Call, { kind, result }: CallAnswer): void {
  if (method === 'tools/call' && kind === 'result')
    span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result).slice(0, MAX_CONTENT));
}
