import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundledRevisions, extractSchemas, readBundle } from './bundle.ts';
import { conversation } from './corpus/conversation.ts';
import { requestMeta } from './corpus/pieces.ts';
import type { Sent } from './corpus/script.ts';
import { unknownFields } from './faults/unknown-fields.ts';
import type { Case } from './faults/case.ts';
import { laterFields } from './faults/later.ts';
import { earlierMessages } from './faults/removed.ts';
import { wrongMessages } from './faults/wrong.ts';
import { checkMessage, createOracle, revisions, type AnsweredRequest, type Revision } from './oracle.ts';
import { schemaOf } from './schemas.ts';
import { unknownIn20241105 } from './unknown.ts';

function problemsOf({ direction, message, request }: Case, revision: Revision): string[] {
  return checkMessage(revision, direction, message, request);
}

/** A fault is detected only if the problem names it, not if there is just any problem. */
function assertCaught(fault: Case, revision: Revision): void {
  const problems = problemsOf(fault, revision);
  assert.ok(
    problems.some((problem) => fault.says.test(problem)),
    `${fault.what} was not caught on ${revision}; the oracle said ${JSON.stringify(problems)}`,
  );
}

/** The request each response of a conversation answers. */
function answered(sent: readonly Sent[], index: number): AnsweredRequest | undefined {
  const { message, direction } = sent[index] ?? assert.fail();
  if (Array.isArray(message) || message['method'] !== undefined) return undefined;
  const asked = ({ message: one, direction: way }: Sent): boolean =>
    !Array.isArray(one) && one['method'] !== undefined && way !== direction && one['id'] === message['id'];
  return sent.slice(0, index).filter(asked).at(-1)?.message as AnsweredRequest | undefined;
}

for (const revision of revisions) {
  for (const mode of [revision, 'auto'] as const) {
    test(`a correct conversation of ${revision} has no problem (${mode === 'auto' ? 'revision found out' : 'revision fixed'})`, () => {
      const oracle = createOracle(mode);
      for (const { direction, message } of conversation(revision)) oracle.observe(direction, message);
      assert.deepEqual(oracle.problems, []);
      assert.equal(oracle.revision, revision);
    });
  }

  test(`the conversation of ${revision} has every request and notification of the official schema`, () => {
    const methods = new Set(
      conversation(revision)
        .flatMap(({ message }) => [message].flat())
        .map(({ method }) => method),
    );
    const { requests, notifications } = schemaOf(revision);
    const known = [...Object.values(requests), ...Object.values(notifications)].flatMap((table) => [...table.keys()]);
    assert.deepEqual(
      known.filter((method) => !methods.has(method)),
      [],
    );
  });

  test(`invalid messages are detected on ${revision}`, () => {
    for (const fault of wrongMessages(revision)) assertCaught(fault, revision);
  });

  test(`every member and method of a later revision is detected on ${revision}`, () => {
    const faults = laterFields(revision);
    assert.ok(faults.length > 0);
    for (const fault of faults) assertCaught(fault, revision);
  });

  test(`an unknown member is detected in every object of ${revision} that is not explicitly open`, () => {
    const sent = conversation(revision);
    let caught = 0;
    sent.forEach(({ direction, message }, index) => {
      const request = answered(sent, index);
      if (Array.isArray(message)) return;
      for (const { where, altered } of unknownFields(message, request?.method)) {
        assert.notDeepEqual(
          checkMessage(revision, direction, altered, request),
          [],
          `${String(message['method'])} ${where}`,
        );
        caught++;
      }
    });
    assert.ok(caught > 100, `only ${caught} objects were tried`);
  });
}

test('removals of 2026-07-28 are detected there', () => {
  for (const fault of earlierMessages) assertCaught(fault, '2026-07-28');
});

test('the list of the members that 2024-11-05 does not know is complete: each is detected there and correct on 2025-03-26', () => {
  const faults = laterFields('2024-11-05').filter(({ since }) => since === '2025-03-26');
  assert.deepEqual(
    faults.map(({ what }) => what),
    unknownIn20241105.map(({ what }) => what),
  );
  for (const fault of faults) assert.deepEqual(problemsOf(fault, '2025-03-26'), [], fault.what);
});

