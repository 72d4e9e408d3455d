// The script that every client of the interop suite runs with the menu, whichever SDK it uses. Each client is wrapped in the same small
// interface; the result is a report that can be compared.

import { until } from '../../../../scripts/lib/until.ts';
import * as menu from './menu.ts';

type Json = Record<string, unknown>;

/** The methods that the script uses of a client. Lists follow all pages; protocol errors are thrown as errors with a `code`. */
export interface Peer {
  readonly revision: string;
  readonly user: User;
  readonly server: Json | undefined;
  readonly capabilities: Json;
  readonly instructions: string | undefined;
  /** Log messages received so far. */
  readonly logs: readonly Json[];
  tools(): Promise<Json[]>;
  resources(): Promise<Json[]>;
  templates(): Promise<Json[]>;
  prompts(): Promise<Json[]>;
  /** The whole result, even if the tool failed. */
  call(name: string, args?: Json, options?: PeerCallOptions): Promise<Json>;
  read(uri: string): Promise<Json>;
  prompt(name: string, args?: Record<string, string>): Promise<Json>;
  complete(
    ref: { prompt: string } | { template: string },
    argument: string,
    typed: string,
    resolved?: Record<string, string>,
  ): Promise<Json>;
  /** Watches the list of tools, or a resource; resolves when the subscription is active. */
  watch(what: string): Promise<PeerWatch>;
  raw(method: string, params?: Json): Promise<Json>;
}

export interface PeerCallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onProgress?: (progress: Json) => void;
  /** The minimum level of log messages during this call. */
  readonly logLevel?: string;
}

export interface PeerWatch {
  /** Resolves with the next change. */
  next(): Promise<unknown>;
  close(): Promise<void>;
}

/** One entry for each operation. */
export type Report = Record<string, unknown>;

/** The user of every client. */
export interface User {
  answer(message: string, signal: AbortSignal): Json | Promise<Json>;
  /** How many questions were cancelled while they were open. */
  readonly withdrawn: number;
  /** Resolves when the first question was left unanswered. */
  readonly leftOpen: Promise<void>;
}

/** A user who always answers the same; one question is left open until it is cancelled. */
export function newUser(): User {
  let withdrawn = 0;
  let leave!: () => void;
  return {
    get withdrawn() {
      return withdrawn;
    },
    leftOpen: new Promise((resolve) => (leave = resolve)),
    answer: (message, signal) =>
      answers.get(message) ??
      new Promise((resolve) => {
        leave();
        signal.addEventListener('abort', () => {
          withdrawn++;
          resolve({ action: 'cancel' });
        });
      }),
  };
}

function accept(content?: Json): Json {
  return { action: 'accept', ...(content === undefined ? {} : { content }) };
}
const answers: ReadonlyMap<string, Json> = new Map([
  ['First?', accept({ first: 'one' })],
  ['Second?', accept({ second: 'two' })],
  [menu.page.message, accept()],
  ['Confirm (accept)?', accept({ name: 'Ada', age: 36, plan: 'pro', news: false })],
  // Omits two fields with defaults.
  ['Confirm (defaults)?', accept({ name: 'Ada', age: 36 })],
  ['Confirm (decline)?', { action: 'decline' }],
  ['Confirm (cancel)?', { action: 'cancel' }],
]);

/** The model of every client: it repeats the last text, or uses the first tool. */
export function sample(params: Json): Json {
  const tools = params['tools'] as readonly Json[] | undefined;
  if (tools !== undefined) {
    const content = [{ type: 'tool_use', id: 'use-1', name: tools[0]?.['name'], input: { city: 'Oslo' } }];
    return { role: 'assistant', model: 'parrot', stopReason: 'toolUse', content };
  }
  const { content } = (params['messages'] as Json[])[0]!;
  const said = (content as Json)['text'];
  const content2 = { type: 'text', text: `${String(params['systemPrompt'])} ${String(said)}` };
  return { role: 'assistant', model: 'parrot', stopReason: 'endTurn', content: content2 };
}

export const roots = [
  { uri: 'file:///srv/a', name: 'a' },
  { uri: 'file:///srv/with%20space', name: 'b' },
];

/** The long text is larger than a pipe's buffer, and its characters have one to four bytes. */
const long = 'aä€🍮'.repeat(40_000);

/** Performs every operation once and reports the results. */
export async function perform(peer: Peer): Promise<Report> {
  const report: Report = {};
  const step = async (name: string, act: () => unknown): Promise<void> => {
    try {
      report[name] = await act();
    } catch (error) {
      report[name] = refusal(error);
    }
  };
  await identify(peer, step);
  await calls(peer, step);
  await conversation(peer, step);
  await questions(peer, step);
  await data(peer, step);
  await changes(peer, step);
  await refusals(peer, step);
  return report;
}

type Step = (name: string, act: () => unknown) => Promise<void>;

/** A refusal is identified by its code; messages differ. */
function refusal(error: unknown): Json {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? { code } : { error: String(error) };
}

