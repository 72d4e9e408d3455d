// The real SDK of OpenTelemetry, with spans and metrics in memory.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** The data of a span, for tests. */
export interface SpanView {
  readonly name: string;
  readonly kind: number;
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly links: readonly string[];
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

function viewOf(span: ReadableSpan): SpanView {
  const { traceId, spanId } = span.spanContext();
  return {
    ...{ name: span.name, kind: span.kind, trace: traceId, id: spanId, parent: span.parentSpanContext?.spanId },
    ...{ links: span.links.map((link) => link.context.spanId), status: span.status.code, attributes: span.attributes },
  };
}

/** Sets up tracing for this process. Returns a function that returns the spans that ended since its last call. */
export function traceProcess(): () => SpanView[] {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return () => {
    const spans = exporter.getFinishedSpans().map(viewOf);
    exporter.reset();
    return spans;
  };
}

/** The tree of spans as indented lines, each with its kind: internal, server or client. */
export function treeOf(spans: readonly SpanView[], parent?: string, indent = ''): string[] {
  const kinds = ['internal', 'server', 'client'];
  return spans
    .filter((span) => span.parent === parent)
    .flatMap((span) => [`${indent}${span.name} (${kinds[span.kind]})`, ...treeOf(spans, span.id, `${indent}  `)]);
}
