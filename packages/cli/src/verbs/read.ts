import type { CommandLine } from '../command-line/command-line.ts';
import { isObject } from '@tenon/values/is-object';
import { resourceText } from '../terminal/content-text.ts';
import { explainNamed } from '../session/explain.ts';
import { usage } from '../failure/failure.ts';
import { withServer, type VerbContext } from '../session/session.ts';

function textOf(json: string): string {
  const result: unknown = JSON.parse(json);
  const contents = isObject(result) && Array.isArray(result['contents']) ? result['contents'] : [result];
  if (contents.length === 1) return resourceText(contents[0]);
  return contents.map((part) => `[${isObject(part) ? String(part['uri']) : '?'}]\n${resourceText(part)}`).join('\n');
}

/** `tenon read <uri>` */
export async function read(line: CommandLine, context: VerbContext): Promise<void> {
  const [, uri, more] = line.words;
  if (uri === undefined || more !== undefined) throw usage('Which resource?', 'tenon read <uri> -- <command>');
  await withServer(line, context, async ({ client, observer, call }) => {
    const result = await client.read(uri, call).catch((error: unknown) => {
      throw explainNamed(error, observer, 'tenon list resources shows what there is, and tenon list templates.');
    });
    const json = observer.resultOf('resources/read') ?? JSON.stringify(result);
    context.screen.result({ json: () => json, text: () => textOf(json) });
  });
}
