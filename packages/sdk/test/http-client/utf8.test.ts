// Answers that are not UTF-8. They are not repaired, because the result would differ from what the server sent without anyone noticing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { event, legacyServer, modernServer, result, said, scripted, type Seen, stream, until } from './scripted.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
function isCall(seen: Seen): boolean {
  return seen.message?.method === 'tools/call';
}

/** The text with an invalid byte in place of each `~`. */
function broken(text: string): Uint8Array {
  return Buffer.from(text.replaceAll('~', '\xff'), 'latin1');
}

const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

test('[BASE-2] an answer that is not UTF-8 makes its call fail with that reason, and the next call works', async () => {
  const servers = [modernServer, ...REVISIONS.map((revision) => (answer: any) => legacyServer(answer, { revision }))];
  for (const make of servers) {
    for (const form of ['json', 'stream']) {
      let bad = true;
      const server = await make((seen: Seen, response: import('node:http').ServerResponse) => {
        if (!isCall(seen) || !bad) return undefined;
        const answer = result(seen, said('a~b'));
        if (form === 'json')
          response.writeHead(200, { 'content-type': 'application/json' }).end(broken(JSON.stringify(answer)));
        else {
          stream(response);
          response.end(broken(event(answer)));
        }
        return true;
      });
      const reports: string[] = [];
      await using client = await connect(server.url, { eras, log: ({ message }) => reports.push(message) });
      await assert.rejects(client.call('echo'), (error: Error) => {
        assert.equal(error.name, 'ConnectionError');
        assert.ok([error.message, ...reports].some((text) => text.includes('not valid UTF-8')));
        return true;
      });
      bad = false;
      assert.equal(await client.call('echo'), 'done');
    }
  }
});

test('[BASE-2] an event that is not UTF-8 is reported, and the result after it arrives', async () => {
  for (const make of [modernServer, legacyServer]) {
    const server = await make((seen, response) => {
      if (!isCall(seen)) return undefined;
      stream(response);
      response.write(
        broken(
          'id: 1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"~"}}\n\n',
        ),
      );
      response.end(event(result(seen, said('ü\ufffd')), { id: '2' }));
      return true;
    });
    const reports: string[] = [];
    await using client = await connect(server.url, { eras, log: ({ message }) => reports.push(message) });
    assert.equal(await client.call('echo'), 'ü\ufffd');
    assert.ok(
      reports.some((text) => text.includes('not valid UTF-8')),
      reports.join(),
    );
  }
});

test('[BASE-2] a message of a server of 2024-11-05 that is not UTF-8 is reported, and the next one arrives', async () => {
  let say!: (text: string) => void;
  const server = await scripted((seen, response) => {
    if (seen.method === 'GET') {
      stream(response);
      response.write('event: endpoint\ndata: /messages?sessionId=7\n\n');
      say = (text) => void response.write(broken(`event: message\n${text}`));
      return;
    }
    if (!seen.path.startsWith('/messages')) return void response.writeHead(405).end();
    response.writeHead(202).end('Accepted');
    const { method, id } = seen.message;
    if (id === undefined) return;
    if (method === 'tools/call')
      say('data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"~"}}\n\n');
    const greeting = {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    };
    say(event(result(seen, method === 'initialize' ? greeting : { content: [{ type: 'text', text: 'old' }] })));
  });
  const reports: string[] = [];
  await using client = await connect(server.url, { eras, log: ({ message }) => reports.push(message) });
  assert.equal(await client.call('echo'), 'old');
  await until(() => reports.some((text) => text.includes('not valid UTF-8')));
});

test('an error page that is not UTF-8 is still a refusal with its status', async () => {
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    response.writeHead(502, { 'content-type': 'text/html; charset=iso-8859-1' }).end(broken('<h1>D~sol~</h1>'));
    return true;
  });
  await using client = await connect(server.url, { eras });
  await assert.rejects(client.call('echo'), { name: 'ConnectionError', status: 502 });
});

test('a byte order mark before an answer is ignored', async () => {
  const server = await modernServer((seen, response) => {
    if (!isCall(seen)) return undefined;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`\ufeff${JSON.stringify(result(seen, said('marked')))}`);
    return true;
  });
  await using client = await connect(server.url, { eras });
  assert.equal(await client.call('echo'), 'marked');
});

test('an answer is UTF-8 whatever its charset says (RFC 8259, section 11)', async () => {
  for (const type of ['application/json; charset=iso-8859-1', 'text/event-stream; charset=iso-8859-1']) {
    let encoding: BufferEncoding = 'utf8';
    const server = await modernServer((seen, response) => {
      if (!isCall(seen)) return undefined;
      const answer = result(seen, said('für'));
      response.writeHead(200, { 'content-type': type });
      response.end(Buffer.from(type.startsWith('text') ? event(answer) : JSON.stringify(answer), encoding));
      return true;
    });
    await using client = await connect(server.url, { eras });
    assert.equal(await client.call('echo'), 'für');
    encoding = 'latin1';
    await assert.rejects(client.call('echo'), { name: 'ConnectionError' });
  }
});
