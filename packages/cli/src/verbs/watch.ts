import type { WatchTarget } from 'tenon/client';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { withServer, type VerbContext } from '../session/session.ts';

const LISTS = ['tools', 'prompts', 'resources'] as const;

function targetOf(what: string): WatchTarget {
  const list = LISTS.find((name) => name === what);
  return list === undefined ? { uri: what } : { list };
}

/** `tenon watch <uri | tools | prompts | resources>` */
export async function watch(line: CommandLine, context: VerbContext): Promise<void> {
  const [, what, more] = line.words;
  if (what === undefined || more !== undefined)
    throw usage('Watch what?', 'tenon watch <uri, or tools, prompts, resources> -- <command>');
  const count = parseNumberOption(line, 'count') ?? Infinity;
  await withServer(line, context, async ({ client, request }) => {
    const { signal } = request;
    const changes = client.watch(targetOf(what), { signal });
    await changes.ready;
    let left = count;
    for await (const change of changes) {
      context.screen.result({
        json: () => JSON.stringify(change),
        text: () =>
          `${'uri' in change ? oneLine(change.uri) : change.list} changed${change.missed ? ' (perhaps: the connection was interrupted)' : ''}`,
      });
      left--;
      if (left <= 0) return;
    }
    signal?.throwIfAborted();
  });
}
