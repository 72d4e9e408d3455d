import { buildTextArguments, parseArguments } from '../command-line/arguments.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { isObject } from '@tenon/values/is-object';
import { promptText } from '../terminal/content-text.ts';
import { explainNamed } from '../session/explain.ts';
import { usage } from '../failure/failure.ts';
import { withServer, type VerbContext } from '../session/session.ts';

/** `tenon prompt <name> [argument=text …]` */
export async function prompt(line: CommandLine, context: VerbContext): Promise<void> {
  const [, name, ...words] = line.words;
  if (name === undefined) throw usage('Which prompt?', 'tenon prompt <name> argument=text -- <command>');
  const typed = parseArguments(words);
  const args = buildTextArguments(typed);
  await withServer(line, context, async ({ client, observer, call }) => {
    const result = await client.prompt(name, typed.length === 0 ? undefined : args, call).catch((error: unknown) => {
      throw explainNamed(error, observer, 'tenon list prompts shows them, with their arguments.');
    });
    const json = observer.resultOf('prompts/get') ?? JSON.stringify(result);
    context.screen.result({
      json: () => json,
      text() {
        const value: unknown = JSON.parse(json);
        return isObject(value) ? promptText(value) : json;
      },
    });
  });
}
