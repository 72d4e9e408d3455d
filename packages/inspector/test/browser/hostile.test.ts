import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { ADDRESSES, HOSTILE } from '../fixtures/hostile-strings.ts';
import { callTool, inspected, type Looking } from './harness.ts';

// Text of a server is shown as text everywhere: none of it runs, causes a request, or becomes a link to a hidden host. The
// harness fails each of these tests for a request to another origin, and for any violation of the page's policy.

const servers = { hostile: command('hostile') };

/** Asserts that no script ran, and that no dangerous element was created. */
async function inert(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => ({
    sprung: (window as { sprung?: unknown }).sprung ?? null,
    made: [...document.querySelectorAll('main, aside, header, footer, [role=dialog]')].flatMap((part) =>
      [
        ...part.querySelectorAll(
          'script, iframe, object, embed, base, meta, form[action], link, style, img[src]:not([src^="blob:"]), [onload], [onerror], [onfocus]',
        ),
      ].map((element) => element.outerHTML.slice(0, 200)),
    ),
    links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href, rel, parentElement }) => ({
      href,
      rel,
      around: parentElement?.textContent ?? '',
    })),
    title: document.title,
  }));
  assert.equal(found.sprung, null, where);
  assert.deepEqual(found.made, [], where);
  assert.equal(found.title, 'Tenon Inspector', where);
  for (const { href, rel, around } of found.links) {
    const { protocol, host, origin } = new URL(href);
    const isOwn = origin === new URL(page.url()).origin || protocol === 'blob:';
    if (isOwn) continue;
    assert.match(protocol, /^https?:$/, `${where}: ${href}`);
    assert.equal(rel, 'noopener noreferrer', `${where}: ${href}`);
    assert.ok(around.includes(host), `${where}: the host of ${href} is seen`);
  }
}

/** Focuses every focusable element, and hovers over every visible one, to trigger event handlers. */
function provoke(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>('main *, aside *')) {
      if (element.tabIndex >= 0) element.focus({ preventScroll: true });
      for (const type of ['mouseover', 'mouseenter', 'pointerover'])
        element.dispatchEvent(new MouseEvent(type, { bubbles: type !== 'mouseenter' }));
    }
  });
}

/** The names of the items that a server offers. */
async function namesOf(page: Page, kind: string, key: string): Promise<string[]> {
  const { entries } = await page.evaluate(
    async (of) => (await (await fetch(`/api/servers/hostile/lists/${of}`)).json()) as { entries: string[] },
    kind,
  );
  return entries.map((text) => String((JSON.parse(text) as Record<string, unknown>)[key]));
}

const MAX_PLACE_LENGTH = 8_000;

/** Opens an item. Returns whether that was possible. */
async function openItem({ page, go }: Looking, kind: string, id: string): Promise<boolean> {
  const place = encodeURIComponent(id.toWellFormed());
  // An id that is too long for a URL is only in the tree.
  if (place.length > MAX_PLACE_LENGTH) return false;
  const before = await page.evaluate(() => document.querySelector('main h2')?.textContent ?? null);
  await go(`explore/hostile/${kind}/${place}`);
  // The item must differ from the one shown before.
  await page.waitForFunction((name) => (document.querySelector('main h2')?.textContent ?? null) !== name, before);
  await page.getByRole('button', { name: /^Send/ }).waitFor();
  return true;
}

/** Opens an item, and sends its initial arguments. */
async function run(looking: Looking, kind: string, id: string): Promise<void> {
  const { page } = looking;
  if (!(await openItem(looking, kind, id))) return;
  const button = page.getByRole('button', { name: /^Send/ });
  if (await button.isDisabled()) return;
  await button.click();
  await page.getByRole('region', { name: 'Result' }).getByRole('status').first().waitFor();
}

inspected(
  '[A-89] names, descriptions, schemas, defaults and results of tools are text',
  { servers, screen: { width: 1440, height: 4_000 } },
  async (looking) => {
    const { page } = looking;
    await inert(page, 'connect');
    const tools = await namesOf(page, 'tools', 'name');
    for (const name of tools.filter((one) => one.startsWith('carrier-'))) {
      await openItem(looking, 'tools', name);
      await inert(page, JSON.stringify(name.slice(0, 60)));
    }
    await provoke(page);
    await inert(page, 'after it was provoked');
    const [carrier = ''] = tools;
    for (const name of [carrier, 'everything', 'refuse', 'fail', 'links', 'chatter']) {
      await run(looking, 'tools', name);
      await provoke(page);
      await inert(page, name);
    }
    // A name with a lone surrogate cannot be in a URL, but can still be selected.
    await page.getByRole('searchbox', { name: 'Filter' }).fill('alone');
    await page.getByRole('treeitem', { name: /alone/ }).first().click();
    await page.getByRole('heading', { name: /^carrier-\d+ U\+D800 alone/ }).waitFor();
    // The text itself must be readable.
    await run(looking, 'tools', 'everything');
    const answer = page.getByRole('region', { name: 'Result' });
    await answer.getByRole('tab', { name: 'Content' }).click();
    await answer.getByText('<img src=x onerror=').first().waitFor();
    await answer.getByTitle('right-to-left override').first().waitFor();
  },
);

