// The server that the official conformance suite tests: an ordinary server, with all revisions at one URL.
// PORT=3001 node conformance/dist/server.js
import { dynamicSkill, skill, skills } from '@tenon/skills';
import { audio, embed, image, prompt, ProtocolError, resource, server, text, tool, ToolError } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
function textOf(content: unknown): string {
  const first = Array.isArray(content) ? content[0] : content;
  return typeof first?.text === 'string' ? first.text : JSON.stringify(content);
}

const Name = z.object({ name: z.string() });
const askName = 'What is your name?';

const plain = {
  test_simple_text: tool({ description: 'Returns text' }, () => 'This is a simple text response for testing.'),
  test_image_content: tool({ description: 'Returns an image' }, () => image(PNG, 'image/png')),
  test_audio_content: tool({ description: 'Returns audio' }, () => audio(WAV, 'audio/wav')),
  test_embedded_resource: tool({ description: 'Returns a resource' }, () =>
    embed('test://embedded-resource', 'This is an embedded resource content.', { mimeType: 'text/plain' }),
  ),
  test_multiple_content_types: tool({ description: 'Returns text, an image and a resource' }, () => [
    text('Multiple content types test:'),
    image(PNG, 'image/png'),
    embed('test://mixed-content-resource', '{"test":"data","value":123}', { mimeType: 'application/json' }),
  ]),
  test_tool_with_logging: tool({ description: 'Logs while it works' }, async (_, ctx) => {
    ctx.log('info', 'Tool execution started');
    await sleep(50);
    ctx.log('info', 'Tool processing data');
    await sleep(50);
    ctx.log('info', 'Tool execution completed');
    return 'Tool with logging executed successfully';
  }),
  test_error_handling: tool({ description: 'Fails' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  }),
  test_tool_with_progress: tool({ description: 'Reports progress' }, async (_, ctx) => {
    for (const progress of [0, 50, 100]) {
      ctx.progress({ progress, total: 100 });
      await sleep(50);
    }
    return 'Tool with progress executed successfully';
  }),
};

const asking = {
  test_sampling: tool(
    { description: 'Asks a model', input: z.object({ prompt: z.string() }) },
    async ({ prompt: words }, ctx) => {
      const { content } = await ctx.sample('model', {
        messages: [{ role: 'user', content: text(words) }],
        maxTokens: 100,
      });
      return `LLM response: ${textOf(content)}`;
    },
  ),
  test_elicitation: tool(
    { description: 'Asks the user', input: z.object({ message: z.string() }) },
    async ({ message }, ctx) => {
      const Person = z.object({ username: z.string(), email: z.string() });
      const answer = await ctx.elicit('person', message, Person);
      return `User response: ${JSON.stringify(answer)}`;
    },
  ),
  test_elicitation_sep1034_defaults: tool({ description: 'Asks with defaults' }, async (_, ctx) => {
    const answer = await ctx.elicit('defaults', 'Please review and update the form fields', {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name', default: 'John Doe' },
        age: { type: 'integer', description: 'Age', default: 30 },
        score: { type: 'number', description: 'Score', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', description: 'Verified', default: true },
      },
      required: [],
    });
    const content = answer.action === 'accept' ? JSON.stringify(answer.content) : '{}';
    return `Elicitation completed: action=${answer.action}, content=${content}`;
  }),
  test_elicitation_sep1330_enums: tool({ description: 'Asks with choices' }, async (_, ctx) => {
    const titled = [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ];
    const answer = await ctx.elicit('choices', 'Please choose', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
      required: [],
    });
    return `Elicitation completed: action=${answer.action}`;
  }),
  test_reconnection: tool({ description: 'Takes so long that its client must reconnect' }, async () => {
    await sleep(500);
    return 'Reconnection test completed successfully';
  }),
};

const ADDRESS = { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };
const schemas = {
  json_schema_2020_12_tool: tool(
    {
      description: 'Has an input schema with many keywords of JSON Schema 2020-12',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { address: { $anchor: 'addressDef', ...ADDRESS } },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
    (args) => `Received ${JSON.stringify(args)}`,
  ),
  test_x_mcp_header: tool(
    {
      description: 'Requires its region in a header, too',
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
      },
    },
    (args) => `Received ${JSON.stringify(args)}`,
  ),
};

