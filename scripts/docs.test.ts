// The documentation is correct: its code compiles against the built packages, runs, and prints the shown output; its tables are
// those of the code; its links are valid.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import * as authProxy from '@tenon/auth-proxy';
import * as host from '@tenon/host';
import * as inspector from '@tenon/inspector';
import * as inspectorJson from '@tenon/inspector/json';
import * as inspectorTrace from '@tenon/inspector/trace';
import * as skills from '@tenon/skills';
import * as skillsClient from '@tenon/skills/client';
import * as skillsNode from '@tenon/skills/node';
import * as store from '@tenon/store';
import * as client from 'tenon/client';
import * as author from 'tenon';
import * as appsEntry from 'tenon/apps';
import * as auth from 'tenon/auth';
import * as http from 'tenon/http';
import * as middleware from 'tenon/middleware';
import * as node from 'tenon/node';
import * as otel from 'tenon/otel';
import * as forms from 'tenon/forms';
import * as schema from 'tenon/schema';
import * as testing from 'tenon/testing';
import { ERROR_CODES as hostCodes } from '../packages/host/src/values/error-codes.ts';
import { ERROR_CODES as inspectorCodes } from '../packages/inspector/src/values/error-codes.ts';
import { ERROR_CODES as skillCodes } from '../packages/skills/src/error-codes.ts';
import { ERROR_CODES as storeCodes } from '../packages/store/src/error-codes.ts';
import { ERROR_CODES as sdkCodes } from '../packages/sdk/src/protocol/error-codes.ts';
import { DEFAULT_LIMITS } from '../packages/sdk/src/protocol/limits.ts';
import { type Features, featuresOf } from '../packages/sdk/src/protocol/revision.ts';
import { encodeError } from '../packages/sdk/src/wire/errors.ts';
import { DEFAULT_SCHEMA_LIMITS } from '../packages/sdk/src/schema/validator/compile.ts';
import { filesUnder, root } from './lib/files.ts';
import { anchorsOf, linksOf } from './lib/markdown.ts';
import { layOut, readPage, type Snippet, withoutTimes } from './lib/snippets.ts';
import { examplesOf } from './lib/examples.ts';

const paths = filesUnder('.').filter((path) => path.endsWith('.md'));
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const pages = [...texts].map(([path, text]) => readPage(path, text));
const snippets = pages.flatMap((page) => page.snippets);
/** The entry points whose examples in doc comments are compiled. `npm run check` requires these examples. */
const entryPoints = [
  ['packages/sdk/src/entries/index.ts', author],
  ['packages/sdk/src/entries/client.ts', client],
  ['packages/sdk/src/entries/apps.ts', appsEntry],
  ['packages/sdk/src/entries/auth.ts', auth],
  ['packages/sdk/src/entries/forms.ts', forms],
  ['packages/sdk/src/entries/http.ts', http],
  ['packages/sdk/src/entries/middleware.ts', middleware],
  ['packages/sdk/src/entries/node.ts', node],
  ['packages/sdk/src/entries/otel.ts', otel],
  ['packages/sdk/src/entries/schema.ts', schema],
  ['packages/sdk/src/entries/testing.ts', testing],
  ['packages/auth-proxy/src/index.ts', authProxy],
  ['packages/skills/src/index.ts', skills],
  ['packages/skills/src/client.ts', skillsClient],
  ['packages/skills/src/node.ts', skillsNode],
  ['packages/store/src/index.ts', store],
  ['packages/host/src/index.ts', host],
  ['packages/inspector/src/index.ts', inspector],
  ['packages/inspector/src/json.ts', inspectorJson],
  ['packages/inspector/src/trace.ts', inspectorTrace],
] as const;
const comments = examplesOf(entryPoints.map(([path]) => path));
const examples = comments.pages.flatMap((page) => page.snippets);
const { folder, remove } = layOut([...snippets, ...examples]);
after(remove);

test('every code block says how it is used, and every output follows its block', () => {
  assert.deepEqual(
    [...pages, ...comments.pages].flatMap(({ problems }) => problems),
    [],
  );
  assert.ok(snippets.length > 30, 'the snippets were found');
});

test('the lines of files that the documentation shows are in these files', () => {
  const wrong = pages
    .flatMap(({ quotes }) => quotes)
    .filter(({ path: file, text }) => !readFileSync(join(root, file), 'utf8').includes(`${text}\n`));
  assert.deepEqual(
    wrong.map(({ at, path: file }) => `${at}: not in ${file}`),
    [],
  );
});

/** The functions of a module. Errors are classes. */
function functionsOf(module: object): string[] {
  return Object.entries(module)
    .filter(([, value]) => typeof value === 'function' && !(value.prototype instanceof Error))
    .map(([name]) => name);
}

test('the doc comments of every function of these entry points are read', () => {
  for (const [index, [path, module]] of entryPoints.entries())
    assert.deepEqual(comments.functions[index]!.toSorted(), functionsOf(module).toSorted(), path);
});

test('the code of the documentation and of the examples in doc comments compiles, strictly', () => {
  const tsc = join(root, 'node_modules/typescript7/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: folder,
  });
  const all = [...snippets, ...examples];
  const at = (name: string): string => all.find((snippet) => snippet.name === name)?.page ?? name;
  assert.equal(
    stdout.replaceAll(/^([\w-]+\.ts)\((\d+),\d+\)/gm, (_, name: string, line: string) => `${at(name)}:${line}`),
    '',
  );
});

