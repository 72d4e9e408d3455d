import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createUrlGuard } from '../url-guard.ts';
import { guardedFetch } from './guarded-fetch.ts';

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves names to these addresses, one list after the other. */
function names(...lists: readonly string[][]) {
  const left = [...lists];
  return (_: string, answer: (error: Error | null, addresses: LookupAddress[]) => void): void => {
    const addresses = left.length > 1 ? left.shift()! : left[0]!;
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

test('[A-62] [SECU-12, SECU-14, SECU-15] a name that resolves to this machine or its network is not connected to, even if it resolved to another address before', async () => {
  let connections = 0;
  const port = await serve((_, response) => {
    connections++;
    response.end('{}');
  });
  const guard = createUrlGuard(new URL('https://mcp.example.com/mcp'));
  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '64:ff9b::7f00:1',
    'fd00::1',
  ]) {
    const reach = guardedFetch(guard, names([address]));
    await assert.rejects(reach(`http://rebind.example:${port}/`), /not on the internet/, address);
  }
  // The first lookup returns a public address; the connection is made to the address of the second lookup.
  const rebinding = names(['93.184.216.34'], ['127.0.0.1']);
  rebinding('rebind.example', () => {});
  await assert.rejects(guardedFetch(guard, rebinding)(`http://rebind.example:${port}/`), /not on the internet/);
  assert.equal(connections, 0);
});

test('[A-62] of several addresses, only public ones are tried', async () => {
  const guard = createUrlGuard(new URL('https://mcp.example.com/mcp'));
  const tried = guardedFetch(guard, names(['127.0.0.1', '192.0.2.1', '203.0.113.1']));
  await assert.rejects(tried('http://half.example:9/'), /not on the internet/);
});

test('a server on this machine may name others on this machine, but none on its network', async () => {
  const port = await serve((_, response) => response.end('here'));
  const guard = createUrlGuard(new URL('http://localhost:1/mcp'));
  const response = await guardedFetch(guard, names(['127.0.0.1']))(`http://localhost:${port}/`);
  assert.equal(await response.text(), 'here');
  await assert.rejects(guardedFetch(guard, names(['10.0.0.1']))(`http://localhost:${port}/`), /not on the internet/);
});

test('URLs that the program itself configures may be in its own network', () => {
  const guard = createUrlGuard(new URL('https://idp.corp/'), true);
  assert.equal(guard.admits('idp.corp', '10.0.0.1'), true);
});

test('guardedFetch sends and returns the same as fetch', async () => {
  const port = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/none') return response.writeHead(204).end();
      if (request.url === '/moved') return response.writeHead(302, { location: '/other' }).end();
      response.writeHead(201, [
        ['content-type', 'application/json'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ]);
      const { method, headers } = request;
      return response.end(
        JSON.stringify({
          method,
          type: headers['content-type'],
          x: headers['x-y'],
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
  });
  const reach = guardedFetch(createUrlGuard(new URL('http://127.0.0.1/mcp')));
  const base = `http://127.0.0.1:${port}`;
  const form = await reach(`${base}/form`, {
    method: 'POST',
    headers: { 'x-y': 'z' },
    body: new URLSearchParams({ text: 'ä b' }),
  });
  assert.equal(form.status, 201);
  assert.deepEqual(form.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.deepEqual(await form.json(), {
    method: 'POST',
    type: 'application/x-www-form-urlencoded;charset=UTF-8',
    x: 'z',
    body: 'text=%C3%A4+b',
  });
  assert.equal((await reach(`${base}/none`)).body, null);
  assert.equal((await reach(`${base}/moved`)).status, 302);
  const hanging = await serve(() => {});
  await assert.rejects(reach(`http://127.0.0.1:${hanging}/`, { signal: AbortSignal.timeout(20) }));
});
