import { promptMessages, type RunEvent, type RunResult } from '@tenon/host';
import { oneLine } from '../printable.ts';
import { mentionsIn } from './mentions.ts';
import { notGiven } from './server-failure.ts';
import { newSessionId, type Saved, saveSession } from './sessions.ts';
import type { Attachment, Chat, Message } from './types.ts';

/** Conditions of one answer. */
export interface SayOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** A conversation with the model, kept on disk from answer to answer. */
export interface Talk {
  readonly id: string;
  /** What was said so far. */
  readonly messages: readonly Message[];
  /** Says something, with the resources that it mentions, and gives what came of it. Throws a failure where one cannot be read. */
  say(text: string, options?: SayOptions): Promise<RunResult>;
  /** Uses a prompt of a server by its qualified name. Throws a failure where the server does not give it. */
  use(prompt: string, args: Readonly<Record<string, string>>, options?: SayOptions): Promise<RunResult>;
}

/** Waits for what a server gives. What it does not give is a failure, unless it is not wanted any more. */
const given = async <T>(
  what: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  fix?: string,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw notGiven(what, error, fix);
  }
};

/** Reads what a text mentions. The person chose it: nobody is asked again. */
const attachmentsOf = (text: string, { host }: Chat, signal: AbortSignal | undefined): Promise<Attachment[]> => {
  const aliases = host.servers().map(({ alias }) => alias);
  const listed = host.resources().map(({ server, entry }) => ({ server, uri: entry.uri }));
  const options = { by: 'user', ...(signal === undefined ? {} : { signal }) } as const;
  return Promise.all(
    mentionsIn(text, aliases, listed).map(async ({ server, uri }) => ({
      server,
      uri,
      result: await given(
        `The resource @${oneLine(`${server}:${uri}`, 300)} cannot be read`,
        signal,
        () => host.read(server, uri, options),
        'Is that its address? In a terminal @ and Tab complete it, and /resources lists what there is.',
      ),
    })),
  );
};

/** Begins a conversation, or goes on with one that was kept. */
export const createTalk = (chat: Chat, before?: Saved): Talk => {
  const { host, model, state } = chat;
  const id = before?.id ?? newSessionId();
  const began = before?.began ?? Date.now();
  let messages: readonly Message[] = before?.messages ?? [];

  const run = async (
    said: readonly Message[],
    attachments: readonly Attachment[],
    { signal, onEvent }: SayOptions,
  ): Promise<RunResult> => {
    const result = await host.run({
      model: model.model,
      messages: [...messages, ...said],
      attachments,
      ...(signal === undefined ? {} : { signal }),
      ...(onEvent === undefined ? {} : { onEvent }),
      // The script knows no other way to a tool than its name.
      ...(model.script ? { discovery: 'all' as const } : {}),
    });
    messages = result.messages;
    await saveSession(state, { id, began, changed: Date.now(), model: model.name, messages });
    return result;
  };

  return {
    id,
    get messages() {
      return messages;
    },
    async say(text, options = {}) {
      return run([{ role: 'user', content: text }], await attachmentsOf(text, chat, options.signal), options);
    },
    async use(name, args, options = {}) {
      const { signal } = options;
      const server = host.prompts().find((one) => one.name === name)?.server ?? '';
      const prompt = await given(`The prompt /${oneLine(name, 100)} cannot be used`, signal, () =>
        host.prompt(name, args, signal === undefined ? {} : { signal }),
      );
      return run(promptMessages(server, prompt), [], options);
    },
  };
};
