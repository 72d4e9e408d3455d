// Skills in a folder.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { server } from 'tenon';
import { connect } from 'tenon/client';
import { skillsOf } from '../src/client.ts';
import { skills } from '../src/index.ts';
import { readSkills } from '../src/node.ts';

const base = mkdtempSync(join(tmpdir(), 'tenon-skills-'));
after(() => rmSync(base, { recursive: true, force: true }));

function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\nDo it.\n`;
}
let folders = 0;
function folderOf(files: Record<string, string | Uint8Array>): string {
  const folder = join(base, `folder-${++folders}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test('each directory with a SKILL.md is a skill, and the directories around it are in its URI', async () => {
  const folder = folderOf({
    'pdf/SKILL.md': skillText('pdf'),
    'pdf/references/FORMS.md': '# Forms',
    'pdf/references/inner/SKILL.md': skillText('inner'),
    'pdf/.git/config': 'hidden',
    'acme/billing/refunds/SKILL.md': skillText('refunds'),
    'acme/README.md': 'no skill',
  });
  const found = await readSkills(folder);
  assert.deepEqual(
    found.map(({ uri }) => uri),
    ['skill://acme/billing/refunds/SKILL.md', 'skill://pdf/SKILL.md'],
  );
  await using client = await connect(server({ name: 'docs', providers: [skills(found)] }));
  const pdf = await skillsOf(client).load('skill://pdf/SKILL.md');
  assert.equal(pdf.instructions, 'Do it.\n');
  assert.deepEqual(pdf.files, ['SKILL.md', 'references/FORMS.md', 'references/inner/SKILL.md']);
  assert.equal((await pdf.read('references/FORMS.md')).text, '# Forms');
});

test('a folder that is itself a skill is read, with another location if one is given', async () => {
  const folder = join(folderOf({ 'pdf/SKILL.md': skillText('pdf') }), 'pdf');
  assert.deepEqual(
    (await readSkills(folder)).map(({ uri }) => uri),
    ['skill://pdf/SKILL.md'],
  );
  assert.deepEqual(
    (await readSkills(folder, { under: 'acme' })).map(({ uri }) => uri),
    ['skill://acme/pdf/SKILL.md'],
  );
});

test('bytes are published unchanged: line endings, a byte order mark, and binary data', async () => {
  const text = `\ufeff${skillText('odd').replaceAll('\n', '\r\n')}`;
  const folder = folderOf({ 'odd/SKILL.md': text, 'odd/raw': Uint8Array.of(0xff, 0xfe, 0) });
  await using client = await connect(server({ name: 'docs', providers: [skills(await readSkills(folder))] }));
  const odd = await skillsOf(client).load('skill://odd/SKILL.md');
  assert.equal(odd.instructions, 'Do it.\r\n');
  assert.deepEqual((await odd.read('raw')).bytes, Uint8Array.of(0xff, 0xfe, 0));
  assert.equal((await odd.read('raw')).text, undefined);
});

test('files that cannot be published are refused with their path and the reason', async () => {
  const link = folderOf({ 'a/SKILL.md': skillText('a') });
  symlinkSync('/etc', join(link, 'a', 'etc'));
  const large = folderOf({ 'a/SKILL.md': skillText('a'), 'a/big': '' });
  truncateSync(join(large, 'a', 'big'), 16 * 1024 * 1024);
  const many = folderOf({
    'a/SKILL.md': skillText('a'),
    ...Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`a/${at}`, ''])),
  });
  for (const [folder, message] of [
    [folderOf({ 'README.md': '' }), /no SKILL\.md/],
    [folderOf({ 'a/SKILL.md': skillText('b') }), /must be called 'b'/],
    [folderOf({ 'a/SKILL.md': 'no frontmatter' }), /folder-\d+.a cannot be published: .*begin with frontmatter/],
    [link, /a.etc cannot be published: it is a symbolic link/],
    [large, /more than 16777216 bytes/],
    [many, /more than 512 files/],
  ] as const)
    await assert.rejects(readSkills(folder), { name: 'DefinitionError', code: 'invalid-definition', message });
  await assert.rejects(readSkills(join(base, 'none')), { code: 'ENOENT' });
});
