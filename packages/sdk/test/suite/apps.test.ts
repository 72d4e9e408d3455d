// Apps: pages of servers, the metadata of tools about them, and how a host reads both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  app,
  APP_TYPE,
  appOf,
  appPage,
  apps,
  APPS_EXTENSION,
  type AppOptions,
  shownBy,
  SHOWS_APPS,
  showsApps,
} from '../../src/entries/apps.ts';
import { connect, type ResourceContents, type ToolEntry } from '../../src/entries/client.ts';
import { revisions, server, type Tool, tool } from '../../src/entries/index.ts';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { featuresOf } from '../../src/protocol/revision.ts';

const HTML = '<!doctype html>\n<title>Clock</title>';
const URI = 'ui://time/clock';
const META = {
  csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.example.com:8443'] },
  permissions: { camera: {} },
  domain: 'abc.example.com',
  prefersBorder: true,
};
const clock = app(URI, { name: 'Clock', description: 'Shows the time', ...META }, HTML);

function timeServer(tools: Record<string, Tool> = {}) {
  return server({
    name: 'time',
    tools: {
      now: tool({ description: 'The time', _meta: shownBy(clock) }, (_, { client }) =>
        showsApps(client) ? 'It is noon, see the clock' : 'It is noon',
      ),
      tick: tool({ _meta: shownBy(clock, { visibility: ['app'] }) }, () => 'tick'),
      ...tools,
    },
    providers: [apps([clock])],
  });
}
const refused = { name: 'DefinitionError', code: 'invalid-definition' };

for (const revision of revisions) {
  test(`[APPS-4] [APPS-5] ${revision}: a tool names its page, which is a resource of the type of apps`, async () => {
    await using client = await connect(timeServer(), { revision, extensions: SHOWS_APPS });
    const now = (await client.tools().all()).find(({ name }) => name === 'now')!;
    const { contents } = await client.read(URI);
    const [item] = contents as (ResourceContents & { text: string })[];
    assert.deepEqual([item!.uri, item!.mimeType, item!.text], [URI, APP_TYPE, HTML]);
    if (now._meta === undefined) return;
    assert.deepEqual(now._meta, { ui: { resourceUri: URI } });
    assert.deepEqual(item!._meta, { ui: META });
    const [entry] = await client.resources().all();
    assert.deepEqual([entry!.uri, entry!.mimeType, entry!._meta], [URI, APP_TYPE, { ui: META }]);
  });

  test(`[APPS-1] [APPS-2] ${revision}: both sides declare the extension, and a tool knows whether the client shows apps`, async () => {
    await using client = await connect(timeServer(), { revision, extensions: SHOWS_APPS });
    assert.deepEqual(client.capabilities.extensions, { [APPS_EXTENSION]: {} });
    assert.equal(await client.call('now'), 'It is noon, see the clock');
    await using plain = await connect(timeServer(), { revision });
    assert.equal(await plain.call('now'), 'It is noon');
  });
}

test('[APPS-1] a client that shows apps declares the supported type, in either era', async () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    const { client, peer } = await connectScripted(
      { ...agreesOn(revision, { capabilities: { tools: {} } }), 'tools/call': { resultType: 'complete', content: [] } },
      { extensions: SHOWS_APPS },
    );
    await client.call('x');
    const modern = featuresOf(revision).era === 'modern';
    const message = peer.calls(modern ? 'tools/call' : 'initialize').at(-1)!;
    const { _meta, capabilities } = message.params as { _meta?: Record<string, unknown>; capabilities?: unknown };
    const declared = modern ? _meta!['io.modelcontextprotocol/clientCapabilities'] : capabilities;
    assert.deepEqual((declared as { extensions: unknown }).extensions, {
      'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
    });
  }
});

test('[APPS-3] a tool with an app still answers with content', async () => {
  await using client = await connect(timeServer(), { extensions: SHOWS_APPS });
  assert.deepEqual((await client.result('now')).content, [{ type: 'text', text: 'It is noon, see the clock' }]);
});

test('a server without apps declares nothing', async () => {
  await using client = await connect(server({ name: 'x', tools: {} }));
  assert.equal(client.capabilities.extensions, undefined);
});

test('[APPS-7] a tool whose page does not exist, or whose app metadata are invalid, is refused when the server is made', () => {
  for (const [ui, message] of [
    [{ resourceUri: 'ui://time/none' }, /not an app of the server/],
    [{ resourceUri: 'https://example.com' }, /not an app of the server/],
    [{ resourceUri: 5 }, /not an app of the server/],
    [{ resourceUri: URI, csp: {} }, /`_meta\.ui\.csp` does not apply to a tool/],
    [{ resourceUri: URI, visibility: ['user'] }, /'model', 'app' or both/],
    [{ resourceUri: URI, visibility: 'app' }, /'model', 'app' or both/],
    ['ui', /not an object/],
  ] as const)
    assert.throws(
      () => timeServer({ wrong: tool({ _meta: { ui } }, () => '') }),
      { ...refused, message },
      String(message),
    );
  const other = app('ui://time/other', { name: 'Other' }, HTML);
  assert.throws(() => timeServer({ wrong: tool({ _meta: shownBy(other) }, () => '') }), {
    ...refused,
    message: /'wrong'/,
  });
});

