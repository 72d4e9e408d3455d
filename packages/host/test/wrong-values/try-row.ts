// Uses all features of servers with one invalid value, and collects the messages about it.
import { server, tool } from 'tenon';
import {
  type Attachment,
  createHost,
  type Host,
  type HostEvent,
  type Item,
  listPending,
  promptMessages,
  scriptedModel,
  toolsFor,
} from '../../src/index.ts';
import { type Kind, KINDS } from './kinds.ts';
import { type Wrong, wrongAddresses, wrongServer } from './peer.ts';

/** The effects of one invalid value. */
export interface Outcome {
  /** The messages to the person: problems of the server, and why it is not available. */
  readonly problems: readonly string[];
  /** The error messages of operations on the server, or of its own requests. */
  readonly told: readonly string[];
}

export interface Row extends Omit<Wrong, 'value'> {
  /** The state folder of the host. */
  readonly state?: string;
}

/** A response without a valid id cannot be matched to its request, which times out. */
function isUnanswered({ document, path }: Row): boolean {
  return document === 'error' && (path === '' || path === 'id');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The documents about prompts and resources. */
const OTHER_DOCUMENTS: ReadonlySet<string> = new Set([
  'initialize',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]);

type Came = (server: string, text: string, isError: boolean) => void;

/** Runs a conversation in which a model calls every tool of every server. */
async function converse(host: Host, came: Came, attachments: readonly Attachment[], callMs: number): Promise<void> {
  const tools = host.tools();
  const model = scriptedModel([
    () => ({ calls: tools.map(({ name }) => ({ tool: name, arguments: {} })) }),
    () => ({ text: 'Done' }),
  ]);
  const { end, reason } = await host.run({
    model,
    prompt: 'Do it',
    attachments,
    discovery: 'all',
    budget: { callMs },
    onEvent(event) {
      if (event.type !== 'result') return;
      const { tool: name, result, isError } = event;
      const texts = result.content.map((block) => (block.type === 'text' ? block.text : block.type));
      came(tools.find((one) => one.name === name)!.server, texts.join(' '), isError);
    },
  });
  if (end !== 'done') throw new Error(`The conversation ended with ${end}: ${reason}`);
}

/** Uses the prompts and resources of a server. Returns the resources that it could read. */
async function useRest(host: Host, alias: string, told: (text: string) => void): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  const tried = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => told(messageOf(error)));
  for (const { name, server: of } of host.prompts()) {
    if (of !== alias) continue;
    await tried(host.prompt(name, { a: 'b' }).then((prompt) => promptMessages(alias, prompt)));
  }
  await tried(host.complete(alias, { prompt: 'ask' }, { argument: 'a', value: 'o' }));
  for (const { server: of, entry } of host.resources()) {
    if (of !== alias) continue;
    await tried(
      host.read(alias, entry.uri).then((result) => attachments.push({ server: alias, uri: entry.uri, result })),
    );
  }
  return attachments;
}

/** Asserts that another program can list the waiting items. */
async function seenOutside(state: string, { id }: Item): Promise<void> {
  if ((await listPending(state)).some((item) => item.id === id)) return;
  throw new Error('What waits cannot be read by another program');
}

/** Tries one place with invalid values of these kinds, each in its own server beside a correct one. */
export async function tryRow(row: Row, kinds: readonly Kind[]): Promise<ReadonlyMap<Kind, Outcome>> {
  const { state, ...place } = row;
  const outcomes = new Map(kinds.map((kind) => [kind, { told: [] as string[], problems: [] as string[] }]));
  const tell = (alias: string, text: string, as: keyof Outcome = 'told'): void =>
    void outcomes.get(alias as Kind)?.[as].push(text);
  const good = server({ name: 'good', tools: { now: tool({}, () => 'here') } });
  const wrongs = Object.fromEntries(kinds.map((kind) => [kind, { ...place, value: KINDS[kind] }]));
  await using addresses = row.era === 'http' ? await wrongAddresses(wrongs) : undefined;
  const peers = Object.entries(wrongs).map(([kind, wrong]) => [kind, addresses?.urls[kind] ?? wrongServer(wrong)]);
  const host = await createHost({
    servers: { ...Object.fromEntries(peers), good },
    rules: [{ effect: 'allow', server: '*' }],
    approve: () => ({ allow: true }),
    ask: async (item) => {
      if (state !== undefined) await seenOutside(state, item);
      return { allow: true, content: { a: 'ann@example.com', ...(item.kind === 'question' && item.form?.defaults) } };
    },
    sample: [{ model: scriptedModel(() => ({ text: 'Hello' })), name: 'demo' }],
    limits: { startMs: 10_000 },
    roots: ['/tmp'],
    state,
  });
  await using _ = host;
  host.on((event: HostEvent) => {
    if (event.kind === 'problem') tell(event.server, event.message, 'problems');
    // Events have to be serializable, so that any user interface can show them.
    JSON.stringify(event);
  });
  await host.start();
  for (const { alias, problem } of host.servers()) if (problem !== undefined) tell(alias, problem, 'problems');
  const read = !OTHER_DOCUMENTS.has(place.document)
    ? []
    : await Promise.all(kinds.map((kind) => useRest(host, kind, (text) => tell(kind, text))));
  for (const format of ['ai-sdk', 'openai', 'anthropic'] as const) toolsFor(format as 'openai', host);
  const from = (alias: string, text: string, isError: boolean): void => {
    if (isError || text.startsWith('refused: ')) tell(alias, text);
  };
  await converse(host, from, read.flat(), isUnanswered(row) ? 100 : 60_000);
  const { content } = await host.call('good__now', {});
  if (JSON.stringify(content) !== '[{"type":"text","text":"here"}]')
    throw new Error(`The right server does not serve any more: ${JSON.stringify(content)}`);
  return outcomes;
}
