import type { Host, HostPrompt, RunResult } from '@tenon/host';
import { usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { COMMANDS, OWN } from './commands.ts';
import { slashIn } from './slash.ts';
import type { SayOptions, Conversation } from './conversation.ts';
import { writtenArguments } from './use-prompt.ts';

/** How many prompts the message names if one is not found. */
const MAX_NAMED = 10;

function namesOf(prompts: readonly HostPrompt[]): string {
  if (prompts.length === 0) return 'There are no prompts.';
  const names = prompts.slice(0, MAX_NAMED).map(({ name }) => `/${oneLine(name, 100)}`);
  return `There are ${names.join(', ')}${prompts.length > MAX_NAMED ? ', and more' : ''}.`;
}

/**
 * How to send a text without a terminal: as a message, or as the prompt that it names. Throws a usage failure for other commands, which
 * need a terminal and must not be sent to the model.
 */
export function senderFor(
  text: string,
  conversation: Conversation,
  host: Host,
): (options: SayOptions) => Promise<RunResult> {
  const slash = slashIn(text);
  if (slash === undefined) return (options) => conversation.say(text, options);
  const { name, rest } = slash;
  const prompts = host.prompts();
  const prompt = prompts.find((one) => one.name === name);
  if (prompt !== undefined) {
    const args = writtenArguments(prompt, rest);
    return (options) => conversation.use(name, args, options);
  }
  const isCommand = [...COMMANDS, ...OWN].some((command) => command.name === name);
  throw usage(
    `/${oneLine(name, 100)} ${isCommand ? 'works only in a terminal' : 'is not a prompt of a server'}`,
    `Text that begins with / is not sent to the model. ${namesOf(prompts)}`,
  );
}