inspected(
  '[A-89] images, pages and binary data of a server are only shown',
  { servers, screen: { width: 1440, height: 3_000 } },
  async (looking) => {
    const { page } = looking;
    await run(looking, 'tools', 'blocks');
    await provoke(page);
    await inert(page, 'blocks');
    const uris = await namesOf(page, 'resources', 'uri');
    for (const uri of uris) {
      await run(looking, 'resources', uri);
      await inert(page, uri);
    }
    const prompts = await namesOf(page, 'prompts', 'name');
    for (const name of prompts.slice(0, 12)) {
      await openItem(looking, 'prompts', name);
      await inert(page, name);
    }
    await run(looking, 'prompts', prompts[0]!);
    await inert(page, 'a prompt');
  },
);

inspected(
  '[A-89] links of a server show their host, and are only http or https',
  { servers, screen: { width: 1440, height: 2_000 } },
  async (looking) => {
    const { page } = looking;
    await run(looking, 'tools', 'links');
    const hrefs = await page
      .getByRole('region', { name: 'Result' })
      .locator('a[target=_blank]')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    const followable = ADDRESSES.filter((address) => /^https?:\/\/[^@/]+(?:\/|$)/.test(address));
    assert.deepEqual(
      hrefs,
      followable.map((address) => new URL(address).href),
    );
    await page.getByText('opens xn--pypal-4ve.com').waitFor();
  },
);

inspected(
  '[A-89] questions of a server are text, and their URLs are not opened',
  { servers, screen: { width: 1440, height: 1_400 } },
  async ({ page, go }) => {
    await go('inbox');
    const question = page.getByRole('region', { name: 'The question' });
    /** Declines all questions of a tool. Returns their number. */
    const declineAll = async (tool: string): Promise<number> => {
      const { answer } = callTool(page, 'hostile', tool);
      const over = answer.then(() => 'over' as const);
      const next = page.getByRole('button', { name: /^Next:/ });
      const decline = question.getByRole('button', { name: 'Decline', exact: true });
      for (let count = 0; ; count++) {
        const there = await Promise.race([over, next.or(decline).first().waitFor()]);
        if (there === 'over') return count;
        if (await next.isVisible()) await next.click();
        await decline.waitFor();
        await inert(page, `${tool}, question ${count}`);
        if (count === 0) await provoke(page);
        await decline.click();
        await question.getByText(/^Answered/).waitFor();
      }
    };
    assert.equal(await declineAll('ask'), HOSTILE.length);
    // An invalid URL is rejected before the user could be asked.
    const asked = await declineAll('visit');
    assert.ok(asked > 0 && asked <= ADDRESSES.length, `${asked} pages`);
    assert.equal(await declineAll('sample'), 1);
  },
);

inspected(
  '[A-89] the trace, its lines, the palette and the checks show it as text',
  { servers, screen: { width: 1440, height: 2_000 } },
  async (looking) => {
    const { page, go, trace } = looking;
    for (const tool of ['chatter', 'refuse']) await callTool(page, 'hostile', tool).answer;
    await go('trace');
    await page.getByRole('option').first().waitFor();
    await provoke(page);
    await inert(page, 'trace');
    for (const { n } of (await trace()).slice(-8)) {
      await go(`trace?line=${n}`);
      await page
        .getByRole('complementary')
        .getByRole('heading', { name: `Line #${n}` })
        .waitFor();
      await inert(page, `line ${n}`);
    }
    await go('trace?lanes=1');
    await page.getByRole('region', { name: /^Lanes/ }).waitFor();
    await inert(page, 'lanes');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('carrier');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await inert(page, 'palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go('check/hostile');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('region', { name: 'Rows of the check' }).waitFor();
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    await provoke(page);
    await inert(page, 'check');
  },
);

inspected(
  '[A-90] an app read as a resource is text: no frame is created for it, and nothing of it runs',
  { servers: { app: command('app') } },
  async ({ page, go }) => {
    for (const uri of ['ui://app/escaping', 'ui://app/showing']) {
      await go(`explore/app/resources/${encodeURIComponent(uri)}`);
      await page.getByRole('button', { name: /^Send/ }).click();
      await page.getByRole('region', { name: 'Result' }).getByText('<!DOCTYPE html>').waitFor();
      assert.equal(page.frames().length, 1);
    }
    await callTool(page, 'app', 'escape').answer;
    assert.equal(page.frames().length, 1);
    await inert(page, 'app');
  },
);
