import { CALLS } from '../servers/google-maps/src/fixtures/calls.ts';
import { createStandIn } from '../servers/google-maps/src/fixtures/stand-in.ts';
import type { Comparison } from './comparison.ts';

const KEY = 'AIza-compared';

export const googleMaps: Comparison = {
  name: 'google-maps',
  origins: ['https://maps.googleapis.com'],
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    return { url: standIn.url, reset: () => standIn.reset(), stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--api-url', `${url}/maps/api`], env: { GOOGLE_MAPS_API_KEY: KEY } }),
  original: () => ({ env: { GOOGLE_MAPS_API_KEY: KEY } }),
  // Addresses of the pages and pictures of those who wrote reviews.
  leftOut: /^(?:author_url|profile_photo_url|translated)$/,
  calls: [
    ...CALLS,
    { name: 'maps_geocode', args: { address: 'nowhere' } },
    { name: 'maps_place_details', args: { place_id: 'none' } },
    {
      name: 'maps_directions',
      args: { origin: 'Oslo', destination: 'America' },
      otherAnswer: 'that there is no route is an answer',
    },
    {
      name: 'maps_reverse_geocode',
      args: { latitude: 1e-7, longitude: 10 },
      otherAnswer: 'the original sends 1e-7',
      otherRequests: 'the original sends 1e-7',
    },
    {
      name: 'maps_distance_matrix',
      args: { origins: ['a|b'], destinations: ['c'] },
      otherAnswer: 'the original takes it for two places',
      otherRequests: 'the original takes it for two places',
    },
  ],
};
