import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AuthError, oauth } from 'tenon/auth';
import { connect, type ConnectionError } from 'tenon/client';
import { startAuthority } from './authority.ts';
import { clickingBrowser } from './clicks.ts';
import { serveBehindProvider } from './proxy.ts';
import { type app, SCOPES, serveNotes } from './server.ts';
import { jumpingTime } from '../../scripts/lib/test-time.ts';
import { freePort } from '../../scripts/lib/free-port.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

async function start(lifeS?: number) {
  const resource = `http://127.0.0.1:${await freePort()}/mcp`;
  const authority = await startAuthority({
    resources: new Map([[resource, SCOPES]]),
    clients: [
      {
        client_id: 'by-hand',
        client_secret: 'kept to itself, and long enough to be one',
        redirect_uris: ['http://127.0.0.1:7777/callback'],
        application_type: 'native',
      },
    ],
    ...(lifeS === undefined ? {} : { lifeS }),
  });
  const notes = await serveNotes(resource, authority.issuer);
  after(async () => {
    await notes.close();
    await authority.close();
  });
  return { resource, issuer: authority.issuer };
}

test('a user logs in, consents, consents to one more scope, and has their own notes, in both eras', async () => {
  const { resource, issuer } = await start();
  for (const [index, revision] of (['2026-07-28', '2025-11-25'] as const).entries()) {
    const pages: string[] = [];
    const browser = clickingBrowser(['Ann', 'yes'], pages);
    await using client = await connect<typeof app>(resource, {
      revision,
      eras,
      auth: oauth({ browser, name: '<b>Bold</b>' }),
    });
    assert.equal(await client.call('whoami'), `${issuer}|Ann`);
    assert.equal(pages.length, 2);
    assert.match(pages[1]!, /May &#60;b&#62;Bold&#60;\/b&#62; act for you\?/);
    assert.match(pages[1]!, /notes:read/);
    assert.doesNotMatch(pages[1]!, /notes:write/);
    assert.equal(await client.call('write', { text: 'Buy bread' }), `You have ${index + 1} notes`);
    assert.equal(pages.length, 3);
    assert.match(pages[2]!, /notes:write/);
  }
  const bob = oauth({ browser: clickingBrowser(['Bob', 'yes']) });
  await using client = await connect<typeof app>(resource, { eras, auth: bob });
  assert.equal(await client.call('list'), '');
});

test('with a provider without dynamic client registration, the server asks for consent first, then the provider', async () => {
  const resource = `http://127.0.0.1:${await freePort()}/mcp`;
  const client = { id: 'notes-server', secret: 'kept to itself, and long enough to be one' };
  const provider = await startAuthority({
    resources: new Map(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [new URL('/callback', resource).href],
        application_type: 'native',
      },
    ],
  });
  const key = 'sixteen times two makes 32 signs';
  const notes = await serveBehindProvider(resource, { issuer: provider.issuer, client, key });
  after(async () => {
    await notes.close();
    await provider.close();
  });
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const pages: string[] = [];
    const auth = oauth({ name: 'Editor', browser: clickingBrowser(['yes', 'Ann', 'yes'], pages) });
    await using connected = await connect<typeof app>(resource, { revision, eras, auth });
    assert.equal(await connected.call('whoami'), `${new URL(resource).origin}|Ann`);
    assert.match(pages[0]!, /May Editor use Notes for you/);
    assert.match(pages[1]!, /Who are you/);
    assert.match(pages[2]!, /May notes-server act for you/);
  }
});

test('a user who declines is not logged in', async () => {
  const { resource } = await start();
  await assert.rejects(
    connect(resource, { eras, auth: oauth({ browser: clickingBrowser(['Ann', 'no']) }) }),
    ({ cause }: ConnectionError) => cause instanceof AuthError && cause.oauthError === 'access_denied',
  );
});

test('a manually registered client authenticates with its secret', async () => {
  const { resource, issuer } = await start();
  const client = { id: 'by-hand', secret: 'kept to itself, and long enough to be one', issuer };
  const auth = oauth({ client, browser: clickingBrowser(['Ann', 'yes']) });
  await using connected = await connect<typeof app>(resource, { eras, auth });
  assert.equal(await connected.call('whoami'), `${issuer}|Ann`);
});

test('a client may register for the scopes that the server names in its metadata', async () => {
  const { resource, issuer } = await start();
  const { origin, pathname } = new URL(resource);
  const place = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  const { scopes_supported: scopes } = (await (await fetch(place)).json()) as { scopes_supported: string[] };
  const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
  const { registration_endpoint: endpoint } = (await metadata.json()) as { registration_endpoint: string };
  const registered = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['http://127.0.0.1:7777/callback'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      scope: [...scopes, 'offline_access'].join(' '),
    }),
  });
  assert.equal(registered.status, 201, await registered.text());
});

test('expired tokens are refreshed without the user', async (t) => {
  const time = jumpingTime(t);
  const { resource, issuer } = await start(60);
  const pages: string[] = [];
  const auth = oauth({ browser: clickingBrowser(['Ann', 'yes'], pages) });
  await using client = await connect<typeof app>(resource, { eras, auth });
  for (let turn = 0; turn < 3; turn++) {
    time.jump(61_000);
    assert.equal(await client.call('whoami'), `${issuer}|Ann`);
  }
  assert.equal(pages.length, 2);
});
