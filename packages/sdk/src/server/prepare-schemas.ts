import type { Logger } from '../protocol/log.ts';
import type { Internals } from './define.ts';

/** Compiles the plain JSON Schemas of all tools. Tells the operator of those that cannot be used, before a call runs into one. */
export function reportUnusable(of: Internals, log: Logger): void {
  for (const { name, input, output } of of.tools.allCompiled())
    for (const schema of [input, output]) {
      schema?.prepare().catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const message = `The tool '${name}' cannot be called: ${why}`;
        log({ level: 'error', event: 'schema-unusable', message, details: error });
      });
    }
}
