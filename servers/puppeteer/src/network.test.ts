// What a page tries in order to reach something that it must not reach. Nothing of it may arrive anywhere.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, beforeEach, test } from 'node:test';
import { connect } from 'tenon/client';
import { findChromium } from '../../../scripts/lib/chromium.ts';
import { until } from '../../../scripts/lib/until.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { textOf } from '../../shared/test/ways.ts';
import { startSite } from './fixtures/site.ts';
import { DEFAULT_LAUNCH } from './launch-options.ts';
import { createPuppeteer } from './puppeteer.ts';

const launch = { ...DEFAULT_LAUNCH, executablePath: findChromium() };
/** Where the page is from, and another that it may use. */
const site = await startSite();
const friend = await startSite();
/** What it must not reach: on this machine, like the services that a user runs there. */
const secret = await startSite();
const udp = createSocket('udp4');
udp.bind(0, '127.0.0.1');
await once(udp, 'listening');
let datagrams = 0;
udp.on('message', () => datagrams++);
const FILE = join(tmpdir(), `tenon-secret-${process.pid}.html`);
await writeFile(FILE, '<title>Secret</title>');
const peer = await connect(createPuppeteer({ launch, origins: ['*', site.origin, friend.origin] }));
after(async () => {
  await peer.close();
  for (const { close } of [site, friend, secret]) close();
  udp.close();
  await rm(FILE);
});

function call(name: string, args: object) {
  return callTool(peer, `puppeteer_${name}`, args);
}

async function valueOf(script: string): Promise<unknown> {
  const { structuredContent, content } = await peer.result('puppeteer_evaluate', { script });
  assert.ok(structuredContent, textOf({ content } as never));
  return (structuredContent as { result: unknown }).result;
}

async function logs(): Promise<string> {
  return (await peer.read('console://logs')).contents[0]!.text as string;
}

beforeEach(async () => void (await call('navigate', { url: `${site.origin}/` })));

/** Ways to send a request, as scripts. Each resolves when the page knows how it ended. */
const WAYS: Readonly<Record<string, (url: string) => string>> = {
  fetch: (url) => `fetch('${url}', { mode: 'no-cors' }).then(() => 'loaded', () => 'failed')`,
  'an image': (url) =>
    `new Promise((end) => { const image = new Image(); image.onload = image.onerror = () => end('ended'); image.src = '${url}'; })`,
  'a WebSocket': (url) =>
    `new Promise((end) => { const socket = new WebSocket('${url.replace('http', 'ws')}'); socket.onclose = () => end('ended'); })`,
  'an event stream': (url) =>
    `new Promise((end) => { const source = new EventSource('${url}'); source.onerror = () => { source.close(); end('ended'); }; })`,
  'a worker': (url) =>
    `new Promise((end) => { const code = 'fetch("${url}", { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(0))'; new Worker(URL.createObjectURL(new Blob([code]))).onmessage = () => end('ended'); })`,
  'a frame': (url) =>
    `new Promise((end) => { const frame = document.createElement('iframe'); frame.onload = () => end('ended'); frame.src = '${url}'; document.body.append(frame); })`,
};

test('requests of every kind reach an allowed origin, and no other one on this machine', async () => {
  for (const [way, scriptOf] of Object.entries(WAYS)) {
    const before = friend.requests.length;
    await valueOf(scriptOf(`${friend.origin}/`));
    await until(() => friend.requests.length > before || friend.connections > before, way);
    await valueOf(scriptOf(`${secret.origin}/${encodeURIComponent(way)}`));
  }
  assert.ok(friend.requests.length >= 5);
  assert.deepEqual([secret.connections, secret.requests], [0, []]);
  assert.match(
    await logs(),
    /\[network\] http:\/\/127\.0\.0\.1:\d+\/fetch: it is not on the internet, and the user has not allowed/,
  );
});

test('no notation of an address gets past the rules', async () => {
  const hosts = [
    'localhost',
    '127.0.0.1',
    '[::1]',
    '0.0.0.0',
    '2130706433',
    '127.1',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost.',
  ];
  for (const host of hosts) {
    const url = `http://${host}:${secret.port}/`;
    assert.equal(await valueOf(WAYS['fetch']!(url)), 'failed', host);
    assert.equal((await call('navigate', { url })).isError, true, host);
  }
  for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'http://192.168.0.1/']) {
    const { isError, text } = await call('navigate', { url });
    assert.equal(isError, true);
    assert.match(text, /cannot be opened: it is not on the internet, and the user has not allowed this origin/);
  }
  assert.equal(secret.connections, 0);
});