test('every member of a later revision is correct on the revision that added it', () => {
  for (const revision of revisions) {
    for (const fault of laterFields(revision).filter(({ correctThere }) => correctThere)) {
      assert.deepEqual(problemsOf(fault, fault.since), [], `${fault.what} on ${fault.since}`);
    }
  }
});

test('a probe is checked as 2026-07-28 and the handshake after it as the revision it negotiates', () => {
  const [ask, result] = conversation('2026-07-28');
  const refused = { jsonrpc: '2.0', id: 'probe-1', error: { code: -32000, message: 'Not initialized' } };
  const oracle = createOracle('auto');
  oracle.observe('client-to-server', { ...(ask?.message as object), id: 'probe-1' });
  oracle.observe('server-to-client', refused);
  for (const { direction, message } of conversation('2025-06-18')) oracle.observe(direction, message);
  assert.deepEqual(oracle.problems, []);
  assert.equal(oracle.revision, '2025-06-18');

  const wrong = createOracle('auto');
  wrong.observe('client-to-server', {
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
  });
  assert.match(wrong.problems.join('\n'), /clientCapabilities/);
  wrong.observe('server-to-client', { ...(result?.message as object), extra: 1 });
  assert.match(wrong.problems.join('\n'), /\/extra is not known/);
});

test('the answer to initialize decides: members of the offered revision are wrong after it', () => {
  const oracle = createOracle('auto');
  const capabilities = { sampling: { tools: {} } };
  oracle.observe('client-to-server', {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'a', version: '1', title: 'A' } },
  });
  oracle.observe('server-to-client', {
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'a', version: '1' } },
  });
  assert.deepEqual(oracle.problems, []);
  oracle.observe('client-to-server', { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  oracle.observe('server-to-client', {
    jsonrpc: '2.0',
    id: 2,
    result: { tools: [{ name: 'a', title: 'A', inputSchema: { type: 'object' } }] },
  });
  assert.equal(oracle.problems.length, 1);
  assert.match(oracle.problems[0] ?? '', /\/result\/tools\/0\/title is not known to 2025-03-26/);
});

test('the answer to initialize is checked by the revision it names, which must exist', () => {
  const start = conversation('2025-11-25')[0] ?? assert.fail();
  const answer = (result: object): string[] => {
    const oracle = createOracle('auto');
    oracle.observe(start.direction, start.message);
    oracle.observe('server-to-client', { jsonrpc: '2.0', id: 1, ...result });
    return oracle.problems;
  };
  const welcome = { capabilities: {}, serverInfo: { name: 'a', version: '1', title: 'A' } };
  assert.deepEqual(answer({ result: { protocolVersion: '2025-06-18', ...welcome } }), []);
  assert.match(
    answer({ result: { protocolVersion: '2025-03-26', ...welcome } }).join(),
    /serverInfo\/title is not known/,
  );
  assert.match(answer({ result: { protocolVersion: '2026-07-28', ...welcome } }).join(), /answered with "2026-07-28"/);
  // A server with only the modern revision names it in the error.
  const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
  assert.deepEqual(answer({ error: { code: -32022, message: 'Unsupported', data } }), []);
  const moved = createOracle('auto');
  moved.observe(start.direction, start.message);
  moved.observe('server-to-client', { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'Unsupported', data } });
  for (const { direction, message } of conversation('2026-07-28').slice(0, 1))
    moved.observe(direction, { ...message, id: 2 });
  assert.deepEqual([moved.problems, moved.revision], [[], '2026-07-28']);
  assert.match(answer({ error: { code: -32022, message: 'Unsupported' } }).join(), /required property 'data'/);
});

test('initialize is never cancelled', () => {
  const oracle = createOracle('2025-11-25');
  oracle.observe('client-to-server', conversation('2025-11-25')[0]?.message);
  oracle.observe('client-to-server', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  assert.match(oracle.problems.join(), /initialize is never cancelled/);
});

test('before 2026-07-28, -32002 answers only requests about resources', () => {
  const missing = { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'Not found' } };
  const judge = (method: string): string[] => checkMessage('2025-11-25', 'server-to-client', missing, { method });
  assert.deepEqual(judge('resources/read'), []);
  assert.match(judge('tools/call').join(), /-32002 says that a resource was not found/);
});

