import type { LoadResult } from '@tenon/inspector';
import { callArguments, typedArguments } from '../arguments.ts';
import { type CommandLine, numberGiven } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import { withServer, type World } from '../session.ts';

const CONCURRENCY = 16;
const SECONDS = 5;
const MOST_CONCURRENCY = 10_000;
const MOST_SECONDS = 86_400;

const atMost = (name: string, most: number, number: number): number => {
  if (number > most) throw usage(`--${name} is at most ${most}`);
  return number;
};

const textOf = (
  what: string,
  { requests, failures, perSecond, p50, p90, p99, max, firstFailure }: LoadResult,
): string =>
  [
    `${what}: ${requests} requests, ${perSecond} a second, ${failures} failed`,
    `  p50 ${p50} ms   p90 ${p90} ms   p99 ${p99} ms   longest ${max} ms`,
    ...(firstFailure === undefined ? [] : [`  first failure: ${oneLine(firstFailure, 300)}`]),
  ].join('\n');

/** `tenon load`: the same call over and over, or pings. */
export const load = async (line: CommandLine, world: World): Promise<void> => {
  const { screen } = world;
  const [, tool, ...words] = line.words;
  const concurrency = atMost('concurrency', MOST_CONCURRENCY, numberGiven(line, 'concurrency') ?? CONCURRENCY);
  const seconds = atMost('seconds', MOST_SECONDS, numberGiven(line, 'seconds') ?? SECONDS);
  const durationMs = seconds * 1000;
  const typed = typedArguments(words);
  await withServer(line, world, async ({ client, request }) => {
    const entry =
      tool === undefined ? undefined : (await client.tools(request).all()).find(({ name }) => name === tool);
    if (tool !== undefined && entry === undefined)
      throw new Failure('usage', 'no_tool', `The server has no tool ${oneLine(tool, 100)}`, { blame: 'you' });
    const args = callArguments(typed, line.value('args'), entry?.inputSchema);
    const { runLoad } = await import('@tenon/inspector');
    const result = await runLoad(client, {
      concurrency,
      durationMs,
      signal: request.signal ?? world.interrupt,
      send: async (to, signal) => {
        if (tool === undefined) return to.ping({ signal });
        const { isError } = await to.result(tool, args, { signal });
        if (isError === true) throw new Error('The tool answered with isError');
        return undefined;
      },
    });
    const what = tool ?? 'ping';
    screen.result({ json: () => JSON.stringify({ what, concurrency, ...result }), text: () => textOf(what, result) });
    const limit = numberGiven(line, 'p99');
    if (result.failures > 0 || (limit !== undefined && result.p99 > limit))
      throw new Failure(
        'check',
        'load_failed',
        result.failures > 0
          ? `${result.failures} of ${result.requests} requests failed`
          : `p99 is ${result.p99} ms, at most ${limit} ms are allowed`,
        { blame: 'server', ...(result.firstFailure === undefined ? {} : { evidence: result.firstFailure }) },
      );
  });
};