async function identify(peer: Peer, step: Step): Promise<void> {
  await step('revision', () => peer.revision);
  await step('server', () => ({ name: peer.server?.['name'], version: peer.server?.['version'] }));
  await step('server: what newer revisions know', () => pick(peer.server, ['title', 'websiteUrl']));
  await step('instructions', () => peer.instructions);
  await step('capabilities', () => peer.capabilities);
  await step('tools', async () => (await peer.tools()).map(({ name }) => name).toSorted());
  const entry = async (name: string): Promise<Json> => (await peer.tools()).find((tool) => tool['name'] === name)!;
  await step('tools: echo', async () =>
    pick(await entry('echo'), ['title', 'description', 'annotations', 'icons', '_meta']),
  );
  await step('tools: input', async () => (await entry('echo'))['inputSchema'] !== undefined);
  await step('tools: output', async () => typeOf((await entry('add'))['outputSchema']));
}

async function calls(peer: Peer, step: Step): Promise<void> {
  await step('call: text', async () => textOf(await peer.call('echo', { text: 'Grüße 🍮' })));
  await step('call: long text', async () => textOf(await peer.call('echo', { text: long })) === long);
  await step('call: structured', async () => (await peer.call('add', { a: 2, b: 40 }))['structuredContent']);
  await step('call: structured, as text', async () => textOf(await peer.call('add', { a: 2, b: 40 })));
  await step('call: structured array', async () => (await peer.call('numbers'))['structuredContent']);
  const input = { mode: 'slow', tags: ['a'], nested: { flag: true } };
  await step('call: defaults', async () => JSON.parse(textOf(await peer.call('typed', input))));
  await step('call: every content', async () => (await peer.call('contents'))['content']);
  await step('call: 50 at once', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => String(index));
    const answers = await Promise.all(numbers.map((text) => peer.call('echo', { text })));
    return answers.every((answer, index) => textOf(answer) === numbers[index]);
  });
  await step('call: a failing tool', async () => pick(await peer.call('fail'), ['isError', 'content']));
  await step('call: a throwing tool', async () => {
    const result = await peer.call('crash');
    return { isError: result['isError'], leaks: JSON.stringify(result).includes('hunter2') };
  });
  await step('call: wrong arguments', async () => pick(await peer.call('add', { a: 'x', b: 1 }), ['isError']));
}

async function conversation(peer: Peer, step: Step): Promise<void> {
  for (const [name, restMs] of [
    ['progress', 50],
    ['progress right before the result', 0],
  ] as const) {
    await step(name, async () => {
      const seen: Json[] = [];
      const onProgress = (progress: Json): void => void seen.push(progress);
      const result = await peer.call('progress', { steps: 3, restMs }, { onProgress });
      return { seen: [...seen], text: textOf(result) };
    });
  }
  await step('progress without a token', async () => textOf(await peer.call('progress', { steps: 3 })));
  for (const logLevel of ['debug', 'error']) {
    await step(`log: ${logLevel}`, async () => {
      const before = peer.logs.length;
      await peer.call('chatter', {}, { logLevel });
      // Over HTTP some servers send them on a separate stream, which may be slower than the result.
      const burnt = (): boolean => peer.logs.slice(before).some(({ data }) => data === 'burnt');
      await until(burnt);
      return peer.logs.slice(before).map((message) => pick(message, ['level', 'logger', 'data']));
    });
  }
  await step('cancel', async () => {
    const before = await slowCalls(peer);
    const stop = new AbortController();
    const ended = peer.call('slow', {}, { signal: stop.signal }).then(...rejects);
    await until(async () => (await slowCalls(peer)).begun > before.begun);
    stop.abort();
    return { rejected: await ended, heard: await sawMoreCancellations(peer, before) };
  });
  await step('timeout', async () => {
    const before = await slowCalls(peer);
    let rejected = true;
    // On a busy machine the call may time out before the server has begun it.
    for (let timeout = 150; rejected && (await slowCalls(peer)).begun === before.begun; timeout *= 2)
      rejected = await peer.call('slow', {}, { timeout }).then(...rejects);
    return { rejected, heard: await sawMoreCancellations(peer, before) };
  });
}

const rejects = [() => false, () => true] as const;

/** How many calls of `slow` the server has begun, and how many of them were cancelled, by any client. */
async function slowCalls(peer: Peer): Promise<menu.SlowCalls> {
  return JSON.parse(textOf(await peer.call('cancellations'))) as menu.SlowCalls;
}

/** Waits until the server has received another cancellation. */
async function sawMoreCancellations(peer: Peer, before: menu.SlowCalls): Promise<boolean> {
  await until(async () => (await slowCalls(peer)).cancelled > before.cancelled);
  return true;
}

