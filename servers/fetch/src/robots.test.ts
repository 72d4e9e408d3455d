import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { jumpingTime } from '../../../scripts/lib/test-time.ts';
import { createPageFetch } from './page-fetch.ts';
import { createRobots } from './robots.ts';

const AGENT = 'TenonFetch/0.1';
const KIB = 1_024;
const never = new AbortController().signal;

let robots = '';
const site = createServer((_, response) => response.setHeader('content-type', 'text/plain').end(robots)).listen(
  0,
  '127.0.0.1',
);
await once(site, 'listening');
after(() => {
  site.closeAllConnections();
  site.close();
});
const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;

/** Whether a page may be read with this robots.txt. */
async function allows(text: string, path: string): Promise<boolean> {
  robots = text;
  const check = createRobots(createPageFetch({ userAgent: AGENT, hosts: [host] }), AGENT);
  return check(`http://${host}${path}`, never).then(
    () => true,
    (error: Error) => {
      assert.match(error.message, /disallows automated reading of this page/);
      return false;
    },
  );
}

function filler(bytes: number): string {
  return '# nothing\n'.repeat(Math.ceil(bytes / 10));
}

test('an oversized robots.txt does not make all pages of a site unreadable', async () => {
  const text = `User-agent: *\nDisallow: /private\n${filler(6 * KIB * KIB)}`;
  assert.equal(await allows(text, '/page'), true);
  assert.equal(await allows(text, '/private/x'), false);
});

test('the part of a robots.txt after 500 KiB is ignored', async () => {
  const before = `User-agent: *\nDisallow: /a\n${filler(499 * KIB)}`;
  assert.equal(await allows(`${before}Disallow: /b\n`, '/b'), false);
  const after = `User-agent: *\nDisallow: /a\n${filler(501 * KIB)}Disallow: /b\n`;
  assert.equal(await allows(after, '/b'), true);
  assert.equal(await allows(after, '/a'), false);
});

test('an incomplete last line cannot disallow more than the whole line would', async () => {
  const start = 'User-agent: *\n';
  const end = 'Disallow: /';
  const text = `${start}#${'x'.repeat(500 * KIB - start.length - end.length - 2)}\n${end}`;
  assert.equal(text.length, 500 * KIB);
  assert.equal(await allows(`${text}private\n`, '/page'), true);
});

test('a robots.txt is read again after ten minutes, whatever the system clock does meanwhile', async (t) => {
  const [day, forward] = [jumpingTime(t, [Date]), jumpingTime(t, [performance])];
  const check = createRobots(createPageFetch({ userAgent: AGENT, hosts: [host] }), AGENT);
  const isAllowed = (): Promise<boolean> =>
    check(`http://${host}/page`, never).then(
      () => true,
      () => false,
    );
  robots = '';
  assert.equal(await isAllowed(), true);
  robots = 'User-agent: *\nDisallow: /';
  day.jump(3_600_000);
  assert.equal(await isAllowed(), true);
  day.jump(-7_200_000);
  forward.jump(601_000);
  assert.equal(await isAllowed(), false);
});
