import assert from 'node:assert/strict';
import { CANARY } from '../fixtures/hostile-strings.ts';
import { becomes, inspected } from './harness.ts';

// Tests the guarantee that the other tests of this folder rely on: forbidden actions of a page are noticed.

/** Returns whether a complaint of each kind was made, and clears them. */
function noticed(complaints: string[], patterns: readonly RegExp[]): readonly boolean[] {
  return patterns.map((pattern) => complaints.some((complaint) => pattern.test(complaint)));
}

inspected(
  'an error of a page is noticed, whether it is caught or not',
  { servers: {} },
  async ({ page, complaints }) => {
    await page.evaluate(() => {
      console.error('logged by the page');
      setTimeout(() => {
        throw new Error('never caught');
      });
    });
    await becomes(() => noticed(complaints, [/logged by the page/, /never caught/]), [true, true]);
    complaints.splice(0);
  },
);

inspected('a violation of the policy of the page is noticed', { servers: {} }, async ({ page, complaints }) => {
  await page.evaluate((host) => {
    const image = document.createElement('img');
    image.src = `http://${host}/pixel.png`;
    document.body.append(image);
    void fetch(`http://${host}/fetch`).catch(() => {});
    try {
      document.body.innerHTML = '<b>markup</b>';
    } catch {
      // Throwing is not enough: it has to be reported.
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
  'a new page, and a request that leaves this machine, are noticed',
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
