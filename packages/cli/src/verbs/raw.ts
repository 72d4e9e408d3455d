import { objectGiven } from '../arguments.ts';
import type { CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { prettyJson } from '@tenon/inspector/json';
import { withServer, type World } from '../session.ts';
import { sendFrames } from './frames.ts';

/** `tenon raw <method> [params]`, `tenon raw --frame <text>` */
export const raw = async (line: CommandLine, world: World): Promise<void> => {
  const [, method, params, more] = line.words;
  if (line.given.has('frame')) {
    if (method !== undefined) throw usage('--frame is the whole message: there is no method beside it');
    return sendFrames(line, world);
  }
  if (method === undefined || more !== undefined)
    throw usage('Which method?', `tenon raw <method> '{"a": 1}' -- <command>`);
  const given = params === undefined ? undefined : objectGiven(params, 'The params');
  await withServer(line, world, async ({ client, seen, call }) => {
    const result = await client.request(method, given, call);
    const json = seen.resultOf(method) ?? JSON.stringify(result);
    world.screen.result({ json: () => json, text: () => prettyJson(json) });
  });
};
