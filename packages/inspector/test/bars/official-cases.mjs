// What the official inspector shows for faulty servers: its texts, and screenshots.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { browse, launch, wait, wall, watchedPage } from './measure.mjs';
import { fixture } from './procedures.mjs';

async function inBrowser(driver, target, act) {
  const web = await launch(driver.web(target), { find: driver.urlIn, env: driver.env });
  const browser = await browse();
  try {
    const { page } = await watchedPage(browser, web.value);
    return await act(page);
  } finally {
    await browser.close();
    await web.stop();
  }
}

async function inShell(driver, target, ...args) {
  const { code, stdout, stderr } = await wall(driver.cli(target, ...args), { env: driver.env });
  return { code, stdout: stdout.slice(0, 1_000), stderr: stderr.slice(-1_000) };
}

function textsOf(page) {
  return page.locator('main').innerText();
}

/** Fills in the form of a tool, calls it if possible, and returns the text of the page before and after. */
function called(driver, out, name, [server, tool, values]) {
  return inBrowser(driver, fixture(server), async (page) => {
    await driver.connect(page);
    await driver.open(page, tool);
    await driver.fill(page, values);
    await wait(500);
    await page.screenshot({ path: join(out, `${name}-form.png`) });
    const form = await textsOf(page);
    if (!(await driver.callable(page))) return { form, result: 'The tool cannot be called.' };
    await driver.call(page);
    await wait(2_000);
    await page.screenshot({ path: join(out, `${name}.png`) });
    return { form, result: await textsOf(page) };
  });
}

/** Tries to connect and returns the text of the page afterwards. */
function connecting(driver, out, name, target) {
  return inBrowser(driver, target, async (page) => {
    await page.getByRole('switch', { name: /^Connect or disconnect/ }).click({ force: true });
    const told = page.getByRole('alert').filter({ hasText: /^Failed/ });
    await told.waitFor({ timeout: 30_000 });
    await wait(500);
    await page.screenshot({ path: join(out, `${name}.png`) });
    return { alert: await told.innerText(), all: await textsOf(page) };
  });
}

/** An address on which nothing listens. */
async function nowhere() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return `http://127.0.0.1:${port}/mcp`;
}

/** Runs one of our servers over HTTP while `act` uses its address. */
async function address(name, act) {
  const [command, ...args] = fixture(name, '--http');
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    return await act(url);
  } finally {
    child.stdin.end();
    child.kill();
  }
}

/** Options for an address that does not end in `/mcp` or `/sse`: it is refused without a transport. */
function at(url) {
  return ['--transport', 'http', '--server-url', url];
}

const LIST = ['--method', 'tools/list'];
function call(tool, ...args) {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...args];
}

export async function cases(driver, out) {
  const A = {
    web: await called(driver, out, 'A', ['wrong-output', 'forecast', { city: 'Oslo' }]),
    cli: await inShell(driver, fixture('wrong-output'), ...call('forecast', 'city=Oslo')),
  };
  const B = {
    web: await inBrowser(driver, fixture('banner'), async (page) => {
      await driver.connect(page);
      await page.getByText('Console', { exact: true }).click();
      await wait(1_000);
      await page.screenshot({ path: join(out, 'B.png') });
      return page.locator('body').innerText();
    }),
    cli: await inShell(driver, fixture('banner'), ...LIST),
  };
  const D = {
    number: await inShell(driver, fixture('shapes'), ...call('plain', 'number=x')),
    text: await inShell(driver, fixture('shapes'), ...call('plain', 'text=true')),
    big: await inShell(driver, fixture('shapes'), ...call('big', 'id=9007199254740993')),
    web: await called(driver, out, 'D', ['shapes', 'big', { id: '9007199254740993' }]),
  };
  const wrongPath = await address('wrong-path', async (url) => ({
    web: await connecting(driver, out, 'E-wrong-path', at(url)),
    cli: await inShell(driver, at(url), ...LIST),
  }));
  const E = { wrongPath };
  for (const [name, target] of [
    ['exits', fixture('exits')],
    ['refused', at(await nowhere())],
    ['missing', ['no-such-program-anywhere', 'serve']],
  ])
    E[name] = {
      web: await connecting(driver, out, `E-${name}`, target),
      cli: await inShell(driver, target, ...LIST),
    };
  return { A, B, D, E };
}
