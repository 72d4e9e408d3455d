import type { Host, HostPrompt, RunResult } from '@tenon/host';
import { usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import { COMMANDS, OWN } from './commands.ts';
import { slashIn } from './slash.ts';
import type { SayOptions, Talk } from './talk.ts';
import { writtenArguments } from './use-prompt.ts';

/** Most prompts that are named where one is not found. */
const MOST_NAMED = 10;

const namesOf = (prompts: readonly HostPrompt[]): string => {
  if (prompts.length === 0) return 'There are no prompts.';
  const names = prompts.slice(0, MOST_NAMED).map(({ name }) => `/${oneLine(name, 100)}`);
  return `There are ${names.join(', ')}${prompts.length > MOST_NAMED ? ', and more' : ''}.`;
};

/**
 * How to say a text where nobody can be asked: as it is, or by the prompt that it names. Throws a usage failure for other commands: they
 * are for a terminal, and not for the model.
 */
export const sayingOf = (text: string, talk: Talk, host: Host): ((options: SayOptions) => Promise<RunResult>) => {
  const slash = slashIn(text);
  if (slash === undefined) return (options) => talk.say(text, options);
  const { name, rest } = slash;
  const prompts = host.prompts();
  const prompt = prompts.find((one) => one.name === name);
  if (prompt !== undefined) {
    const args = writtenArguments(prompt, rest);
    return (options) => talk.use(name, args, options);
  }
  const isCommand = [...COMMANDS, ...OWN].some((command) => command.name === name);
  throw usage(
    `/${oneLine(name, 100)} ${isCommand ? 'is for a terminal' : 'is no prompt of a server'}`,
    `What begins with / is not said to the model. ${namesOf(prompts)}`,
  );
};
