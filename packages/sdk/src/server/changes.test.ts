import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../scripts/lib/until.ts';
import { type Change, createChanges } from './changes.ts';

test('what is announced several times before anything waits is told once, in the order it was announced first', async () => {
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

test('who no longer listens hears nothing more, also of what was announced before', async () => {
  const changes = createChanges();
  let heard = 0;
  const end = changes.subscribe(() => void heard++);
  changes.announce({ list: 'tools' });
  end();
  end();
  await turns();
  assert.equal(heard, 0);
});

test('without listeners nothing is kept', async () => {
  const changes = createChanges();
  let heard = 0;
  changes.announce({ list: 'tools' });
  changes.subscribe(() => void heard++);
  await turns();
  assert.equal(heard, 0);
});

test('a change that is announced while changes are told is told, too', async () => {
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
