// Weather without a network: generated from the averages of each month, and the same in every run.
import { chanceFrom } from '../chance.ts';

/** The weather of a day. */
export interface Day {
  readonly date: string;
  readonly highCelsius: number;
  readonly lowCelsius: number;
  /** Percent. */
  readonly rainChance: number;
  readonly summary: 'Sunny' | 'Partly cloudy' | 'Cloudy' | 'Rain' | 'Snow';
}

type Months = readonly number[];
interface Climate {
  /** The average high temperatures from January to December, in °C. */
  readonly highs: Months;
  /** The difference between day and night, in °C. */
  readonly nights: number;
  /** The percentage of rainy days in each month. */
  readonly rain: Months;
}

/** By name of the city. */
const climates: ReadonlyMap<string, Climate> = new Map(
  Object.entries<Climate>({
    'New York': {
      highs: [4, 6, 10, 16, 22, 27, 30, 29, 25, 18, 12, 7],
      nights: 8,
      rain: [35, 33, 35, 38, 37, 37, 34, 32, 29, 28, 29, 35],
    },
    Barcelona: {
      highs: [15, 15, 17, 19, 22, 26, 29, 29, 26, 23, 18, 15],
      nights: 8,
      rain: [13, 14, 15, 20, 17, 12, 7, 13, 18, 20, 17, 14],
    },
    Barbados: {
      highs: [28, 28, 29, 30, 30, 30, 30, 31, 31, 30, 30, 29],
      nights: 6,
      rain: [42, 30, 28, 27, 30, 45, 55, 52, 50, 52, 53, 47],
    },
    Paris: {
      highs: [8, 9, 13, 16, 20, 23, 26, 26, 22, 17, 11, 8],
      nights: 9,
      rain: [32, 32, 31, 30, 31, 27, 25, 24, 25, 29, 32, 35],
    },
    'Park City': {
      highs: [1, 3, 8, 13, 18, 24, 29, 28, 22, 15, 7, 1],
      nights: 14,
      rain: [30, 32, 30, 30, 25, 14, 15, 18, 18, 19, 25, 29],
    },
    London: {
      highs: [8, 9, 12, 15, 18, 21, 24, 23, 20, 16, 11, 9],
      nights: 8,
      rain: [37, 33, 30, 30, 28, 28, 26, 27, 27, 34, 36, 36],
    },
    Madrid: {
      highs: [10, 12, 16, 18, 23, 29, 33, 32, 27, 20, 14, 10],
      nights: 12,
      rain: [19, 18, 17, 23, 22, 11, 4, 5, 11, 22, 23, 21],
    },
    Rome: {
      highs: [12, 13, 16, 19, 23, 28, 31, 31, 27, 22, 17, 13],
      nights: 11,
      rain: [23, 24, 23, 27, 19, 14, 8, 10, 20, 26, 31, 28],
    },
    Lisbon: {
      highs: [15, 16, 18, 20, 22, 26, 28, 28, 27, 23, 18, 15],
      nights: 9,
      rain: [33, 30, 25, 27, 20, 9, 3, 4, 12, 27, 31, 35],
    },
    Tokyo: {
      highs: [10, 11, 14, 19, 24, 26, 30, 31, 28, 22, 17, 12],
      nights: 7,
      rain: [16, 20, 30, 32, 33, 41, 40, 29, 39, 36, 26, 19],
    },
    'San Francisco': {
      highs: [14, 16, 17, 18, 18, 19, 20, 20, 22, 21, 17, 14],
      nights: 6,
      rain: [35, 35, 33, 21, 11, 5, 2, 2, 4, 11, 24, 33],
    },
    'Mexico City': {
      highs: [22, 24, 26, 27, 27, 26, 24, 24, 24, 24, 23, 22],
      nights: 12,
      rain: [7, 9, 14, 28, 46, 63, 75, 71, 67, 36, 15, 8],
    },
  }),
);

function summaryOf(chance: number, rainChance: number, high: number): Day['summary'] {
  if (chance * 100 < rainChance) return high < 2 ? 'Snow' : 'Rain';
  if (chance > 0.6) return 'Sunny';
  return chance > 0.4 ? 'Partly cloudy' : 'Cloudy';
}

/** The weather of a city on a day; undefined for an unknown city. */
export function weatherOf(city: string, date: string): Day | undefined {
  const climate = climates.get(city);
  if (climate === undefined) return undefined;
  const month = Number(date.slice(5, 7)) - 1;
  const chance = chanceFrom(`${city} ${date}`);
  // Up to four degrees above or below the average.
  const highCelsius = Math.round(climate.highs[month]! + 8 * chance() - 4);
  const lowCelsius = highCelsius - climate.nights;
  const rainChance = climate.rain[month]!;
  return { date, highCelsius, lowCelsius, rainChance, summary: summaryOf(chance(), rainChance, highCelsius) };
}
