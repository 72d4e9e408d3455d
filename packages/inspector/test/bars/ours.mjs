// Measures our inspector, as official.mjs measures the official one. Run by hand, with the folder of the packed packages (npm pack):
//   node packages/inspector/test/bars/ours.mjs <folder> [--only start,first,list,filter,flood,sustained,reload,trace,install] [--runs 3]
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { finished } from 'node:stream/promises';
import { parseArgs, promisify } from 'node:util';
import { blocked, browse, install, launch, machine, median, times, wait, watchedPage, withFolder } from './measure.mjs';
import {
  filtering,
  firstResult,
  fixture,
  flood,
  listing,
  medians,
  reloads,
  starts,
  sustained,
  withWeb,
} from './procedures.mjs';

const run = promisify(execFile);

/** Where to click in our inspector. */
export function ourDriver(folder, home) {
  const tenon = join(folder, 'node_modules/@tenon/cli/bin/tenon.js');
  return {
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home },
    web: (target) => [process.execPath, tenon, 'inspect', '--no-open', '--', ...target],
    trace: (file) => [process.execPath, tenon, 'inspect', '--no-open', file],
    list: (target) => [process.execPath, tenon, 'list', 'tools', '--', ...target],
    urlIn: (output) => /http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+/.exec(output)?.[0],
    // The page connects without a click.
    async connect(page) {
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Explore' }).click();
      await page.getByRole('treeitem', { name: /^Tools / }).waitFor();
    },
    async open(page, tool) {
      await page.getByRole('treeitem', { name: new RegExp(`^${tool}\\b`), level: 3 }).click();
      await page.getByRole('button', { name: /^Send/ }).waitFor();
    },
    async fill(page, values) {
      for (const [name, value] of Object.entries(values))
        await page.getByRole('textbox', { name: new RegExp(`^${name}\\b`) }).fill(String(value));
    },
    call: (page) => page.getByRole('button', { name: /^Send/ }).click(),
    search: (page) => page.getByRole('searchbox', { name: 'Filter' }),
    rows: '[role=treeitem]',
  };
}

/** Opens the Trace screen, which lists all messages and follows new ones. */
function lookAtTrace(page) {
  return page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Trace' }).click();
}

const SECONDS = 10;
const PER_SECOND = 10_000;

/** Runs in the page: makes the call with the same request as the page. */
async function callSustained(values) {
  const { servers } = await (await fetch('/api/state')).json();
  const body = { method: 'tools/call', params: JSON.stringify({ name: 'sustained', arguments: values }), key: 'bars' };
  const headers = { 'content-type': 'application/json' };
  await fetch(`/api/servers/${servers[0].id}/requests`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Measures messages at a steady rate while the Trace screen shows and follows them. */
function sustainedInTrace(driver, limitMs = 300_000) {
  return withWeb(driver, fixture('flood'), async ({ web, browser }) => {
    const watched = await watchedPage(browser, web.value);
    const { page } = watched;
    await driver.connect(page);
    await lookAtTrace(page);
    await page.getByRole('option').first().waitFor();
    await wait(1_000);
    const act = () => page.evaluate(callSustained, { perSecond: PER_SECOND, seconds: SECONDS });
    return blocked(watched, act, { done: `Sent ${PER_SECOND * SECONDS} messages`, limitMs });
  });
}

/** The median run by longest task. */
function middle(runs) {
  const longest = runs.map((each) => (each.finished ? each.longestMs : Infinity));
  return runs.find((_, n) => longest[n] === median(longest));
}

const TRACE_BYTES = 100_000_000;

/** Writes a trace of the size of a long day: calls with their answers. */
async function writeTrace(file) {
  const out = createWriteStream(file);
  const write = (value) => {
    const text = `${JSON.stringify(value)}\n`;
    bytes += text.length;
    return out.write(text) ? undefined : new Promise((done) => out.once('drain', done));
  };
  let bytes = 0;
  let n = 0;
  const session = 'shop#1';
  const words = 'the quick brown fox jumps over the lazy dog '.repeat(16);
  await write({ mcptrace: 1, began: '2026-01-01T00:00:00.000Z', by: 'bars' });
  const about = { name: 'shop', transport: 'stdio', target: 'node shop.js', recorder: 'client' };
  await write({ n: ++n, at: 0, session, kind: 'session', text: '', about });
  for (let id = 1; bytes < TRACE_BYTES; id++) {
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'find', arguments: { id, words } } };
    const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `${id}: ${words}` }] } };
    const message = (at, from, body) => ({ n: ++n, at, session, kind: 'message', from, text: JSON.stringify(body) });
    await write(message(id, 'client', call));
    await write(message(id + 0.5, 'server', answer));
  }
  out.end();
  await finished(out);
  return { bytes, lines: n };
}