async function questions(peer: Peer, step: Step): Promise<void> {
  for (const how of ['accept', 'defaults', 'decline', 'cancel']) {
    await step(`elicit: ${how}`, async () => {
      const result = await peer.call('confirm', { how });
      return result['isError'] === true ? pick(result, ['isError']) : JSON.parse(textOf(result));
    });
  }
  for (const name of ['two', 'both', 'visit', 'sample', 'sample_tools', 'roots']) {
    await step(`ask: ${name}`, async () => {
      const result = await peer.call(name);
      return result['isError'] === true ? pick(result, ['isError']) : textOf(result);
    });
  }
  await step('ask: a call that is cancelled takes its question back', async () => {
    const before = peer.user.withdrawn;
    const stop = new AbortController();
    const ended = peer.call('confirm', { how: 'never' }, { signal: stop.signal }).then(...rejects);
    await Promise.race([ended, peer.user.leftOpen]);
    stop.abort();
    const rejected = await ended;
    if (rejected) await until(() => peer.user.withdrawn > before);
    return { rejected, withdrawn: peer.user.withdrawn - before };
  });
}

async function data(peer: Peer, step: Step): Promise<void> {
  const resource = async (uri: string): Promise<unknown> => (await peer.read(uri))['contents'];
  await step('resources', async () => (await peer.resources()).map(({ uri }) => uri));
  await step('resources: config', async () => {
    const config = (await peer.resources()).find(({ uri }) => uri === 'config://app');
    return pick(config, ['name', 'title', 'mimeType', 'annotations']);
  });
  await step('templates', async () =>
    (await peer.templates()).map((template) => pick(template, ['uriTemplate', 'name', 'title', 'mimeType'])),
  );
  await step('read: text', () => resource('config://app'));
  await step('read: bytes', () => resource('pixel://1'));
  await step('read: by template', () => resource('note:///2'));
  await step('read: after a question', () => resource('secret://1'));
  await step('prompts', async () =>
    (await peer.prompts()).map((prompt) => ({
      ...pick(prompt, ['name', 'title', 'description']),
      ...(prompt['arguments'] === undefined ? {} : { arguments: (prompt['arguments'] as Json[]).map(argumentOf) }),
    })),
  );
  await step('prompt: arguments', async () =>
    pick(await peer.prompt('greet', { name: 'Ada', tone: 'formal' }), ['description', 'messages']),
  );
  await step('prompt: an optional argument left out', async () =>
    pick(await peer.prompt('greet', { name: 'Ada' }), ['description', 'messages']),
  );
  await step('prompt: every content', async () => (await peer.prompt('media'))['messages']);
  await step('prompt: after a question', async () => (await peer.prompt('asking'))['messages']);
  const values = async (...wanted: Parameters<Peer['complete']>): Promise<unknown> =>
    (await peer.complete(...wanted))['values'];
  await step('complete: prompt', () => values({ prompt: 'greet' }, 'tone', 'f'));
  await step('complete: with context', () => values({ prompt: 'places' }, 'city', 'P', { country: 'it' }));
  await step('complete: template', () => values({ template: 'note:///{id}' }, 'id', '1'));
}

async function changes(peer: Peer, step: Step): Promise<void> {
  await step('change: a list', async () => {
    const watch = await peer.watch('tools');
    await peer.call('grow');
    await watch.next();
    const listed = (await peer.tools()).some(({ name }) => name === 'grown');
    const said = textOf(await peer.call('grown'));
    await peer.call('shrink');
    await watch.next();
    const gone = (await peer.tools()).every(({ name }) => name !== 'grown');
    await watch.close();
    return { listed, said, gone };
  });
  await step('change: a resource', async () => {
    const watch = await peer.watch('note:///1');
    // This one is not watched.
    await peer.call('touch', { id: '2' });
    await peer.call('touch', { id: '1' });
    const change = await watch.next();
    await watch.close();
    return change;
  });
}

async function refusals(peer: Peer, step: Step): Promise<void> {
  const code = async (act: () => Promise<Json>): Promise<unknown> => {
    const result = await act();
    return result['isError'] === true ? pick(result, ['isError']) : { accepted: true };
  };
  await step('refused: unknown tool', () => code(() => peer.call('nothing')));
  await step('refused: unknown resource', () => code(() => peer.read('nothing://here')));
  await step('refused: unknown note', () => code(() => peer.read('note:///404')));
  await step('refused: unknown prompt', () => code(() => peer.prompt('nothing')));
  await step('refused: prompt without its argument', () => code(() => peer.prompt('greet')));
  await step('refused: unknown method', () => code(() => peer.raw('nothing/here')));
  await step('refused: unknown cursor', () => code(() => peer.raw('resources/list', { cursor: 'nowhere' })));
  await step('refused: malformed params', () => code(() => peer.raw('resources/read', { uri: 7 })));
  await step('afterwards', async () => textOf(await peer.call('echo', { text: 'still here' })));
}

/** The members of an object with these names. */
function pick(value: Json | undefined, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (value?.[name] === undefined ? [] : [[name, value[name]]])));
}

/** An argument is required only if it says so. */
function argumentOf({ name, required = false }: Json): Json {
  return { name, required };
}

function typeOf(schema: unknown): unknown {
  return (schema as { type?: unknown } | undefined)?.type;
}

function textOf(result: Json): string {
  const blocks = result['content'] as readonly { type: string; text?: string }[];
  return blocks.map(({ type, text }) => (type === 'text' ? text : `<${type}>`)).join('\n');
}
