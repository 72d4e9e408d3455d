// The formats of the model APIs that hosts speak, each in its streaming form. Gemini's is here, the others are those of the tests of the host.
import { anthropicWire } from '../packages/host/test/models/anthropic-wire.ts';
import type { Wire } from '../packages/host/test/models/model-server.ts';
import { compatibleWire } from '../packages/host/test/models/openai-wire.ts';
import { responsesWire } from '../packages/host/test/models/responses-wire.ts';

export type Format = Pick<Wire, 'events' | 'end' | 'tools' | 'results'>;

interface GeminiBody {
  readonly contents: readonly { parts?: readonly { functionResponse?: { id?: string; response: unknown } }[] }[];
  readonly tools?: readonly { functionDeclarations?: readonly { name: string; parametersJsonSchema?: unknown }[] }[];
}

const gemini: Format = {
  events: ({ text = [], calls = [] }) => {
    const parts = [
      ...text.map((piece) => ({ text: piece })),
      ...calls.map(({ id, name, pieces }) => ({
        functionCall: { id, name, args: JSON.parse(pieces.join('')) as unknown },
      })),
    ];
    const candidate = { index: 0, content: { role: 'model', parts }, finishReason: 'STOP' };
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
    return [`data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: 'local' })}\n\n`];
  },
  end: () => [],
  tools: ({ tools = [] }: GeminiBody) =>
    tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, parametersJsonSchema: schema }) => ({ name, schema })),
    ),
  results: ({ contents }: GeminiBody) =>
    (contents.at(-1)?.parts ?? []).flatMap(({ functionResponse: part }) =>
      part === undefined ? [] : [{ id: part.id ?? '', text: JSON.stringify(part.response) }],
    ),
};

/** The format of a request, by the end of its path. */
export const FORMATS: readonly (readonly [RegExp, Format])[] = [
  [/\/messages$/, anthropicWire],
  [/\/responses$/, responsesWire],
  [/\/chat\/completions$/, compatibleWire],
  [/:streamGenerateContent$/, gemini],
];
