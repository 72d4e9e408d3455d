import { promptMessages, type RunEvent, type RunResult } from '@tenon/host';
import { mentionsIn } from './mentions.ts';
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
  /** Says something, with the resources that it mentions, and gives what came of it. Throws where a resource cannot be read. */
  say(text: string, options?: SayOptions): Promise<RunResult>;
  /** Uses a prompt of a server by its qualified name. Throws where the server does not give it. */
  use(prompt: string, args: Readonly<Record<string, string>>, options?: SayOptions): Promise<RunResult>;
}

/** Reads what a text mentions. The person chose it: nobody is asked again. */
const attachmentsOf = (text: string, { host }: Chat, signal: AbortSignal | undefined): Promise<Attachment[]> => {
  const aliases = host.servers().map(({ alias }) => alias);
  return Promise.all(
    mentionsIn(text, aliases).map(async ({ server, uri }) => ({
      server,
      uri,
      result: await host.read(server, uri, { by: 'user', ...(signal === undefined ? {} : { signal }) }),
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
      const prompt = await host.prompt(name, args, signal === undefined ? {} : { signal });
      return run(promptMessages(server, prompt), [], options);
    },
  };
};
