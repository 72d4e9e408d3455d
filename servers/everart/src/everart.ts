import { link, reply, resource, type Server, server, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { systemClock } from '../../shared/api/clock.ts';
import { ADDS } from '../../shared/api/hints.ts';
import { icon } from '../../shared/icon.ts';
import { createEverartClient, type EverartClientOptions, type Generation } from './everart-client.ts';
import { GENERATION_TEMPLATE, waitForImages } from './generate.ts';

const ICON = icon(
  '#7048e8',
  '<rect x="5" y="6" width="14" height="12" rx="1.5"/><circle cx="9" cy="10" r="1"/><path d="m6 17 4-4 3 3 2-2 4 4"/>',
);

const MODELS = [
  '- 5000:FLUX1.1: Standard quality',
  '- 9000:FLUX1.1-ultra: Ultra high quality',
  '- 6000:SD3.5: Stable Diffusion 3.5',
  '- 7000:Recraft-Real: Photorealistic style',
  '- 8000:Recraft-Vector: Vector art style',
];
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
]);
const MAX_IMAGES = 10;

const INPUT = z.object({
  prompt: z.string().min(1).max(10_000).describe('Text description of desired image'),
  model: z
    .string()
    .max(100)
    // Models copy the ID together with the name.
    .overwrite((given) => given.replace(/:.*$/, '').trim())
    .regex(/^[\w-]+$/, 'must be the ID of a model, such as 5000')
    .default('5000')
    .describe(
      'Model ID (5000:FLUX1.1, 9000:FLUX1.1-ultra, 6000:SD3.5, 7000:Recraft-Real, 8000:Recraft-Vector), or the ID of a model of your own',
    ),
  image_count: z.int().min(1).max(MAX_IMAGES).default(1).describe('Number of images to generate'),
});
const OUTPUT = z.object({
  model: z.string(),
  images: z.array(z.object({ id: z.string(), url: z.string() })),
  failed: z.number().describe('How many images could not be generated'),
});

/** A link to an image. Its media type follows from the end of its address. */
function linkTo(id: string, url: string) {
  const mimeType = MEDIA_TYPES.get(new URL(url).pathname.split('.').at(-1)!.toLowerCase());
  return link(url, `image ${id}`, mimeType === undefined ? {} : { mimeType });
}

/** The result: a link to each image. Throws a `ToolError` if there is none. */
function imageReply(model: string, generations: readonly Generation[]) {
  const images = generations.flatMap(({ id, status, image_url: url }) =>
    status === 'SUCCEEDED' && url != null ? [{ id, url }] : [],
  );
  const failed = generations.length - images.length;
  if (images.length === 0)
    throw new ToolError('EverArt could not generate the image. Change the prompt, or try another model.');
  const lines = [`${images.length} of ${generations.length} images were generated:`, ...images.map(({ url }) => url)];
  return reply({
    content: [text(lines.join('\n')), ...images.map(({ id, url }) => linkTo(id, url))],
    structuredContent: { model, images, failed },
  });
}

/** Makes the server. */
export function createEverart(options: EverartClientOptions = {}): Server {
  const everartFor = createEverartClient(options);
  const { clock = systemClock } = options;
  return server({
    name: 'everart',
    version: '0.1.0',
    icons: [ICON],
    title: 'EverArt',
    tools: {
      generate_image: tool(
        {
          title: 'Generate images',
          description: `Generate images using EverArt Models and returns a clickable link to view each generated image. EverArt charges for each image.\nAvailable models:\n${MODELS.join('\n')}`,
          input: INPUT,
          output: OUTPUT,
          ...ADDS,
          taskSupport: 'optional',
        },
        async (input, ctx) => {
          const everart = everartFor(ctx);
          const started = await everart.create(input);
          return imageReply(input.model, await waitForImages(everart, started, { clock, signal: ctx.signal }));
        },
      ),
    },
    resources: {
      [GENERATION_TEMPLATE]: resource(
        {
          name: 'Generation',
          description: 'The state of an image that is being generated, or was, and its address',
          mimeType: 'application/json',
        },
        async ({ id }, ctx) => {
          try {
            return await everartFor(ctx).fetch(id);
          } catch (error) {
            if (apiErrorIn(error)?.status === 404) return undefined;
            throw error;
          }
        },
      ),
    },
  });
}
