import { messageOf } from '../protocol/text.ts';
import type { Logger } from '../protocol/log.ts';
import type { Internals } from './define.ts';

/** Compiles the plain JSON Schemas of all tools, so that the operator learns of unusable ones before a call needs them. */
export function reportUnusable(of: Internals, log: Logger): void {
  for (const { name, input, output } of of.tools.allCompiled())
    for (const schema of [input, output]) {
      schema?.prepare().catch((error: unknown) => {
        const why = messageOf(error);
        const message = `The tool '${name}' cannot be called: ${why}`;
        log({ level: 'error', event: 'schema-unusable', message, details: error });
      });
    }
}
