// 2,000 tools, as a gateway in front of twenty services has them.
import { type JsonSchema, server, tool } from 'tenon';
import { start } from '../serving.ts';

const SERVICES = [
  ...['github', 'gitlab', 'jira', 'linear', 'slack', 'notion', 'salesforce', 'hubspot', 'zendesk', 'stripe'],
  ...['shopify', 'datadog', 'sentry', 'pagerduty', 'aws', 'gcp', 'azure', 'cloudflare', 'vercel', 'snowflake'],
];
const OBJECTS = [
  ...['issue', 'pull_request', 'repository', 'comment', 'label', 'milestone', 'user', 'team', 'project', 'board'],
  ...['message', 'channel', 'invoice', 'customer', 'order', 'alert', 'deployment', 'secret', 'webhook', 'report'],
];

const string = (description: string): JsonSchema => ({ type: 'string', description });
const id: JsonSchema = { type: 'string', description: 'Its id, as a list gives it', pattern: '^[a-z]+_[0-9a-f]{8}$' };
const fields = (object: string): Record<string, JsonSchema> => ({
  title: { type: 'string', description: `The title of the ${object}`, minLength: 1, maxLength: 200 },
  body: string('Markdown'),
  state: { type: 'string', enum: ['open', 'in_progress', 'blocked', 'closed'], default: 'open' },
  priority: { type: 'integer', description: '1 is the most urgent', minimum: 1, maximum: 5 },
  labels: { type: 'array', items: { type: 'string' }, maxItems: 20, description: 'Names of labels that exist' },
  due: { type: 'string', format: 'date' },
  assignee: {
    type: 'object',
    description: 'Who does it: one of the two',
    properties: { email: { type: 'string', format: 'email' }, id: string('The id of a user') },
    additionalProperties: false,
  },
});

const ACTIONS: Record<string, (object: string) => { description: string; input: JsonSchema; readOnly?: true }> = {
  list: (object) => ({
    description: `List every ${object} that matches a filter, newest first. Gives at most \`per_page\` of them, and a cursor for more.`,
    readOnly: true,
    input: {
      type: 'object',
      properties: {
        query: string('Words to look for'),
        state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
        sort: { type: 'string', enum: ['created', 'updated', 'priority'], default: 'created' },
        per_page: { type: 'integer', minimum: 1, maximum: 100, default: 30 },
        cursor: string('Where the last page ended'),
      },
    },
  }),
  get: (object) => ({
    description: `Get one ${object} with everything that is known about it.`,
    readOnly: true,
    input: { type: 'object', properties: { id }, required: ['id'] },
  }),
  create: (object) => ({
    description: `Create a ${object}. Look first whether there is one already: creating it twice makes two.`,
    input: { type: 'object', properties: fields(object), required: ['title'], additionalProperties: false },
  }),
  update: (object) => ({
    description: `Change some fields of a ${object}. What is left out stays as it is.`,
    input: { type: 'object', properties: { id, ...fields(object) }, required: ['id'], additionalProperties: false },
  }),
  delete: (object) => ({
    description: `Delete a ${object}. This cannot be undone.`,
    input: {
      type: 'object',
      properties: { id, reason: string('Goes into the audit log'), confirm: { type: 'boolean', const: true } },
      required: ['id', 'confirm'],
    },
  }),
};

const tools = SERVICES.flatMap((service) =>
  OBJECTS.flatMap((object) =>
    Object.entries(ACTIONS).map(([action, about]) => {
      const { description, ...options } = about(object.replace('_', ' '));
      const name = `${service}_${action}_${object}`;
      const made = tool({ ...options, description: `${description} (${service})` }, (input) =>
        JSON.stringify({ tool: name, input }),
      );
      return [name, made] as const;
    }),
  ),
);

await start(server({ name: 'many', version: '1.0.0', tools: Object.fromEntries(tools) }));
