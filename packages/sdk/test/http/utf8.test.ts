// Bodies that are not UTF-8. They are not repaired, because an id would come back changed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { nodeHandler, serveFetch } from '../../src/entries/http.ts';
import { type Revision, REVISIONS } from '../../src/protocol/revision.ts';
import { live, until } from './send.ts';
import { beginSession, fieldsOf, initializeBody, JSON_FIELDS, modernBody, stage } from './stage.ts';

/** The text with an invalid byte in place of each `~`. */
function broken(text: string): Uint8Array {
  return Buffer.from(text.replaceAll('~', '\xff'), 'latin1');
}

const s = await stage({ sse: true });

/** The response to a body that is posted unchanged. */
async function post(fields: object, body: Uint8Array | string, url = s.url) {
  const headers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  const answer = await fetch(url, { method: 'POST', headers, body: body as string });
  return { status: answer.status, json: (await answer.json()) as any };
}

function call(revision: Revision, id: string, v: string): string {
  const params = { name: 'echo', arguments: { v } };
  return revision === '2026-07-28'
    ? modernBody('tools/call', params, {}, id)
    : JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

for (const revision of REVISIONS) {
  test(`[BASE-2] a body that is not UTF-8 is refused and runs nothing, and the next one is served: ${revision}`, async () => {
    const fields =
      revision === '2026-07-28' ? fieldsOf('tools/call', 'echo') : (await beginSession(s.url, revision)).fields;
    const before = s.count('echo');
    for (const [id, v] of [
      ['a~', 'text'],
      ['a', 'te~xt'],
    ] as const) {
      const { status, json } = await post(fields, broken(call(revision, id, v)));
      assert.equal(status, 400);
      assert.deepEqual([json.error, json.id], [{ code: -32700, message: 'The body is not valid UTF-8' }, undefined]);
    }
    assert.equal(s.count('echo'), before);
    const { json } = await post(fields, call(revision, 'a\ufffd', 'ü\ufffd'));
    assert.deepEqual([json.id, json.result.content[0].text], ['a\ufffd', '"ü\ufffd"']);
  });
}

test('a body is UTF-8 whatever its charset says (RFC 8259, section 11)', async () => {
  const fields = { ...fieldsOf('tools/call', 'echo'), 'content-type': 'application/json; charset=iso-8859-1' };
  const { json } = await post(fields, call('2026-07-28', 'a', 'ü'));
  assert.equal(json.result.content[0].text, '"ü"');
  const latin1 = await post(fields, Buffer.from(call('2026-07-28', 'a', 'ü'), 'latin1'));
  assert.deepEqual([latin1.status, latin1.json.error.code], [400, -32700]);
});

test('[BASE-2] a message of HTTP+SSE that is not UTF-8 is refused, and the next one is served', async () => {
  const listening = live(s.url.replace(/mcp$/, 'sse'), 'GET', { accept: 'text/event-stream' });
  await until(() => listening.events.length > 0);
  const address = new URL(listening.events[0]!.data, s.url).href;
  const { status, json } = await post(JSON_FIELDS, broken(call('2024-11-05', 'a~', 'b')), address);
  assert.deepEqual([status, json.error.code], [400, -32700]);
  assert.equal(
    (
      await fetch(address, {
        method: 'POST',
        headers: JSON_FIELDS as Record<string, string>,
        body: initializeBody('2024-11-05'),
      })
    ).status,
    202,
  );
  assert.equal((await listening.next()).id, 'init');
  listening.drop();
});

test('[BASE-2] every entry point refuses a body that is not UTF-8, whatever the boundaries of chunks', async () => {
  const fields = fieldsOf('tools/call', 'echo') as Record<string, string>;
  const { app } = s.made;
  const web = serveFetch(app);
  const handler = nodeHandler(app);
  // A framework that has already read the body.
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    handler(Object.assign(request, { body }), response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(async () => {
    server.close();
    await Promise.all([web.close(), handler.close()]);
  });
  const { port } = server.address() as AddressInfo;
  const bodies = [call('2026-07-28', 'ü', 'é€\u{1F600}'), call('2026-07-28', 'ü', '~')] as const;
  const [good, bad] = [Buffer.from(bodies[0]), broken(bodies[1])];
  const inPieces = (body: Uint8Array, size: number): ReadableStream =>
    ReadableStream.from(
      Array.from({ length: Math.ceil(body.length / size) }, (_, at) => body.subarray(at * size, (at + 1) * size)),
    );
  const ways: readonly [string, (body: Uint8Array) => Promise<Response>][] = [
    [
      'a framework',
      (body) =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: fields, body: body as unknown as string }),
    ],
    ...[1, 7, 10_000].map((size): [string, (body: Uint8Array) => Promise<Response>] => [
      `fetch in pieces of ${size}`,
      (body) =>
        web.fetch(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: fields,
            body: inPieces(body, size),
            duplex: 'half',
          } as RequestInit),
        ),
    ]),
    [
      'serveHttp in pieces',
      (body) =>
        fetch(s.url, { method: 'POST', headers: fields, body: inPieces(body, 9), duplex: 'half' } as RequestInit),
    ],
  ];
  for (const [way, send] of ways) {
    const refused = await send(bad);
    assert.deepEqual([refused.status, ((await refused.json()) as any).error.code], [400, -32700], way);
    const answered = (await (await send(good)).json()) as any;
    assert.deepEqual([answered.id, answered.result.content[0].text], ['ü', '"é€\u{1F600}"'], way);
  }
});
