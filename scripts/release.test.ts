// The packages can be published, and the workflows that do it are sound.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { filesUnder, root } from './lib/files.ts';
import { publishedPackages } from './lib/published.ts';
import { releaseProblems } from './lib/publish.ts';

const packages = publishedPackages();
const manifests = packages.map(({ manifest }) => manifest);

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

test('every package but the shared and private one is published, each under the name of its folder', () => {
  const named = packages.map(({ folder, manifest }) => [folder, manifest.name]);
  const expected = packages.map(({ folder }) => {
    const [parent, name] = folder.split('/') as [string, string];
    if (parent === 'servers') return [folder, `@tenon/server-${name}`];
    return [folder, name === 'sdk' ? 'tenon' : `@tenon/${name}`];
  });
  assert.deepEqual(named, expected);
  const all = filesUnder('packages').concat(filesUnder('servers'));
  const folders = all.filter((path) => /^[^/]+\/[^/]+\/package\.json$/.test(path));
  assert.deepEqual(folders.length - packages.length, 1, 'only @tenon/values is private');
});

test('every package has what npm and its users need', () => {
  for (const { folder, manifest } of packages) {
    assert.equal(manifest.license, 'MIT', folder);
    assert.equal(manifest.type, 'module', folder);
    assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true }, folder);
    assert.match(manifest.engines!.node!, /^>=2\d/, folder);
    assert.ok(manifest.files!.includes('dist') && manifest.files!.includes('!dist/.stamp'), folder);
    assert.equal(textOf(`${folder}/LICENSE`), textOf('LICENSE'), folder);
    assert.match(textOf(`${folder}/README.md`), /^# /, folder);
    for (const path of Object.values(manifest.bin ?? {})) {
      assert.ok(manifest.files!.includes('bin') && existsSync(join(root, folder, path)), folder);
      assert.ok(textOf(`${folder}/${path}`).startsWith('#!/usr/bin/env node\n'), folder);
    }
  }
});

test('the version of this commit can be released once the changelog has its date', () => {
  const { version } = manifests[0]!;
  assert.match(version, /^0\./);
  const changelog = `## [${version}] - 2026-12-01\n`;
  assert.deepEqual(releaseProblems({ tag: `v${version}`, manifests, changelog }), []);
});

test('a release with another tag, other versions or no entry in the changelog is refused', () => {
  const given = [
    { name: 'tenon', version: '0.2.0', peerDependencies: { '@tenon/store': '0.1.0', other: '^1.0.0' } },
    { name: '@tenon/store', version: '0.1.0', dependencies: { tenon: '^0.2.0' } },
  ];
  assert.deepEqual(releaseProblems({ tag: 'v0.2.0', manifests: given, changelog: '## [0.2.0]\n' }), [
    'tenon needs @tenon/store 0.1.0, not 0.2.0',
    '@tenon/store has the version 0.1.0, and the tag is v0.2.0',
    '@tenon/store needs tenon ^0.2.0, not 0.2.0',
    'CHANGELOG.md has no heading ## [0.2.0] - <date>',
  ]);
  assert.match(releaseProblems({ tag: 'release-1', manifests: [], changelog: '' })[0]!, /is not a tag of a version/);
});

test('the changelog has the form of Keep a Changelog', () => {
  const headings = textOf('CHANGELOG.md')
    .split('\n')
    .filter((line) => line.startsWith('#'));
  assert.equal(headings[0], '# Changelog');
  assert.equal(headings[1], '## [Unreleased]');
  for (const heading of headings.slice(2))
    assert.match(
      heading,
      /^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$|^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/,
    );
});

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly needs?: string;
        readonly 'timeout-minutes': number;
        readonly permissions?: Readonly<Record<string, string>>;
        readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
      }
    >
  >;
}

const workflows = filesUnder('.github/workflows').map((path) => [path, parse(textOf(path)) as Workflow] as const);

test('a workflow runs only actions of a fixed commit and tasks that exist, in a limited time, and may only read', () => {
  assert.equal(workflows.length, 2);
  for (const [path, { permissions, jobs }] of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, path);
    for (const { steps, 'timeout-minutes': limit } of Object.values(jobs)) {
      assert.ok(limit > 0, path);
      for (const { uses, run, with: options } of steps) {
        if (uses !== undefined) assert.match(uses, /^actions\/[\w-]+@[0-9a-f]{40}$/, path);
        if (uses?.startsWith('actions/checkout@') === true)
          assert.deepEqual(options, { 'persist-credentials': false }, path);
        const [, task] = /^node scripts\/run\.mjs (\S+)/.exec(run ?? '') ?? [];
        if (task !== undefined) assert.ok(textOf('scripts/run.mjs').includes(`['${task}', `), `${path}: ${task}`);
        else if (run !== undefined) assert.ok(existsSync(join(root, run)), `${path}: ${run}`);
        // The shell gets names of branches and tags as variables, never as a part of the script.
        assert.doesNotMatch(run ?? '', /\$\{\{/, path);
      }
    }
  }
});

test('a release runs every check before, and only the job that publishes has an identity', () => {
  const { jobs } = new Map(workflows).get('.github/workflows/release.yml')!;
  assert.deepEqual(Object.keys(jobs), ['check', 'publish']);
  const commands = jobs['check']!.steps.flatMap(({ run }) => run ?? []);
  assert.ok(commands.includes('.ci/run') && commands.includes('node scripts/run.mjs release-trial'));
  assert.equal(jobs['check']!.permissions, undefined);
  assert.equal(jobs['publish']!.needs, 'check');
  assert.deepEqual(jobs['publish']!.permissions, { contents: 'read', 'id-token': 'write' });
  assert.ok(jobs['publish']!.steps.at(-1)!.run!.endsWith(' --publish'));
});
