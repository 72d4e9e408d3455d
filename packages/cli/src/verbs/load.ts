import type { LoadResult } from '@tenon/inspector';
import { buildCallArguments, parseArguments } from '../command-line/arguments.ts';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import { withServer, type VerbContext } from '../session/session.ts';
import { counted } from '@tenon/values/counted';

const CONCURRENCY = 16;
const SECONDS = 5;
const MAX_CONCURRENCY = 10_000;
const MAX_SECONDS = 86_400;

function atMost(name: string, most: number, number: number): number {
  if (number > most) throw usage(`--${name} is at most ${most}`);
  return number;
}

function textOf(what: string, { requests, failures, perSecond, p50, p90, p99, max, firstFailure }: LoadResult): string {
  return [
    `${what}: ${counted(requests, 'request')}, ${perSecond} a second, ${failures} failed`,
    `  p50 ${p50} ms   p90 ${p90} ms   p99 ${p99} ms   longest ${max} ms`,
    ...(firstFailure === undefined ? [] : [`  first failure: ${oneLine(firstFailure, 300)}`]),
  ].join('\n');
}

/** `tenon load`: sends the same call, or pings, over and over. */
export async function load(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen } = context;
  const [, tool, ...words] = line.words;
  const concurrency = atMost('concurrency', MAX_CONCURRENCY, parseNumberOption(line, 'concurrency') ?? CONCURRENCY);
  const seconds = atMost('seconds', MAX_SECONDS, parseNumberOption(line, 'seconds') ?? SECONDS);
  const durationMs = seconds * 1000;
  const typed = parseArguments(words);
  await withServer(line, context, async ({ client, request }) => {
    const entry =
      tool === undefined ? undefined : (await client.tools(request).all()).find(({ name }) => name === tool);
    if (tool !== undefined && entry === undefined)
      throw new Failure('usage', 'no_tool', `The server has no tool ${oneLine(tool, 100)}`, { blame: 'you' });
    const args = buildCallArguments(typed, line.value('args'), entry?.inputSchema);
    const { runLoad } = await import('@tenon/inspector');
    const result = await runLoad(client, {
      concurrency,
      durationMs,
      signal: request.signal ?? context.interrupt,
      send: async (to, signal) => {
        if (tool === undefined) return to.ping({ signal });
        const { isError } = await to.result(tool, args, { signal });
        if (isError === true) throw new Error('The tool answered with isError');
        return undefined;
      },
    });
    const what = tool ?? 'ping';
    screen.result({ json: () => JSON.stringify({ what, concurrency, ...result }), text: () => textOf(what, result) });
    const limit = parseNumberOption(line, 'p99');
    if (result.failures > 0 || (limit !== undefined && result.p99 > limit))
      throw new Failure(
        'check',
        'load_failed',
        result.failures > 0
          ? `${result.failures} of ${counted(result.requests, 'request')} failed`
          : `p99 is ${result.p99} ms, at most ${limit} ms are allowed`,
        { blame: 'server', evidence: result.firstFailure },
      );
  });
}
