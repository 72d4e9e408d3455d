// Drives the tools of a host with the libraries that call models, each against a local server that speaks like its provider.
//   npm run model-libraries [-- --only=langchain]
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installPinned } from '../scripts/lib/pinned-install.ts';
import { runTool } from '../scripts/lib/tools.ts';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
installPinned(here, 'Installing the libraries (model-libraries/package.json), about 170 MB');

// The tools have to fit the types of each library, too.
const types = runTool('typescript7', ['-p', here], { command: 'tsc' });
const files = readdirSync(here).filter((name) => name.endsWith('.test.ts') && name.includes(values.only));
if (files.length === 0) throw new Error('No test file matches');
const tests = spawnSync(process.execPath, ['--test', ...files], { cwd: here, stdio: 'inherit' });
process.exitCode = types.status !== 0 || tests.status !== 0 ? 1 : 0;
