// Hostile texts wherever a server can put one: names, titles, descriptions, schemas, results, errors, resources, prompts, questions.
import { ADDRESSES, CANARY, HOSTILE, MARKUP, PAGE, SVG } from '../hostile-strings.ts';
import { type Json, notify, type RawTool, Refusal, request, serveRaw, text, toolMethods, usual } from '../raw.ts';

const all = HOSTILE.join('\n');
const base64 = (value: string): string => Buffer.from(value).toString('base64');

const icons = [
  { src: `http://${CANARY}/icon.png`, mimeType: 'image/png' },
  { src: `data:image/svg+xml;base64,${base64(SVG)}`, mimeType: 'image/svg+xml' },
  { src: ADDRESSES[0], mimeType: 'image/png' },
];

/** A schema in which every text is this one. Members may be called like those every object has. */
const schemaOf = (bad: string): Json => ({
  type: 'object',
  title: bad,
  description: bad,
  properties: {
    [bad]: { type: 'string', title: bad, description: bad, default: bad, examples: [bad] },
    choice: { type: 'string', enum: [bad, 'fine'], default: bad },
    titled: { oneOf: [{ const: 'a', title: bad, description: bad }] },
    // A key in brackets makes a member, where `__proto__: …` would set the prototype.
    ['__proto__']: { type: 'string', default: bad },
    constructor: { type: 'string', default: bad },
    toString: { type: 'string', default: bad },
  },
  required: [bad],
});

const form = (bad: string): Json => ({
  type: 'object',
  properties: {
    password: { type: 'string', title: bad, description: bad, default: bad },
    choice: { type: 'string', oneOf: [{ const: bad, title: bad }] },
  },
  required: ['password'],
});

const carriers = HOSTILE.map((bad, n): RawTool => ({
  name: `carrier-${n} ${bad}`,
  title: bad,
  description: bad,
  inputSchema: schemaOf(bad),
  outputSchema: { type: 'object', properties: { [bad]: { type: 'string', description: bad } } },
  annotations: { title: bad },
  icons,
  _meta: { [bad]: bad },
  run: () => ({ ...text(bad), structuredContent: { [bad]: bad, ['__proto__']: bad } }),
}));

const link = (uri: string, n: number): Json => ({
  type: 'resource_link',
  uri,
  name: MARKUP[n] ?? uri,
  title: uri,
  description: uri,
  icons,
});

const tools: RawTool[] = [
  ...carriers,
  { name: 'everything', description: 'All texts in one result', run: () => text(all) },
  {
    name: 'refuse',
    description: 'Answers with an error',
    run() {
      throw new Refusal(-32603, all, { message: all, stack: all, ['__proto__']: all });
    },
  },
  { name: 'fail', description: 'Fails', run: () => ({ ...text(all), isError: true }) },
  { name: 'links', description: 'Links that must not be followed', run: () => ({ content: ADDRESSES.map(link) }) },
  {
    name: 'blocks',
    description: 'A picture that is a program, a page, and bytes that are neither',
    run: () => ({
      content: [
        { type: 'image', data: base64(SVG), mimeType: 'image/svg+xml' },
        { type: 'image', data: base64(PAGE), mimeType: 'text/html' },
        { type: 'image', data: '"><script>1</script>', mimeType: 'image/png" onerror="1' },
        { type: 'audio', data: base64(PAGE), mimeType: 'text/html' },
        { type: 'resource', resource: { uri: 'page://hostile', mimeType: 'text/html', text: PAGE } },
        { type: 'resource', resource: { uri: ADDRESSES[0], mimeType: MARKUP[0], blob: base64(PAGE) } },
      ],
    }),
  },
  {
    name: 'chatter',
    description: 'Log messages and progress',
    async run(_, { params }) {
      const { progressToken } = params['_meta'] ?? {};
      for (const [n, bad] of HOSTILE.entries()) {
        await notify('notifications/message', { level: n % 2 === 0 ? 'error' : 'info', logger: bad, data: bad });
        if (progressToken !== undefined)
          await notify('notifications/progress', { progressToken, progress: n, total: HOSTILE.length, message: bad });
      }
      await notify(`notifications/${MARKUP[0]}`, { [MARKUP[0]!]: MARKUP[0] });
      return text('Said');
    },
  },
  {
    name: 'ask',
    description: 'Forms, one for each text',
    async run() {
      const answers: Json[] = [];
      for (const bad of HOSTILE)
        answers.push(await request('elicitation/create', { message: bad, requestedSchema: form(bad) }));
      return text(JSON.stringify(answers));
    },
  },
  {
    name: 'visit',
    description: 'Pages to visit, one for each address',
    async run() {
      const answers: Json[] = [];
      for (const [n, url] of ADDRESSES.entries())
        answers.push(
          await request('elicitation/create', {
            mode: 'url',
            message: MARKUP[n] ?? url,
            url,
            elicitationId: `visit-${n}`,
          }),
        );
      return text(JSON.stringify(answers));
    },
  },
  {
    name: 'sample',
    description: 'A question to the model',
    async run() {
      const messages = [{ role: 'user', content: { type: 'text', text: all } }];
      return text(
        JSON.stringify(await request('sampling/createMessage', { messages, systemPrompt: all, maxTokens: 1 })),
      );
    },
  },
];