test('a fixed revision is enforced: negotiating another one is a problem', () => {
  const oracle = createOracle('2025-11-25');
  for (const { direction, message } of conversation('2025-06-18').slice(0, 4)) oracle.observe(direction, message);
  assert.match(oracle.problems.join('\n'), /2025-06-18 was negotiated instead of 2025-11-25/);
});

test('both eras on one connection are distinguished by request, response, progress and subscription', () => {
  const oracle = createOracle('auto');
  const apart = (sent: readonly Sent[], prefix: string): Sent[] =>
    sent
      .filter(({ message }) => !Array.isArray(message))
      .map(({ direction, message }) => ({ direction, message: renamed(message, prefix) as Sent['message'] }));
  const legacy = apart(conversation('2024-11-05'), 'legacy');
  const modern = apart(conversation('2026-07-28'), 'modern');
  for (let index = 0; index < Math.max(legacy.length, modern.length); index++) {
    for (const sent of [legacy[index], modern[index]])
      if (sent !== undefined) oracle.observe(sent.direction, sent.message);
  }
  assert.deepEqual(oracle.problems, []);
});

/** The message with distinct ids and tokens, and adapted references to them. */
function renamed(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, prefix));
  if (typeof value !== 'object' || value === null) return value;
  const references = ['id', 'requestId', 'progressToken', 'io.modelcontextprotocol/subscriptionId'];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      references.includes(name) && typeof member !== 'object'
        ? [name, `${prefix} ${String(member)}`]
        : [name, renamed(member, prefix)],
    ),
  );
}

