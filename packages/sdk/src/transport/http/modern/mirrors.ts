import { DefinitionError } from '../../../protocol/errors.ts';
import type { KnownTool } from '../../../protocol/request-context.ts';
import type { Engine } from '../../../server/engine.ts';
import { type MirroredParam, mirroredParams } from '../../../wire/param-headers.ts';

/** Which arguments of which tools clients repeat in headers ("x-mcp-header"). */
export interface Mirrors {
  /** The mirrored parameters of a tool. */
  of(tool: KnownTool): readonly MirroredParam[];
}

const NONE: readonly MirroredParam[] = [];

/**
 * Reads the annotations of a server's tools. Throws a `DefinitionError` for annotations that clients cannot use, because clients would
 * leave out the tool. For tools that are added later they are only reported.
 */
export function createMirrors({ of, log }: Engine): Mirrors {
  const known = new WeakMap<KnownTool, readonly MirroredParam[]>();
  const look = (tool: KnownTool): readonly MirroredParam[] | string => {
    const found = mirroredParams(tool.entry.inputSchema);
    if ('problem' in found) return found.problem;
    known.set(tool, found.length === 0 ? NONE : found);
    return found;
  };
  for (const tool of of.tools.allCompiled()) {
    const found = look(tool);
    if (typeof found === 'string')
      throw new DefinitionError(
        'invalid-header-parameter',
        `The tool '${tool.name}' cannot be used over HTTP: ${found}`,
      );
  }
  const mirrored = (tool: KnownTool): readonly MirroredParam[] => {
    const seen = known.get(tool);
    if (seen !== undefined) return seen;
    const found = look(tool);
    if (typeof found !== 'string') return found;
    known.set(tool, NONE);
    log({
      level: 'error',
      event: 'headers-unusable',
      message: `Clients leave out the tool '${tool.name}' over HTTP: ${found}`,
    });
    return NONE;
  };
  return { of: mirrored };
}
