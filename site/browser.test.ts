// The check of the finished site finds what is wrong with pages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserForTests } from '../scripts/lib/chromium.ts';
import { checkPages } from './check-pages.ts';
import { folderWith } from './test-folder.ts';

const browser = browserForTests();

const FAULTS = `<!doctype html><html lang="en"><title>Faults</title><main><h1 id="top">Faults</h1>
<div style="width: 800px">wide</div>
<p style="color: #bbb; background: #fff">pale</p>
<img src="missing.png" alt="A picture">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" alt="">
<a href="none.html">nowhere</a> <a href="b.html#none">no anchor</a> <a href="b.html#top">fine</a>
<script>console.error('complaint'); throw new Error('thrown')</script>
<script src="https://example.com/a.js"></script></main></html>`;
const FINE = '<!doctype html><html lang="en"><title>Fine</title><main><h1 id="top">Fine</h1></main></html>';

test('the check finds what is wrong with a page', { skip: 'missing' in browser && browser.missing }, async (t) => {
  const problems = await checkPages(folderWith(t, { 'a.html': FAULTS, 'b.html': FINE }));

  for (const expected of [
    /^\/a\.html \(390 px, dark\): is \d+ px too wide, for example <div/,
    /^\/a\.html \(1280 px, light\): color-contrast, 1 times/,
    /^\/a\.html \(1280 px, dark\): color-contrast, 1 times/,
    /image .*missing\.png is broken/,
    /image data:.* has no alternative text/,
    /^\/a\.html: the link to \/none\.html is dead$/,
    /^\/a\.html: \/b\.html has no #none$/,
    /^\/a\.html \(390 px, light\): console: complaint/,
    /^\/a\.html \(390 px, light\): error: thrown/,
    /^\/a\.html \(390 px, light\): loads https:\/\/example\.com\/a\.js/,
    /404 for .*missing\.png/,
  ])
    assert.ok(
      problems.some((problem) => expected.test(problem)),
      `${String(expected)} is not in:\n${problems.join('\n')}`,
    );
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith('/a.html')),
    [],
  );
});
