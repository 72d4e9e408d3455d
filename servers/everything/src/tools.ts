import { setTimeout as sleep } from 'node:timers/promises';
import { audio, type Content, embed, image, link, text, tool } from 'tenon';
import { z } from 'zod';
import { dynamicContents, dynamicUri, type Kind, KINDS } from './dynamic.ts';
import { IMAGE, SOUND } from './samples.ts';

const ANSWERS = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

const MESSAGES: Readonly<Record<'error' | 'success' | 'debug', readonly [string, number, ('user' | 'assistant')[]]>> = {
  error: ['Error: Operation failed', 1, ['user', 'assistant']],
  success: ['Operation completed successfully', 0.7, ['user']],
  debug: ['Debug: Cache hit ratio 0.95, latency 150ms', 0.3, ['assistant']],
};

const WEATHER = {
  'New York': { temperature: 33, conditions: 'Cloudy', humidity: 82 },
  Chicago: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
  'Los Angeles': { temperature: 73, conditions: 'Sunny / Clear', humidity: 48 },
} as const;

const STAGES = ['Gathering sources', 'Analyzing content', 'Synthesizing findings', 'Generating report'];

/** Waits. Rejects if the call is cancelled. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal });
}

/** Tools that use no client features. `environment`: the variables that `get-env` may show. */
export function answeringTools(environment: readonly string[], stageMs: number) {
  return {
    echo: tool(
      {
        title: 'Echo Tool',
        description: 'Echoes back the input string',
        input: z.object({ message: z.string().describe('Message to echo') }),
        ...ANSWERS,
      },
      ({ message }) => `Echo: ${message}`,
    ),
    'get-annotated-message': tool(
      {
        title: 'Get Annotated Message Tool',
        description: 'Demonstrates how annotations can be used to provide metadata about content.',
        input: z.object({
          messageType: z
            .enum(['error', 'success', 'debug'])
            .describe('Type of message to demonstrate different annotation patterns'),
          includeImage: z.boolean().default(false).describe('Whether to include an example image'),
        }),
        ...ANSWERS,
      },
      ({ messageType, includeImage }): Content[] => {
        const [message, priority, audience] = MESSAGES[messageType];
        const picture = image(IMAGE, 'image/png', { annotations: { priority: 0.5, audience: ['user'] } });
        return [text(message, { annotations: { priority, audience } }), ...(includeImage ? [picture] : [])];
      },
    ),
    'get-env': tool(
      {
        title: 'Print Environment Tool',
        description:
          'Returns the environment variables that may be seen, helpful for debugging MCP server configuration',
        ...ANSWERS,
      },
      () =>
        JSON.stringify(
          Object.fromEntries(environment.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : []))),
          undefined,
          2,
        ),
    ),
    'get-resource-links': tool(
      {
        title: 'Get Resource Links Tool',
        description: 'Returns up to ten resource links that reference different types of resources',
        input: z.object({
          count: z.int().min(1).max(10).default(3).describe('Number of resource links to return (1-10)'),
        }),
        ...ANSWERS,
      },
      ({ count }): Content[] => [
        text(`Here are ${count} resource links to resources available in this server:`),
        ...Array.from({ length: count }, (_, index) => {
          const id = index + 1;
          const kind: Kind = id % 2 === 0 ? 'Text' : 'Blob';
          return link(dynamicUri(kind, id), `${kind} Resource ${id}`, {
            description: `Resource ${id}: plaintext resource`,
            mimeType: 'text/plain',
          });
        }),
      ],
    ),
    'get-resource-reference': tool(
      {
        title: 'Get Resource Reference Tool',
        description: 'Returns a resource reference that can be used by MCP clients',
        input: z.object({
          resourceType: z.enum(KINDS).default('Text'),
          resourceId: z.int().min(1).default(1).describe('ID of the text resource to fetch'),
        }),
        ...ANSWERS,
      },
      ({ resourceType, resourceId }): Content[] => [
        text(`Returning resource reference for Resource ${resourceId}:`),
        { type: 'resource', resource: dynamicContents(resourceType, resourceId) },
        text(`You can access this resource using the URI: ${dynamicUri(resourceType, resourceId)}`),
      ],
    ),
    'get-structured-content': tool(
      {
        title: 'Get Structured Content Tool',
        description: 'Returns structured content along with an output schema for client data validation',
        input: z.object({ location: z.enum(['New York', 'Chicago', 'Los Angeles']).describe('Choose city') }),
        output: z.object({
          temperature: z.number().describe('Temperature in celsius'),
          conditions: z.string().describe('Weather conditions description'),
          humidity: z.number().describe('Humidity percentage'),
        }),
        ...ANSWERS,
      },
      ({ location }) => WEATHER[location],
    ),
    'get-structured-list': tool(
      {
        title: 'Get Structured List Tool',
        description:
          'Returns structured content that is not an object; for revisions before 2026-07-28 it is wrapped in one',
        output: z.array(z.object({ city: z.string(), temperature: z.number() })),
        ...ANSWERS,
      },
      () => Object.entries(WEATHER).map(([city, { temperature }]) => ({ city, temperature })),
    ),
    'get-sum': tool(
      {
        title: 'Get Sum Tool',
        description: 'Returns the sum of two numbers',
        input: z.object({ a: z.number().describe('First number'), b: z.number().describe('Second number') }),
        ...ANSWERS,
      },
      ({ a, b }) => `The sum of ${a} and ${b} is ${a + b}.`,
    ),
    'get-tiny-image': tool(
      { title: 'Get Tiny Image Tool', description: 'Returns a tiny image.', ...ANSWERS },
      (): Content[] => [
        text("Here's the image you requested:"),
        image(IMAGE, 'image/png'),
        text('The image above is a joint: a tongue of one piece in the other.'),
      ],
    ),
    'get-tiny-sound': tool(
      { title: 'Get Tiny Sound Tool', description: 'Returns a tone of a fifth of a second.', ...ANSWERS },
      (): Content[] => [audio(SOUND, 'audio/wav')],
    ),
    'get-embedded-file': tool(
      { title: 'Get Embedded File Tool', description: 'Returns a small file as an embedded resource.', ...ANSWERS },
      (): Content[] => [embed('demo://resource/static/hello.txt', 'Hello', { mimeType: 'text/plain' })],
    ),
    'trigger-long-running-operation': tool(
      {
        title: 'Trigger Long Running Operation Tool',
        description: 'Demonstrates a long running operation with progress updates.',
        input: z.object({
          duration: z.number().min(0).max(600).default(10).describe('Duration of the operation in seconds'),
          steps: z.int().min(1).max(1_000).default(5).describe('Number of steps in the operation'),
        }),
        ...ANSWERS,
      },
      async ({ duration, steps }, { signal, progress }) => {
        for (let step = 1; step <= steps; step++) {
          await wait((duration / steps) * 1_000, signal);
          await progress({ progress: step, total: steps });
        }
        return `Long running operation completed. Duration: ${duration} seconds, Steps: ${steps}.`;
      },
    ),
    'simulate-research-query': tool(
      {
        title: 'Simulate Research Query',
        description: 'Works in stages, with progress. Asks for clarification if the topic is ambiguous.',
        input: z.object({
          topic: z.string().max(1_000).describe('The research topic to investigate'),
          ambiguous: z.boolean().default(false).describe('Simulate an ambiguous query that requires clarification'),
        }),
        ...ANSWERS,
        idempotent: false,
      },
      async ({ topic, ambiguous }, ctx) => {
        // Ask before the work, because a handler that asks is run again from the top.
        const meant =
          ambiguous && ctx.client.can('elicitation')
            ? await ctx.ask(
                'interpretation',
                `The research query "${topic}" could have multiple interpretations. Please clarify what you're looking for:`,
                z.object({
                  interpretation: z
                    .enum(['technical', 'historical', 'current'])
                    .describe('Which interpretation of the topic do you mean?'),
                }),
              )
            : undefined;
        for (const [index, stage] of STAGES.entries()) {
          await ctx.progress({ progress: index + 1, total: STAGES.length, message: `${stage}...` });
          await wait(stageMs, ctx.signal);
        }
        const about = meant === undefined ? topic : `${topic} (${meant.interpretation})`;
        return `# Research Report: ${about}\n\n${STAGES.map((stage) => `- ${stage}: done`).join('\n')}`;
      },
    ),
  };
}