test('responses, ids, cancellations, progress and subscriptions must belong to a request', () => {
  const said = (revision: Revision | 'auto', index: number, ...sent: Sent[]): string => {
    const oracle = createOracle(revision);
    for (const { direction, message } of sent) oracle.observe(direction, message);
    return oracle.problems[index] ?? 'nothing';
  };
  const client = (message: object): Sent => ({
    direction: 'client-to-server',
    message: { jsonrpc: '2.0', ...message },
  });
  const server = (message: object): Sent => ({
    direction: 'server-to-client',
    message: { jsonrpc: '2.0', ...message },
  });
  const ping = client({ id: 1, method: 'ping' });
  const pong = server({ id: 1, result: {} });
  assert.match(
    said('2025-06-18', 0, ping, server({ id: '1', result: {} })),
    /it answers "1", which is no open request/,
  );
  assert.match(said('2025-06-18', 0, ping, pong, pong), /it answers 1, which is no open request/);
  assert.match(said('2025-06-18', 0, ping, pong, ping), /the id 1 was used before/);
  assert.match(
    said('2025-06-18', 0, ping, server({ method: 'notifications/cancelled', params: { requestId: 1 } })),
    /its sender never asked/,
  );
  assert.match(
    said(
      '2025-06-18',
      0,
      ping,
      server({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
    ),
    /the progress token of no open request/,
  );
  assert.match(
    said(
      '2026-07-28',
      0,
      server({
        method: 'notifications/tools/list_changed',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
      }),
    ),
    /1 is no subscription/,
  );
  const call = client({ id: 1, method: 'tools/list', params: { _meta: requestMeta() } });
  const failed = server({ id: 1, error: { code: -32603, message: 'Internal error' } });
  assert.match(said('2026-07-28', 0, call, call), /the id 1 was used before/);
  assert.equal(said('2026-07-28', 0, call, failed, call), 'nothing');
  assert.equal(said('auto', 0, ping, pong), 'nothing');
  assert.match(
    said('auto', 0, client({ id: 1, method: 'tools/list' })),
    /tools\/list comes before any revision is known/,
  );
});

test('an input response must have the shape that its own input request requires', () => {
  const sent = conversation('2026-07-28');
  const retry = sent.findIndex(
    ({ message }) =>
      !Array.isArray(message) &&
      (message['params'] as { inputResponses?: object } | undefined)?.inputResponses !== undefined,
  );
  const oracle = createOracle('2026-07-28');
  for (const { direction, message } of sent.slice(0, retry)) oracle.observe(direction, message);
  const altered = structuredClone(sent[retry]?.message) as {
    params: { inputResponses: { who: unknown; roots: unknown } };
  };
  altered.params.inputResponses.who = altered.params.inputResponses.roots;
  oracle.observe('client-to-server', altered);
  assert.match(oracle.problems.join('\n'), /\/params\/inputResponses\/who must have required property 'action'/);
});

test('only the checked side has problems, and both sides are recorded', () => {
  const oracle = createOracle('2025-06-18', { judge: 'server-to-client' });
  oracle.observe('client-to-server', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { limit: 3 } });
  assert.deepEqual(oracle.problems, []);
  oracle.observe('server-to-client', '{"jsonrpc":"2.0","id":1,"result":{}}');
  assert.match(oracle.problems.join('\n'), /server-to-client: \/result must have required property 'tools'/);
});

test('open data may be nested to any depth', () => {
  const deep = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
  for (const revision of revisions) {
    const oracle = createOracle(revision, { judge: 'client-to-server' });
    const meta = revision === '2026-07-28' ? `"_meta":${JSON.stringify(requestMeta())},` : '';
    const params = `{${meta}"name":"a","arguments":{"a":${deep}}}`;
    oracle.observe('client-to-server', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    assert.deepEqual(oracle.problems, []);
  }
});

test('a line that is not JSON, or a value that can not become JSON, is a problem', () => {
  const oracle = createOracle('2025-06-18');
  oracle.observe('server-to-client', 'Server listening on port 3000');
  assert.equal(oracle.problems.length, 1);
  oracle.observe('server-to-client', { jsonrpc: '2.0', id: 1, result: 1n });
  assert.equal(oracle.problems.length, 2);
});

test('the schemas are read from the pinned bundle, one per revision, each with its own dialect', () => {
  const documents = extractSchemas(readBundle());
  assert.deepEqual([...documents.keys()], [...bundledRevisions]);
  assert.match(String(documents.get('2025-03-26')?.['$schema']), /draft-07/);
  assert.match(String(documents.get('2026-07-28')?.['$schema']), /2020-12/);
});

test('a bundle of another version, or one that can not be read, fails loudly', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oracle-'));
  try {
    const manifest = join(folder, 'package.json');
    writeFileSync(manifest, '{ "version": "0.2.0-alpha.13" }');
    assert.throws(
      () => readBundle(manifest),
      /is 0\.2\.0-alpha\.13, but the wire oracle reads exactly 0\.2\.0-alpha\.12/,
    );
    writeFileSync(manifest, '{ "version": "0.2.0-alpha.12" }');
    assert.throws(() => readBundle(manifest), /ENOENT/);
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'index.js'), 'const nothing={};');
    assert.throws(() => extractSchemas(readBundle(manifest)), /the map of schemas by revision was not found/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the schemas are evaluated as literals: a name or a call in one is an error', () => {
  const literal = '{$schema:`x`,definitions:{JSONRPCMessage:{}}}';
  const text = (first: string): string =>
    `const A=\`2026-07-28\`,a=${first},b=${literal},map={"2025-03-26":a,"2025-06-18":b,"2025-11-25":b,[A]:b};`;
  assert.equal(extractSchemas(text(literal)).size, 4);
  assert.throws(
    () => extractSchemas(text('{$schema:`x`,definitions:{JSONRPCMessage:process.env}}')),
    /is not a plain literal/,
  );
  assert.throws(() => extractSchemas(text('{$schema:`x`,definitions:{JSONRPCMessage:{}')), /does not end/);
  const generated = '[].constructor.constructor(`return {}`)()';
  assert.throws(
    () => extractSchemas(text(`{$schema:\`x\`,definitions:{JSONRPCMessage:${generated}}}`)),
    /is not a plain literal/,
  );
  assert.throws(() => extractSchemas(text('42')), /found 0 schema documents/);
});
