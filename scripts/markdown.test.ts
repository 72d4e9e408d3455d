import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorsOf, changeLinks, linksOf, summaryOf } from './lib/markdown.ts';

const PAGE = `# A page

<!-- A remark. -->

\`\`\`ts
// # not a heading
const link = '[no](a.md)';

f(g[0](b.md));
\`\`\`

The \`[code](c.md)\` and [a link](d.md#e) are on [\`one\`](f.md) line. More.

## Same

## Same

![A picture](g.svg)
`;

test('links and images are found, and code is not taken for a link', () => {
  assert.deepEqual(linksOf(PAGE), ['d.md#e', 'f.md', 'g.svg']);
});

test('only the targets of links are changed', () => {
  const changed = changeLinks(PAGE, (target) => `/${target}`);
  assert.deepEqual(linksOf(changed), ['/d.md#e', '/f.md', '/g.svg']);
  assert.equal(changed.replaceAll(/\]\(\/(d\.md#e|f\.md|g\.svg)\)/g, ']($1)'), PAGE);
});

test('equal headings have different anchors', () => {
  assert.deepEqual(anchorsOf(PAGE), ['a-page', 'same', 'same-1']);
});

test('the summary of a page is its title and its first sentence, without code and marks', () => {
  assert.deepEqual(summaryOf(PAGE), {
    title: 'A page',
    description: 'The code and a link are on one line.',
  });
});
