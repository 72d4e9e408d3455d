import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Change, createChanges } from './changes.ts';

test('a change that is announced several times within one turn is delivered once, in the order of the first announcements', async () => {
  const changes = createChanges();
  const heard: Change[] = [];
  changes.subscribe((change) => void heard.push(change));
  for (let time = 0; time < 3; time++) {
    changes.announce({ list: 'tools' });
    changes.announce({ uri: 'x:a' });
    changes.announce({ list: 'prompts' });
    // A URI that looks like the name of a list is not a list.
    changes.announce({ uri: 'tools' });
  }
  assert.deepEqual(heard, []);
  await turns();
  assert.deepEqual(heard, [{ list: 'tools' }, { uri: 'x:a' }, { list: 'prompts' }, { uri: 'tools' }]);
  changes.announce({ list: 'tools' });
  await turns();
  assert.equal(heard.length, 5);
});

test('a listener that unsubscribed receives nothing more, not even changes announced before', async () => {
  const changes = createChanges();
  let heard = 0;
  const end = changes.subscribe(() => void heard++);
  changes.announce({ list: 'tools' });
  end();
  end();
  await turns();
  assert.equal(heard, 0);
});

test('without listeners no changes are kept', async () => {
  const changes = createChanges();
  let heard = 0;
  changes.announce({ list: 'tools' });
  changes.subscribe(() => void heard++);
  await turns();
  assert.equal(heard, 0);
});

test('a change that is announced during delivery is delivered, too', async () => {
  const changes = createChanges();
  const heard: Change[] = [];
  changes.subscribe((change) => {
    heard.push(change);
    if (heard.length === 1) changes.announce({ uri: 'x:b' });
  });
  changes.announce({ uri: 'x:a' });
  await turns();
  assert.deepEqual(heard, [{ uri: 'x:a' }, { uri: 'x:b' }]);
});
