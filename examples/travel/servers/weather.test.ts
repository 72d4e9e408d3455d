// The weather server in every revision, in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, revisions, ToolError } from 'tenon/client';
import app from './weather.ts';

function failing(pattern: RegExp) {
  return (error: unknown): boolean => error instanceof ToolError && pattern.test(error.message);
}

for (const revision of revisions) {
  test(`forecasts for a stay, and for a day, on ${revision}`, async () => {
    await using client = await connect(app, { revision });
    const stay = { city: 'barcelona', startDate: '2024-06-15', endDate: '2024-06-22' };
    const { city, days, source } = await client.call('checkWeather', stay);
    assert.equal(city, 'Barcelona');
    assert.match(source, /Made up/);
    assert.deepEqual([days.length, days[0]?.date, days[7]?.date], [8, '2024-06-15', '2024-06-22']);
    for (const { highCelsius, lowCelsius } of days) assert.ok(highCelsius > 20 && lowCelsius < highCelsius);

    const { contents } = await client.read('weather://forecast/Barcelona/2024-06-15');
    assert.deepEqual(JSON.parse(contents[0]!.text!), { city, source, ...days[0] });

    await assert.rejects(client.call('checkWeather', { ...stay, city: 'Atlantis' }), failing(/Known cities: .*Paris/));
    await assert.rejects(client.call('checkWeather', { ...stay, endDate: '2024-06-01' }), failing(/is before/));
    await assert.rejects(client.call('checkWeather', { ...stay, endDate: '9999-12-31' }), failing(/at most 31 days/));
    for (const uri of ['weather://forecast/Atlantis/2024-06-15', 'weather://forecast/Paris/tomorrow'])
      await assert.rejects(client.read(uri), /Resource not found/);
  });

  test(`cities and dates are suggested on ${revision}`, async () => {
    await using client = await connect(app, { revision });
    const forecast = { template: 'weather://forecast/{city}/{date}' } as const;
    assert.deepEqual((await client.complete(forecast, { argument: 'city', value: 'Par' })).values, [
      'Paris',
      'Park City',
    ]);
    const { values } = await client.complete(forecast, {
      argument: 'date',
      value: '2024-06-1',
      resolved: { city: 'Paris' },
    });
    assert.deepEqual([values.length, values[0]], [10, '2024-06-10']);
  });
}
