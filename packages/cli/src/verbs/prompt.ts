import { textArguments, typedArguments } from '../arguments.ts';
import type { CommandLine } from '../command-line.ts';
import { isObject } from '@tenon/values/is-object';
import { promptText } from '../content-text.ts';
import { usage } from '../failure.ts';
import { withServer, type World } from '../session.ts';

/** `tenon prompt <name> [argument=text …]` */
export const prompt = async (line: CommandLine, world: World): Promise<void> => {
  const [, name, ...words] = line.words;
  if (name === undefined) throw usage('Which prompt?', 'tenon prompt <name> argument=text -- <command>');
  const typed = typedArguments(words);
  const args = textArguments(typed);
  await withServer(line, world, async ({ client, seen, call }) => {
    const result = await client.prompt(name, typed.length === 0 ? undefined : args, call);
    const json = seen.resultOf('prompts/get') ?? JSON.stringify(result);
    world.screen.result({
      json: () => json,
      text() {
        const value: unknown = JSON.parse(json);
        return isObject(value) ? promptText(value) : json;
      },
    });
  });
};
