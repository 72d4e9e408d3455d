import type { ServerView } from '../../../src/api/views.ts';
import type { TraceLine } from '../../../src/trace/line.ts';
import { memberText, memberTexts, valueTextAt } from '../../../src/values/json-text.ts';
import { commandOf, pasteable } from './shell.ts';

/** The parameters of a request as a user would write them, without those that the protocol adds to each request. */
export function paramsOf(text: string): string {
  const params = memberText(text, 'params') ?? '{}';
  const members = (memberTexts(params) ?? []).filter(([name]) => name !== '_meta');
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Empty for a text that is not a message. */
export function methodOf(text: string): string {
  return JSON.parse(memberText(text, 'method') ?? '""') as string;
}

/** The subject of a request: a tool, a prompt, a resource. Undefined: it has none, or the text is not a message. */
export function subjectOf(text: string): string | undefined {
  const params = paramsOf(text);
  const subject: unknown = JSON.parse(valueTextAt(params, '/name') ?? valueTextAt(params, '/uri') ?? 'null');
  return typeof subject === 'string' && subject !== '' ? subject : undefined;
}

/** Returns whether the line can be copied, and sent again. */
export function isRequest({ kind, from, text }: TraceLine): boolean {
  if (kind !== 'message' || from !== 'client') return false;
  try {
    const value = JSON.parse(text) as { method?: unknown; id?: unknown };
    return typeof value.method === 'string' && value.id !== undefined;
  } catch {
    return false;
  }
}

/** The placeholder for secrets: the user of a copied command has to insert them. */
export const REDACTED = '[redacted]';

/** The options and the target with which the command reaches the server. */
function targetOf({ transport, target, launch, pinned }: ServerView): readonly string[] {
  const { env = [], cwd, headers = [] } = launch ?? {};
  // A recorded trace only has the displayed command, so its word boundaries are a guess.
  const words = launch?.words ?? (transport === 'http' ? [target] : target.split(' '));
  return [
    ...(pinned === undefined ? [] : ['--revision', pinned]),
    ...env.flatMap((variable) => ['--env', variable]),
    ...(cwd === undefined ? [] : ['--cwd', cwd]),
    ...headers.flatMap((name) => ['--header', `${name}: ${REDACTED}`]),
    ...(transport === 'http' ? [] : ['--']),
    ...words,
  ];
}

/** Returns whether the name of a tool can be a word of the command: not an option, and without control characters. */
function isWord(name: string): boolean {
  return !name.startsWith('-') && !/\p{Cc}/u.test(name);
}

/** The same request as a command of `tenon`. */
export function asTenon({ text }: TraceLine, server: ServerView): string {
  const [method, params] = [methodOf(text), paramsOf(text)];
  const tool = method === 'tools/call' ? subjectOf(text) : undefined;
  // Parameters besides the arguments, such as those for a task, need the whole request.
  const isPlain = memberTexts(params)!.every(([name]) => name === 'name' || name === 'arguments');
  const words =
    tool !== undefined && isPlain && isWord(tool)
      ? ['call', tool, '--args', pasteable(valueTextAt(params, '/arguments') ?? '{}')]
      : ['raw', method, pasteable(params)];
  return commandOf(['tenon', ...words, ...targetOf(server)]);
}
