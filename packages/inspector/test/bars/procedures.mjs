// The measurements, the same for every inspector. A driver knows how to start its inspector and where to click:
//   web(target)       the command line that opens the browser side for a server; `env` goes with it
//   urlIn(output)     the address it printed, if it did
//   connect(page)     makes sure that the page shows the tools of the connected server
//   open(page, tool)  opens a tool; fill(page, values) fills in its form; call(page) calls it
//   search(page)      the field that filters the tools; `rows` is a selector that finds, among others, the rows of the list
//   list(target)      the command line that lists the tools of a server
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  blocked,
  browse,
  clickToText,
  firstPaint,
  metricsOf,
  launch,
  liveWith,
  median,
  times,
  wait,
  wall,
  watchedPage,
} from './measure.mjs';

const here = createRequire(import.meta.url);
/** The official everything server, which every inspector connects to. */
export const everything = [process.execPath, here.resolve('@modelcontextprotocol/server-everything/dist/index.js')];

export function fixture(name, ...args) {
  return [process.execPath, fileURLToPath(new URL(`../fixtures/servers/${name}.ts`, import.meta.url)), ...args];
}

export function medians(rows) {
  return Object.fromEntries(
    Object.keys(rows[0]).map((key) => {
      const values = rows.map((row) => row[key]);
      return [key, values.every((value) => typeof value === 'number') ? median(values) : values[0]];
    }),
  );
}

export async function withWeb(driver, target, act) {
  const web = await launch(driver.web(target), { find: driver.urlIn, env: driver.env });
  const browser = await browse();
  try {
    return await act({ web, browser });
  } finally {
    await browser.close();
    await web.stop();
  }
}

/** Times from the command line until the address is printed, and from then until the page shows something. */
export async function starts(driver, runs) {
  return medians(
    await times(runs, () =>
      withWeb(driver, everything, async ({ web, browser }) => {
        const { page, scriptBytes } = await watchedPage(browser, web.value);
        const paintMs = await firstPaint(page);
        return { urlMs: web.ms, paintMs, scriptKB: scriptBytes() / 1_000 };
      }),
    ),
  );
}

/**
 * Times from a click to the result of a tool that answers at once, and from the command line to it with clicks as fast as
 * possible.
 */
export async function firstResult(driver, runs) {
  return medians(
    await times(runs, async () => {
      const started = performance.now();
      return withWeb(driver, everything, async ({ web, browser }) => {
        const { page } = await watchedPage(browser, web.value);
        await driver.connect(page);
        await driver.open(page, 'echo');
        await driver.fill(page, { message: 'Guten Morgen' });
        const clickMs = await clickToText(page, () => driver.call(page), 'Echo: Guten Morgen');
        const fromLaunchMs = performance.now() - started;
        return { clickMs, fromLaunchMs };
      });
    }),
  );
}

/** Times the list of tools on the command line. */
export async function listing(driver, runs) {
  return medians(
    await times(runs, async () => {
      const { ms, firstMs, code, stdout } = await wall(driver.list(everything), { env: driver.env });
      if (code !== 0 || !stdout.includes('get-sum'))
        throw new Error(`It did not list the tools, and ended with ${code}`);
      return { firstMs, ms };
    }),
  );
}

/** Runs in the page. */
function hasRow([rows, name]) {
  return [...document.querySelectorAll(rows)].some(({ textContent }) => textContent.includes(name));
}
function watchRows([rows, name]) {
  const look = (since) => {
    const still = [...document.querySelectorAll(rows)].some(({ textContent }) => textContent.includes(name));
    if (still) requestAnimationFrame(() => look(since));
    else globalThis.bars.filteredMs = performance.now() - since;
  };
  addEventListener('input', ({ timeStamp }) => requestAnimationFrame(() => look(timeStamp)), {
    capture: true,
    once: true,
  });
}

/** Times a search among 2,000 tools until the list shows only the matches. */
export async function filtering(driver, runs) {
  return medians(
    await times(runs, () =>
      withWeb(driver, fixture('many'), async ({ web, browser }) => {
        const { page, cdp } = await watchedPage(browser, web.value);
        await driver.connect(page);
        await page.waitForFunction(hasRow, [driver.rows, 'github_list_issue']);
        const { nodes } = await metricsOf(cdp);
        await page.evaluate(watchRows, [driver.rows, 'github_list_issue']);
        await driver.search(page).fill('jira_create_issue');
        const filterMs = await (await page.waitForFunction(() => globalThis.bars.filteredMs)).jsonValue();
        if (!(await page.evaluate(hasRow, [driver.rows, 'jira_create_issue'])))
          throw new Error('The search lost the tool');
        return { filterMs, nodes };
      }),
    ),
  );
}

/** Measures one call that causes `count` log messages. */
export function flood(driver, count, limitMs = 300_000) {
  return withWeb(driver, fixture('flood'), async ({ web, browser }) => {
    const watched = await watchedPage(browser, web.value);
    await driver.connect(watched.page);
    await driver.open(watched.page, 'flood');
    await driver.fill(watched.page, { count });
    const before = await metricsOf(watched.cdp);
    const done = `Sent ${count} messages`;
    const after = await blocked(watched, () => driver.call(watched.page), { done, limitMs });
    return { count, ...after, nodesBefore: before.nodes };
  });
}

/** Measures messages at a steady rate, by default 10,000 per second for 10 seconds. */
export function sustained(driver, { perSecond = 10_000, seconds = 10, limitMs = 300_000 } = {}) {
  return withWeb(driver, fixture('flood'), async ({ web, browser }) => {
    const watched = await watchedPage(browser, web.value);
    await driver.connect(watched.page);
    await driver.open(watched.page, 'sustained');
    await driver.fill(watched.page, { perSecond, seconds });
    const done = `Sent ${perSecond * seconds} messages`;
    return blocked(watched, () => driver.call(watched.page), { done, limitMs });
  });
}

/** Reloads the page `count` times, connecting if it is not connected, and counts the processes of the server. */
export async function reloads(driver, count) {
  const tag = `--reloads-${process.pid}-${Date.now()}`;
  let counts = {};
  await withWeb(driver, fixture('flood', tag), async ({ web, browser }) => {
    // The process that started the server has the tag in its arguments as well.
    const children = async () => (await liveWith(tag)).filter((pid) => pid !== web.pid).length;
    const { page } = await watchedPage(browser, web.value);
    await driver.connect(page);
    const connected = await children();
    for (let n = 0; n < count; n++) {
      await page.reload();
      await driver.connect(page);
    }
    const live = await children();
    await browser.close();
    await wait(30_000);
    counts = { connected, live, after30s: await children() };
  });
  await wait(1_000);
  return { reloads: count, ...counts, afterQuit: (await liveWith(tag)).length };
}
