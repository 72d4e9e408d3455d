// The published packages: runs each server from its tarball, and checks its README.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon/client';
import { startArguments } from './start-arguments.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'tenon-servers-'));
after(() => rm(folder, { recursive: true, force: true }));
const names = (await readdir(join(root, 'servers'))).filter((name) =>
  existsSync(join(root, 'servers', name, 'package.json')),
);

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, [...args], { cwd, encoding: 'utf8' });
}

/** The file of each package. Packed at once, because a start of npm takes longer than the packing. */
const tarballs = new Map(
  (
    JSON.parse(
      run(
        'npm',
        [
          ...['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
          ...names.map((name) => join(root, 'servers', name)),
        ],
        root,
      ),
    ) as { name: string; filename: string }[]
  ).map(({ name, filename }) => [name, join(folder, filename.replace('@', '').replace('/', '-'))]),
);

for (const name of names)
  test(`${name} runs from its tarball with only its dependencies, and its README covers all its tools, prompts and options`, async () => {
    const source = join(root, 'servers', name);
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      bin: Record<string, string>;
    };
    const place = join(folder, name, 'node_modules', '@tenon', `server-${name}`);
    await mkdir(place, { recursive: true });
    run('tar', ['-xzf', tarballs.get(`@tenon/server-${name}`)!, '--strip-components=1', '-C', place], folder);
    for (const dependency of Object.keys(manifest.dependencies)) {
      const at = join(folder, name, 'node_modules', dependency);
      await mkdir(dirname(at), { recursive: true });
      await symlink(join(root, 'node_modules', dependency), at);
    }
    const bin = join(place, Object.values(manifest.bin)[0]!);
    await using client = await connect({
      command: process.execPath,
      args: [bin, ...(startArguments(folder)[name] ?? [])],
    });
    const tools = (await client.tools().all()).map((tool) => tool.name);
    assert.ok(tools.length > 0);
    assert.equal(client.server?.icons?.length, 1);

    const readme = await readFile(join(source, 'README.md'), 'utf8');
    const prompts =
      client.capabilities.prompts === undefined ? [] : (await client.prompts().all()).map((prompt) => prompt.name);
    for (const known of [...tools, ...prompts])
      assert.ok(readme.includes(`\`${known}\``), `its README does not know ${known}`);
    const help = run(process.execPath, [bin, '--help'], folder);
    for (const [, option] of help.matchAll(/^ {2}--([\w-]+)/gm))
      if (option !== 'help') assert.ok(readme.includes(`\`--${option}\``), `its README does not know --${option}`);
    assert.ok(readme.includes(`tenon run ${name}`));
  });
