// The server of these tests: small, and its activity can be observed.
import { prompt, ProtocolError, resource, server, text, tool, ToolError } from '../../src/entries/index.ts';

/** The calls that handlers ran, and those that were aborted. */
export interface Seen {
  readonly ran: string[];
  readonly aborted: string[];
}

const anything = { type: 'object' } as const;

/** A new server for each test: `seen` records the activity of its handlers. */
export function makeApp(seen: Seen = { ran: [], aborted: [] }) {
  return server({
    name: 'protocol',
    version: '1.0.0',
    instructions: 'Try everything.',
    pageSize: 3,
    tools: {
      add: tool(
        {
          input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
        },
        ({ a, b }) => {
          seen.ran.push('add');
          return String(Number(a) + Number(b));
        },
      ),
      echo: tool({ input: anything, output: anything }, (value) => {
        seen.ran.push('echo');
        return value;
      }),
      meta: tool({ output: anything }, (_, { _meta: meta }) => ({ meta })),
      slow: tool({ input: anything }, async (_, { signal }) => {
        seen.ran.push('slow');
        if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        seen.aborted.push((signal.reason as Error).message);
        return 'too late';
      }),
      wait: tool({ input: { type: 'object', properties: { ms: { type: 'number' } } } }, async ({ ms }) => {
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        return 'waited';
      }),
      work: tool({}, async (_, ctx) => {
        await ctx.progress({ progress: 1, total: 2, message: 'half' });
        await ctx.log('info', 'working');
        return 'worked';
      }),
      can: tool({ output: anything }, (_, { client }) => ({
        name: client.name ?? null,
        can: (['elicitation', 'elicitation.url', 'sampling', 'roots'] as const).filter((ability) =>
          client.can(ability),
        ),
      })),
      ask: tool({}, async (_, ctx) => {
        seen.ran.push('ask');
        try {
          const answer = await ctx.ask('color', 'Which color?', {
            type: 'object',
            properties: { color: { type: 'string' } },
            required: ['color'],
          });
          return (answer as { color: string }).color;
        } finally {
          seen.ran.push('asked');
        }
      }),
      roots: tool({}, async (_, ctx) => JSON.stringify(await ctx.roots('roots'))),
      refuse: tool({}, () => {
        throw new ToolError('Not today');
      }),
      protocol: tool({ input: anything }, ({ code, data }) => {
        throw new ProtocolError(code as number, 'As the author said', data);
      }),
      constructor: tool({}, () => 'a tool named constructor'),
      ['__proto__']: tool({ input: anything, output: anything }, (value) => value),
    },
    resources: {
      'test://a': resource({ name: 'a' }, () => 'the text of a'),
      'test://b': resource({ name: 'b' }, () => new Uint8Array([1, 2, 3])),
      'test://c': resource({ name: 'c' }, () => undefined),
      'test://d': resource({ name: 'd' }, () => 'd'),
      'item:///{id}': resource({ name: 'item', complete: { id: ['one', 'two', 'three'] } }, ({ id }) => `item ${id}`),
    },
    prompts: {
      greet: prompt(
        {
          input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          complete: { name: ['Ann', 'Bob'] },
        },
        ({ name }) => `Hello ${String(name)}`,
      ),
      plain: prompt({}, () => [{ role: 'assistant', content: text('plain') }]),
    },
  });
}