const stateless = {
  test_missing_capability: tool({ description: 'Requires sampling' }, async (_, ctx) => {
    const { content } = await ctx.sample('model', {
      messages: [{ role: 'user', content: text('Hello') }],
      maxTokens: 10,
    });
    return textOf(content);
  }),
  test_streaming_elicitation: tool({ description: 'Asks while it streams' }, async (_, ctx) => {
    ctx.progress({ progress: 1, total: 2 });
    const answer = await ctx.elicit('user_name', askName, Name);
    return `Answered: ${answer.action}`;
  }),
  test_logging_tool: tool({ description: 'Logs' }, (_, ctx) => {
    ctx.log('info', 'A message of the log');
    return 'Logged';
  }),
  test_trigger_tool_change: tool({ description: 'Changes the list of tools' }, () => {
    app.tools.set(
      'test_changing',
      tool({ description: 'Comes and goes' }, () => 'There'),
    );
    return 'The tools changed';
  }),
  test_trigger_prompt_change: tool({ description: 'Changes the list of prompts' }, () => {
    app.prompts.set(
      'test_changing',
      prompt({ description: 'Comes and goes' }, () => 'There'),
    );
    return 'The prompts changed';
  }),
};

const Confirm = z.object({ ok: z.boolean() });
const rounds = {
  test_input_required_result_elicitation: tool({ description: 'Asks for a name' }, async (_, ctx) => {
    const { name } = await ctx.ask('user_name', askName, Name);
    return `Hello, ${name}!`;
  }),
  test_input_required_result_sampling: tool({ description: 'Asks a model for a capital' }, async (_, ctx) => {
    const { content } = await ctx.sample('capital_question', {
      messages: [{ role: 'user', content: text('What is the capital of France?') }],
      maxTokens: 100,
    });
    return `The model says: ${textOf(content)}`;
  }),
  test_input_required_result_list_roots: tool({ description: 'Requests roots' }, async (_, ctx) => {
    const roots = await ctx.roots('client_roots');
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  }),
  test_input_required_result_request_state: tool({ description: 'Keeps a state' }, async (_, ctx) => {
    await ctx.ask('confirm', 'Please confirm', Confirm);
    return 'state-ok';
  }),
  test_input_required_result_multiple_inputs: tool({ description: 'Asks three at once' }, async (_, ctx) => {
    const [{ name }, { content }, roots] = await Promise.all([
      ctx.ask('user_name', askName, Name),
      ctx.sample('greeting', { messages: [{ role: 'user', content: text('Write a greeting') }], maxTokens: 50 }),
      ctx.roots('client_roots'),
    ]);
    return `${name}: ${textOf(content)} (${roots.length} roots)`;
  }),
  test_input_required_result_multi_round: tool({ description: 'Asks twice' }, async (_, ctx) => {
    const { name } = await ctx.ask('step1', askName, Name);
    const { color } = await ctx.ask('step2', 'What is your favorite color?', z.object({ color: z.string() }));
    return `${name} likes ${color}`;
  }),
  test_input_required_result_tampered_state: tool({ description: 'Checks its state' }, async (_, ctx) => {
    await ctx.ask('confirm', 'Please confirm', Confirm);
    return 'state-ok';
  }),
  test_input_required_result_capabilities: tool(
    { description: 'Asks only what the client supports' },
    async (_, ctx) => {
      if (ctx.client.can('sampling')) {
        const { content } = await ctx.sample('model', {
          messages: [{ role: 'user', content: text('Hello') }],
          maxTokens: 10,
        });
        return textOf(content);
      }
      if (ctx.client.can('elicitation')) return (await ctx.ask('user_name', askName, Name)).name;
      return 'This client cannot be asked';
    },
  ),
};