test('a redirect, a form and a link do not lead to a refused origin, and the error names it', async () => {
  site.target = `${secret.origin}/after-redirect`;
  const { isError, text } = await call('navigate', { url: `${site.origin}/redirect` });
  assert.equal(isError, true);
  assert.equal(
    text,
    `${site.origin}/redirect was not loaded: ${secret.origin}: it is not on the internet, and the user has not allowed this origin`,
  );
  await call('navigate', { url: `${site.origin}/` });
  for (const script of [
    `document.body.innerHTML = '<form action="${secret.origin}/form" method=post>'; document.forms[0].submit()`,
    `location.href = '${secret.origin}/location'`,
    `open('${secret.origin}/window')`,
    `document.head.innerHTML = '<meta http-equiv=refresh content="0; url=${secret.origin}/refresh">'`,
  ]) {
    const refusals = async () => (await logs()).split(`[network] ${secret.origin}`).length;
    const before = await refusals();
    await call('evaluate', { script: `${script}; 1` });
    await until(async () => (await refusals()) > before || script.startsWith('open'), script);
    await call('navigate', { url: `${site.origin}/` });
  }
  assert.equal(secret.connections, 0);
});

test('what browsers send outside of ordinary requests is not sent', async () => {
  const { port } = udp.address();
  await call('evaluate', {
    script: `document.head.innerHTML = '<link rel=preconnect href=${secret.origin}><link rel=prefetch href=${secret.origin}/prefetch><link rel=dns-prefetch href=//secret.example>'; navigator.sendBeacon('${secret.origin}/beacon', 'x')`,
  });
  const transport = `typeof WebTransport === 'undefined' ? 'none' : new WebTransport('https://127.0.0.1:${port}/').ready.then(() => 'open', () => 'failed')`;
  await valueOf(transport);
  await valueOf(`(async () => {
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: 'stun:127.0.0.1:${port}' },
      { urls: ['turn:127.0.0.1:${port}?transport=udp', 'turn:127.0.0.1:${secret.port}?transport=tcp'], username: 'a', credential: 'b' },
    ] });
    peer.createDataChannel('data');
    await peer.setLocalDescription();
    while (peer.iceGatheringState !== 'complete') await new Promise((next) => { peer.onicegatheringstatechange = next; });
  })()`);
  // What was sent before this would have arrived.
  assert.equal(await valueOf(WAYS['fetch']!(`${friend.origin}/`)), 'loaded');
  assert.deepEqual([secret.connections, datagrams], [0, 0]);
});

test('service workers are not installed', async () => {
  await valueOf(`navigator.serviceWorker.register('/worker.js').then(() => 1, () => 0)`);
  assert.deepEqual(await valueOf(`navigator.serviceWorker.getRegistrations().then((all) => all.length)`), 0);
  assert.ok(!site.requests.includes('/worker.js'));
});

test('local files and the pages of the browser are not opened, neither by the model nor by a page', async () => {
  const file = `file://${FILE}`;
  for (const url of [
    file,
    file.toUpperCase(),
    ` ${file}`,
    `view-source:${site.origin}/`,
    'chrome://version',
    'devtools://x',
    'javascript:1',
    'filesystem:x',
    'blob:x',
    'ftp://x',
    'about:config',
  ]) {
    const { isError, text } = await call('navigate', { url });
    assert.equal(isError, true, url);
    assert.match(text, /URLs cannot be opened here|That is not a URL/, url);
  }
  await call('navigate', { url: `${site.origin}/form` });
  await call('click', { selector: '#file' });
  for (const script of [
    `location.href = '${file}'`,
    `open('${file}')`,
    `location.href = 'chrome://version'`,
    `location.href = 'view-source:${site.origin}/'`,
    `document.body.innerHTML = '<iframe src="${file}"></iframe><object data="${file}"></object>'`,
    `document.head.innerHTML = '<meta http-equiv=refresh content="0; url=${file}">'`,
  ])
    await call('evaluate', { script: `${script}; 1` });
  assert.equal(await valueOf(`fetch('${file}').then(() => 'loaded', () => 'failed')`), 'failed');
  assert.match(String(await valueOf('location.href')), /^http/);
  assert.doesNotMatch(
    JSON.stringify(
      await valueOf(
        '[document.title, ...Array.from(frames, (frame) => { try { return frame.document.title } catch { return "" } })]',
      ),
    ),
    /Secret/,
  );
});

test('a page in a data URL is shown, and is as restricted as others', async () => {
  const { text } = await call('navigate', {
    url: `data:text/html,<title>Data</title><img src="${secret.origin}/data">`,
  });
  assert.match(text, /^Navigated to data:/);
  assert.equal(await valueOf('document.title'), 'Data');
  assert.equal(secret.connections, 0);
});

test('neither a result nor an error shows the password of a URL', async () => {
  for (const address of [site.origin, secret.origin, 'http://nobody.invalid']) {
    const result = await peer.result('puppeteer_navigate', { url: address.replace('://', '://ann:sesame@') });
    assert.doesNotMatch(JSON.stringify(result), /sesame/);
  }
  assert.doesNotMatch(await logs(), /sesame/);
});
