import type { ClientAbility } from '../../protocol/capabilities.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';

/** What a client must have declared to be asked a question, by its method and its params. */
export function abilitiesFor(method: string, { mode, tools, toolChoice }: JsonObject): readonly ClientAbility[] {
  if (method === 'elicitation/create') return mode === 'url' ? ['elicitation.url'] : ['elicitation'];
  if (method === 'roots/list') return ['roots'];
  return tools === undefined && toolChoice === undefined ? ['sampling'] : ['sampling', 'sampling.tools'];
}
