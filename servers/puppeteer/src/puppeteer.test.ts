import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { findChromium } from '../../../scripts/lib/chromium.ts';
import { until } from '../../../scripts/lib/until.ts';
import { callTool, type ToolResult } from '../../shared/test/call-tool.ts';
import { startSite } from './fixtures/site.ts';
import { DEFAULT_LAUNCH } from './launch-options.ts';
import { createPuppeteer } from './puppeteer.ts';

const launch = { ...DEFAULT_LAUNCH, executablePath: findChromium() };
const site = await startSite();
after(() => site.close());
// One browser for most tests: a start takes more CPU time than all they do.
const peer = await connect(createPuppeteer({ launch, origins: [site.origin] }));
after(() => peer.close());

function call(name: string, args: object, client: Client = peer) {
  return callTool(client, `puppeteer_${name}`, args);
}

async function go(path: string, client: Client = peer): Promise<ToolResult> {
  const result = await call('navigate', { url: `${site.origin}${path}` }, client);
  assert.equal(result.isError, false, result.text);
  return result;
}

/** The value of a script in the page. */
async function valueOf(script: string): Promise<unknown> {
  const { structured, text } = await call('evaluate', { script });
  assert.ok(structured, text);
  return structured.result;
}

async function logs(): Promise<string> {
  return (await peer.read('console://logs')).contents[0]!.text as string;
}

