// OAuth with third-party programs: the official clients with our protected server, our client with a server of the official SDK.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { jwt, oauth, protectedResource } from '../../src/entries/auth.ts';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { type Authority, authority } from './authority.ts';
import { officialAuth } from './official-auth.ts';

const app = server({
  name: 'protected',
  version: '1',
  tools: { whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'nobody') },
});

async function serve(as: Authority) {
  const probe = await serveHttp(app, { port: 0, signals: false });
  await probe.close();
  const { port, url } = probe;
  const auth = protectedResource({
    resource: url,
    authorizationServers: [as.issuer],
    scopes: ['notes'],
    verify: jwt({ issuer: as.issuer }),
  });
  const served = await serveHttp(app, { port, signals: false, drainMs: 100, auth });
  after(() => served.close());
  return url;
}

async function codeOf(page: URL): Promise<string> {
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!;
  return new URL(back).searchParams.get('code')!;
}

test('the official v1 client can log in', async () => {
  const as = await authority();
  const url = new URL(await serve(as));
  const auth = officialAuth();
  const first = new TransportV1(url, { authProvider: auth as never });
  await assert.rejects(new ClientV1({ name: 'v1', version: '1' }).connect(first as never), /Unauthorized/);
  await first.finishAuth(await codeOf(auth.kept['page']));
  const client = new ClientV1({ name: 'v1', version: '1' });
  await client.connect(new TransportV1(url, { authProvider: auth as never }) as never);
  const { content } = await client.callTool({ name: 'whoami' });
  assert.deepEqual(content, [{ type: 'text', text: `${as.issuer}|ann` }]);
  await client.close();
});

for (const mode of ['legacy', 'auto'] as const)
  test(`the official v2 client can log in, ${mode}`, async () => {
    const as = await authority();
    const url = new URL(await serve(as));
    const auth = officialAuth();
    const make = () => new v2.Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    const first = new v2.StreamableHTTPClientTransport(url, { authProvider: auth as never });
    await assert.rejects(make().connect(first), /[Uu]nauthorized|authorization/);
    await first.finishAuth(await codeOf(auth.kept['page']));
    const client = make();
    await client.connect(new v2.StreamableHTTPClientTransport(url, { authProvider: auth as never }));
    const { content } = await client.callTool({ name: 'whoami' });
    assert.deepEqual(content, [{ type: 'text', text: `${as.issuer}|ann` }]);
    await client.close();
  });

test('[BASE-76] the Tenon client can log in to a server that the official SDK protects', async () => {
  const as = await authority();
  const web = express();
  const listener = createServer(web).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  const keys = createRemoteJWKSet(new URL(`${as.issuer}/jwks`));
  const verifier = {
    async verifyAccessToken(token: string) {
      const { payload } = await jwtVerify(token, keys, { issuer: as.issuer, audience: url.href });
      return {
        token,
        clientId: String(payload['client_id']),
        scopes: String(payload['scope']).split(' '),
        expiresAt: payload.exp!,
      };
    },
  };
  const metadata = (await (await fetch(`${as.issuer}/.well-known/oauth-authorization-server`)).json()) as never;
  web.use(
    mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ['notes'] }) as never,
  );
  const place = `${url.origin}/.well-known/oauth-protected-resource/mcp`;
  web.use('/mcp', requireBearerAuth({ verifier, requiredScopes: ['notes'], resourceMetadataUrl: place }) as never);
  const answer = async (request: express.Request, response: express.Response): Promise<void> => {
    const mcp = new McpServer({ name: 'official', version: '1' });
    mcp.registerTool('whoami', {}, ({ authInfo }) => ({
      content: [{ type: 'text', text: authInfo?.clientId ?? 'nobody' }],
    }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport as never);
    await transport.handleRequest(request, response);
  };
  web.all('/mcp', (request, response, next) => void answer(request, response).catch(next));
  await using client = await connect(url.href, { auth: oauth({ browser: as.browser }) });
  assert.equal(await client.call('whoami'), 'c');
  assert.equal(as.count('/authorize'), 1);
});
