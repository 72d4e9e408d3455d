// Travel documents in the folders that the client offers (its roots), and nowhere else: reads documents, and writes itineraries.
import { constants, open, realpath, writeFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CallContext, resource, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { TravelData, Trip } from './data.ts';

const MAX_BYTES = 1024 * 1024;
const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.pdf': 'application/pdf',
};
/** Used if no root is named `travel-templates`, or has no such file. */
const PLAIN = '# {city}, {from} to {to}\n\nBooking {reference}.\n';

/** A root of the client that is a folder here: its name, and its real path. */
interface Folder {
  readonly name: string;
  readonly path: string;
}

/** The folders that the client offers. It is asked in every call, because it can change them. */
async function foldersOf(ctx: CallContext): Promise<Folder[]> {
  if (!ctx.client.can('roots')) return [];
  const roots = await ctx.roots('folders');
  const folders = await Promise.all(
    roots.map(async ({ uri, name }) => {
      const path = uri.startsWith('file:') ? await realpath(fileURLToPath(uri)).catch(() => undefined) : undefined;
      return path === undefined ? [] : [{ name: name ?? path.slice(path.lastIndexOf(sep) + 1), path }];
    }),
  );
  return folders.flat();
}

/** The content of a file in one of the folders; undefined if there is none, or a link leads out of them. */
async function readIn(folders: readonly Folder[], path: string): Promise<Buffer | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !folders.some((folder) => real.startsWith(`${folder.path}${sep}`))) return undefined;
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  return found.isFile() && found.size <= MAX_BYTES ? file.readFile() : undefined;
}

/** The text of a document; undefined if it is not text. */
function textOf(bytes: Buffer | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function filledIn(template: string, { reference, from, to }: Trip, city: string): string {
  const values: Readonly<Record<string, string>> = { reference, from, to, city };
  return template.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}

/** Travel documents as resources: every file in the folders of the client. */
export const documentResources = {
  'file:///{+path}': resource(
    {
      name: 'travel-document',
      title: 'Travel document',
      description: 'A document in a folder that the client offers, such as a passport',
    },
    async ({ path }: { path: string }, ctx: CallContext) => {
      const uri = `file:///${path.split('/').map(encodeURIComponent).join('/')}`;
      const bytes = await readIn(await foldersOf(ctx), fileURLToPath(uri));
      if (bytes === undefined) return undefined;
      const mimeType = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
      const text = mimeType.startsWith('text/') ? textOf(bytes) : undefined;
      return { uri, mimeType, ...(text === undefined ? { blob: bytes.toString('base64') } : { text }) };
    },
  ),
};

/** The tool `saveItinerary`. */
export function documentTools(data: TravelData) {
  return {
    saveItinerary: tool(
      {
        title: 'Save an itinerary',
        description: "Write the itinerary of a booked trip into the user's folder of travel plans, from their template",
        input: z.object({ reference: z.string().describe('Reference of the trip, such as TRIP-1001') }),
        output: z.object({ document: z.string().describe('The URI of the document') }),
        readOnly: false,
        destructive: false,
        idempotent: false,
        openWorld: false,
      },
      async ({ reference }, ctx) => {
        const trip = data.trip(reference);
        if (trip === undefined)
          throw new ToolError(`There is no trip ${reference}. listTrips has those that are booked.`);
        const folders = await foldersOf(ctx);
        const plans = folders.find(({ name }) => name === 'travel-planning') ?? folders[0];
        if (plans === undefined) throw new ToolError('The client offers no folder to write to.');
        const templates = folders.find(({ name }) => name === 'travel-templates');
        const template = templates && textOf(await readIn(folders, join(templates.path, 'itinerary.md')));
        const { city = 'Trip' } = (trip.details['hotel'] ?? {}) as { readonly city?: string };
        const path = join(plans.path, `${trip.from} ${city} ${trip.reference}.md`);
        try {
          await writeFile(path, filledIn(template ?? PLAIN, trip, city), { flag: 'wx' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
          throw new ToolError(`The itinerary of ${reference} is there already: ${pathToFileURL(path).href}`);
        }
        return { document: pathToFileURL(path).href };
      },
    ),
  };
}
