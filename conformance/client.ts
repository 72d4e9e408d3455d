// The client that the official conformance suite runs: it runs one scenario, then exits with 0, or with 1 and the reason on stderr.
// node conformance/dist/client.js <url>, with MCP_CONFORMANCE_SCENARIO, _PROTOCOL_VERSION and _CONTEXT in the environment.
import { SKILLS_EXTENSION, SkillError, skillsOf } from '@tenon/skills/client';
import { type Client, connect, type ConnectOptions, type JsonSchema } from 'tenon/client';
import { authOf, CALLS } from './client-auth.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
} & Record<string, string>;

/** The client features that the suite expects. */
const ABILITIES: ConnectOptions = {
  info: { name: 'tenon-conformance-client', version: '1.0.0' },
  elicit: () => ({ action: 'accept', content: {} }),
  sample: () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'Paris' } }),
  roots: [],
  log: ({ level, event, message }) => {
    if (level === 'error') process.stderr.write(`${event}: ${message}\n`);
  },
};

async function names(list: AsyncIterable<{ name: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of list) found.push(name);
  return found;
}

type Run = (client: Client) => Promise<unknown>;

/** Calls a tool and ignores its result. */
function attempt(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  return client.result(name, args);
}

const withSkills: ConnectOptions = { extensions: { [SKILLS_EXTENSION]: {} } };

/** Loads every skill of the server and reads all its files. Skills that differ from their entries are left alone. */
async function useSkills(client: Client): Promise<void> {
  const skills = skillsOf(client);
  for await (const entry of skills.list()) {
    try {
      const { files = [], read } = await skills.load(entry);
      for (const path of files) await read(path);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      process.stderr.write(`${error.code}: ${error.message}\n`);
    }
  }
}

const SCENARIOS: ReadonlyMap<string, Run | { readonly run: Run; readonly options: ConnectOptions }> = new Map<
  string,
  Run | { readonly run: Run; readonly options: ConnectOptions }
>([
  ['initialize', (client) => names(client.tools())],
  [
    'tools_call',
    async (client) => {
      await names(client.tools());
      await client.call('add_numbers', { a: 5, b: 3 });
    },
  ],
  ['elicitation-sep1034-client-defaults', (client) => attempt(client, 'test_client_elicitation_defaults')],
  ['sse-retry', (client) => attempt(client, 'test_reconnection')],
  ['request-metadata', (client) => names(client.tools())],
  [
    'http-standard-headers',
    async (client) => {
      await names(client.tools());
      await attempt(client, 'test_headers');
      for await (const { uri } of client.resources()) await client.read(uri);
      for (const name of await names(client.prompts())) await client.prompt(name);
    },
  ],
  [
    'http-custom-headers',
    async (client) => {
      await names(client.tools());
      for (const call of context.toolCalls ?? []) await attempt(client, call.name, call.arguments);
    },
  ],
  [
    'http-invalid-tool-headers',
    async (client) => {
      for (const name of await names(client.tools())) await attempt(client, name, { region: 'us-east1' });
    },
  ],
  [
    'sep-2322-client-request-state',
    {
      options: { elicit: () => ({ action: 'accept', content: { confirmed: true } }) },
      async run(client) {
        for (const name of [
          'test_mrtr_echo_state',
          'test_mrtr_no_state',
          'test_mrtr_unrelated',
          'test_mrtr_no_result_type',
        ])
          await attempt(client, name);
      },
    },
  ],
  // Clients that do not load a skill read nothing of it.
  ['sep-2640-client-no-prefetch', { options: withSkills, run: (client) => skillsOf(client).list().all() }],
  ['sep-2640-client-verify-digest', { options: withSkills, run: useSkills }],
  ['sep-2640-client-verify-size', { options: withSkills, run: useSkills }],
  ['sep-2640-client-verify-frontmatter', { options: withSkills, run: useSkills }],
  ['json-schema-ref-no-deref', (client) => names(client.tools())],
  [
    'json-schema-2020-12-preservation',
    async (client) => {
      let schema: JsonSchema | undefined;
      for await (const { name, inputSchema } of client.tools())
        if (name === 'json_schema_2020_12_tool') schema = inputSchema;
      await attempt(client, 'json_schema_echo', { schema });
    },
  ],
]);

/** All authorization scenarios make the same calls; only the server's requirements and the client's credentials differ. */
const protectedRun: Run = async (client) => {
  await names(client.tools());
  for (const name of CALLS.get(scenario) ?? ['test-tool']) await attempt(client, name);
};

const found = scenario.startsWith('auth/')
  ? { run: protectedRun, options: { auth: await authOf(scenario, url, context) } }
  : SCENARIOS.get(scenario);
if (found === undefined) {
  process.stderr.write(`The scenario '${scenario}' is not built yet\n`);
  process.exit(1);
}
const { run, options } = typeof found === 'function' ? { run: found, options: {} } : found;
const client = await connect(url, { ...ABILITIES, ...options });
try {
  await run(client);
} finally {
  await client.close();
}
process.exit(0);
