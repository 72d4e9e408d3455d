import type { Denial, Gatekeeper } from '../../protocol/auth.ts';
import { DefinitionError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import type { Engine } from '../../server/engine.ts';

/** Which scopes of a token calls need, besides those that every request needs. */
export interface Scopes {
  /** Does any tool need some now? Where none does, nothing has to be asked. */
  readonly matter: boolean;
  /** What keeps a sender from what a message, or a batch of them, calls for; undefined when nothing does. Nothing has run yet. */
  refuses(message: unknown, principal: Principal | undefined): Maybe<Denial | undefined>;
}

/** Throws a `DefinitionError` for a tool that needs scopes where nobody has any. */
export const createScopes = (
  { of, catalog, viewer }: Engine,
  gate: Gatekeeper | undefined,
  guarded: boolean,
): Scopes => {
  if (!guarded)
    for (const { name, tool } of of.tools.allCompiled())
      if (tool.options.scopes !== undefined)
        throw new DefinitionError(
          `The tool '${name}' needs scopes, and the server is served over HTTP without \`auth\``,
        );

  const missing = (message: unknown, principal: Principal | undefined): Maybe<readonly string[]> => {
    if (!isObject(message) || message['method'] !== 'tools/call') return NONE;
    const params = message['params'];
    const name = isObject(params) ? params['name'] : undefined;
    if (typeof name !== 'string') return NONE;
    return andThen(catalog.tool(name, viewer({ principal })), (found) => {
      const needed = found?.tool.options.scopes ?? NONE;
      return needed.every((scope) => principal?.scopes?.includes(scope) === true) ? NONE : needed;
    });
  };
  const denial = (needed: readonly string[]): Denial | undefined =>
    needed.length === 0
      ? undefined
      : (gate?.insufficient(needed) ?? { status: 403, message: `These scopes are needed: ${needed.join(' ')}` });

  let generation = -1;
  let matter = false;
  return {
    get matter() {
      if (of.tools.generation === generation) return matter;
      generation = of.tools.generation;
      matter = [...of.tools.allCompiled()].some(({ tool }) => tool.options.scopes !== undefined);
      return matter;
    },
    refuses(message, principal) {
      if (!Array.isArray(message)) return andThen(missing(message, principal), denial);
      return Promise.all(message.map((one) => missing(one, principal))).then((all) => denial([...new Set(all.flat())]));
    },
  };
};

const NONE: readonly string[] = [];
