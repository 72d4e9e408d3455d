// A login as a user sees it: an authorization server with its pages, a server that wants tokens, a client that waits on a port of this
// machine, and a real browser between them, in which the buttons are clicked.
import assert from 'node:assert/strict';
import { AuthError, loopback, memoryTokens, oauth } from 'tenon/auth';
import { connect, type ConnectionError, type Revision } from 'tenon/client';
import { startAuthority } from '../examples/auth/authority.ts';
import { serveBehindProvider } from '../examples/auth/proxy.ts';
import { type app, SCOPES, serveNotes } from '../examples/auth/server.ts';
import { launchBrowser, type Page } from './browser.ts';
import { freePort } from '../scripts/lib/free-port.ts';

/** What the user does with each page that comes. Gives the titles they saw. */
function user(page: Page, answers: Readonly<Record<string, string>>) {
  const seen: string[] = [];
  let over: Promise<void> = Promise.resolve();
  const go = async (url: string): Promise<void> => {
    await page.goto(url);
    for (;;) {
      const title = await page.title();
      seen.push(title);
      const button = Object.entries(answers).find(([part]) => title.includes(part))?.[1];
      if (button === undefined) return;
      await page.click(`button[value="${button}"]`);
    }
  };
  return {
    seen,
    opener: (url: URL): void => {
      over = go(url.href);
      over.catch(() => {});
    },
    done: () => over,
  };
}

/** The same at a server that asks by itself, and sends the user on to a provider that asks, too. */
async function logInBehindProvider(
  browser: Awaited<ReturnType<typeof launchBrowser>>,
): Promise<{ readonly found: unknown; readonly expected: unknown }[]> {
  const resource = `http://127.0.0.1:${await freePort()}/mcp`;
  const client = { id: 'notes-server', secret: 'kept to itself, and long enough to be one' };
  const redirects = { redirect_uris: [new URL('/callback', resource).href], application_type: 'native' } as const;
  const provider = await startAuthority({
    resources: new Map(),
    clients: [{ client_id: client.id, client_secret: client.secret, ...redirects }],
  });
  const key = 'sixteen times two makes 32 signs';
  const notes = await serveBehindProvider(resource, { issuer: provider.issuer, client, key });
  try {
    const person = user(await browser.newPage(), { 'use Notes': 'yes', 'Who are you': 'Bob', 'act for you': 'yes' });
    const auth = oauth({ name: 'Chromium', browser: loopback({ show: () => {}, opener: person.opener }) });
    await using connected = await connect<typeof app>(resource, { auth });
    await person.done();
    return [
      { found: await connected.call('whoami'), expected: `${new URL(resource).origin}|Bob` },
      {
        found: person.seen,
        expected: ['May Chromium use Notes for you?', 'Who are you?', 'May notes-server act for you?', 'Logged in'],
      },
    ];
  } finally {
    await notes.close();
    await provider.close();
  }
}

/** Tells how many things were right. */
export async function logIn(): Promise<number> {
  let right = 0;
  const same = (found: unknown, expected: unknown): void => {
    assert.deepEqual(found, expected);
    right++;
  };
  const resource = `http://127.0.0.1:${await freePort()}/mcp`;
  const authority = await startAuthority({ resources: new Map([[resource, SCOPES]]) });
  const notes = await serveNotes(resource, authority.issuer);
  const browser = await launchBrowser();
  const login = (answers: Readonly<Record<string, string>>, page: Page, revision: Revision) => {
    const person = user(page, answers);
    const store = memoryTokens();
    const auth = oauth({ name: 'Chromium', store, browser: loopback({ show: () => {}, opener: person.opener }) });
    const eras = { get: () => undefined, set() {}, delete() {} };
    return { person, store, connected: connect<typeof app>(resource, { auth, revision, eras }) };
  };
  try {
    const page = await browser.newPage();
    for (const [turn, revision] of (['2026-07-28', '2025-11-25'] as const).entries()) {
      const { person, store, connected } = login({ 'Who are you': 'Ann', 'act for you': 'yes' }, page, revision);
      await using client = await connected;
      await person.done();
      const consent = 'May Chromium act for you?';
      // The second time the browser knows who the user is.
      const first = turn === 0 ? ['Who are you?', consent, 'Logged in'] : [consent, 'Logged in'];
      same(person.seen.splice(0), first);
      same(await client.call('whoami'), `${authority.issuer}|Ann`);
      same((await store.get(resource))?.tokenType, 'DPoP');
      // To write takes a scope more: the user is asked again.
      same(await client.call('write', { text: 'Buy bread' }), `You have ${turn + 1} notes`);
      await person.done();
      same(person.seen, [consent, 'Logged in']);
      same((await store.get(resource))?.scope?.split(' ').includes('notes:write'), true);
    }
    const { person, connected } = login({ 'act for you': 'no' }, page, '2026-07-28');
    const refused = await connected.catch((error: ConnectionError) => error.cause);
    await person.done();
    same(refused instanceof AuthError && refused.oauthError, 'access_denied');
    same(person.seen.at(-1), 'Not logged in');
    for (const title of await logInBehindProvider(browser)) same(title.found, title.expected);
  } finally {
    await browser.close();
    await notes.close();
    await authority.close();
  }
  return right;
}
