import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { freePort } from '../../scripts/lib/free-port.ts';
import { createShop } from './shop.ts';

/** A shop on a free port. Its tokens and cookies just name the user. */
async function open(): Promise<string> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const shop = createShop({
    origin,
    auth({ header }) {
      const user = header('authorization')?.replace('Bearer ', '');
      return user === undefined ? undefined : { id: user };
    },
    userOf: ({ headers }) => headers.cookie?.replace('user=', ''),
  });
  await new Promise<void>((resolve) => shop.listen(port, '127.0.0.1', resolve));
  after(() => {
    shop.closeAllConnections();
    shop.close();
  });
  return origin;
}

function visit(url: string, user: string | undefined, method = 'GET', origin = new URL(url).origin): Promise<Response> {
  return fetch(url, { method, headers: { ...(user === undefined ? {} : { cookie: `user=${user}` }), origin } });
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`[A-23] [ELIC-54] [ELIC-55] only the user who was asked can open the page and pay, and track the order, on ${revision}`, async () => {
    const origin = await open();
    const opened: string[] = [];
    await using client = await connect<any>(`${origin}/mcp`, {
      revision,
      headers: { authorization: 'Bearer ann' },
      elicit: {
        url: true,
        async handler(question) {
          assert.ok(question.mode === 'url');
          const { url } = question;
          opened.push(url);
          // Other users cannot use the URL, and a modified URL is rejected.
          for (const method of ['GET', 'POST']) {
            assert.equal((await visit(url, 'bob', method)).status, 404);
            assert.equal((await visit(url, undefined, method)).status, 401);
            assert.equal((await visit(url.replace(/.$/, 'g'), 'ann', method)).status, 404);
          }
          assert.equal((await visit(url, 'ann', 'POST', 'https://evil.example')).status, 403);
          assert.match(await (await visit(url, 'ann')).text(), /Pay for 3 tins\?/);
          assert.equal((await visit(url, 'ann', 'POST')).status, 200);
          return { action: 'accept' };
        },
      },
    });
    const bought = String(await client.call('buy', { amount: 3 }));
    assert.match(bought, /^3 tins are on their way, order [\w-]+\.$/);
    assert.equal(opened.length, 1);
    assert.doesNotMatch(opened[0]!, /ann/);

    // A user who knows the id of another user's order cannot access it.
    const order = /order ([\w-]+)\./.exec(bought)![1]!;
    assert.equal(await client.call('track', { order }), 'It is on its way.');
    await using other = await connect<any>(`${origin}/mcp`, { revision, headers: { authorization: 'Bearer bob' } });
    for (const wrong of [order, 'unknown', '__proto__'])
      await assert.rejects(other.call('track', { order: wrong }), { message: 'There is no such order.' });
  });
}