test('[APPS-4] [APPS-6] an app that no host could show is refused with a clear error when it is made', () => {
  const make = (uri: string, options: object = {}, html: unknown = HTML) =>
    app(uri, { name: 'x', ...options } as AppOptions, html as string);
  for (const uri of ['https://example.com', 'UI://x', 'ui:x', 'ui://x y', ''])
    assert.throws(() => make(uri), { ...refused, message: /URI/ }, uri);
  for (const html of ['', '<p>', '{}', 5, null, '<html></html>'])
    assert.throws(() => make(URI, {}, html), { ...refused, message: /doctype/ }, String(html));
  for (const html of ['<!DOCTYPE html>', '\n <!-- made by x --> <!doctype HTML >', '\ufeff<!doctype html><p>'])
    assert.equal(make(URI, {}, html).kind, 'app');
  for (const [options, message] of [
    [{ csp: { connectDomains: ["https://a.com; script-src 'unsafe-eval'"] } }, /is an origin/],
    [{ csp: { connectDomains: ['*'] } }, /is an origin/],
    [{ csp: { connectDomains: [5] } }, /is an origin/],
    [{ csp: { scripts: [] } }, /unknown option 'scripts'/],
    [{ permissions: { gps: {} } }, /unknown option 'gps'/],
    [{ permissions: { camera: true } }, /empty object/],
    [{ prefersBorder: 'yes' }, /true or false/],
    [{ domain: 5 }, /`domain`/],
    [{ size: 1 }, /unknown option 'size'/],
  ] as const)
    assert.throws(() => make(URI, options), { ...refused, message }, String(message));
  assert.throws(() => apps([clock, clock]), { ...refused, message: /Two apps/ });
  assert.throws(() => apps([{} as typeof clock]), { ...refused, message: /app\(uri/ });
});

test('a page that begins with many comments is checked in no time', () => {
  const comments = '<!---->'.repeat(20_000);
  const began = performance.now();
  assert.throws(() => app(URI, { name: 'x' }, `${comments}<p>`), /doctype/);
  assert.throws(() => app(URI, { name: 'x' }, '<!--'.repeat(20_000)), /doctype/);
  app(URI, { name: 'x' }, `${comments}<!doctype html>`);
  app(URI, { name: 'x' }, '<!-- a -- b > c --> <!DOCTYPE html>');
  assert.ok(performance.now() - began < 1_000);
});

test('[APPS-5] [APPS-6] a page that is made for each reading is checked then', async () => {
  let html = HTML;
  const made = app(URI, { name: 'x' }, async () => html);
  await using client = await connect(server({ name: 'x', providers: [apps([made])] }));
  assert.equal(appPage(await client.read(URI)).html, HTML);
  html = 'Internal Server Error';
  await assert.rejects(client.read(URI), { code: -32603 });
});

function entry(_meta: ToolEntry['_meta']): Pick<ToolEntry, '_meta'> {
  return _meta === undefined ? {} : { _meta };
}

test('a host reads the app metadata of a tool in the current and the older form', () => {
  const both = { forModel: true, forApps: true };
  assert.deepEqual(appOf(entry(undefined)), { resourceUri: undefined, ...both });
  assert.deepEqual(appOf(entry({ ui: { resourceUri: URI } })), { resourceUri: URI, ...both });
  assert.deepEqual(appOf(entry({ 'ui/resourceUri': URI })), { resourceUri: URI, ...both });
  assert.deepEqual(appOf(entry({ ui: { resourceUri: URI }, 'ui/resourceUri': 'ui://old' })).resourceUri, URI);
  assert.deepEqual(appOf(entry({ ui: { visibility: ['app'] } })), {
    resourceUri: undefined,
    forModel: false,
    forApps: true,
  });
  assert.deepEqual(appOf(entry({ ui: { visibility: ['model'] } })), {
    resourceUri: undefined,
    forModel: true,
    forApps: false,
  });
  for (const resourceUri of ['https://example.com/x', 'javascript:1', 5, null])
    assert.equal(appOf(entry({ ui: { resourceUri } })).resourceUri, undefined, String(resourceUri));
  assert.deepEqual(appOf(entry({ ui: 'x' })), { resourceUri: undefined, ...both });
});

test('a host reads a page as text or bytes, and its display settings from the page, or else from the list', () => {
  const page = (item: object, listed?: object) =>
    appPage({ contents: [{ uri: URI, mimeType: APP_TYPE, ...item } as ResourceContents] }, listed);
  const plain = { csp: undefined, permissions: undefined, domain: undefined, prefersBorder: undefined };
  assert.deepEqual(page({ text: HTML }), { html: HTML, ...plain });
  assert.equal(page({ blob: btoa(HTML) }).html, HTML);
  const listed = { _meta: { ui: { prefersBorder: false } } };
  assert.deepEqual(page({ text: HTML }, listed), { html: HTML, ...plain, prefersBorder: false });
  assert.deepEqual(page({ text: HTML, _meta: { ui: META } }, listed), { html: HTML, ...META });
  assert.deepEqual(page({ text: HTML, _meta: { ui: { csp: 'x', permissions: [], domain: 1, prefersBorder: 1 } } }), {
    html: HTML,
    ...plain,
  });
  const wrong = { name: 'PeerError', code: 'invalid-answer' };
  assert.throws(() => page({ text: HTML, mimeType: 'text/html' }), wrong);
  assert.throws(() => page({ blob: '*' }), wrong);
  assert.throws(() => appPage({ contents: [] }), wrong);
});
