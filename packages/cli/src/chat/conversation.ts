import { promptMessages, type RunEvent, type RunResult } from '@tenon/host';
import { oneLine } from '../terminal/printable.ts';
import { mentionsIn } from './mentions.ts';
import { toServerFailure } from './server-failure.ts';
import { newSessionId, type SavedConversation, saveSession } from './sessions.ts';
import type { Attachment, Chat, Message } from './types.ts';

/** Options of one run of the model. */
export interface SayOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** A conversation with the model, saved on disk after each answer. */
export interface Conversation {
  readonly id: string;
  /** All messages so far. */
  readonly messages: readonly Message[];
  /** Sends a message with the resources that it mentions, and runs the model. Throws a failure if a resource cannot be read. */
  say(text: string, options?: SayOptions): Promise<RunResult>;
  /** Sends a server's prompt, by its qualified name, and runs the model. Throws a failure if the server does not return the prompt. */
  use(prompt: string, args: Readonly<Record<string, string>>, options?: SayOptions): Promise<RunResult>;
}

/** Runs a request to a server. Its error becomes a failure, unless the signal was aborted. */
async function given<T>(
  what: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
  fix?: string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw toServerFailure(what, error, fix);
  }
}

/** Reads the resources that a text mentions. The user named them, so no approval is needed. */
function attachmentsOf(text: string, { host }: Chat, signal: AbortSignal | undefined): Promise<Attachment[]> {
  const aliases = host.servers().map(({ alias }) => alias);
  const listed = host.resources().map(({ server, entry }) => ({ server, uri: entry.uri }));
  const options = { by: 'user', signal } as const;
  return Promise.all(
    mentionsIn(text, aliases, listed).map(async ({ server, uri }) => ({
      server,
      uri,
      result: await given(
        `The resource @${oneLine(`${server}:${uri}`, 300)} cannot be read`,
        signal,
        () => host.read(server, uri, options),
        'Check its URI: in a terminal, @ and Tab complete it, and /resources lists all resources.',
      ),
    })),
  );
}

/** Starts a conversation, or resumes a saved one. */
export function createConversation(chat: Chat, before?: SavedConversation): Conversation {
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
      signal,
      onEvent,
      // The script cannot search for tools, it needs their names.
      discovery: model.script ? 'all' : undefined,
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
        host.prompt(name, args, { signal }),
      );
      return run(promptMessages(server, prompt), [], options);
    },
  };
}
