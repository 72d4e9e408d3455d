// Compiles snippets against the sources of the SDK, for tests of compiler messages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../../scripts/lib/files.ts';

const SDK = join(root, 'packages/sdk/src/entries');
const IMPORTS = `import { prompt, server, tool } from 'tenon';\nimport { connect } from 'tenon/client';\nimport { z } from 'zod';\nexport { connect, prompt, server, tool, z };\n`;

/** The messages of the compiler for each snippet, which is a module; `tenon`'s functions and `z` are imported. Empty for one without errors. */
export function compile(snippets: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-types-'));
  try {
    mkdirSync(join(folder, 'src'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    snippets.forEach((text, at) => writeFileSync(join(folder, `src/snippet${at}.ts`), `${IMPORTS}${text}\n`));
    const compilerOptions = {
      ...{ module: 'NodeNext', moduleResolution: 'NodeNext', moduleDetection: 'force', target: 'ES2022' },
      ...{ lib: ['ES2024', 'ESNext.Array', 'ESNext.Disposable'], types: ['node'], strict: true, skipLibCheck: true },
      ...{ noEmit: true, allowImportingTsExtensions: true, customConditions: ['tenon-source'] },
      paths: { tenon: [`${SDK}/index.ts`], 'tenon/*': [`${SDK}/*.ts`] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const args = [tsc, '-p', folder, '--pretty', 'false'];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder });
    const messages = snippets.map(() => '');
    for (const [, at, message] of stdout.matchAll(/^src\/snippet(\d+)\.ts\(\d+,\d+\): (error .*(?:\n .*)*)$/gm))
      messages[Number(at)] += `${message}\n`;
    // Errors elsewhere would hide those under test.
    if (messages.join('') === '' && stdout !== '') throw new Error(stdout);
    return messages;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
