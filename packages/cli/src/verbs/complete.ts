import { textArguments, typedArguments } from '../arguments.ts';
import type { CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { withServer, type World } from '../session.ts';

/** `tenon complete <prompt | template> <argument>=<typed> [known=text …]` */
export const complete = async (line: CommandLine, world: World): Promise<void> => {
  const [, what, ...words] = line.words;
  const typed = typedArguments(words);
  const [asked, ...known] = typed;
  if (what === undefined || asked === undefined) {
    throw usage('Complete what?', 'tenon complete <prompt or URI template> argument=beginning -- <command>');
  }
  const all = textArguments(typed);
  const resolved = known.length === 0 ? undefined : textArguments(known);
  // A name of a prompt has no scheme.
  const ref = /^[a-z][a-z0-9+.-]*:|[{}]/i.test(what) ? { template: what } : { prompt: what };
  await withServer(line, world, async ({ client, seen, request }) => {
    const completion = await client.complete(ref, { argument: asked.name, value: all[asked.name]!, resolved }, request);
    world.screen.result({
      json: () => seen.resultOf('completion/complete') ?? JSON.stringify({ completion }),
      text: () => completion.values.join('\n'),
    });
  });
};
