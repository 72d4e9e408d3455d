// The navigation has all pages, links lead to pages of the site, and the API reference describes every public entry point.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesUnder } from '../scripts/lib/files.ts';
import { namedModule } from './api-reference.ts';
import { entryPoints } from './entry-points.ts';
import { PAGES } from './navigation.ts';
import { LANDING, siteLink } from './pages.ts';
import { folderWith } from './test-folder.ts';
import { serveFolder } from './serve.ts';

test('every Markdown file is a page in the navigation, once, and every page of the navigation exists', () => {
  // The templates of `tenon init` are pages of the projects that it makes.
  const isPage = (path: string): boolean => path.endsWith('.md') && path !== LANDING && !path.includes('/templates/');
  const files = filesUnder('.').filter(isPage);
  assert.deepEqual(PAGES.toSorted(), files.toSorted());
});

test('links of the repository become links of the site, and stay links of the repository elsewhere', () => {
  assert.equal(siteLink('docs/tools.md', 'asking.md#forms'), '/docs/asking.md#forms');
  assert.equal(siteLink('docs/tools.md', '../servers/git/README.md'), '/servers/git/index.md');
  assert.equal(siteLink('servers/git/README.md', '../../README.md'), '/README.md');
  assert.equal(siteLink('docs/asking.md', '../examples/page/shop.ts'), '/examples/page/shop.ts.md');
  assert.equal(siteLink('docs/http.md', '../examples/mount'), '/examples/mount/');
  assert.equal(siteLink('docs/deploy.md', '../examples/deploy/.dockerignore'), '/examples/deploy/_dockerignore.md');
  const route = 'serverless/next/app/.well-known/oauth-protected-resource/[[...path]]/route.ts';
  assert.equal(
    siteLink('docs/serverless.md', `../examples/${route}`),
    '/examples/serverless/next/app/_well-known/oauth-protected-resource/__...path__/route.ts.md',
  );
  assert.equal(siteLink('docs/inspector.md', 'images/inspector-trace.png'), 'images/inspector-trace.png');
  assert.equal(siteLink('docs/tools.md', '#names'), '#names');
  assert.equal(siteLink('docs/tools.md', 'https://example.com/a.md'), 'https://example.com/a.md');
});

test('the declarations of every public entry point are built, and the internal ones are left out', () => {
  const entries = entryPoints();
  for (const { folder, declarations } of entries) assert.ok(existsSync(join(folder, declarations)), declarations);
  const names = entries.map(({ name }) => name);
  assert.ok(names.includes('tenon/client') && names.includes('@tenon/host'), names.join(' '));
  assert.deepEqual(
    names.filter((name) => name.includes('internal')),
    [],
  );
});

test('the comment of an entry point is that of its module, not of its first export', () => {
  const source =
    "/** Clients:\n * all of them. */\nexport { connect } from '../open/connect.js';\nexport {} from '#auth';\n";
  assert.equal(
    namedModule(source, 'tenon/client', (path) => `to/${path}`),
    "/**\n * Clients:\n * all of them.\n * @module tenon/client\n */\nexport { connect } from 'to/../open/connect.js';\nexport {} from 'to/#auth';\n",
  );
});

test('the server gives out files of its folder, and nothing else', async (t) => {
  const folder = folderWith(t, {
    'site/a/index.html': 'index',
    'site/a.md': '# A',
    'site/404.html': 'lost',
    secret: 'x',
  });
  const { url, close } = await serveFolder(join(folder, 'site'), 0);
  t.after(close);
  const get = async (path: string) => {
    const response = await fetch(url + path);
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  assert.deepEqual(await get('/a/'), [200, 'text/html; charset=utf-8', 'index']);
  assert.deepEqual(await get('/a.md'), [200, 'text/markdown; charset=utf-8', '# A']);
  for (const path of ['/b', '/..%2fsecret', '/%2e%2e/secret', '/%ff'])
    assert.deepEqual(await get(path), [404, 'text/html; charset=utf-8', 'lost'], path);
});
