import { buildTextArguments, parseArguments } from '../command-line/arguments.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { withServer, type VerbContext } from '../session/session.ts';

/** `tenon complete <prompt | template> <argument>=<typed> [known=text …]` */
export async function complete(line: CommandLine, context: VerbContext): Promise<void> {
  const [, what, ...words] = line.words;
  const typed = parseArguments(words);
  const [asked, ...known] = typed;
  if (what === undefined || asked === undefined) {
    throw usage('Complete what?', 'tenon complete <prompt or URI template> argument=beginning -- <command>');
  }
  const all = buildTextArguments(typed);
  const resolved = known.length === 0 ? undefined : buildTextArguments(known);
  // URI templates have a scheme or an expression; prompt names have neither.
  const ref = /^[a-z][a-z0-9+.-]*:|[{}]/i.test(what) ? { template: what } : { prompt: what };
  await withServer(line, context, async ({ client, observer, request }) => {
    const completion = await client.complete(ref, { argument: asked.name, value: all[asked.name]!, resolved }, request);
    context.screen.result({
      json: () => observer.resultOf('completion/complete') ?? JSON.stringify({ completion }),
      text: () => completion.values.join('\n'),
    });
  });
}
