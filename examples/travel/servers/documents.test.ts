// Documents in the folders that a client offers, in every revision.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connect, revisions } from 'tenon/client';
import { openTravelData } from './travel/data.ts';
import { travelServer } from './travel.ts';

const base = await mkdtemp(join(tmpdir(), 'travel-documents-'));
after(() => rm(base, { recursive: true, force: true }));
const [plans, templates, archive] = ['travel-planning', 'travel-templates', 'archive'].map((name) =>
  join(base, name),
) as [string, string, string];
for (const folder of [plans, templates, archive]) await mkdir(folder);
await writeFile(join(plans, 'Äpfel & 100%.txt'), 'Äpfel');
await writeFile(join(plans, 'ticket.pdf'), '%PDF-');
await writeFile(join(archive, '2023.txt'), 'archived');
await symlink(join(archive, '2023.txt'), join(plans, 'link.txt'));

function root(path: string) {
  return { uri: pathToFileURL(path).href };
}

function uriOf(...path: string[]): string {
  return pathToFileURL(join(...path)).href;
}

for (const revision of revisions)
  test(`documents are read in the roots of the client only, from the moment they change, on ${revision}`, async () => {
    await using client = await connect(travelServer(openTravelData(undefined)), { revision, roots: [root(plans)] });
    const [text] = (await client.read(uriOf(plans, 'Äpfel & 100%.txt'))).contents;
    assert.deepEqual([text?.text, text?.mimeType], ['Äpfel', 'text/plain']);
    const [pdf] = (await client.read(uriOf(plans, 'ticket.pdf'))).contents;
    assert.deepEqual([pdf?.blob, pdf?.mimeType], ['JVBERi0=', 'application/pdf']);
    const old = uriOf(archive, '2023.txt');
    for (const uri of [old, uriOf(plans, 'link.txt'), 'file:///etc/passwd', uriOf(plans), uriOf(plans, 'missing.txt')])
      await assert.rejects(client.read(uri), /Resource not found/, uri);
    await client.setRoots([root(archive)]);
    assert.equal((await client.read(old)).contents[0]?.text, 'archived');
    await assert.rejects(client.read(uriOf(plans, 'ticket.pdf')), /Resource not found/);
  });

test('an itinerary is written once, from the template of the user', async () => {
  const data = openTravelData(undefined);
  const answers = { confirmHotel: { confirmBooking: true } };
  const roots = [root(templates), root(plans)];
  await using client = await connect(travelServer(data), { answers, roots });
  const stay = { hotel: 'paris-casa-verde', checkIn: '2024-06-01', checkOut: '2024-06-03' };
  const { reference = '' } = await client.call('bookHotel', stay);
  await writeFile(join(templates, 'itinerary.md'), '{city}/{from}/{to}/{reference}/{other}');
  const { document } = await client.call('saveItinerary', { reference });
  assert.equal(document, uriOf(plans, `2024-06-01 Paris ${reference}.md`));
  assert.equal(await readFile(fileURLToPath(document), 'utf8'), `Paris/2024-06-01/2024-06-03/${reference}/{other}`);
  await assert.rejects(client.call('saveItinerary', { reference }), /is there already/);
  await assert.rejects(client.call('saveItinerary', { reference: 'TRIP-1' }), /no trip TRIP-1/);
  await using stranger = await connect(travelServer(data));
  await assert.rejects(stranger.call('saveItinerary', { reference }), /offers no folder/);
});
