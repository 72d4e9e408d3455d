import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { until } from '../../../../scripts/lib/until.ts';
import { type Opened, openWeb } from './fixtures/web-client.ts';

// Threat A-90 in a real browser: the limits of a server's HTML in its frame.

const place = new URL('../../../../scripts/lib/chromium.ts', import.meta.url).href;
const found = (
  (await import(place)) as { browserForTests(): { readonly path: string } | { readonly missing: string } }
).browserForTests();

/** Acts as the page of the inspector with the frame. */
const HOST = `
const { origin, frame } = await (await fetch('/api/sandbox')).json();
window.taken = [];
window.came = [];
window.show = (html, query, params) => {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  addEventListener('message', ({ source, origin: from, data }) => {
    const own = source === element.contentWindow && from === origin;
    window.came.push({ own, from, data });
    if (!own) return;
    window.taken.push(data);
    if (data.method === 'ui/notifications/sandbox-proxy-ready')
      window.tell({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html, ...params } });
  });
  window.tell = (message) => element.contentWindow.postMessage(message, origin);
  element.src = frame + query;
  document.body.append(element);
};
document.title = 'ready';
`;

interface Message {
  readonly method?: string;
  readonly params?: any;
}

describe('[A-90] HTML of a server', { skip: 'missing' in found && found.missing }, () => {
  let opened: Opened;
  let browser: Browser;
  /** An unrelated server, which records its visits. */
  let other: Server;
  let otherOrigin: string;
  const visits: string[] = [];
  let otherPage = '';
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tenon-frame-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', 'host.js'), HOST);
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><body><script type="module" src="/assets/host.js"></script>',
    );
    opened = await openWeb({ assets: folder });
    other = createServer((request, response) => {
      if (request.url !== '/favicon.ico') visits.push(request.url!);
      response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' }).end(otherPage);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    otherOrigin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    if ('missing' in found) return;
    browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser?.close();
    other?.closeAllConnections();
    other?.close();
    await opened?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Shows HTML in the frame. Returns functions to read its messages. */
  const show = async (html: string, query = '', params: object = {}) => {
    visits.length = 0;
    const context = await browser.newContext();
    const [name, value] = opened.cookie.split('=') as [string, string];
    await context.addCookies([
      { name, value, url: `http://127.0.0.1:${opened.web.port}`, httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${opened.web.port}/`);
    await page.waitForFunction(() => document.title === 'ready');
    await page.evaluate(([html, query, params]) => (globalThis as any).show(html, query, params), [
      html,
      query,
      params,
    ] as const);
    const taken = (): Promise<Message[]> => page.evaluate(() => (globalThis as any).taken);
    const wait = async (method: string): Promise<Message> => {
      let all: Message[] = [];
      await until(
        async () => (all = await taken()).some((message) => message.method === method),
        () => `${method} in ${JSON.stringify(all)}`,
      );
      return all.find((message) => message.method === method)!;
    };
    return { page, taken, wait, end: () => context.close() };
  };

  /** Opens the unrelated server in another page of the browser: any earlier request to it has arrived by then. */
  const somebodyVisits = async (): Promise<void> => {
    const page = await browser.newPage();
    await page.goto(`${otherOrigin}/afterwards`);
    await page.close();
  };

  const script = (text: string): string =>
    `<!doctype html><p>app<script>
      const say = (method, params) => parent.postMessage({ jsonrpc: '2.0', method, params }, '*');
      const attempt = (act) => { try { return String(act()); } catch (error) { return error.name; } };
      ${text}
    </script>`;

  test('runs its scripts without an origin, and reaches neither the inspector nor the storage of the browser', async () => {
    const { wait, page, end } = await show(
      script(`say('report', {
        origin: self.origin,
        parent: attempt(() => parent.document.title),
        top: attempt(() => top.document.title),
        frame: attempt(() => frameElement),
        storage: attempt(() => localStorage.length),
        cookie: attempt(() => document.cookie),
        leave: attempt(() => { top.location.href = '${otherOrigin}/top'; }),
        open: attempt(() => window.open('${otherOrigin}/open')),
        evil: attempt(() => eval('1 + 1')),
      });`),
    );
    assert.deepEqual((await wait('report')).params, {
      origin: 'null',
      parent: 'SecurityError',
      top: 'SecurityError',
      frame: 'null',
      storage: 'SecurityError',
      cookie: 'SecurityError',
      leave: 'SecurityError',
      open: 'null',
      evil: 'EvalError',
    });
    await somebodyVisits();
    assert.equal(page.url(), `http://127.0.0.1:${opened.web.port}/`);
    assert.deepEqual(visits, ['/afterwards']);
    await end();
  });

  test('reaches no server: no fetch, image, script, form or frame, and not the inspector', async () => {
    const to = (path: string): string => `${otherOrigin}/${path}`;
    const { wait, end } = await show(
      `<!doctype html><link rel=prefetch href="${to('prefetch')}"><link rel=stylesheet href="${to('style')}">
       <img src="${to('img')}"><script src="${to('script')}"></script><iframe src="${to('iframe')}"></iframe>
       <object data="${to('object')}"></object><video src="${to('video')}"></video>
       <form id=f action="${to('form')}" method=post></form><base href="${to('base')}/"><img src=x>` +
        script(`
        f.submit();
        navigator.sendBeacon('${to('beacon')}', 'x');
        try { new EventSource('${to('events')}'); } catch {}
        try { new WebSocket('${to('ws').replace('http', 'ws')}'); } catch {}
        Promise.allSettled([fetch('${to('fetch')}'), fetch('http://127.0.0.1:${opened.web.port}/api/state', { credentials: 'include' }),
          import('${to('import')}')])
          .then((all) => setTimeout(() => say('report', all.map(({ status }) => status)), 300));`),
    );
    assert.deepEqual((await wait('report')).params, ['rejected', 'rejected', 'rejected']);
    await somebodyVisits();
    assert.deepEqual(visits, ['/afterwards']);
    await end();
  });

  test('reaches the declared origins, and its messages reach the inspector through the frame', async () => {
    const { wait, page, end } = await show(
      script(`
        addEventListener('message', ({ data }) => say('echo', data));
        fetch('${otherOrigin}/declared').then(() => say('fetched', {}), () => say('failed', {}));`),
      `&connect=${encodeURIComponent(otherOrigin)}`,
    );
    await wait('fetched');
    assert.deepEqual(visits, ['/declared']);
    await page.evaluate(() => (globalThis as any).tell({ jsonrpc: '2.0', method: 'hello', params: { n: 1 } }));
    assert.deepEqual((await wait('echo')).params, { jsonrpc: '2.0', method: 'hello', params: { n: 1 } });
    await end();
  });

  test('cannot send messages as the frame, nor to the inspector directly', async () => {
    const { wait, taken, page, end } = await show(
      script(`
        say('ui/notifications/sandbox-proxy-ready', {});
        say('ui/notifications/sandbox-resource-ready', { html: '<script>parent.postMessage({jsonrpc:"2.0",method:"replaced"},"*")</scr' + 'ipt>', sandbox: 'allow-same-origin' });
        top.postMessage({ jsonrpc: '2.0', method: 'forged' }, '*');
        parent.postMessage('no message', '*');
        parent.postMessage({ method: 'no version' }, '*');
        setTimeout(() => say('report', self.origin), 200);`),
    );
    assert.equal((await wait('report')).params, 'null');
    assert.deepEqual(
      (await taken()).map(({ method }) => method),
      ['ui/notifications/sandbox-proxy-ready', 'report'],
    );
    const came = await page.evaluate(() => (globalThis as any).came as { own: boolean; from: string; data: Message }[]);
    const forged = came.find(({ data }) => data.method === 'forged')!;
    assert.deepEqual([forged.own, forged.from], [false, 'null']);
    await end();
  });

  test('never gets scripts together with an origin, even if the inspector requests it', async () => {
    const { wait, page, end } = await show(script(`say('report', self.origin)`), '', {
      sandbox: 'allow-scripts allow-same-origin allow-top-navigation',
      permissions: { camera: {} },
    });
    assert.equal((await wait('report')).params, 'null');
    const shown = await page.frames()[1]!.evaluate(() => document.querySelector('iframe')!.outerHTML);
    assert.match(shown, / sandbox="allow-scripts" allow="" /);
    await end();
  });

  test('is removed when it navigates, and the new page gets no messages', async () => {
    for (const how of [
      `location.href = '${otherOrigin}/gone'`,
      `location.reload()`,
      `document.querySelector('meta')`,
    ]) {
      const refresh = how.startsWith('document') ? `<meta http-equiv=refresh content="0;url=${otherOrigin}/meta">` : '';
      const { wait, taken, page, end } = await show(refresh + script(`setTimeout(() => { ${how} }, 50)`));
      await wait('ui/notifications/sandbox-left');
      assert.deepEqual(visits, [], how);
      await page.evaluate(() => (globalThis as any).tell({ jsonrpc: '2.0', method: 'secret' }));
      assert.ok(!(await taken()).some(({ method }) => method === 'echo'));
      await end();
    }
  });

  test('runs no scripts if they are disabled', async () => {
    const { taken, page, end } = await show(script(`say('report', 1)`) + '<p>shown', '', { scripts: false });
    // A script would have run before the element after it exists.
    await until(async () => (await page.frames().at(-1)!.locator('p').allTextContents()).at(-1) === 'shown');
    await somebodyVisits();
    assert.deepEqual(
      (await taken()).map(({ method }) => method),
      ['ui/notifications/sandbox-proxy-ready'],
    );
    const inner = page.frames().at(-1)!;
    assert.equal(await inner.locator('p').last().textContent(), 'shown');
    await end();
  });

  test('is not shown by a page of another origin', async () => {
    visits.length = 0;
    const page: Page = await browser.newPage();
    const frame = JSON.parse((await opened.get('/api/sandbox')).text).frame as string;
    const host = HOST.replace(
      /^.*\/api\/sandbox.*$/m,
      `const frame = ${JSON.stringify(frame)}, origin = ${JSON.stringify(new URL(frame).origin)};`,
    );
    otherPage = `<!doctype html><body><script type=module>${host}; show('x', '', {})</script>`;
    await page.goto(otherOrigin);
    await page.waitForFunction(() => document.title === 'ready');
    await somebodyVisits();
    assert.deepEqual(await page.evaluate(() => (globalThis as any).came), []);
    await page.close();
  });
});
