// The arguments that several tools have.
import { z } from 'zod';

export const latitude = z.number().min(-90).max(90).describe('Latitude in degrees');
export const longitude = z.number().min(-180).max(180).describe('Longitude in degrees');
export const LOCATION = z.object({ latitude, longitude });

/** An address, coordinates or `place_id:…`. In lists, `|` separates places. */
export const place = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .refine((text) => !text.includes('|'), 'must not contain |');

export const mode = z
  .enum(['driving', 'walking', 'bicycling', 'transit'])
  .default('driving')
  .describe('Travel mode (driving, walking, bicycling, transit)');

/** A number without an exponent, to a centimetre. */
function degrees(value: number): string {
  return value.toFixed(7).replace(/\.?0+$/, '');
}

export function coordinates({ latitude, longitude }: z.infer<typeof LOCATION>): string {
  return `${degrees(latitude)},${degrees(longitude)}`;
}
