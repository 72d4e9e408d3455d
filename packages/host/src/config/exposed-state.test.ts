import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createHost } from '../host.ts';
import { findExposedState } from './exposed-state.ts';
import type { ServerConfig } from './server-config.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-exposed-')));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ['work', 'state']) mkdirSync(join(folder, name));
symlinkSync(folder, join(folder, 'work', 'link'), 'junction');

type Given = Partial<Pick<ServerConfig, 'roots'>> & { readonly args?: readonly string[]; readonly cwd?: string };

/** The folder that the warning about a server names; undefined without a warning. */
function exposedBy({ args = [], cwd, roots }: Given, ofHost: readonly string[] = []): string | undefined {
  const launch = { kind: 'stdio', command: 'files', args, env: {}, ...(cwd === undefined ? {} : { cwd }) } as const;
  const configs: ServerConfig[] = [{ alias: 'files', launch, ...(roots === undefined ? {} : { roots }) }];
  const [warning] = findExposedState({ state: 'state', configs, roots: ofHost, folder });
  return warning === undefined ? undefined : /folder (.+), in which/.exec(warning)![1];
}

test('a server that is given a folder with the state is found, however it is given', () => {
  const inside = join(folder, 'state');
  const found: readonly (readonly [string | undefined, Given, (readonly string[])?])[] = [
    [folder, { args: ['run', 'filesystem', '.'] }],
    [folder, { args: [folder] }],
    [folder, { args: [`--root=${folder}`] }],
    [folder, { args: ['..'], cwd: 'work' }],
    [folder, { args: ['${workspaceFolder}'] }],
    [inside, { args: ['state'] }],
    [join(folder, 'work', 'link'), { args: ['work/link'] }],
    [folder, { roots: [pathToFileURL(folder).href] }],
    [folder, {}, [folder]],
    [undefined, { args: ['run', 'filesystem', 'work'] }],
    [undefined, { args: ['--verbose', '--db-path', 'state.db', ''] }],
    [undefined, { roots: [join(folder, 'work')] }, [folder]],
    [undefined, { roots: ['file:///a%2Fb', 'file://elsewhere/a'] }],
  ];
  for (const [expected, given, ofHost] of found)
    assert.equal(exposedBy(given, ofHost), expected, JSON.stringify(given));
});

test('the host reports it as a problem, also of a server that is given in code', async () => {
  const problems: string[] = [];
  const servers = { files: { command: process.execPath, args: ['--eval', '0', folder] } };
  await using host = await createHost({ servers, state: join(folder, 'state'), approve: () => ({ allow: false }) });
  host.on((event) => event.kind === 'problem' && problems.push(event.message));
  await host.start();
  assert.match(problems[0]!, /^Server 'files' is given the folder .+, in which the `state` of this host is/);
});
