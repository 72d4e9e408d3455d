import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { inspected, type Looking, settle } from './harness.ts';
import { at, everything } from './servers.ts';

// The screen Auth: each hop of a login.

function hopsOf(page: Page): Locator {
  return page.getByRole('list', { name: 'Steps' }).locator(':scope > li');
}

/** Every hop: its outcome, its title, and its clause. */
function hopTexts(page: Page): Promise<(readonly [string, string])[]> {
  return hopsOf(page).evaluateAll((items) =>
    items.map(
      (item) =>
        [
          item.querySelector('[class*=badge]')!.textContent,
          `${item.querySelector('h2')!.textContent} | ${[...item.querySelectorAll('[class*=dim]')].at(-1)?.textContent}`,
        ] as const,
    ),
  );
}

/** Logs in on the page of the authorization server, and gives consent. */
async function logIn({ page, context }: Looking, account = 'Ann', answer = 'Yes'): Promise<void> {
  const [login] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: /^Log in at/ }).click(),
  ]);
  await login.getByRole('button', { name: account }).click();
  await login.getByText(/act for you/).waitFor();
  await login.getByRole('button', { name: answer }).click();
  await login.getByText(/ogged in/).waitFor();
  await login.close();
}

inspected(
  'each hop is shown with its request, its clause and its outcome, and the login is completed in the page',
  async (t) => ({ servers: { it: await at(t, 'protected') }, visits: true }),
  async (looking) => {
    const { page, go } = looking;
    await page.getByText('login required').first().waitFor();
    await go('auth/it');
    await page.getByText('Waiting for you to log in').waitFor();
    await logIn(looking);
    await page.getByText('Logged in.', { exact: true }).waitFor();
    assert.deepEqual(await hopTexts(page), [
      ['pass', 'The server requires authentication | RFC 9728, section 5.1'],
      ['pass', 'Metadata of the protected resource | RFC 9728, section 3'],
      ['pass', 'Metadata of the authorization server | RFC 8414, section 3'],
      ['pass', 'Registration of the client | RFC 7591, section 3'],
      ['pass', 'The user logs in | OAuth 2.1, section 4.1.1; PKCE: section 7.5'],
      ['pass', 'The code is exchanged for a token | OAuth 2.1, section 4.1.3; RFC 8707, section 2'],
    ]);
    const [, resource, , , , token] = await hopsOf(page).all();
    await resource!
      .getByText(/It protects http:.*authorization servers: http:.*scopes: notes:read, notes:write/)
      .waitFor();
    await token!.getByText(/A token of the type \w+; good for \d+ s; for notes:read/).waitFor();
    await token!.getByText('Request and answer').click();
    await token!.getByText(/grant_type=authorization_code/).waitFor();
    await token!.getByText(/code_verifier=\[redacted\]/).waitFor();
    const said = (await token!.textContent())!;
    assert.doesNotMatch(said, /eyJ/, 'no token is shown');
    await go('explore/it/tools/whoami');
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('Ann').waitFor();
  },
);

inspected(
  'it pauses before each hop, and continues one by one with the Enter key',
  async (t) => ({ servers: { it: await at(t, 'protected') }, visits: true }),
  async (looking) => {
    const { page, go, trace } = looking;
    await go('auth/it');
    await page.getByText('Waiting for you to log in').waitFor();
    await page.getByRole('button', { name: 'Stop before each step' }).click();
    await page.getByRole('button', { name: 'Start the login again' }).click();
    const before = (await trace()).filter(({ kind }) => kind === 'auth').length;
    for (const [hop, title] of [
      [1, 'Metadata of the protected resource'],
      [2, 'Metadata of the authorization server'],
      [3, 'Registration of the client'],
      [4, 'The user logs in'],
    ] as const) {
      const item = hopsOf(page).nth(hop);
      await item.getByText('paused', { exact: true }).waitFor();
      await item.getByRole('heading', { name: title }).waitFor();
      // The hop has not happened: each earlier one has two lines.
      const lines = (await trace()).filter(({ kind }) => kind === 'auth').length;
      assert.equal(lines - before, (hop - 1) * 2, title);
      await item.getByRole('button', { name: 'Continue' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
    }
    await page.getByRole('link', { name: /^Log in at/ }).waitFor();
    await page.getByRole('button', { name: 'Stop before each step' }).click();
    await logIn(looking, 'Bob');
    await page.getByText('Logged in.', { exact: true }).waitFor();
    // Pending requests would begin the next login.
    await settle(page);
    await page.getByRole('button', { name: 'Forget the login' }).click();
    await page.getByText('The login was forgotten.').waitFor();
    assert.equal(await hopsOf(page).count(), 0);
  },
);

inspected(
  'every screen says that a call waits for a login',
  async (t) => ({ servers: { it: await at(t, 'protected') }, visits: true }),
  async (looking) => {
    const { page, context, go } = looking;
    await go('auth/it');
    await logIn(looking);
    await page.getByText('Logged in.', { exact: true }).waitFor();
    await settle(page);
    await page.getByRole('button', { name: 'Forget the login' }).click();
    await page.getByText('The login was forgotten. The server asks for a new one').waitFor();
    await go('explore/it/tools/whoami');
    await page.getByRole('button', { name: /^Send/ }).click();
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: /^Auth/ }).getByLabel('1 waiting').waitFor();
    await page.getByRole('banner').getByText('login required').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Log in', exact: true }).click();
    // Ann is still logged in at the authorization server.
    const [login] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: /^Log in at/ }).click(),
    ]);
    await login.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Logged in.', { exact: true }).waitFor();
    await page
      .getByRole('banner')
      .getByText(/^connected/)
      .waitFor();
    assert.equal(await screens.getByLabel(/waiting/).count(), 0);
  },
);

