// How pages are converted to Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownOf } from './markdown.ts';

const base = new URL('https://example.com/docs/');

/** The Markdown of a page with this content in its main part. */
function written(content: string): string {
  const text = `<p>${'A sentence that makes this the main part of the page, with commas, of course. '.repeat(8)}</p>`;
  const markdown = markdownOf(`<html><body><article>${text}${content}</article></body></html>`, base)!;
  return markdown.slice(markdown.indexOf('\n\n') + 2);
}

test('a table of data stays a table, with its headings, links, line breaks and bars', () => {
  const table = `<table><caption>Prices</caption><thead><tr><th>Name</th><th>Price</th></tr></thead><tbody>
    <tr><td><a href="tea">Tea</a></td><td>1 | 2<br>or <code>a|b</code></td></tr><tr><td>Milk</td></tr></tbody></table>`;
  assert.equal(
    written(table),
    [
      'Prices',
      '',
      '| Name | Price |',
      '| --- | --- |',
      String.raw`| [Tea](https://example.com/docs/tea) | 1 \| 2<br>or ${'`a\\|b`'} |`,
      '| Milk |  |',
    ].join('\n'),
  );
});

test('cells that span rows or columns do not shift other cells', () => {
  const table = `<table><tr><th>Day</th><th colspan="2">Hours</th></tr>
    <tr><td rowspan="2">Mon</td><td>8</td><td>12</td></tr><tr><td>13</td><td>17</td></tr><tr><td>Tue</td><td>9</td><td>10</td></tr></table>`;
  assert.equal(
    written(table),
    '| Day | Hours |  |\n| --- | --- | --- |\n| Mon | 8 | 12 |\n| Mon | 13 | 17 |\n| Tue | 9 | 10 |',
  );
});

test('a table without headings gets empty ones, and a layout table is not written as a table', () => {
  assert.equal(
    written('<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>'),
    '|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |',
  );
  for (const layout of [
    '<table role="presentation"><tr><td>left</td><td>right</td></tr></table>',
    '<table><tr><td>left</td></tr><tr><td>right</td></tr></table>',
    '<table><tr><td><h2>left</h2></td><td>right</td></tr></table>',
  ]) {
    assert.doesNotMatch(written(layout), /\|/, layout);
    assert.match(written(layout), /left[\s\S]*right/, layout);
  }
  const inner = '<table><tr><th>a</th><th>b</th></tr></table>';
  const outer = `<table><tr><td>left</td><td>${inner}</td></tr></table>`;
  assert.equal(written(outer), 'left\n\n| a | b |\n| --- | --- |');
});

test('a table with too many cells is not written as a table', () => {
  const wide = `<tr>${'<td>x</td>'.repeat(1_000)}</tr>`;
  assert.doesNotMatch(markdownOf(`<table>${wide}${'<tr><td>y</td></tr>'.repeat(1_000)}</table>`, base)!, /\|/);
});

test('a code block keeps its language, however the page declares it', () => {
  const code = 'const a = 1;\n  a &lt; 2;';
  for (const block of [
    `<pre><code class="language-ts">${code}</code></pre>`,
    `<pre class="language-ts"><code>${code}</code></pre>`,
    `<pre class="lang-ts">${code}</pre>`,
    `<pre><code class="hljs ts">${code}</code></pre>`,
    `<pre><code data-lang="ts">${code}</code></pre>`,
    `<pre data-language="ts" class="astro-code">${code}</pre>`,
    `<div class="highlight highlight-source-ts"><pre>${code}</pre></div>`,
    `<div class="highlight-ts notranslate"><div class="highlight"><pre><span></span>${code}</pre></div></div>`,
    `<pre class="brush: ts; gutter: false">${code}</pre>`,
    `<div class="sourceCode"><pre class="sourceCode ts"><code class="sourceCode ts">${code}</code></pre></div>`,
    `<pre class="language-ts">const a = 1;<br>  a &lt; 2;</pre>`,
  ])
    assert.equal(written(block), '```ts\nconst a = 1;\n  a < 2;\n```', block);
});

test('a code block without a language is still a code block, and an invalid language name is left out', () => {
  for (const block of [
    '<pre>a *b*</pre>',
    '<pre><code>a *b*</code></pre>',
    '<pre><code class="language-plaintext">a *b*</code></pre>',
    '<pre data-language="`x">a *b*</pre>',
    `<pre class="language-${'x'.repeat(50)}">a *b*</pre>`,
  ])
    assert.equal(written(block), '```\na *b*\n```', block);
  assert.equal(written('<pre>```\nx\n```</pre>'), '````\n```\nx\n```\n````');
});
