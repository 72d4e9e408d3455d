import { resolve } from 'node:path';
import type { Recording } from '@tenon/inspector/trace';
import type { CommandLine } from '../command-line/command-line.ts';
import { explainFileError } from '../failure/file-failures.ts';
import type { Screen } from '../terminal/screen.ts';
import type { ServerTarget } from '../command-line/server-target.ts';
import { traceWriteFailure } from './trace-file.ts';

/** Opens a trace of the traffic in the file of `--output`; undefined without the option. Throws a usage failure. */
export async function openRecording(
  line: CommandLine,
  screen: Screen,
  target?: ServerTarget,
): Promise<Recording | undefined> {
  const file = line.value('output');
  if (file === undefined) return undefined;
  const onFailure = (error: Error): void => screen.reportLater(traceWriteFailure(file, error));
  const { nameOfCommand, recordTo, secretsOf } = await import('@tenon/inspector/trace');
  try {
    if (target === undefined) return recordTo(resolve(file), { onFailure });
    if ('url' in target)
      return recordTo(resolve(file), {
        name: new URL(target.url).host,
        target: target.url,
        transport: 'http',
        secrets: secretsOf(target),
        onFailure,
      });
    const { command, args = [], env = {}, inheritEnv = [] } = target.command;
    return recordTo(resolve(file), {
      name: nameOfCommand(command, args),
      secrets: secretsOf({ env, inheritEnv }),
      onFailure,
    });
  } catch (error) {
    throw explainFileError(error);
  }
}