/** The width and the height in a PNG file. */
function sizeOf(base64: string): readonly number[] {
  const png = Buffer.from(base64, 'base64');
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test('a page is loaded, and the result has its address, its title and its status', async () => {
  const { text, structured } = await go('/form');
  assert.equal(text, `Navigated to ${site.origin}/form`);
  assert.deepEqual(structured, { url: `${site.origin}/form`, title: 'Form', status: 200 });
  const missing = await go('/nothing');
  assert.equal(missing.text, `Navigated to ${site.origin}/nothing (status 404)`);
  site.target = '/form';
  const redirected = await go('/redirect');
  assert.equal(redirected.structured.url, `${site.origin}/form`);
});

test('elements are clicked, hovered, filled and selected as by a user', async () => {
  await go('/form');
  assert.equal((await call('click', { selector: '#button' })).text, 'Clicked: #button');
  assert.equal((await call('hover', { selector: '#hover' })).text, 'Hovered #hover');
  const filled = await call('fill', { selector: '#name', value: 'Ännchen 🫖' });
  assert.equal(filled.text, 'Filled #name with: Ännchen 🫖');
  assert.equal((await call('select', { selector: '#colour', value: 'g' })).text, 'Selected #colour with: g');
  const script =
    '[button.dataset.clicks, hover.textContent, document.querySelector("#name").value, colour.value, colour.dataset.changed]';
  assert.deepEqual(await valueOf(script), ['1', 'hovered', 'Ännchen 🫖', 'g', '1']);
});

test('a selector is CSS, and the error for another one says so', async () => {
  await go('/form');
  for (const selector of ['!!!', 'text=Go', '//button']) {
    const { isError, text } = await call('click', { selector });
    assert.equal(isError, true, selector);
    assert.match(text, /^Failed to click .*(?:css selector|valid selector)/, selector);
  }
});

test('the value of a script is returned as JSON, with what it wrote to the console', async () => {
  await go('/');
  const { text, structured } = await call('evaluate', {
    script: 'console.log("a", 1); console.info("b"); console.warn("c"); console.error("d"); ({ x: [1, null] })',
  });
  const console = ['[log] a 1', '[info] b', '[warn] c', '[error] d'];
  assert.equal(
    text,
    `Execution result:\n{\n  "x": [\n    1,\n    null\n  ]\n}\n\nConsole output:\n${console.join('\n')}`,
  );
  assert.deepEqual(structured, { result: { x: [1, null] }, console, truncated: false });
  assert.equal(
    (await call('evaluate', { script: 'undefined' })).text,
    'Execution result:\nundefined\n\nConsole output:\n',
  );
  for (const [script, value] of [
    ['"ä\\n"', 'ä\n'],
    ['0/0', null],
    ['12n', '12'],
    ['document.body', {}],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['Promise.resolve(3)', 3],
    ['const a = 1; a + 1', 2],
    ['await Promise.resolve(4)', undefined],
    ['const b = await Promise.resolve(5); return b', 5],
    ['return 6', 6],
  ] as const)
    assert.deepEqual(await valueOf(script), value, script);
});

test('a script that throws, or whose value is no JSON, is an error that says why', async () => {
  await go('/');
  for (const [script, message] of [
    ['nope', /^Script execution failed: ReferenceError: nope is not defined$/],
    ['throw new TypeError("bad\\nthing")', /^Script execution failed: TypeError: bad\nthing$/],
    ['throw "text"', /^Script execution failed: "text"$/],
    ['Promise.reject(new Error("late"))', /^Script execution failed: Error: late$/],
    ['1 +', /^Script execution failed: SyntaxError: /],
    ['const o = {}; o.o = o; o', /cannot be shown as JSON: TypeError: Converting circular structure/],
  ] as const) {
    const { isError, text } = await call('evaluate', { script });
    assert.equal(isError, true, script);
    assert.match(text, message);
  }
});

test('a long value is cut, also by a page that wants to send more', async () => {
  await go('/');
  for (const script of ['"x".repeat(1e6)', 'JSON.stringify = () => "z".repeat(3e6); ({})']) {
    const { text, structured } = await call('evaluate', { script });
    assert.ok(text.length < 101_000, `${text.length}`);
    assert.equal(structured.truncated, true);
    assert.match(text, /The result is longer: return less of it/);
    await go('/');
  }
});

test('a value is returned from a page that has changed or removed its JSON', async () => {
  const value = '({ a: [1, "ä\\n\\"🫖", null, undefined, NaN], d: new Date(0), f() {} })';
  for (const change of ['JSON.stringify = () => { throw new Error("mine") }', 'JSON.stringify = () => 7', 'JSON = 1']) {
    await go('/');
    const { structured } = await call('evaluate', { script: `${change}; ${value}` });
    assert.deepEqual(structured.result, { a: [1, 'ä\n"🫖', null, null, null], d: '1970-01-01T00:00:00.000Z' }, change);
  }
  const circular = await call('evaluate', { script: 'const o = {}; o.a = o.b = o; o' });
  assert.match(circular.text, /cannot be shown as JSON: TypeError: /);
  await go('/');
});

test('a screenshot has the wanted size, and is a resource afterwards', async () => {
  await go('/form');
  const { text, content, structured } = await call('screenshot', { name: 'Ä b/1', width: 500, height: 300 });
  assert.match(text, /^Screenshot 'Ä b\/1' taken at 500x300\n/);
  assert.deepEqual(sizeOf(content[1]!.data!), [500, 300]);
  assert.equal(structured.uri, 'screenshot://%C3%84%20b%2F1');
  const { contents } = await peer.read(structured.uri);
  assert.deepEqual([contents[0]!.mimeType, contents[0]!['blob' as never]], ['image/png', content[1]!.data]);
  const listed = (await peer.resources().all()).find(({ uri }) => uri === structured.uri);
  assert.deepEqual([listed?.name, listed?.size], ['Screenshot: Ä b/1', structured.bytes]);
  const { values } = await peer.complete({ template: 'screenshot://{name}' }, { argument: 'name', value: 'Ä' });
  assert.deepEqual(values, ['Ä b/1']);
});

test('a screenshot can be of an element, and text instead of an image', async () => {
  await go('/form');
  const { text, content } = await call('screenshot', { name: 'box', selector: '#box', encoded: true });
  const [, data] = /\ndata:image\/png;base64,(\S+)$/.exec(text) ?? [];
  assert.deepEqual(sizeOf(data!), [120, 40]);
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text', 'text'],
  );
  for (const [selector, message] of [
    ['#none', /^Element not found: #none$/],
    ['#hidden', /^The element is not visible: #hidden$/],
    ['#huge', /^The element is too large for a screenshot: 9000x9000/],
  ] as const) {
    const failed = await call('screenshot', { name: 'no', selector });
    assert.equal(failed.isError, true);
    assert.match(failed.text, message);
  }
  await assert.rejects(peer.read('screenshot://no'));
});

test('a client that watches is told of new screenshots and of the console', async () => {
  await go('/');
  const list = peer.watch({ list: 'resources' });
  const log = peer.watch({ uri: 'console://logs' });
  const picture = peer.watch({ uri: 'screenshot://watched' });
  await Promise.all([list.ready, log.ready, picture.ready]);
  const seen = new Set<string>();
  for (const [name, watch] of Object.entries({ list, log, picture }))
    void (async () => {
      for await (const _ of watch) seen.add(name);
    })();
  await call('screenshot', { name: 'watched' });
  await call('evaluate', { script: 'console.log("watched")' });
  await until(
    () => seen.size === 3,
    () => `list, log and picture, of which ${[...seen].join()} came`,
  );
  for (const watch of [list, log, picture]) await watch.close();
});

test('the console is kept up to a limit, however much a page writes', async () => {
  await go('/');
  await call('evaluate', {
    script: 'for (let n = 0; n < 2000; n++) console.log("line " + n); setTimeout(() => nope())',
  });
  await until(async () => (await logs()).includes('[pageerror] ReferenceError: nope is not defined'));
  const lines = (await logs()).split('\n');
  assert.ok(lines.length <= 1_010, `${lines.length}`);
  assert.ok(lines.includes('[log] line 1999'));
  assert.ok(!lines.includes('[log] line 900'));
  const { text } = await call('evaluate', { script: 'console.log("z".repeat(1e6)); 1' });
  assert.ok(text.length < 20_000, `${text.length}`);
  assert.ok((await logs()).length < 1_100_000);
});

test('dialogs are dismissed, windows closed and downloads refused, and the result says so', async () => {
  await go('/form');
  const asked = await call('click', { selector: '#alert' });
  assert.match(
    asked.text,
    /^Clicked: #alert\nThe page showed a dialog \(confirm\), which was dismissed: "Sure\?"\n.*"Name\?"$/,
  );
  assert.equal(await valueOf('document.querySelector("#alert").textContent'), 'false null');
  const opened = await call('click', { selector: '#window' });
  assert.ok(
    opened.text.endsWith(`which was closed. Navigate there if you need it: "${site.origin}/other"`),
    opened.text,
  );
  const script = `for (let n = 0; n < 3; n++) open('/other?' + n); 1`;
  const several = await call('evaluate', { script });
  // A browser with windows allows one for each action of the user; a headless shell allows all.
  assert.ok([1, 3].includes(several.text.match(/The page opened a window/g)?.length ?? 0), several.text);
  await call('evaluate', { script: `globalThis.window1 = open('/other'); 1` });
  await until(async () => (await valueOf('window1.closed')) === true);
  await call('click', { selector: '#download' });
  await until(async () => (await logs()).includes('The page started a download, which was refused'));
  const { isError, text } = await call('navigate', { url: `${site.origin}/download` });
  assert.equal(isError, true);
  assert.match(text, /it is a download, or there is nothing to show/);
  await go('/leave');
  await call('click', { selector: 'body' });
  await go('/');
});

test('only the tools that may change something elsewhere are marked as destructive', async () => {
  const hints = (await peer.tools().all()).map(({ name, annotations }) => [
    name.replace('puppeteer_', ''),
    annotations?.readOnlyHint ?? false,
    annotations?.destructiveHint,
    annotations?.openWorldHint,
  ]);
  assert.deepEqual(hints.toSorted(), [
    ['click', false, true, true],
    ['evaluate', false, true, true],
    ['fill', false, false, true],
    ['hover', false, false, true],
    ['navigate', false, false, true],
    ['screenshot', false, false, true],
    ['select', false, false, true],
  ]);
});
