// The official MCP clients with a server that the proxy protects.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { server, tool } from 'tenon';
import { memoryStore } from 'tenon/http';
import { serveHttp } from 'tenon/node';
import { authority } from '../../sdk/test/auth/authority.ts';
import { officialAuth } from '../../sdk/test/auth/official-auth.ts';
import { oauthProxy } from '../src/index.ts';

const app = server({
  name: 'protected',
  version: '1',
  tools: { whoami: tool({}, (_, ctx) => ctx.principal?.id ?? 'anonymous') },
});

test('the official clients log in through the proxy of a provider without client registration', async () => {
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
  /** Gives consent, and follows redirects. */
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
  const auth1 = officialAuth();
  const first1 = new TransportV1(url, { authProvider: auth1 as never });
  await assert.rejects(new ClientV1({ name: 'v1', version: '1' }).connect(first1 as never), /Unauthorized/);
  await first1.finishAuth((await agreed(auth1.kept['page']))[0]);
  const client1 = new ClientV1({ name: 'v1', version: '1' });
  await client1.connect(new TransportV1(url, { authProvider: auth1 as never }) as never);
  const expected = [{ type: 'text', text: `${url.origin}|ann` }];
  assert.deepEqual((await client1.callTool({ name: 'whoami' })).content, expected);
  await client1.close();
  const auth2 = officialAuth();
  const make = () => new v2.Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const first2 = new v2.StreamableHTTPClientTransport(url, { authProvider: auth2 as never });
  await assert.rejects(make().connect(first2), /[Uu]nauthorized|authorization/);
  await first2.finishAuth(...(await agreed(auth2.kept['page'])));
  const client2 = make();
  await client2.connect(new v2.StreamableHTTPClientTransport(url, { authProvider: auth2 as never }));
  assert.deepEqual((await client2.callTool({ name: 'whoami' })).content, expected);
  await client2.close();
});
