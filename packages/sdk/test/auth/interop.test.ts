// OAuth with programs nobody here wrote: the official clients at our protected server, our client at one of the official SDK.
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
import { jwt, oauth, oauthProxy, protectedResource } from '../../src/entries/auth.ts';
import { connect } from '../../src/entries/client.ts';
import { memoryStore } from '../../src/entries/http.ts';
import { server, tool } from '../../src/entries/index.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { type Authority, authority } from './authority.ts';

const app = server({
  name: 'protected',
  version: '1',
  tools: { whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'nobody') },
});

const serve = async (as: Authority) => {
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
};

/** What the official clients want to know of whoever uses them. The same for both versions. */
const provider = () => {
  const kept: Record<string, any> = {};
  return {
    kept,
    redirectUrl: 'http://127.0.0.1:7777/callback',
    clientMetadata: {
      client_name: 'official',
      redirect_uris: ['http://127.0.0.1:7777/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void (kept['client'] = client),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (page: URL) => void (kept['page'] = page),
    saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
    codeVerifier: () => kept['verifier'],
  };
};

const codeOf = async (page: URL): Promise<string> => {
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!;
  return new URL(back).searchParams.get('code')!;
};

test('the official v1 client finds its way in', async () => {
  const as = await authority();
  const url = new URL(await serve(as));
  const auth = provider();
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
  test(`the official v2 client finds its way in, ${mode}`, async () => {
    const as = await authority();
    const url = new URL(await serve(as));
    const auth = provider();
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

test('[BASE-76] our client finds its way into a server that the official SDK protects', async () => {
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

test('the official clients find their way in by the proxy of a provider that registers nobody', async () => {
  const as = await authority();
  const probe = await serveHttp(app, { port: 0, signals: false });
  await probe.close();
  const served = await serveHttp(app, {
    port: probe.port,
    signals: false,
    drainMs: 100,
    auth: oauthProxy({
      resource: probe.url,
      keys: ['sixteen times two makes 32 signs'],
      store: memoryStore(),
      provider: {
        authorizationEndpoint: `${as.issuer}/authorize`,
        tokenEndpoint: `${as.issuer}/token`,
        client: { id: 'by-hand', secret: 'secret' },
        user: () => ({ subject: 'ann' }),
      },
    }),
  });
  after(() => served.close());
  const url = new URL(probe.url);
  /** Says yes, and goes where it is sent. */
  const agreed = async (page: URL): Promise<[code: string, issuer: string]> => {
    const asked = await fetch(page);
    const [, wish = ''] = /name="wish" value="([^"]+)"/.exec(await asked.text()) ?? [];
    const headers = { cookie: asked.headers.getSetCookie()[0]!.split(';')[0]! };
    const body = new URLSearchParams({ wish, answer: 'yes' });
    let next = await fetch(`${url.origin}/consent`, { method: 'POST', headers, body, redirect: 'manual' });
    for (;;) {
      const to = new URL(next.headers.get('location')!);
      if (to.port === '7777') return [to.searchParams.get('code')!, to.searchParams.get('iss')!];
      next = await fetch(to, { headers, redirect: 'manual' });
    }
  };
  const auth1 = provider();
  const first1 = new TransportV1(url, { authProvider: auth1 as never });
  await assert.rejects(new ClientV1({ name: 'v1', version: '1' }).connect(first1 as never), /Unauthorized/);
  await first1.finishAuth((await agreed(auth1.kept['page']))[0]);
  const client1 = new ClientV1({ name: 'v1', version: '1' });
  await client1.connect(new TransportV1(url, { authProvider: auth1 as never }) as never);
  const expected = [{ type: 'text', text: `${url.origin}|ann` }];
  assert.deepEqual((await client1.callTool({ name: 'whoami' })).content, expected);
  await client1.close();
  const auth2 = provider();
  const make = () => new v2.Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const first2 = new v2.StreamableHTTPClientTransport(url, { authProvider: auth2 as never });
  await assert.rejects(make().connect(first2), /[Uu]nauthorized|authorization/);
  await first2.finishAuth(...(await agreed(auth2.kept['page'])));
  const client2 = make();
  await client2.connect(new v2.StreamableHTTPClientTransport(url, { authProvider: auth2 as never }));
  assert.deepEqual((await client2.callTool({ name: 'whoami' })).content, expected);
  await client2.close();
});
