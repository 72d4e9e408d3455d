import type { Host, HostPrompt } from '@tenon/host';
import { usage } from '../failure/failure.ts';
import type { Console } from './console.ts';
import { cut, paint } from './paint.ts';
import { wordsOf } from './prompt-words.ts';
import { valuesFor } from './suggest.ts';

type Args = Readonly<Record<string, string>>;

/** Parses the text after the prompt's name. If the prompt has only one argument, its name may be left out. Throws a usage failure. */
function argumentsIn({ name, entry }: HostPrompt, rest: string): Args {
  const all = entry.arguments ?? [];
  const { args, stray } = wordsOf(rest);
  const [only] = all;
  if (all.length === 1 && only !== undefined && stray.length > 0) return { [only.name]: rest.trim() };
  if (stray.length > 0)
    throw usage(`'${cut(stray[0]!, 100)}' is not an argument of /${cut(name, 100)}`, 'Write name=value.');
  const unknown = Object.keys(args).find((given) => !all.some((argument) => argument.name === given));
  if (unknown === undefined) return args;
  throw usage(
    `/${cut(name, 100)} has no argument ${cut(unknown, 100)}`,
    `It has ${all.map((argument) => cut(argument.name, 100)).join(', ') || 'none'}.`,
  );
}

/** The arguments of a prompt, without a terminal to ask on. Throws a usage failure if a required one is missing. */
export function writtenArguments(prompt: HostPrompt, rest: string): Args {
  const args = argumentsIn(prompt, rest);
  const missing = (prompt.entry.arguments ?? []).find(
    ({ name, required }) => required === true && !Object.hasOwn(args, name),
  );
  if (missing === undefined) return args;
  const [name, argument] = [cut(prompt.name, 100), cut(missing.name, 100)];
  throw usage(`/${name} needs the argument ${argument}`, `Write it after the name: /${name} ${argument}=…`);
}

/** The arguments of a prompt. Asks for required ones that are missing. Undefined if the user cancels. */
export async function promptArguments(
  console: Console,
  host: Host,
  prompt: HostPrompt,
  rest: string,
  signal: AbortSignal,
): Promise<Args | undefined> {
  let args = argumentsIn(prompt, rest);
  for (const { name, description, required } of prompt.entry.arguments ?? []) {
    if (required !== true || Object.hasOwn(args, name)) continue;
    const { outcome, text } = await console.line({
      above: [
        paint('bold', cut(name, 100)),
        ...(description === undefined ? [] : [paint('dim', cut(description, 500))]),
      ],
      suggest: valuesFor(host, prompt, name, args),
      check: (typed) => (typed === '' ? 'An answer is needed here.' : undefined),
      signal,
    });
    if (outcome !== 'submitted') return undefined;
    args = { ...args, [name]: text };
  }
  return args;
}