const path = [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(
  process.platform === 'win32' ? ';' : ':',
);

async function runSnippet({ name, language }: Snippet): Promise<string> {
  const [file, args] = language === 'ts' ? [process.execPath, [name]] : ['sh', ['-e', name]];
  const { stdout } = await promisify(execFile)(file, args, {
    cwd: folder,
    timeout: 180_000,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
  });
  return stdout.trimEnd();
}

describe('the code of the documentation prints the shown output', { concurrency: 2 }, () => {
  for (const snippet of snippets.filter(({ run }) => run)) {
    test(`${snippet.page}, ${snippet.name}`, async () => {
      assert.equal(withoutTimes(await runSnippet(snippet)), withoutTimes(snippet.output.join('\n').trimEnd()));
    });
  }
});

/** The rows of the tables of a page whose first cell is code, by that code. */
function rowsOf(page: string): Map<string, string[]> {
  return new Map(
    texts
      .get(page)!
      .split('\n')
      .filter((line) => /^\| *`/.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('`', '')),
      )
      .map(([name, ...cells]) => [name!, cells]),
  );
}

/** The classes of errors that the packages export, by name. */
function errorClasses(): ReadonlySet<string> {
  const entries = [auth, author, client, host, http, inspector, inspectorJson, inspectorTrace];
  return new Set(
    [...entries, node, skillsClient, store, testing]
      .flatMap((entry) => Object.entries(entry))
      .flatMap(([name, value]) => (typeof value === 'function' && value.prototype instanceof Error ? [name] : [])),
  );
}

test('docs/errors.md has every code of the protocol and every class of error, and no other', () => {
  const names = [...rowsOf('docs/errors.md').keys()];
  assert.deepEqual(names.filter((name) => /^-?\d+$/.test(name)).sort(), Object.values(client.CODE).map(String).sort());
  assert.deepEqual(names.filter((name) => name.endsWith('Error')).sort(), [...errorClasses(), 'AbortError'].sort());
});

test('an error that the documentation throws reaches the client with its code in every revision', () => {
  const thrown = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/new ProtocolError\((-?[\d_]+)/g)].map(
      ([, code]) => [path, Number(code!.replaceAll('_', ''))] as const,
    ),
  );
  assert.ok(thrown.length > 0);
  for (const [path, code] of thrown)
    for (const revision of client.revisions)
      assert.equal(encodeError({ code, message: '' }, revision).code, code, `${path}: ${code} on ${revision}`);
});

test('docs/errors.md has the codes of every class, with their meaning, as the code has them', () => {
  const sections = texts.get('docs/errors.md')!.split(/^#{2,3} /m);
  const written = sections.flatMap((section) => {
    const [name = '', ...lines] = section.split('\n');
    const rows = lines.flatMap((line) => /^\| `([a-z-]+)` \| (.*) \|$/.exec(line)?.slice(1, 3) ?? []);
    return rows.length === 0 ? [] : [[name, rows]];
  });
  const tables = { ...sdkCodes, ...skillCodes, ...storeCodes, ...hostCodes, ...inspectorCodes };
  assert.deepEqual(
    Object.fromEntries(written),
    Object.fromEntries(Object.entries(tables).map(([name, codes]) => [name, Object.entries(codes).flat()])),
  );
});

test('every class of error has codes, and no other has: only those of protocol errors are numbers', () => {
  const names = Object.keys({ ...sdkCodes, ...skillCodes, ...storeCodes, ...hostCodes, ...inspectorCodes });
  assert.deepEqual([...names, 'ProtocolError'].sort(), [...errorClasses()].sort());
});

test('docs/limits.md has every limit with its default, and no other', () => {
  const schema = Object.entries(DEFAULT_SCHEMA_LIMITS).map(([name, value]) => [`schema.${name}`, value] as const);
  const rows = [...rowsOf('docs/limits.md')].map(([name, [value = '']]) => [name, Number(value.replaceAll(',', ''))]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries([...Object.entries(DEFAULT_LIMITS), ...schema]));
});

test('the doc comment of every limit has its default', () => {
  const source = readFileSync(join(root, 'packages/sdk/src/protocol/limits.ts'), 'utf8');
  const said = [...source.matchAll(/Default ([\d,]+)[^/]*\*\/\s+readonly (\w+): number/g)].map(
    ([, value = '', name = '']) => [name, Number(value.replaceAll(',', ''))],
  );
  assert.deepEqual(Object.fromEntries(said), DEFAULT_LIMITS);
});

function shownAs(value: Features[keyof Features]): string {
  return typeof value === 'boolean' ? (value ? 'yes' : '–') : value === 'none' ? '–' : String(value);
}

test('docs/revisions.md has every feature of every revision, and no other', () => {
  const features = Object.keys(featuresOf(author.revisions[0])) as (keyof Features)[];
  const expected = features.map((feature) => [
    feature,
    author.revisions.map((each) => shownAs(featuresOf(each)[feature])),
  ]);
  const rows = [...rowsOf('docs/revisions.md')].map(([name, cells]) => [name, cells.slice(0, author.revisions.length)]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(expected));
});

test('the links of the documentation are valid', () => {
  const broken: string[] = [];
  for (const [page, text] of texts) {
    for (const target of linksOf(text)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file, anchor] = target.split('#') as [string, string?];
      const path = file === '' ? page : join(dirname(page), file).replaceAll('\\', '/');
      if (!existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(texts.get(path) ?? '').includes(anchor)))
        broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});
