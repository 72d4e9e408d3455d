import { createStandIn } from '../servers/everart/src/fixtures/stand-in.ts';
import type { Comparison, Result } from './comparison.ts';

const ENV = { EVERART_API_KEY: 'compared' };

/** The address of the first image: the original gives only this one, inside its text. */
function firstImage({ content }: Result): unknown {
  return /https:\/\/images\.example\/\S+/.exec(content.map(({ text = '' }) => text).join('\n'))?.[0];
}

export const everart: Comparison = {
  name: 'everart',
  origins: ['https://api.everart.ai'],
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    const reset = (): void => {
      standIn.reset();
      // The image is done at the first poll, because the original polls more often.
      standIn.world.polls = 1;
    };
    return { url: standIn.url, reset, stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--api-url', url], env: ENV }),
  original: () => ({ env: ENV }),
  read: firstImage,
  readOriginal: firstImage,
  calls: [
    { name: 'generate_image', args: { prompt: 'Grün 🫖', model: '5000' } },
    { name: 'generate_image', args: { prompt: 'A cat', model: '8000', image_count: 1 } },
    {
      name: 'generate_image',
      args: { prompt: 'A cat', model: '5000', image_count: 2 },
      otherRequests: 'all images are waited for',
    },
    { name: 'generate_image', args: { prompt: 'A cat', model: '77' } },
    {
      name: 'generate_image',
      args: { prompt: 'A cat' },
      otherAnswer: 'the default model is the documented one',
      otherRequests: 'the default model is the documented one',
    },
  ],
};
