import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Revision } from '../../protocol/revision.ts';
import { encodedInfo } from '../../server/create-engine.ts';
import type { Engine } from '../../server/engine.ts';
import { readCapabilities, readImplementation, unsupportedVersion } from '../../wire/claim.ts';
import { complete } from '../../wire/encode.ts';
import type { Agreement } from './session.ts';
import { changingLists, listSet } from './updates.ts';

/** Reads the params of `initialize` and chooses the revision. */
export function negotiate(engine: Engine, params: JsonObject): Agreement {
  const asked = params['protocolVersion'];
  const { supported } = engine;
  const newest = supported.legacy[0];
  // Checked before anything else: the supported versions help the sender most (Versioning, "Backward compatibility").
  if (newest === undefined) throw unsupportedVersion(typeof asked === 'string' ? asked : '', supported);
  if (typeof asked !== 'string') throw new ProtocolError(CODE.invalidParams, '"protocolVersion" must be a string');
  const capabilities = readCapabilities(params['capabilities']);
  if (capabilities === undefined)
    throw new ProtocolError(CODE.invalidParams, '"capabilities" must be an object of objects');
  return {
    revision: supported.legacy.find((one) => one === asked) ?? newest,
    capabilities,
    client: readImplementation(params['clientInfo']),
    lists: listSet(changingLists(engine.capabilities())),
  };
}

/** The text of the result of `initialize`. */
export function initializeResult(engine: Engine, revision: Revision, capabilities: JsonObject): string {
  const result: JsonObject = {
    protocolVersion: revision,
    capabilities,
    serverInfo: encodedInfo(engine, revision),
    instructions: engine.of.instructions,
  };
  return JSON.stringify(complete(result, revision, {}));
}
