// Asks the user, the model and the client everything there is to ask.
import { type JsonSchema, server, tool } from 'tenon';
import { start } from '../serving.ts';

const sizes = [
  { const: 's', title: 'Small' },
  { const: 'm', title: 'Medium' },
  { const: 'l', title: 'Large' },
];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

/** A field of every kind that a form may have. */
const everyField: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'As on the passport', minLength: 2, maxLength: 40 },
    note: { type: 'string', title: 'Note', default: 'None' },
    email: { type: 'string', format: 'email' },
    site: { type: 'string', format: 'uri' },
    birthday: { type: 'string', format: 'date' },
    arrival: { type: 'string', format: 'date-time' },
    nights: { type: 'integer', minimum: 1, maximum: 30, default: 2 },
    budget: { type: 'number', minimum: 0.5, maximum: 10_000 },
    window: { type: 'boolean', title: 'By the window', default: true },
    board: { type: 'string', enum: ['none', 'half', 'full'], default: 'half' },
    size: { type: 'string', oneOf: sizes, default: 'm' },
    legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['The first', 'The second'] },
    days: { type: 'array', items: { type: 'string', enum: days }, minItems: 1, maxItems: 3, default: ['Monday'] },
    sizes: { type: 'array', items: { anyOf: sizes } },
  },
  required: ['name', 'nights', 'days'],
};

const one = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const question = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Name a river in Norway.' } }],
  systemPrompt: 'Answer with one word.',
  maxTokens: 20,
  temperature: 0.2,
  stopSequences: ['\n'],
  modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
};
const lookup = {
  name: 'lookup',
  description: 'Looks a river up',
  inputSchema: { type: 'object', properties: { river: { type: 'string' } }, required: ['river'] },
};

const app = server({
  name: 'asks',
  version: '1.0.0',
  tools: {
    form: tool({ description: 'A form with a field of every kind' }, async (_, ctx) =>
      JSON.stringify(await ctx.elicit('form', 'Book a room', everyField)),
    ),
    confirm: tool({ description: 'A form without fields' }, async (_, ctx) =>
      JSON.stringify(await ctx.elicit('confirm', 'Delete everything?', { type: 'object', properties: {} })),
    ),
    page: tool({ description: 'A page to visit' }, async (_, ctx) => {
      const { action } = await ctx.visit('page', 'Pay for the room', 'https://pay.example.com/order/17?step=1');
      return action;
    }),
    sample: tool({ description: 'A question to the model' }, async (_, ctx) =>
      JSON.stringify(await ctx.sample('sample', question)),
    ),
    'sample-tools': tool({ description: 'A question to the model, with a tool it may use' }, async (_, ctx) =>
      JSON.stringify(await ctx.sample('tools', { ...question, tools: [lookup], toolChoice: { mode: 'auto' } })),
    ),
    roots: tool({ description: 'The folders of the client' }, async (_, ctx) =>
      JSON.stringify(await ctx.roots('roots')),
    ),
    both: tool({ description: 'Two forms at once' }, async (_, ctx) =>
      JSON.stringify(
        await Promise.all([
          ctx.elicit('left', 'What is on the left?', one('left')),
          ctx.elicit('right', 'What is on the right?', one('right')),
        ]),
      ),
    ),
    chain: tool({ description: 'One form after the other' }, async (_, ctx) => {
      const { first } = (await ctx.ask('first', 'What comes first?', one('first'))) as { first: string };
      const { second } = (await ctx.ask('second', `What comes after ${first}?`, one('second'))) as { second: string };
      return `${first}, ${second}`;
    }),
  },
});

await start(app);
