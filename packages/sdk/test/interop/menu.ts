// The contents of every server of the interop suite, whichever SDK it uses: the same names, schemas, texts and bytes.

import { z } from 'zod';

export const info = { name: 'menu', version: '1.2.3', title: 'The menu', websiteUrl: 'https://example.com/menu' };
export const instructions = 'Call echo first.';

/** A PNG and a WAV of a few bytes, in base64. They are not decoded; they have to arrive unchanged. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const beep = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const icon = { src: 'https://example.com/echo.png', mimeType: 'image/png', sizes: ['48x48'] };

/** One block of every type, in the newest revision. */
export const blocks = [
  { type: 'text', text: 'Grüße 🍮', annotations: { audience: ['user'], priority: 0.5 } },
  { type: 'image', data: pixel, mimeType: 'image/png' },
  { type: 'audio', data: beep, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'note:///1', mimeType: 'text/plain', text: 'Note 1' } },
  { type: 'resource', resource: { uri: 'pixel://1', mimeType: 'image/png', blob: pixel } },
  { type: 'resource_link', uri: 'note:///2', name: 'note 2', description: 'The second note', mimeType: 'text/plain' },
] as const;

export const config = '{"theme":"dark"}';

export const schemas = {
  echo: z.object({ text: z.string() }),
  add: z.object({ a: z.number(), b: z.number() }),
  sum: z.object({ sum: z.number() }),
  typed: z.object({
    count: z.int().min(1).max(10).default(3),
    mode: z.enum(['fast', 'slow']),
    tags: z.array(z.string()).max(5).optional(),
    nested: z.object({ flag: z.boolean() }),
  }),
  numbers: z.array(z.number()),
  progress: z.object({ steps: z.int().min(1).max(100), restMs: z.int().min(0).max(100).default(0) }),
  confirm: z.object({ how: z.string() }),
  touch: z.object({ id: z.string() }),
  greet: z.object({ name: z.string(), tone: z.string().optional() }),
  places: z.object({ country: z.string(), city: z.string() }),
};

/** The form of `confirm`, as it is on the wire. */
export const form = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 1, maxLength: 40 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    plan: { type: 'string', enum: ['free', 'pro'], default: 'free' },
    news: { type: 'boolean', default: true },
  },
  required: ['name', 'age'],
} as const;

/** A form with one required text field. */
export function lineForm(name: string) {
  return {
    type: 'object' as const,
    properties: { [name]: { type: 'string' as const } },
    required: [name],
  };
}

export const page = { message: 'Pay here', url: 'https://example.com/pay?order=1' };

export const sampling = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say hi' } }],
  systemPrompt: 'Be brief.',
  maxTokens: 50,
  temperature: 0,
  modelPreferences: { hints: [{ name: 'parrot' }], speedPriority: 1 },
};

export const samplingTool = {
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

const cities = new Map([
  ['fr', ['Paris', 'Pau']],
  ['it', ['Pisa', 'Parma']],
]);

export const completions = {
  tones: (typed: string): string[] => ['formal', 'friendly', 'funny'].filter((tone) => tone.startsWith(typed)),
  /** The result depends on the country that is already filled in. */
  cities: (typed: string, country: string | undefined): string[] =>
    (cities.get(country ?? '') ?? []).filter((city) => city.startsWith(typed)),
  ids: (typed: string): string[] => ['1', '2', '10'].filter((id) => id.startsWith(typed)),
};

/** The notes that exist. */
export const notes = ['1', '2'];
export function noteText(id: string): string {
  return `Note ${id}`;
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export function greeting(name: string, tone = 'plain'): string {
  return `Greet ${name} (${tone})`;
}

export const failure = 'Out of pudding. Try again tomorrow.';
export const secret = 'postgres://admin:hunter2@db/menu';

/** The result of the tool `cancellations` about the calls of `slow`. */
export interface SlowCalls {
  readonly begun: number;
  readonly cancelled: number;
}

export function slowCalls(begun: number, cancelled: number): string {
  return JSON.stringify({ begun, cancelled } satisfies SlowCalls);
}
