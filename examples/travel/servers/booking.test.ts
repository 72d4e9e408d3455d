// Booking: once, after one question, and not without an answer. In the revisions with elicitation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answers, connect, revisions, type SuspendedCall, ToolError } from 'tenon/client';
import { travelServer } from './travel.ts';
import { openTravelData } from './travel/data.ts';

const VACATION = {
  outboundFlight: 'AQ112-2024-06-15',
  returnFlight: 'BM762-2024-06-22',
  hotel: 'barcelona-hotel-miramar',
  travelers: 2,
};
const YES = { confirmBooking: true, seatPreference: 'window', roomType: 'sea view', travelInsurance: true };

function newServer() {
  const data = openTravelData();
  return { data, app: travelServer(data) };
}

function failing(pattern: RegExp) {
  return (error: unknown): boolean => error instanceof ToolError && pattern.test(error.message);
}

for (const revision of revisions.filter((one) => one >= '2025-06-18')) {
  describe(`booking on ${revision}`, () => {
    test('a vacation is booked after one form with the price', async () => {
      const { app, data } = newServer();
      const asked: string[] = [];
      const answers: Answers = {
        confirmVacation: (question) => {
          asked.push(question.message);
          return YES;
        },
      };
      await using client = await connect(app, { revision, answers });
      const watch = client.watch({ list: 'resources' });
      await watch.ready;
      const booked = await client.call('bookVacation', VACATION);
      assert.equal(booked.status, 'booked');
      assert.equal(booked.reference, 'TRIP-1001');
      assert.equal(booked.totalPrice, 3_150);
      assert.equal(asked.length, 1);
      assert.match(asked[0]!, /^Please confirm your Barcelona vacation booking details: .* Total \$3,000$/);

      for await (const change of watch) {
        assert.deepEqual(change, { list: 'resources', missed: false });
        break;
      }
      const itinerary = JSON.parse((await client.read(booked.itinerary!)).contents[0]!.text!);
      assert.deepEqual(
        [itinerary.seatPreference, itinerary.roomType, itinerary.travelInsurance, itinerary.outbound.id],
        ['window', 'sea view', true, VACATION.outboundFlight],
      );
      assert.deepEqual(await client.call('listTrips'), {
        trips: [{ reference: 'TRIP-1001', from: '2024-06-15', to: '2024-06-22', itinerary: booked.itinerary }],
      });

      // The days are taken now, so the call fails without a question.
      await assert.rejects(client.call('bookVacation', VACATION), failing(/TRIP-1001 is booked from 2024-06-15/));
      assert.equal(asked.length, 1);
      assert.equal(data.trips().length, 1);
    });

    test('declining, or not confirming, books nothing', async () => {
      const { app, data } = newServer();
      for (const answer of ['decline', 'cancel', { confirmBooking: false }] as const) {
        const answers = { confirmVacation: answer, confirmHotel: answer };
        await using client = await connect(app, { revision, answers });
        const stay = { hotel: VACATION.hotel, checkIn: '2024-06-15', checkOut: '2024-06-22' };
        for (const call of [client.call('bookVacation', VACATION), client.call('bookHotel', stay)]) {
          assert.deepEqual(await call, {
            status: 'not booked',
            message: 'The user did not confirm, so nothing was booked.',
          });
        }
      }
      assert.deepEqual(data.trips(), []);
    });

    test('a hotel can be booked without flights', async () => {
      const answers = { confirmHotel: { confirmBooking: true, roomType: 'garden view' } };
      await using client = await connect(newServer().app, { revision, answers });
      const stay = { hotel: VACATION.hotel, checkIn: '2024-06-15', checkOut: '2024-06-22', guests: 2 };
      const booked = await client.call('bookHotel', stay);
      assert.deepEqual([booked.status, booked.totalPrice], ['booked', 1_162]);
    });

    test('of two concurrent calls only one books', async () => {
      const { app, data } = newServer();
      await using client = await connect(app, { revision, answers: { confirmVacation: YES } });
      const results = await Promise.allSettled([
        client.call('bookVacation', VACATION),
        client.call('bookVacation', VACATION),
      ]);
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal(data.trips().length, 1);
    });
  });
}

test('an answer delivered twice books once', async () => {
  const { app, data } = newServer();
  let kept: SuspendedCall<'tools/call'> | undefined;
  await using client = await connect(app, {
    elicit: (_question, { call }) => {
      kept = call as SuspendedCall<'tools/call'>;
      return { action: 'accept', content: YES };
    },
  });
  const { reference } = await client.call('bookVacation', VACATION);
  const { structuredContent } = await client.resume(kept!);
  assert.equal((structuredContent as { reference: string }).reference, reference);
  assert.equal(data.trips().length, 1);
});