/** Times from the command line until the lines of a trace are shown, and until all are counted. */
async function opensTrace(driver, folder, runs) {
  const file = join(folder, 'big.mcptrace');
  const { bytes, lines } = await writeTrace(file);
  const all = `${lines.toLocaleString('en')} lines`;
  const rows = await times(runs, async () => {
    const browser = await browse();
    const started = performance.now();
    const web = await launch(driver.trace(file), { find: driver.urlIn, env: driver.env });
    try {
      const { page } = await watchedPage(browser, web.value);
      await lookAtTrace(page);
      await page.getByRole('option').filter({ hasText: 'tools/call' }).first().waitFor();
      const linesMs = performance.now() - started;
      await page.getByRole('status').filter({ hasText: all }).first().waitFor({ timeout: 120_000 });
      return { urlMs: web.ms, linesMs, allMs: performance.now() - started };
    } finally {
      await browser.close();
      await web.stop();
    }
  });
  return { bytes, lines, ...medians(rows) };
}

/** Each package and the packages of ours that it needs. */
const NEEDS = {
  '@tenon/inspector': ['tenon', 'tenon-inspector'],
  '@tenon/cli': ['tenon', 'tenon-inspector', 'tenon-host', 'tenon-cli'],
};

async function packed(folder, names) {
  const files = await readdir(folder);
  return names.map((name) => {
    const file = files.find((each) => each.startsWith(`${name}-`) && /^-\d/.test(each.slice(name.length)));
    if (file === undefined) throw new Error(`${name} is not packed in ${folder}`);
    return resolve(folder, file);
  });
}

async function installs(packs, runs) {
  const results = {};
  for (const [name, needs] of Object.entries(NEEDS)) {
    const files = await packed(packs, needs);
    const all = await times(runs, () => install(...files));
    results[name] = { ...all[0], seconds: median(all.map(({ seconds }) => seconds)) };
  }
  return results;
}

function measurements(driver, { runs, packs, folder }) {
  return {
    start: () => starts(driver, runs),
    first: () => firstResult(driver, runs),
    list: () => listing(driver, runs),
    filter: () => filtering(driver, runs),
    trace: () => opensTrace(driver, folder, runs),
    async flood() {
      const rows = [];
      for (const count of [200, 1_000, 5_000]) {
        rows.push(middle(await times(runs, () => flood(driver, count))));
        console.error(rows.at(-1));
      }
      return rows;
    },
    async sustained() {
      const steady = { perSecond: PER_SECOND, seconds: SECONDS };
      const explore = middle(await times(runs, () => sustained(driver, steady)));
      console.error(explore);
      return { explore, trace: middle(await times(runs, () => sustainedInTrace(driver))) };
    },
    install: () => installs(packs, runs),
    reload: () => times(2, (n) => reloads(driver, [5, 50][n])),
  };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, runs: { type: 'string', default: '3' } },
  });
  const [packs] = positionals;
  if (packs === undefined) throw new Error('Say the folder of the packed packages');
  await withFolder(async (folder) => {
    const at = join(folder, 'installed');
    await mkdir(at);
    await writeFile(join(at, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', ...(await packed(packs, NEEDS['@tenon/cli']))], {
      cwd: at,
      shell: process.platform === 'win32',
    });
    const all = measurements(ourDriver(at, folder), { runs: Number(values.runs), packs, folder });
    const wanted = values.only?.split(',') ?? Object.keys(all);
    const results = { machine: machine(), runs: Number(values.runs) };
    for (const name of wanted) {
      if (all[name] === undefined) throw new Error(`There is no measurement ${name}: ${Object.keys(all).join(', ')}`);
      results[name] = await all[name]();
      console.error(name, results[name]);
    }
    console.log(JSON.stringify(results, undefined, 2));
  });
}

if (import.meta.main) await main();
