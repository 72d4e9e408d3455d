// The travel server in every revision: searching, resources, and the choice of the model.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, revisions, type SampleParams, ToolError } from 'tenon/client';
import { travelServer } from './travel.ts';
import { openTravelData } from './travel/data.ts';

const ROUTE = { origin: 'NYC', destination: 'Barcelona', date: '2024-06-15' };
const VACATION = {
  outboundFlight: 'AQ112-2024-06-15',
  returnFlight: 'BM762-2024-06-22',
  hotel: 'barcelona-hotel-miramar',
  travelers: 2,
};

function newServer() {
  const data = openTravelData();
  return { data, app: travelServer(data) };
}

/** A model with a fixed answer, which stores its requests. */
function saying(text: string, asked: SampleParams[] = []) {
  return (params: SampleParams) => {
    asked.push(params);
    return { role: 'assistant', model: 'a-model', content: { type: 'text', text } } as const;
  };
}

function failing(pattern: RegExp) {
  return (error: unknown): boolean => error instanceof ToolError && pattern.test(error.message);
}

for (const revision of revisions) {
  describe(`travel on ${revision}`, () => {
    test('finds flights and hotels, and reports unknown ones', async () => {
      await using client = await connect(newServer().app, { revision });
      const { flights } = await client.call('searchFlights', ROUTE);
      assert.equal(flights.length, 47);
      assert.equal(flights[0]?.origin, 'New York');
      assert.equal(new Set(flights.map(({ id }) => id)).size, 47);

      const stay = { city: 'BCN', checkIn: '2024-06-15', checkOut: '2024-06-22', guests: 3 };
      const { hotels } = await client.call('searchHotels', { ...stay, budget: 2_500 });
      assert.equal(
        hotels.every(({ totalPrice }) => totalPrice <= 2_500),
        true,
      );
      const miramar = hotels.find(({ id }) => id === VACATION.hotel);
      // Three guests take two rooms.
      assert.deepEqual([miramar?.location, miramar?.totalPrice], ['beachfront', 2 * 7 * 166]);

      const lost = client.call('searchFlights', { ...ROUTE, destination: 'Atlantis' });
      await assert.rejects(lost, failing(/no city "Atlantis".*Barcelona \(BCN\)/));
      const late = client.call('searchFlights', { ...ROUTE, date: '2031-01-01' });
      await assert.rejects(late, failing(/from 2024-06-01 to 2024-06-30/));
      const never = client.call('searchHotels', { ...stay, checkOut: '2024-06-15' });
      await assert.rejects(never, failing(/has no night/));
    });

    test('the model of the client compares all 47 flights, and recommends real ones', async () => {
      const asked: SampleParams[] = [];
      const recommendations = [
        { flight: 'AQ112-2024-06-15', reason: 'It is the morning flight without a layover.' },
        { flight: 'NW132-2024-06-15', reason: 'It is cheap.' },
      ];
      const sample = saying(`Gladly:\n\`\`\`json\n${JSON.stringify({ recommendations })}\n\`\`\``, asked);
      await using client = await connect(newServer().app, { revision, sample });
      const preferences = 'morning departure, max 1 layover';
      const found = await client.call('findBestFlight', { ...ROUTE, preferences });
      assert.equal(found.considered, 47);
      assert.deepEqual(
        found.recommendations.map(({ flight: { id, price }, reason }) => [id, price, reason]),
        [
          ['AQ112-2024-06-15', 490, recommendations[0]!.reason],
          ['NW132-2024-06-15', 376, recommendations[1]!.reason],
        ],
      );
      assert.equal(asked.length, 1);
      assert.match(JSON.stringify(asked[0]!.messages), /User preferences: morning departure, max 1 layover/);
      assert.equal(JSON.stringify(asked[0]!.messages).match(/-2024-06-15: /g)?.length, 47);
    });

    test('a flight that the model invents, and an invalid answer, are tool errors', async () => {
      for (const [answer, wrong] of [
        [
          '{"recommendations":[{"flight":"XX999-2024-06-15","reason":"It is free."}]}',
          /"XX999-2024-06-15", which is not one/,
        ],
        // A real flight of another day was not among those shown to the model.
        ['{"recommendations":[{"flight":"AQ112-2024-06-16","reason":"Later."}]}', /not one of the 47/],
        ['Take the first one.', /did not answer in the form/],
        ['{"recommendations":[]}', /did not answer in the form/],
      ] as const) {
        await using client = await connect(newServer().app, { revision, sample: saying(answer) });
        const call = client.call('findBestFlight', { ...ROUTE, preferences: 'cheap' });
        await assert.rejects(call, failing(wrong));
      }
      await using mute = await connect(newServer().app, { revision });
      await assert.rejects(mute.call('findBestFlight', { ...ROUTE, preferences: 'cheap' }), /sampling/);
    });

    test('nothing is booked if the user cannot be asked', async () => {
      const { app, data } = newServer();
      await using client = await connect(app, { revision });
      await assert.rejects(client.call('bookVacation', VACATION), /elicitation/);
      assert.deepEqual(data.trips(), []);
    });

    test('inconsistent bookings are rejected before the user is asked', async () => {
      await using client = await connect(newServer().app, { revision });
      for (const [wrong, message] of [
        [{ outboundFlight: 'XX1' }, /no flight "XX1"/],
        [{ hotel: 'paris-nowhere' }, /no hotel "paris-nowhere"/],
        [{ hotel: 'paris-casa-verde' }, /Casa Verde Paris is in Paris/],
        [{ returnFlight: VACATION.outboundFlight }, /does not fly back/],
        [{ returnFlight: 'SY760-2024-06-15' }, /has no night/],
      ] as const)
        await assert.rejects(client.call('bookVacation', { ...VACATION, ...wrong }), failing(message));
    });

    test('preferences, earlier trips, activities and flights can be read', async () => {
      await using client = await connect(newServer().app, { revision });
      const read = async (uri: string) => JSON.parse((await client.read(uri)).contents[0]!.text!);
      assert.equal((await read('travel://preferences/europe')).mostLayovers, 1);
      assert.equal((await read('travel://past-trips/Spain-2023')).city, 'Barcelona');
      assert.deepEqual(await read('trips://history/barcelona-2023'), await read('travel://past-trips/Spain-2023'));
      assert.equal((await read('travel://activities/barcelona/museums')).length, 3);
      assert.equal((await read('travel://flights/NYC/Barcelona%20(BCN)')).length, 47 + 29 * 4);
      assert.equal((await read('flights://search/JFK')).length, 100);
      for (const uri of ['travel://activities/atlantis/museums', 'travel://past-trips/Mars-2023'])
        await assert.rejects(client.read(uri), /Resource not found/);
      const listed = (await client.resources().all()).map(({ uri }) => uri);
      for (const uri of [
        'travel://preferences/europe',
        'travel://past-trips/Spain-2023',
        'trips://history/barcelona-2023',
      ])
        assert.ok(listed.includes(uri), uri);
    });

    test('cities, airports and categories are suggested', async () => {
      await using client = await connect(newServer().app, { revision });
      const activities = { template: 'travel://activities/{city}/{category}' } as const;
      const flights = { template: 'travel://flights/{origin}/{destination}' } as const;
      const { values: par } = await client.complete(activities, { argument: 'city', value: 'Par' });
      assert.deepEqual(par, ['Paris', 'Park City']);
      const { values: bar } = await client.complete(flights, {
        argument: 'destination',
        value: 'Bar',
        resolved: { origin: 'NYC' },
      });
      assert.deepEqual(bar, ['Barcelona (BCN)', 'Barbados (BGI)']);
      const { values: jfk } = await client.complete(
        { template: 'flights://search/{airport}' },
        { argument: 'airport', value: 'JFK' },
      );
      assert.deepEqual(jfk, ['JFK - John F. Kennedy International']);
      const { values: planned } = await client.complete(
        { prompt: 'plan-vacation' },
        { argument: 'destination', value: 'Par' },
      );
      assert.deepEqual(planned, ['Paris', 'Park City']);
      // The chosen city is sent as completion context from 2025-06-18 on.
      const { values } = await client.complete(activities, {
        argument: 'category',
        value: '',
        resolved: { city: 'Park City' },
      });
      if (revision >= '2025-06-18') assert.deepEqual(values, ['museums', 'outdoors']);
      else assert.ok(values.includes('beaches'));
    });

    test('the prompt guides through the planning', async () => {
      await using client = await connect(newServer().app, { revision });
      const { messages } = await client.prompt('plan-vacation', {
        destination: 'Barcelona',
        departure_date: '2024-06-15',
        return_date: '2024-06-22',
        budget: '3000',
        travelers: '2',
        interests: 'beaches, architecture, food',
      });
      const text = JSON.stringify(messages);
      for (const part of [
        'Destination: Barcelona',
        'Budget in dollars: 3000',
        'searchFlights',
        'checkWeather',
        'sendEmail',
      ])
        assert.ok(text.includes(part), part);
      await assert.rejects(client.prompt('plan-vacation', { destination: 'Barcelona', budget: 'a lot' }), {
        code: -32602,
        message: /budget: must be a whole number/,
      });
      // @ts-expect-error The destination is missing.
      await assert.rejects(client.prompt('plan-vacation', {}), { code: -32602 });
    });
  });
}

test('annotations describe what a tool does', async () => {
  await using client = await connect(newServer().app);
  const hints = Object.fromEntries((await client.tools().all()).map((one) => [one.name, one.annotations]));
  for (const name of ['searchFlights', 'searchHotels', 'findBestFlight', 'listTrips'])
    assert.equal(hints[name]?.readOnlyHint, true, name);
  for (const name of ['bookVacation', 'bookHotel']) {
    assert.notEqual(hints[name]?.readOnlyHint, true, name);
    assert.equal(hints[name]?.destructiveHint, true, name);
  }
});
