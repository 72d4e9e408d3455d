#!/usr/bin/env node
// For `npx tenon`, which installs only this package. The command is in @tenon/cli, so that servers do not install it.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

async function findCommand() {
  try {
    return dirname(require.resolve('@tenon/cli/package.json'));
  } catch {
    const name = '@tenon/cli';
    const { version } = require('../package.json');
    const { npmPackage } = await import('../dist/entries/internal-npm.js');
    return npmPackage({ name, version }, () => process.stderr.write(`Installing ${name} ${version}\n`));
  }
}

try {
  await import(pathToFileURL(join(await findCommand(), 'bin', 'tenon.js')).href);
} catch (error) {
  process.stderr.write(`The command is in @tenon/cli, which could not be loaded: ${error.message}\n`);
  process.stderr.write('Try: npm install @tenon/cli\n');
  process.exitCode = 1;
}
