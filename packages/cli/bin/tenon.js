#!/usr/bin/env node
// npm links a command only if its file exists at installation, which is before the build.
import { existsSync } from 'node:fs';

const built = new URL('../dist/tenon.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  process.stderr.write('tenon is not built yet. In a clone of the repository: npm run build\n');
  process.exitCode = 1;
}