inspected(
  'a denied consent is reported as such, and the login can be retried',
  async (t) => ({ servers: { it: await at(t, 'protected') }, visits: true }),
  async (looking) => {
    const { page, go } = looking;
    await go('auth/it');
    await logIn(looking, 'Ann', 'No');
    await page.getByText('The login failed.').waitFor();
    const hop = hopsOf(page).filter({ hasText: 'The user logs in' });
    await hop.getByText('fail', { exact: true }).waitFor();
    await hop.getByText('access_denied').waitFor();
    await page
      .getByRole('group', { name: 'Problem' })
      .getByText(/access_denied/)
      .waitFor();
    await page.getByRole('button', { name: 'Start the login again' }).click();
    await page.getByRole('link', { name: /^Log in at/ }).waitFor();
  },
);

inspected(
  'servers that are processes show that they have no login',
  async (t) => ({ servers: { everything, it: await at(t, 'official-v2') } }),
  async ({ page, go }) => {
    await go('auth/everything');
    await page.getByText('This server is a process on this machine').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'it', exact: true }).click();
    await page.getByText('Connected, without a login.').waitFor();
  },
);

/** Returns the marks of server scripts that ran. */
function sprung(page: Page): Promise<unknown> {
  return page.evaluate(() => (window as { sprung?: unknown }).sprung);
}

inspected(
  '[CVE-2025-58444] an authorization endpoint that is a script is rejected, and the metadata are blamed',
  async (t) => ({ servers: { it: await at(t, 'hostile-auth', 'address') } }),
  async ({ page, go }) => {
    await go('auth/it');
    const hop = hopsOf(page).filter({ hasText: 'Metadata of the authorization server' });
    await hop.getByText('fail', { exact: true }).waitFor();
    await hop.getByText(/authorization_endpoint .* is not used: it is not https/).waitFor();
    const problem = page.getByRole('group', { name: 'Problem' });
    await problem.getByText('server', { exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^Log in at/ }).count(), 0);
    assert.deepEqual(await page.locator('a[href^="javascript" i]').count(), 0);
    assert.equal(await sprung(page), undefined);
  },
);

inspected(
  '[CVE-2025-6514] an address that is a command for a shell is a link with its host, and nothing is started',
  async (t) => ({ servers: { it: await at(t, 'hostile-auth', 'shell') } }),
  async ({ page, go }) => {
    await go('auth/it');
    const link = page.getByRole('link', { name: 'Log in at h.example' });
    assert.match((await link.getAttribute('href'))!, /^https:\/\/h\.example\//);
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
  },
);

for (const trap of ['refuses', 'token'])
  inspected(
    `what an authorization server says when it refuses is text, and runs nowhere: ${trap}`,
    async (t) => ({ servers: { it: await at(t, 'hostile-auth', trap) }, visits: true }),
    async ({ page, go, context }) => {
      await go('auth/it');
      const [login] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: /^Log in at/ }).click(),
      ]);
      await login.waitForURL(/\/callback/);
      assert.equal(await sprung(login), undefined);
      const problem = page.getByRole('group', { name: 'Problem' });
      await problem
        .getByText(/<img src=x onerror=/)
        .first()
        .waitFor();
      await page.getByText('The login failed.').waitFor();
      assert.equal(await sprung(page), undefined);
      assert.equal(await page.locator('main :is(img, script, iframe, form)').count(), 0);
    },
  );
