// The chat shows any invalid values of a server without harm to the terminal, and continues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createHost, type Host, type Item, scriptedModel } from '@tenon/host';
import type { Target } from 'tenon/client';
import { Failure } from '../failure/failure.ts';
import { watchCalls } from './call-lines.ts';
import { COMMANDS, OWN, serverLines } from './commands.ts';
import type { Console } from './console.ts';
import { decideAt } from './decide.ts';
import { printable } from '../terminal/printable.ts';
import { createRenderer } from './render.ts';
import { suggestFor } from './suggest.ts';
import { writtenArguments } from './use-prompt.ts';

/** The wrong value, and the document it is in. */
interface Wrong {
  readonly era: 'legacy';
  readonly document: string;
  readonly path: string;
  readonly value: unknown;
}

/** Test data of the host, which is not part of its package. */
function ofTheHost(file: string): Promise<unknown> {
  return import(new URL(`../../../host/test/wrong-values/${file}`, import.meta.url).href);
}

const { KINDS } = (await ofTheHost('kinds.ts')) as { readonly KINDS: Readonly<Record<string, unknown>> };
const { wrongServer } = (await ofTheHost('peer.ts')) as { wrongServer(wrong: Wrong): Target };

/** Input of a user: the names of all servers, prompts, their arguments, resources and templates. */
const TYPED = ['/', '/x__ask ', '/x__ask a=o', '@', '@x:', '@x:y'];

/** Documents that determine what can be typed. */
const SUGGESTED = /^(?:prompts|resources|completion)/;

/** A terminal that answers every question and stores all lines. */
function terminalOf(shown: string[]): Console {
  const answer = (choices: readonly { readonly value: string }[], initial?: string): string =>
    choices.find(({ value }) => value === 'accept' || value === 'send' || value === 'once')?.value ??
    initial ??
    choices[0]!.value;
  return {
    lines: (lines: readonly string[]) => void shown.push(...lines),
    line: async ({ above = [], initial = '', check }: Parameters<Console['line']>[0]) => {
      shown.push(...above);
      for (const text of [initial, 'ann@example.com', '3', '2026-01-01'])
        if (check?.(text) === undefined) return { outcome: 'submitted', text };
      return { outcome: 'cancelled', text: '' };
    },
    choose: async (_message: string, choices: readonly { value: string }[], { initial }: { initial?: string } = {}) =>
      answer(choices, initial),
    // If no choice is accepted, the user cancels.
    several: async (
      _message: string,
      choices: readonly { value: string }[],
      { initial = [] }: { initial?: string[] },
    ) => (initial.length > 0 ? undefined : choices.slice(0, 1).map(({ value }) => value)),
    isTyping: () => false,
  } as unknown as Console;
}

/** Carries out every action of a chat that shows data of a server. */
async function chatWith(host: Host, shown: string[], document: string): Promise<void> {
  const show = (lines: readonly string[]): void => void shown.push(...lines);
  show(serverLines(host));
  for (const command of COMMANDS.filter(({ name }) => name !== 'restart'))
    await command.run(
      {
        host,
        state: '',
        session: '',
        modelName: 'demo',
        roots: { list: () => [], set: async () => {} },
        off: [],
        show,
      },
      '',
    );
  const suggest = suggestFor(host, [...COMMANDS, ...OWN]);
  // Completions are requested only after a pause.
  for (const text of SUGGESTED.test(document) ? TYPED : []) {
    // Without completions, because the line shows an error.
    await Promise.resolve(suggest({ text, cursor: text.length }, new AbortController().signal)).catch(() => {});
  }
  for (const prompt of host.prompts()) {
    try {
      writtenArguments(prompt, 'a=b');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      shown.push(printable(error.message));
    }
  }
  const renderer = createRenderer(
    (text) => void shown.push(text),
    () => 80,
  );
  const calls = watchCalls(host);
  const model = scriptedModel([
    () => ({ calls: host.tools().map(({ name }) => ({ tool: name, arguments: {} })) }),
    () => ({ text: 'Done' }),
  ]);
  const result = await host.run({
    model,
    prompt: 'Do it',
    discovery: 'all',
    onEvent(event) {
      renderer.run(event);
      if (event.type === 'result') renderer.over(calls.over(event));
    },
  });
  renderer.ended(result);
  calls.stop();
}

/** Shows everything of a server with this wrong value. Returns the whole terminal output. */
async function shownOf(wrong: Wrong): Promise<string> {
  const shown: string[] = [];
  const console = terminalOf(shown);
  const decide = (item: Item, { signal }: { readonly signal: AbortSignal }) => decideAt(console, item, signal);
  const host = await createHost({
    servers: { x: wrongServer(wrong) },
    approve: decide,
    ask: decide,
    sample: [{ model: scriptedModel(() => ({ text: 'Hello' })), name: 'demo' }],
  });
  await using _ = host;
  const failures: string[] = [];
  host.on((event) => {
    if (event.kind === 'problem' && event.message.includes('The decision handler failed')) failures.push(event.message);
  });
  await host.start();
  await chatWith(host, shown, wrong.document);
  assert.deepEqual(failures, []);
  return shown.join('\n');
}

const PLACES: readonly (readonly [document: string, ...paths: string[]])[] = [
  ['initialize', 'serverInfo.name', 'instructions'],
  ['tools/list', 'tools.0.title', 'tools.0.inputSchema.properties', 'tools.0.inputSchema.required'],
  ['prompts/list', 'prompts.0.name', 'prompts.0.arguments', 'prompts.0.arguments.0.name'],
  ['resources/list', 'resources.0.uri'],
  ['resources/templates/list', 'resourceTemplates.0.uriTemplate'],
  ['completion/complete', 'completion.values'],
  ['tools/call', 'content.0.type', 'content.0.text', 'content.5.uri', 'structuredContent'],
  ['progress', 'params.progress', 'params.total', 'params.message'],
  ['error', 'error.message'],
  [
    'form',
    'params.message',
    'params.requestedSchema.properties',
    'params.requestedSchema.properties.a',
    'params.requestedSchema.properties.a.default',
    'params.requestedSchema.properties.b.enum',
    'params.requestedSchema.properties.b.enumNames',
    'params.requestedSchema.properties.d.items',
    'params.requestedSchema.required',
  ],
  ['page', 'params.url'],
  ['sampling', 'params.messages.0.content.text', 'params.systemPrompt'],
];

for (const [document, ...paths] of PLACES) {
  test(`a chat shows wrong values of every kind in ${document} without harm`, async () => {
    for (const path of paths) {
      await Promise.all(
        Object.entries(KINDS).map(async ([kind, value]) => {
          const shown = await shownOf({ era: 'legacy', document, path, value });
          // The status line is overwritten, and styles are our own.
          const text = stripVTControlCharacters(shown).replaceAll('\r', '');
          const harm = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.exec(text)?.index;
          assert.equal(
            harm,
            undefined,
            `${path} ${kind}: ${JSON.stringify(text.slice(Math.max(0, harm! - 80), harm! + 20))}`,
          );
          assert.doesNotMatch(text, /\[object Object\]|is not a function|Cannot read|NaN/, `${path} ${kind}`);
        }),
      );
    }
  });
}
