import assert from 'node:assert/strict';
import { CANARY } from '../fixtures/hostile-strings.ts';
import { becomes, inspected } from './harness.ts';

// What the other tests of this folder rely on: that a page cannot do what it must not without being seen.

/** Tells whether something of each kind was noticed, and forgets it. */
function noticed(complaints: string[], patterns: readonly RegExp[]): readonly boolean[] {
  return patterns.map((pattern) => complaints.some((complaint) => pattern.test(complaint)));
}

inspected('an error of a page is seen, whether it is caught or not', { servers: {} }, async ({ page, complaints }) => {
  await page.evaluate(() => {
    console.error('told by the page');
    setTimeout(() => {
      throw new Error('caught by nobody');
    });
  });
  await becomes(() => noticed(complaints, [/told by the page/, /caught by nobody/]), [true, true]);
  complaints.splice(0);
});

inspected('what the policy of the page forbids is seen', { servers: {} }, async ({ page, complaints }) => {
  await page.evaluate((host) => {
    const image = document.createElement('img');
    image.src = `http://${host}/pixel.png`;
    document.body.append(image);
    void fetch(`http://${host}/fetch`).catch(() => {});
    try {
      document.body.innerHTML = '<b>markup</b>';
    } catch {
      // That it throws is not enough: it has to be reported.
    }
  }, CANARY);
  const patterns = [
    /forbidden by the policy: img-src/,
    /forbidden by the policy: connect-src/,
    /require-trusted-types-for/,
  ];
  await becomes(() => noticed(complaints, patterns), [true, true, true]);
  complaints.splice(0);
});

inspected(
  'a page that is opened, and a request that leaves this machine, are seen',
  { servers: {}, lastInTab: true },
  async ({ page, complaints, left }) => {
    await page.evaluate((host) => void window.open(`http://${host}/page`, '_blank', 'noopener'), CANARY);
    await becomes(() => left.length > 0, true);
    assert.match(left[0]!, /canary\.invalid\/page/);
    assert.deepEqual(noticed(complaints, [/request to elsewhere: GET http:\/\/canary\.invalid\/page/]), [true]);
    left.splice(0);
    complaints.splice(0);
  },
);
