import type { LanguageModel } from 'ai';
import { estimateTokens } from './clip.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type CallOptions = Parameters<Model['doStream']>[0];
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
type Content = Awaited<ReturnType<Model['doGenerate']>>['content'][number];

/** The input of a step of a script. */
export interface ScriptContext {
  /** The number of earlier steps. */
  readonly step: number;
  /** The conversation as a provider receives it. */
  readonly messages: CallOptions['prompt'];
  /** The names of the available tools. */
  readonly tools: readonly string[];
  /** The texts of the latest tool results, in the order of their calls. */
  readonly results: readonly string[];
}

/** The reply of the model in a step. Arguments that are a string are passed on unchanged, even if they are not JSON. */
export interface ScriptReply {
  /** The text of the reply. Default: empty. */
  readonly text?: string | undefined;
  /** The reasoning before it. Default: none. */
  readonly reasoning?: string | undefined;
  /** The tools that it calls. Default: none, so that the run ends. */
  readonly calls?: readonly {
    /** The qualified name. */
    readonly tool: string;
    /** Default: `{}`. */
    readonly arguments?: Readonly<Record<string, unknown>> | string;
  }[];
}

/** A step of a script. An exception counts as an error of the model. */
export type ScriptStep = (context: ScriptContext) => ScriptReply;

/**
 * A language model that follows a script, for demos and for tests without costs. Its provider is `tenon`, its id `demo-script`. A single
 * function answers every step; the functions of a list answer one step each. `pieceMs` is the delay between two pieces of text, in
 * milliseconds, by default 0.
 *
 * @example
 * ```ts
 * import { scriptedModel } from '@tenon/host';
 *
 * const model = scriptedModel([
 *   () => ({ calls: [{ tool: 'math__add', arguments: { a: 1, b: 2 } }] }),
 *   ({ results }) => ({ text: `It is ${results[0]}.` }),
 * ]);
 * ```
 */
export function scriptedModel(
  script: ScriptStep | readonly ScriptStep[],
  { pieceMs = 0 }: { readonly pieceMs?: number } = {},
): Model {
  let step = 0;
  let calls = 0;
  const next = (options: CallOptions): Content[] => {
    const ask = typeof script === 'function' ? script : (script[step] ?? endReply);
    const reply = ask(contextOf(step, options));
    step += 1;
    return contentOf(reply, () => `script-call-${++calls}`);
  };
  return {
    specificationVersion: 'v4',
    provider: 'tenon',
    modelId: 'demo-script',
    supportedUrls: {},
    // Async, so that an exception of the script becomes a rejection.
    doGenerate: async (options) => {
      const content = next(options);
      return { content, finishReason: finishOf(content), usage: usageOf(options, content), warnings: [] };
    },
    doStream: async (options) => {
      const content = next(options);
      return { stream: streamOf(partsOf(content, options), pieceMs, options.abortSignal) };
    },
  };
}

const endReply: ScriptStep = () => ({ text: 'The script has no more steps.' });

function contextOf(step: number, options: CallOptions): ScriptContext {
  return {
    step,
    messages: options.prompt,
    tools: (options.tools ?? []).map((tool) => tool.name),
    results: resultsOf(options.prompt),
  };
}

/** The tool results after the last message of the model. */
function resultsOf(messages: CallOptions['prompt']): string[] {
  const last = messages.map((message) => message.role).lastIndexOf('assistant');
  return messages.slice(last + 1).flatMap((message) => {
    if (message.role !== 'tool') return [];
    return message.content.flatMap((part) => (part.type === 'tool-result' ? [textOfOutput(part.output)] : []));
  });
}

type Output = Extract<Extract<CallOptions['prompt'][number], { role: 'tool' }>['content'][number], { output: unknown }>;

function textOfOutput(output: Output['output']): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type === 'content') return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return JSON.stringify(output);
}

function contentOf(reply: ScriptReply, nextId: () => string): Content[] {
  return [
    ...(reply.reasoning ? [{ type: 'reasoning' as const, text: reply.reasoning }] : []),
    ...(reply.text ? [{ type: 'text' as const, text: reply.text }] : []),
    ...(reply.calls ?? []).map((call) => ({
      type: 'tool-call' as const,
      toolCallId: nextId(),
      toolName: call.tool,
      input: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
    })),
  ];
}

function finishOf(content: readonly Content[]): Extract<Part, { type: 'finish' }>['finishReason'] {
  return {
    unified: content.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop',
    raw: undefined,
  };
}

function usageOf(options: CallOptions, content: readonly Content[]): Extract<Part, { type: 'finish' }>['usage'] {
  return {
    inputTokens: {
      total: estimateTokens(JSON.stringify([options.prompt, options.tools ?? []]).length),
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: { total: estimateTokens(JSON.stringify(content).length), text: undefined, reasoning: undefined },
  };
}

/** Splits a text into words with the following space, as a model streams them. */
function piecesOf(text: string): string[] {
  return text.match(/\S{1,12}\s*|\s+/g) ?? [];
}

function partsOf(content: readonly Content[], options: CallOptions): Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap((part, index): Part[] => {
      const id = String(index);
      if (part.type === 'text' || part.type === 'reasoning') {
        const { type } = part;
        const deltas = piecesOf(part.text).map((delta): Part => ({ type: `${type}-delta`, id, delta }));
        return [{ type: `${type}-start`, id }, ...deltas, { type: `${type}-end`, id }];
      }
      return part.type === 'tool-call' ? [part] : [];
    }),
    { type: 'finish', finishReason: finishOf(content), usage: usageOf(options, content) },
  ];
}

function streamOf(parts: readonly Part[], pieceMs: number, signal: AbortSignal | undefined): ReadableStream<Part> {
  let index = 0;
  return new ReadableStream<Part>({
    async pull(controller) {
      const part = parts[index];
      index += 1;
      if (!part) return controller.close();
      if (pieceMs > 0) await new Promise((resolve) => setTimeout(resolve, pieceMs));
      if (signal?.aborted) return controller.error(signal.reason);
      controller.enqueue(part);
    },
  });
}
