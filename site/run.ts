// The documentation site.
//   npm run docs                    builds the site and serves it
//   npm run docs -- --port 8080     on another port than 4173
//   npm run docs -- build           builds it into site/dist
//   npm run docs -- check           builds it, and opens every page in Chromium
//   npm run docs -- --built         serves the site that is in site/dist; also with check

import { existsSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildSite } from './build.ts';
import { checkSite } from './check.ts';
import { DIST } from './folders.ts';
import { serveFolder } from './serve.ts';

const DEFAULT_PORT = 4173;
const COMMANDS = ['serve', 'build', 'check'];

/** Ends the process with a reason, and what to do about it. */
function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) fail(`--port is ${text}, but must be a number from 0 to 65535.`);
  return port;
}

async function serve(port: number): Promise<void> {
  const { url } = await serveFolder(DIST, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return fail(`Port ${port} is in use. Choose another: npm run docs -- --port ${port + 1}`);
  });
  console.log(`The documentation is at ${url} (Ctrl-C stops it).`);
}

async function check(): Promise<void> {
  const problems = await checkSite();
  for (const problem of problems) console.log(`FAIL ${problem}`);
  console.log(problems.length === 0 ? 'The site has no problems.' : `${problems.length} problems.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: String(DEFAULT_PORT) }, built: { type: 'boolean', default: false } },
});
const [command = 'serve', ...others] = positionals;
if (!COMMANDS.includes(command) || others.length > 0)
  fail(`Unknown: ${positionals.join(' ')}. Commands: ${COMMANDS.join(', ')}.`);
const port = readPort(values.port);

if (!values.built) buildSite();
else if (!existsSync(DIST)) fail('Nothing is built yet. Run npm run docs -- build');
if (command === 'serve') await serve(port);
else if (command === 'check') await check();