const resources = [
  { uri: 'page://hostile', mimeType: 'text/html', text: PAGE },
  { uri: 'ui://hostile/app', mimeType: 'text/html;profile=mcp-app', text: PAGE },
  { uri: 'picture://hostile', mimeType: 'image/svg+xml', text: SVG },
  { uri: 'notes://hostile', mimeType: 'text/markdown', text: `# Notes\n\n${MARKUP.join('\n\n')}` },
  ...ADDRESSES.map((uri) => ({ uri, mimeType: 'text/plain', text: all })),
];

const methods: [string, (call: { params: Json }) => unknown][] = [
  [
    'resources/list',
    () => ({
      resources: resources.map(({ uri, mimeType }, n) => ({
        ...{ uri, mimeType, icons },
        ...{ name: HOSTILE[n] ?? uri, title: HOSTILE[n] ?? uri, description: HOSTILE[n] ?? uri },
      })),
    }),
  ],
  [
    'resources/templates/list',
    () => ({
      resourceTemplates: MARKUP.map((bad, n) => ({
        uriTemplate: `bad-${n}:///{id}${encodeURIComponent(bad)}`,
        name: bad,
        description: bad,
      })),
    }),
  ],
  [
    'resources/read',
    ({ params }) => {
      const found = resources.find(({ uri }) => uri === params['uri']);
      if (found === undefined) throw new Refusal(-32002, `${all} ${params['uri']}`);
      return { contents: [found] };
    },
  ],
  [
    'prompts/list',
    () => ({
      prompts: HOSTILE.map((bad, n) => ({
        ...{ name: `prompt-${n} ${bad}`, title: bad, description: bad, icons },
        arguments: [{ name: bad, title: bad, description: bad, required: false }],
      })),
    }),
  ],
  [
    'prompts/get',
    () => ({
      description: all,
      messages: [
        { role: 'user', content: { type: 'text', text: all } },
        {
          role: 'assistant',
          content: { type: 'resource', resource: { uri: 'page://hostile', mimeType: 'text/html', text: PAGE } },
        },
      ],
    }),
  ],
  ['completion/complete', () => ({ completion: { values: HOSTILE, total: HOSTILE.length, hasMore: false } })],
];

const info = {
  ...{ name: MARKUP[0], title: MARKUP[1], version: MARKUP[2], description: all },
  ...{ websiteUrl: ADDRESSES[0], icons },
};
const capabilities = {
  tools: {},
  resources: {},
  prompts: {},
  logging: {},
  completions: {},
  experimental: { [MARKUP[0]!]: {} },
};
serveRaw([...usual({ info, capabilities, instructions: all }), ...toolMethods(tools), ...methods]);
