import { parseObjectArgument } from '../command-line/arguments.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { prettyJson } from '@tenon/inspector/json';
import { withServer, type VerbContext } from '../session/session.ts';
import { sendFrames } from './frames.ts';

/** `tenon raw <method> [params]`, `tenon raw --frame <text>` */
export async function raw(line: CommandLine, context: VerbContext): Promise<void> {
  const [, method, params, more] = line.words;
  if (line.given.has('frame')) {
    if (method !== undefined) throw usage('--frame is the whole message: it cannot be combined with a method');
    return sendFrames(line, context);
  }
  if (method === undefined || more !== undefined)
    throw usage('Which method?', `tenon raw <method> '{"a": 1}' -- <command>`);
  const given = params === undefined ? undefined : parseObjectArgument(params, 'The params');
  await withServer(line, context, async ({ client, observer, call }) => {
    const result = await client.request(method, given, call);
    const json = observer.resultOf(method) ?? JSON.stringify(result);
    context.screen.result({ json: () => json, text: () => prettyJson(json) });
  });
}
