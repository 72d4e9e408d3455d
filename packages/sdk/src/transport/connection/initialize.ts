import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { isLogLevel } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import { spokenBy } from './era.ts';
import { shown } from '../../protocol/text.ts';
import { encodedCapabilities, encodedInfo } from '../../server/create-engine.ts';
import type { Engine } from '../../server/engine.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { notFound } from '../../server/methods/not-found.ts';
import { encodeServerCapabilities } from '../../wire/encode.ts';
import { readCapabilities, readImplementation, unsupportedVersion } from '../../wire/claim.ts';
import { changingLists, listSet, tooManyUris } from './notices.ts';
import type { Agreed, Session } from './session.ts';

/** What a client says in `initialize`, and the revision the two agree on. */
export const agreement = (engine: Engine, params: JsonObject): Agreed => {
  const asked = params['protocolVersion'];
  const { legacy, modern } = spokenBy(engine.revisions);
  const newest = legacy[0];
  // Whatever is wrong with it besides: the way on are the versions there are (Versioning, Backward compatibility).
  if (newest === undefined) throw unsupportedVersion(typeof asked === 'string' ? asked : '', modern);
  if (typeof asked !== 'string') throw new ProtocolError(CODE.invalidParams, '"protocolVersion" must be a string');
  const capabilities = readCapabilities(params['capabilities']);
  if (capabilities === undefined)
    throw new ProtocolError(CODE.invalidParams, '"capabilities" must be an object of objects');
  const revision = legacy.find((one) => one === asked) ?? newest;
  return {
    revision,
    capabilities,
    client: readImplementation(params['clientInfo']),
    lists: listSet(changingLists(engine.capabilities())),
  };
};

/** The result of `initialize`. `sessions`: what it says holds for more than this one request. */
export const greeting = (engine: Engine, revision: Revision, sessions = true): JsonObject => ({
  protocolVersion: revision,
  capabilities: sessions
    ? encodedCapabilities(engine, revision)
    : encodeServerCapabilities(withoutSession(engine.capabilities()), revision),
  serverInfo: encodedInfo(engine, revision),
  ...(engine.of.instructions === undefined ? {} : { instructions: engine.of.instructions }),
});

/** What a server can do for a client that it does not know again: nothing is announced, and there is no level of the log. */
const withoutSession = ({ tools, resources, prompts, completions }: ServerCapabilities): ServerCapabilities => ({
  ...(tools === undefined ? {} : { tools: {} }),
  ...(resources === undefined ? {} : { resources: {} }),
  ...(prompts === undefined ? {} : { prompts: {} }),
  ...(completions === undefined ? {} : { completions }),
});

type SessionMethod = (session: Session, engine: Engine, params: JsonObject, exchange: Exchange) => Promise<void> | void;

const uriOf = (params: JsonObject): string => {
  const { uri } = params;
  if (typeof uri !== 'string') throw new ProtocolError(CODE.invalidParams, '"uri" must be a string');
  return uri;
};

/** Requests that change the session and answer `{}`. */
export const SESSION_METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  ['ping', () => {}],
  [
    'logging/setLevel',
    (session, _, { level }) => {
      if (!isLogLevel(level)) throw new ProtocolError(CODE.invalidParams, `Unknown log level: ${shown(level)}`);
      session.level = level;
    },
  ],
  [
    'resources/subscribe',
    async (session, engine, params, exchange) => {
      const uri = uriOf(params);
      if (!(await engine.hasResource(uri, exchange))) throw notFound(uri, exchange);
      if (session.subscribed.size >= engine.limits.subscriptionUris && !session.subscribed.has(uri)) {
        throw tooManyUris(engine);
      }
      session.subscribe(uri);
    },
  ],
  ['resources/unsubscribe', (session, _, params) => session.unsubscribe(uriOf(params))],
]);
