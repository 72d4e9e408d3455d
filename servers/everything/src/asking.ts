import { type CallContext, type Content, type JsonSchema, text, tool, ToolError } from 'tenon';
import { z } from 'zod';

const ASKS = { readOnly: false, destructive: false, idempotent: false, openWorld: true } as const;

/** A form with every kind of field. */
const FORM: JsonSchema = {
  type: 'object',
  properties: {
    name: { title: 'String', type: 'string', description: 'Your full, legal name' },
    check: { title: 'Boolean', type: 'boolean', description: 'Agree to the terms and conditions' },
    firstLine: {
      title: 'String with default',
      type: 'string',
      description: 'Favorite first line of a story',
      default: 'It was a dark and stormy night.',
    },
    email: { title: 'String with email format', type: 'string', format: 'email', description: 'Your email address' },
    homepage: { title: 'String with uri format', type: 'string', format: 'uri', description: 'Personal website' },
    birthdate: { title: 'String with date format', type: 'string', format: 'date', description: 'Your date of birth' },
    integer: {
      title: 'Integer',
      type: 'integer',
      description: 'Your favorite integer',
      minimum: 1,
      maximum: 100,
      default: 42,
    },
    number: {
      title: 'Number',
      type: 'number',
      description: 'Favorite number',
      minimum: 0,
      maximum: 1_000,
      default: 3.14,
    },
    untitledSingleSelectEnum: {
      title: 'Untitled Single Select Enum',
      type: 'string',
      description: 'Choose your favorite wood',
      enum: ['Oak', 'Beech', 'Ash', 'Pine'],
      default: 'Oak',
    },
    untitledMultipleSelectEnum: {
      title: 'Untitled Multiple Select Enum',
      type: 'array',
      description: 'Choose your favorite instruments',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: ['Guitar', 'Piano', 'Violin', 'Drums', 'Bass'] },
      default: ['Guitar'],
    },
    titledSingleSelectEnum: {
      title: 'Titled Single Select Enum',
      type: 'string',
      description: 'Choose your favorite joint',
      oneOf: [
        { const: 'joint-1', title: 'Mortise and tenon' },
        { const: 'joint-2', title: 'Dovetail' },
        { const: 'joint-3', title: 'Finger joint' },
      ],
      default: 'joint-1',
    },
    titledMultipleSelectEnum: {
      title: 'Titled Multiple Select Enum',
      type: 'array',
      description: 'Choose your favorite types of fish',
      minItems: 1,
      maxItems: 3,
      items: {
        anyOf: [
          { const: 'fish-1', title: 'Tuna' },
          { const: 'fish-2', title: 'Salmon' },
          { const: 'fish-3', title: 'Trout' },
        ],
      },
      default: ['fish-1'],
    },
    legacyTitledEnum: {
      title: 'Legacy Titled Single Select Enum',
      type: 'string',
      description: 'Choose your favorite type of pet',
      enum: ['pet-1', 'pet-2', 'pet-3'],
      enumNames: ['Cats', 'Dogs', 'Birds'],
      default: 'pet-1',
    },
  },
  required: ['name'],
};

function raw(value: unknown): Content {
  return text(`\nRaw result: ${JSON.stringify(value, undefined, 2)}`);
}

function needs(ctx: CallContext, ability: Parameters<CallContext['client']['can']>[0]): void {
  if (!ctx.client.can(ability)) throw new ToolError(`This client does not support ${ability}`);
}

/** Tools that use client features: roots, elicitation and sampling. */
export function askingTools() {
  return {
    'get-roots-list': tool(
      {
        title: 'Get Roots List Tool',
        description: 'Lists the current roots of the client.',
        readOnly: true,
        destructive: false,
        idempotent: true,
        openWorld: false,
      },
      async (_, ctx) => {
        needs(ctx, 'roots');
        const roots = await ctx.roots('roots');
        if (roots.length === 0) return 'The client supports roots but no roots are currently configured.';
        const list = roots.map(({ name, uri }, index) => `${index + 1}. ${name ?? 'Unnamed Root'}\n   URI: ${uri}`);
        return `Current MCP Roots (${roots.length} total):\n\n${list.join('\n\n')}`;
      },
    ),
    'trigger-elicitation-request': tool(
      {
        title: 'Trigger Elicitation Request Tool',
        description: 'Asks the user to fill in a form with every kind of field',
        ...ASKS,
      },
      async (_, ctx): Promise<Content[]> => {
        needs(ctx, 'elicitation');
        const answer = await ctx.elicit('form', 'Please provide inputs for the following fields:', FORM);
        const summary = {
          accept: '✅ User provided the requested information!',
          decline: '❌ User declined to provide the requested information.',
          cancel: '⚠️ User cancelled the elicitation dialog.',
        }[answer.action];
        return [text(summary), raw(answer)];
      },
    ),
    'trigger-url-elicitation': tool(
      {
        title: 'Trigger URL Elicitation Tool',
        description: 'Asks the user to open a page',
        input: z.object({
          url: z
            .url({ protocol: /^https?$/ })
            .max(2_000)
            .describe('The URL the user should open'),
          message: z
            .string()
            .max(1_000)
            .default('Please open the link to complete this action.')
            .describe('Message shown to the user before opening the URL'),
        }),
        ...ASKS,
      },
      async ({ url, message }, ctx): Promise<Content[]> => {
        needs(ctx, 'elicitation.url');
        const answer = await ctx.visit('page', message, url);
        const summary = {
          accept: `✅ User agreed to visit ${url}`,
          decline: '❌ User declined to open the URL.',
          cancel: '⚠️ User cancelled the URL elicitation.',
        }[answer.action];
        return [text(summary), raw(answer)];
      },
    ),
    'trigger-questions': tool(
      {
        title: 'Trigger Several Questions Tool',
        description: 'Asks the user two things at once, and the model a third that depends on them',
        ...ASKS,
      },
      async (_, ctx) => {
        needs(ctx, 'elicitation');
        const [{ name }, { colour }] = await Promise.all([
          ctx.ask('name', 'What is your name?', z.object({ name: z.string().min(1) })),
          ctx.ask('colour', 'What is your favourite colour?', z.object({ colour: z.enum(['red', 'green', 'blue']) })),
        ]);
        if (!ctx.client.can('sampling')) return `${name} likes ${colour}.`;
        const { content } = await ctx.sample('greeting', {
          messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}, who likes ${colour}.` } }],
          maxTokens: 100,
        });
        return `${name} likes ${colour}. ${JSON.stringify(content)}`;
      },
    ),
    'trigger-sampling-request': tool(
      {
        title: 'Trigger Sampling Request Tool',
        description: "Asks the client's model",
        input: z.object({
          prompt: z.string().max(100_000).describe('The prompt to send to the LLM'),
          maxTokens: z.int().min(1).max(100_000).default(100).describe('Maximum number of tokens to generate'),
        }),
        ...ASKS,
      },
      async ({ prompt, maxTokens }, ctx) => {
        needs(ctx, 'sampling');
        const result = await ctx.sample('request', {
          messages: [
            { role: 'user', content: { type: 'text', text: `Resource trigger-sampling-request context: ${prompt}` } },
          ],
          systemPrompt: 'You are a helpful test server.',
          maxTokens,
          temperature: 0.7,
        });
        return `LLM sampling result: \n${JSON.stringify(result, undefined, 2)}`;
      },
    ),
  };
}
