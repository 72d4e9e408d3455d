// The notebook as a host sees it: a process of its own, served by `tenon run`, on every revision.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { connect, ToolError, revisions } from 'tenon/client';
import type app from './server.ts';

const here = import.meta.dirname;
const command = {
  command: process.execPath,
  args: [join(here, '../../packages/cli/bin/tenon.js'), 'run', join(here, 'server.ts')],
};

for (const revision of revisions) {
  // The revisions before 2025-06-18 cannot ask the user, and give structured results as text.
  const old = revision < '2025-06-18';

  describe(`notes on ${revision}`, () => {
    test('tools, resources, templates, a prompt and completion', async () => {
      await using client = await connect<typeof app>(command, { revision });
      assert.equal(client.revision, revision);
      assert.equal(client.server?.name, 'notes');
      assert.match(client.instructions ?? '', /Search before you add/);

      let progress = 0;
      const answer = await client.call(
        'search_notes',
        { text: 'LISBON' },
        { onProgress: (at) => (progress = at.progress) },
      );
      const found = { found: [{ id: '2', title: 'Trip' }] };
      assert.deepEqual(answer, found);
      assert.equal(progress, 2);

      assert.equal((await client.read('note:///1')).contents[0]?.text, 'Bread, apples, coffee');
      await assert.rejects(client.read('note:///9'), { message: 'Resource not found: note:///9' });
      assert.deepEqual(
        (await client.resources().all()).map(({ name }) => name),
        ['Groceries', 'Trip'],
      );
      assert.deepEqual((await client.complete({ template: 'note:///{id}' }, { argument: 'id', value: '' })).values, [
        '1',
        '2',
      ]);
      const { messages } = await client.prompt('tidy', { by: 'topic' });
      assert.match(JSON.stringify(messages), /propose an order by topic/);
    });

    test('a new note is told to whoever watches, and can be read', async () => {
      await using client = await connect<typeof app>(command, { revision });
      const watch = client.watch({ list: 'resources' });
      await watch.ready;
      const { content } = await client.result('add_note', { title: 'Call', body: 'Call the dentist' });
      assert.match(JSON.stringify(content), /note:\/\/\/3/);
      for await (const change of watch) {
        assert.deepEqual(change, { list: 'resources', missed: false });
        break;
      }
      assert.equal((await client.read('note:///3')).contents[0]?.text, 'Call the dentist');
    });

    test('a note is deleted only with the consent of the user', async () => {
      let sure = false;
      const asked: string[] = [];
      await using client = await connect<typeof app>(command, {
        revision,
        elicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { sure } };
        },
      });
      await assert.rejects(
        client.call('delete_note', { id: '7' }),
        (error) => error instanceof ToolError && /no note 7/.test(error.message),
      );
      if (old) {
        await assert.rejects(client.call('delete_note', { id: '1' }), ToolError);
        return;
      }

      assert.equal(await client.call('delete_note', { id: '1' }), 'Kept it.');
      sure = true;
      assert.equal(await client.call('delete_note', { id: '1' }), 'Deleted "Groceries".');
      assert.deepEqual(asked, ['Delete "Groceries"?', 'Delete "Groceries"?']);
      assert.deepEqual(
        (await client.resources().all()).map(({ name }) => name),
        ['Trip'],
      );
    });
  });
}
