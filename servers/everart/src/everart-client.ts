// Requests to EverArt.
import { z } from 'zod';
import { type ApiContext, createApi } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { pick } from '../../shared/api/pick.ts';

const SERVICE = 'EverArt';
export const TOKEN_VARIABLE = 'EVERART_API_KEY';

const DEFAULT_URL = 'https://api.everart.ai';
const TOKEN_HELP = `The user can set ${TOKEN_VARIABLE} to a key from https://www.everart.ai in the server's environment.`;
const SIZE = 1_024;

/** One image that is being generated, or was. */
export const GENERATION = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  model_id: z.string().nullish(),
  status: z.enum(['STARTING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELED']),
  image_url: z.url({ protocol: /^https$/ }).nullish(),
});
export type Generation = z.infer<typeof GENERATION>;

const CREATED = z.object({ generations: z.array(GENERATION).min(1) });
const FETCHED = z.object({ generation: GENERATION });

export interface EverartClientOptions {
  /** The address of the API. Default: `https://api.everart.ai`. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

export interface ImageRequest {
  readonly prompt: string;
  readonly model: string;
  readonly image_count: number;
}

/** The requests of one call. */
export interface Everart {
  /** Starts to generate images. Each has a generation of its own. */
  create(request: ImageRequest): Promise<readonly Generation[]>;
  fetch(id: string): Promise<Generation>;
  report(message: string): Promise<void>;
}

/** Makes the requests to EverArt. */
export function createEverartClient({ url = DEFAULT_URL, token, limits, clock }: EverartClientOptions) {
  const api = createApi({
    service: SERVICE,
    url,
    token: { value: token, help: TOKEN_HELP },
    headers: { 'user-agent': 'tenon-server-everart' },
    limits,
    clock,
    noteOn: (_, status) => (status === 451 ? 'The prompt is against the rules of EverArt. Change it.' : undefined),
  });
  return (ctx: ApiContext): Everart => {
    const { json, report } = api(ctx);
    return {
      async create({ prompt, model, image_count }) {
        const body = { prompt, type: 'txt2img', image_count, height: SIZE, width: SIZE };
        const path = `v1/models/${encodeURIComponent(model)}/generations`;
        return pick(SERVICE, CREATED, await json(path, { method: 'POST', body })).generations;
      },
      async fetch(id) {
        return pick(SERVICE, FETCHED, await json(`v1/generations/${encodeURIComponent(id)}`)).generation;
      },
      report,
    };
  };
}
