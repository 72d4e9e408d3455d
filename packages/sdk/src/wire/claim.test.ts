import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { LOG_LEVELS } from '../protocol/log.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { byEra, LEGACY, MODERN, REVISIONS } from '../protocol/revision.ts';
import { asSent } from '../../test/as-sent.ts';
import { frozen } from '../../test/frozen.ts';
import { hasClaim, readCapabilities, readClaim, readImplementation } from './claim.ts';
import { claimMeta, writeClaim } from './write-claim.ts';

const VERSION = MODERN[0]!;
const meta = { [META.protocolVersion]: VERSION, [META.clientCapabilities]: {} };
function withMeta(more: JsonObject): JsonObject {
  return frozen({ _meta: { ...meta, ...more } });
}
function without(key: string): JsonObject {
  const { [key]: _gone, ...rest } = meta as JsonObject;
  return frozen({ _meta: rest });
}

function failure(params: JsonObject | undefined): ProtocolError {
  try {
    readClaim(metaOf(params));
  } catch (error) {
    assert.ok(error instanceof ProtocolError);
    return error;
  }
  throw new assert.AssertionError({ message: 'it was accepted' });
}

test('a request is modern when its _meta names a protocol version', () => {
  assert.equal(hasClaim(metaOf(withMeta({}))), true);
  assert.equal(hasClaim(metaOf(withMeta({ [META.protocolVersion]: 5 }))), true);
  for (const params of [
    undefined,
    {},
    { _meta: {} },
    { _meta: null },
    { _meta: [meta] },
    without(META.protocolVersion),
    meta,
  ]) {
    assert.equal(hasClaim(metaOf(params)), false);
  }
  assert.equal(
    hasClaim(metaOf(JSON.parse(`{"_meta":{"__proto__":{"${META.protocolVersion}":"${VERSION}"}}}`) as JsonObject)),
    false,
  );
});

test('[BASE-43] a claim needs only a version and capabilities', () => {
  assert.deepEqual(readClaim(metaOf(withMeta({}))), {
    revision: VERSION,
    capabilities: {},
    client: undefined,
    logLevel: undefined,
  });
});

test('a claim names the client and the level of log messages', () => {
  const client = { name: 'c', version: '1', title: 'C', other: 1 };
  const capabilities = { sampling: {}, elicitation: { url: {} } };
  const params = withMeta({
    [META.clientInfo]: client,
    [META.clientCapabilities]: capabilities,
    [META.logLevel]: 'notice',
  });
  assert.deepEqual(readClaim(metaOf(params)), { revision: VERSION, capabilities, client, logLevel: 'notice' });
});

test("[BASE-43] the client's name is for display: a malformed one is ignored", () => {
  for (const client of [null, 'c', {}, { name: 1, version: '1' }, ['c']]) {
    assert.equal(readClaim(metaOf(withMeta({ [META.clientInfo]: client }))).client, undefined);
  }
});

test('[VERS-7] [BASE-31] an unsupported version is refused with the supported ones and the requested one', () => {
  for (const requested of ['2099-01-01', '', '__proto__', ...LEGACY]) {
    const error = failure(withMeta({ [META.protocolVersion]: requested }));
    assert.equal(error.code, CODE.unsupportedVersion);
    assert.deepEqual(error.data, { supported: [...MODERN], requested });
  }
});

test('the refusal of a version names the older ones, and how they begin', () => {
  const claimed = metaOf(withMeta({ [META.protocolVersion]: '2025-11-25' }));
  const messageFor = (supported: ReturnType<typeof byEra>): string => {
    try {
      return String(readClaim(claimed, supported));
    } catch (error) {
      assert.deepEqual((error as ProtocolError).data, { supported: [...supported.modern], requested: '2025-11-25' });
      return (error as Error).message;
    }
  };
  assert.equal(
    messageFor(byEra(REVISIONS)),
    `Protocol version 2025-11-25 is not supported; supported: ${MODERN.join(', ')}; after "initialize": ${LEGACY.join(', ')}`,
  );
  assert.equal(
    messageFor(byEra(MODERN)),
    `Protocol version 2025-11-25 is not supported; supported: ${MODERN.join(', ')}`,
  );
});

test('[VERS-7] a version that is known but switched off is refused, too', () => {
  assert.throws(
    () => readClaim(metaOf(withMeta({})), { modern: [], legacy: LEGACY }),
    (error) => error instanceof ProtocolError && error.code === CODE.unsupportedVersion,
  );
});

