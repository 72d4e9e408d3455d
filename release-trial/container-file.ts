// Carries out a container file of two stages without a container: each stage is a folder, and its commands run there.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, matchesGlob, relative } from 'node:path';
import { until } from '../scripts/lib/until.ts';
import type { Newcomer } from './newcomer.ts';

interface Stage {
  readonly folder: string;
  readonly env: Record<string, string>;
  command: string;
  check: string | undefined;
}

function shellCommand(list: string): string {
  return (JSON.parse(list) as string[]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** Whether `.dockerignore` keeps a file of the project out of the image. */
function isIgnored(project: string, path: string): boolean {
  const patterns = readFileSync(join(project, '.dockerignore'), 'utf8').trim().split('\n');
  return patterns.some((pattern) => matchesGlob(relative(project, path), pattern));
}

/** Carries out `COPY [--from=build] <path>… <folder>`. */
function copy(rest: string, project: string, stage: Stage, build: Stage | undefined): void {
  const words = rest.split(' ');
  const isFromBuild = words[0] === '--from=build';
  const to = words.at(-1)!;
  for (const path of words.slice(isFromBuild ? 1 : 0, -1)) {
    const from = isFromBuild ? join(build!.folder, path.replace(/^\/app\//, '')) : join(project, path);
    const target = to === './' ? join(stage.folder, basename(path)) : join(stage.folder, to);
    const filter = (source: string): boolean => isFromBuild || !isIgnored(project, source);
    cpSync(from, target, { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** Builds and runs the container of a project, and its health check. */
export async function runContainerFile(user: Newcomer, path: string): Promise<void> {
  const project = join(user.folder, path);
  const text = readFileSync(join(project, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const stages: Stage[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, word = '', rest = ''] = /^(\w+) +(.*)$/.exec(line)!;
    if (word === 'FROM') {
      const folder = join(user.folder, 'stages', String(stages.length));
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      stages.push({ folder, env: {}, command: '', check: undefined });
      continue;
    }
    const stage = stages.at(-1)!;
    if (word === 'COPY') copy(rest, project, stage, stages[0]);
    else if (word === 'RUN') await user.run(rest, { cwd: join('stages', String(stages.length - 1)), env: stage.env });
    else if (word === 'ENV') for (const pair of rest.split(' ')) stage.env[pair.split('=')[0]!] = pair.split('=')[1]!;
    else if (word === 'CMD') stage.command = shellCommand(rest);
    else if (word === 'HEALTHCHECK') stage.check = shellCommand(rest.slice(rest.indexOf('CMD ') + 4));
    else assert.ok(['WORKDIR', 'USER', 'EXPOSE'].includes(word), `${word} is not known here`);
  }
  const { command, check, env } = stages.at(-1)!;
  const cwd = join('stages', String(stages.length - 1));
  if (check === undefined) {
    const called = await user.run(`npx tenon call greet name=Ada --text -- sh -c "cd ../${cwd} && ${command}"`, {
      cwd: 'app',
    });
    assert.equal(called, 'Hello, Ada!\n');
    return;
  }
  const running = user.start(command, { cwd, env });
  await until(
    () => running.output().includes('Serving') || running.isOver(),
    () => running.output(),
  );
  await user.run(check, { cwd, env });
  await running.stop();
}
