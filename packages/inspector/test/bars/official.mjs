// Measures the official inspector. Run by hand, with the folder in which it is installed:
//   node packages/inspector/test/bars/official.mjs <folder> [--only start,first,list,filter,flood,reload,install,cases] [--runs 3] [--out <folder>]
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { install, machine, median, times, withFolder } from './measure.mjs';
import { cases } from './official-cases.mjs';
import { filtering, firstResult, flood, listing, reloads, starts } from './procedures.mjs';

const PACKAGE = '@modelcontextprotocol/inspector';
const VERSION = '2.12.0';

/** Where to click in version 2.12.0 of the official inspector. */
export function officialDriver(folder, home) {
  const inspector = join(folder, 'node_modules', PACKAGE, 'clients/launcher/build/index.js');
  if (!existsSync(inspector)) throw new Error(`${PACKAGE} is not installed in ${folder}`);
  return {
    env: { HOME: home, MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory', CLIENT_PORT: '6391' },
    web: (target) => [process.execPath, inspector, '--web', ...target],
    list: (target) => [process.execPath, inspector, '--cli', ...target, '--method', 'tools/list'],
    cli: (target, ...args) => [process.execPath, inspector, '--cli', ...target, ...args],
    urlIn: (output) => /http:\/\/127\.0\.0\.1:\d+\?MCP_INSPECTOR_API_TOKEN=\w+/.exec(output)?.[0],
    async connect(page) {
      const connection = page.getByRole('switch', { name: /^Connect or disconnect/ });
      const tools = page.getByRole('radio', { name: 'Tools', exact: true });
      await connection.or(tools).first().waitFor({ state: 'attached' });
      if ((await tools.count()) === 0) await connection.click({ force: true });
      await page.getByText('Tools', { exact: true }).first().click();
    },
    open: (page, tool) => page.getByRole('button', { name: new RegExp(`(^|\\s)${tool}$`) }).click(),
    async fill(page, values) {
      for (const [name, value] of Object.entries(values))
        await page.getByRole('textbox', { name: new RegExp(`^${name}( \\*)?$`) }).fill(String(value));
    },
    call: (page) => page.getByRole('button', { name: 'Execute Tool' }).click(),
    search: (page) => page.getByPlaceholder('Search tools...'),
    rows: 'button',
    callable: (page) => page.getByRole('button', { name: 'Execute Tool' }).isEnabled(),
  };
}

const FLOODS = [200, 500, 1_000, 2_000, 5_000];

function measurements(driver, runs, out) {
  return {
    start: () => starts(driver, runs),
    first: () => firstResult(driver, runs),
    list: () => listing(driver, runs),
    async flood() {
      const rows = [];
      for (const count of FLOODS) {
        const all = await times(runs, () => flood(driver, count));
        const blockedMs = all.map((each) => (each.finished ? each.blockedMs : Infinity));
        rows.push(all.find((_, n) => blockedMs[n] === median(blockedMs)));
        console.error(rows.at(-1));
      }
      return rows;
    },
    filter: () => filtering(driver, runs),
    reload: () => times(2, (n) => reloads(driver, [5, 50][n])),
    async install() {
      const all = await times(runs, () => install(`${PACKAGE}@${VERSION}`));
      return { ...all[0], seconds: median(all.map(({ seconds }) => seconds)) };
    },
    cases: () => cases(driver, out),
  };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      runs: { type: 'string', default: '3' },
      out: { type: 'string', default: '.' },
    },
  });
  const [folder] = positionals;
  if (folder === undefined) throw new Error('Say the folder in which the official inspector is installed');
  await mkdir(values.out, { recursive: true });
  await withFolder(async (home) => {
    const all = measurements(officialDriver(folder, home), Number(values.runs), values.out);
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