test('an unknown version is refused before anything else is checked', () => {
  const params = frozen({ _meta: { [META.protocolVersion]: '2099-01-01' } });
  assert.equal(failure(params).code, CODE.unsupportedVersion);
});

test('[BASE-41] a required key that is missing or malformed is invalid params, with its name', () => {
  const cases: [JsonObject | undefined, string, RegExp][] = [
    [undefined, META.protocolVersion, /is missing/],
    [without(META.protocolVersion), META.protocolVersion, /is missing/],
    [withMeta({ [META.protocolVersion]: 5 }), META.protocolVersion, /must be a string/],
    [withMeta({ [META.protocolVersion]: null }), META.protocolVersion, /must be a string/],
    [without(META.clientCapabilities), META.clientCapabilities, /is missing/],
    ...[null, [], 'all', 1, true].map((bad): [JsonObject, string, RegExp] => [
      withMeta({ [META.clientCapabilities]: bad }),
      META.clientCapabilities,
      /must be an object/,
    ]),
    [withMeta({ [META.clientCapabilities]: { sampling: true } }), META.clientCapabilities, /must be an object/],
  ];
  for (const [params, key, message] of cases) {
    const error = failure(params);
    assert.equal(error.code, CODE.invalidParams);
    assert.ok(error.message.includes(key), error.message);
    assert.match(error.message, message);
  }
});

test('[LOG-9] an unknown log level is invalid params', () => {
  for (const level of ['verbose', 'INFO', 3, null, '', '__proto__']) {
    const error = failure(withMeta({ [META.logLevel]: level }));
    assert.equal(error.code, CODE.invalidParams);
    assert.ok(error.message.includes(META.logLevel));
  }
  for (const level of LOG_LEVELS) assert.equal(readClaim(metaOf(withMeta({ [META.logLevel]: level }))).logLevel, level);
});

test('[VERS-37] unknown capabilities are kept, null ones count as missing', () => {
  const given = frozen({ roots: null, sampling: {}, tasks: { list: {} }, future: true });
  assert.deepEqual(readCapabilities(given), { sampling: {}, tasks: { list: {} }, future: true });
  const fine = frozen({ roots: { listChanged: true } });
  assert.equal(readCapabilities(fine), fine);
});

test('capabilities that are not objects are refused', () => {
  for (const value of [undefined, null, [], 'x', { roots: [] }, { elicitation: 'form' }, { extensions: 1 }]) {
    assert.equal(readCapabilities(value), undefined);
  }
});

test('a capability with a name of the prototype is not read from the prototype', () => {
  const capabilities = readCapabilities(JSON.parse('{"__proto__":{"sampling":{}}}'));
  assert.equal(capabilities!.sampling, undefined);
});

test('an implementation has a name and a version', () => {
  assert.deepEqual(readImplementation({ name: 'n', version: '1', extra: 1 }), { name: 'n', version: '1', extra: 1 });
  for (const value of [undefined, null, {}, { name: 'n' }, { version: '1' }, 'n', []])
    assert.equal(readImplementation(value), undefined);
});

test('[BASE-38] [BASE-39] [BASE-40] every request carries version, capabilities and the client, besides its own _meta', () => {
  const claim = frozen({
    revision: VERSION,
    capabilities: { roots: { listChanged: true } },
    client: { name: 'c', version: '1' },
  });
  const params = frozen({ name: 't', _meta: { progressToken: 1, [META.protocolVersion]: 'mine' } });
  assert.deepEqual(JSON.parse(JSON.stringify(writeClaim(claim, params))), {
    name: 't',
    _meta: {
      progressToken: 1,
      [META.protocolVersion]: VERSION,
      [META.clientCapabilities]: { roots: {} },
      [META.clientInfo]: { name: 'c', version: '1' },
    },
  });
  assert.equal(
    JSON.stringify(writeClaim({ revision: VERSION, capabilities: {} }, undefined)),
    JSON.stringify({ _meta: meta }),
  );
});

test('[LOG-5] the log level is part of a claim when there is one', () => {
  assert.equal(claimMeta({ revision: VERSION, capabilities: {}, logLevel: 'error' })[META.logLevel], 'error');
  assert.equal(claimMeta({ revision: VERSION, capabilities: {} })[META.logLevel], undefined);
});

test('a written claim can be read', () => {
  const claim = {
    revision: VERSION,
    capabilities: { elicitation: { form: {} } },
    client: { name: 'c', version: '1' },
    logLevel: 'info' as const,
  };
  assert.deepEqual(readClaim(asSent(metaOf(writeClaim(claim, {})))), claim);
});
