// The client uses the HTTP proxy that Node was told to use.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { root } from '../../../../scripts/lib/files.ts';

const CLIENT = `
  import { connect } from '${pathToFileURL(join(root, 'packages/sdk/dist/entries/client.js')).href}';
  await connect('http://mcp.invalid/mcp').catch((error) => console.log(error.message));
`;

test('with NODE_USE_ENV_PROXY, requests go through the proxy of HTTP_PROXY', async (t) => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(502).end();
  }).listen(0, '127.0.0.1');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const env = { ...process.env, HTTP_PROXY: `http://127.0.0.1:${port}`, NODE_USE_ENV_PROXY: '1' };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', CLIENT], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await Promise.all([child.stdout.toArray(), once(child, 'exit')])) as [Buffer[], unknown];
  assert.equal(String(Buffer.concat(said)).trim(), 'The server answered with status 502');
  assert.deepEqual([...new Set(asked)], ['http://mcp.invalid/mcp']);
});
