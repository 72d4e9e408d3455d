import type { JsonObject } from './jsonrpc.ts';

/** The capabilities a client declares. Capability objects are open: unknown keys are ignored. */
export interface ClientCapabilities {
  /** The client names the directories that the server may work in. */
  roots?: {
    /** The client announces changes of its roots (revisions up to 2025-11-25). */
    listChanged?: boolean;
  };
  /** The client lets the server use a model. */
  sampling?: {
    /** Requests may include context of servers (`includeContext`, from 2025-11-25). */
    context?: JsonObject;
    /** Requests may offer tools to the model (from 2025-11-25). */
    tools?: JsonObject;
  };
  /** The client asks the user (from 2025-06-18). An empty object means forms only. */
  elicitation?: {
    /** The client shows forms. */
    form?: JsonObject;
    /** The client shows pages by their URL (from 2025-11-25). */
    url?: JsonObject;
  };
  /** Features outside the specification, with their settings, by name. */
  experimental?: JsonObject;
  /** Extensions of the protocol, with their settings, by identifier (2026-07-28). */
  extensions?: JsonObject;
}

/** The capabilities a server offers. */
export interface ServerCapabilities {
  /** The server has tools. */
  tools?: {
    /** The server announces changes of the list. */
    listChanged?: boolean;
  };
  /** The server has resources. */
  resources?: {
    /** Clients can watch single resources. */
    subscribe?: boolean;
    /** The server announces changes of the list. */
    listChanged?: boolean;
  };
  /** The server has prompts. */
  prompts?: {
    /** The server announces changes of the list. */
    listChanged?: boolean;
  };
  /** The server completes arguments of prompts and variables of templates (from 2025-03-26; before, without a capability). */
  completions?: JsonObject;
  /** The server sends log messages. */
  logging?: JsonObject;
  /** The server runs calls as tasks (2025-11-25). In 2026-07-28 it declares the extension `io.modelcontextprotocol/tasks`. */
  tasks?: JsonObject;
  /** Features outside the specification, with their settings, by name. */
  experimental?: JsonObject;
  /** Extensions of the protocol, with their settings, by identifier (2026-07-28). */
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
