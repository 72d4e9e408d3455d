import type { JsonObject } from './jsonrpc.ts';

/** The capabilities a client declares. Capability objects are open: unknown keys are ignored. */
export interface ClientCapabilities {
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  experimental?: JsonObject;
  extensions?: JsonObject;
}

/** The capabilities a server offers. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  prompts?: { listChanged?: boolean };
  completions?: JsonObject;
  logging?: JsonObject;
  experimental?: JsonObject;
  extensions?: JsonObject;
}

/** A client capability that a handler may depend on, as one name. */
export type ClientAbility =
  | 'elicitation'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'roots';

/** How each ability is declared, and how its absence is reported (`requiredCapabilities` of -32021). */
const ABILITIES: ReadonlyMap<ClientAbility, { has(c: ClientCapabilities): boolean; declared: ClientCapabilities }> =
  new Map<ClientAbility, { has(c: ClientCapabilities): boolean; declared: ClientCapabilities }>([
    // `elicitation: {}` means form only.
    [
      'elicitation',
      {
        has: (c) => c.elicitation != null && (c.elicitation.form != null || c.elicitation.url == null),
        declared: { elicitation: { form: {} } },
      },
    ],
    ['elicitation.url', { has: (c) => c.elicitation?.url != null, declared: { elicitation: { url: {} } } }],
    ['sampling', { has: (c) => c.sampling != null, declared: { sampling: {} } }],
    ['sampling.tools', { has: (c) => c.sampling?.tools != null, declared: { sampling: { tools: {} } } }],
    ['sampling.context', { has: (c) => c.sampling?.context != null, declared: { sampling: { context: {} } } }],
    ['roots', { has: (c) => c.roots != null, declared: { roots: {} } }],
  ]);

/** Did the client declare this ability? */
export function declares(capabilities: ClientCapabilities, ability: ClientAbility): boolean {
  return ABILITIES.get(ability)!.has(capabilities);
}

/** The capability object a client has to declare for an ability. */
export function capabilityFor(ability: ClientAbility): ClientCapabilities {
  return ABILITIES.get(ability)!.declared;
}