/** Waits, but not beyond the end of the call. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

const tasks = {
  greet: tool({ description: 'Greets', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`),
  slow_compute: tool(
    {
      description: 'Takes so many seconds',
      input: z.object({ seconds: z.number(), label: z.string().optional() }),
      taskSupport: 'optional',
    },
    async ({ seconds, label = 'computed' }, ctx) => {
      await pause(seconds * 1_000, ctx.signal);
      return label;
    },
  ),
  failing_job: tool({ description: 'Fails as a task', taskSupport: 'required' }, () => {
    throw new ToolError('The job failed');
  }),
  protocol_error_job: tool({ description: 'Ends with a protocol error', taskSupport: 'optional' }, () => {
    throw new ProtocolError(-32603, 'The job could not be run');
  }),
  confirm_delete: tool(
    { description: 'Asks before it deletes', input: z.object({ filename: z.string() }), taskSupport: 'optional' },
    async ({ filename }, ctx) => {
      const { confirm } = await ctx.ask('confirm', `Delete ${filename}?`, z.object({ confirm: z.boolean() }));
      return confirm ? `Deleted ${filename}` : `Kept ${filename}`;
    },
  ),
  multi_input: tool({ description: 'Asks two questions at once', taskSupport: 'optional' }, async (_, ctx) => {
    const [first, second] = await Promise.all([
      ctx.ask('first', 'What is the first name?', Name),
      ctx.ask('second', 'What is the second name?', Name),
    ]);
    return `${first.name} and ${second.name}`;
  }),
  test_tool_with_task: tool(
    {
      description: 'Asks first, and then becomes a task',
      taskSupport: 'optional',
      askFirst: (_, ctx) => ctx.ask('user_name', askName, Name),
    },
    async (_, ctx) => {
      const { name } = await ctx.ask('user_name', askName, Name);
      return `Hello, ${name}`;
    },
  ),
};

const published = skills([
  skill({
    'SKILL.md': `---
name: pdf-processing
description: Extract, fill, and assemble PDF documents
license: MIT
metadata:
  version: "2.1.0"
  reviewed: 2026-07-28
  priority: 3
---

# PDF processing

Read references/FORMS.md before you fill in a form.
`,
    'references/FORMS.md': '# Forms\n\nA form has fields.\n',
    'assets/pixel.png': Uint8Array.from(atob(PNG), (char) => char.charCodeAt(0)),
  }),
  skill(
    { 'SKILL.md': '---\nname: refunds\ndescription: Process refund requests\n---\nAsk for the receipt.\n' },
    { under: 'acme/billing' },
  ),
  dynamicSkill({ name: 'daily', description: 'What is to be done today' }, () => ({
    'SKILL.md': `It is ${new Date().toDateString()}.\n`,
  })),
]);

const app = server({
  name: 'tenon-conformance',
  providers: [published],
  version: '1.0.0',
  tools: { ...plain, ...asking, ...schemas, ...stateless, ...rounds, ...tasks },
  resources: {
    'test://static-text': resource(
      { name: 'Static text', description: 'A text', mimeType: 'text/plain' },
      () => 'This is the content of the static text resource.',
    ),
    'test://static-binary': resource({ name: 'Static binary', description: 'An image', mimeType: 'image/png' }, () =>
      Uint8Array.from(atob(PNG), (char) => char.charCodeAt(0)),
    ),
    'test://watched-resource': resource(
      { name: 'Watched resource', description: 'Can be subscribed to', mimeType: 'text/plain' },
      () => 'Watched',
    ),
    'test://template/{id}/data': resource(
      { name: 'Template', description: 'Data by id', mimeType: 'application/json' },
      ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    ),
  },
  prompts: {
    test_simple_prompt: prompt({ description: 'Has no arguments' }, () => 'This is a simple prompt for testing.'),
    test_prompt_with_arguments: prompt(
      {
        description: 'Has two arguments',
        input: z.object({ arg1: z.string(), arg2: z.string() }),
        complete: { arg1: (typed) => ['test', 'testing', 'tested'].filter((word) => word.startsWith(typed)) },
      },
      ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    ),
    test_prompt_with_embedded_resource: prompt(
      { description: 'Has a resource in it', input: z.object({ resourceUri: z.string() }) },
      ({ resourceUri }) => [
        {
          role: 'user',
          content: embed(resourceUri, 'Embedded resource content for testing.', { mimeType: 'text/plain' }),
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    ),
    test_prompt_with_image: prompt({ description: 'Has an image in it' }, () => [
      { role: 'user', content: image(PNG, 'image/png') },
      { role: 'user', content: text('Please analyze the image above.') },
    ]),
    test_input_required_result_prompt: prompt({ description: 'Asks for the context' }, async (_, ctx) => {
      const { context } = await ctx.ask('user_context', 'What is the context?', z.object({ context: z.string() }));
      return `Context: ${context}`;
    }),
  },
});

const { url } = await serveHttp(app, {
  port: Number(process.env['PORT'] ?? 3000),
  // Short, so that clients of 2025-11-25 reconnect for a result during the suite.
  polling: { afterMs: 250, retryMs: 100 },
  log: ({ level, event, message }) => {
    if (level === 'error') process.stderr.write(`${event}: ${message}\n`);
  },
});
process.stderr.write(`Serving ${url}\n`);
