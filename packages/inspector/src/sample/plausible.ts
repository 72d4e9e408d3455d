/** Common property names, with plausible values. The last known word of a name counts. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['email', 'ada@example.com'],
  ['mail', 'ada@example.com'],
  ['url', 'https://example.com/'],
  ['uri', 'https://example.com/'],
  ['link', 'https://example.com/'],
  ['href', 'https://example.com/'],
  ['website', 'https://example.com/'],
  ['endpoint', 'https://example.com/'],
  ['domain', 'example.com'],
  ['host', 'localhost'],
  ['hostname', 'localhost'],
  ['ip', '192.0.2.1'],
  ['phone', '+41 44 123 45 67'],
  ['city', 'Zurich'],
  ['town', 'Zurich'],
  ['location', 'Zurich'],
  ['place', 'Zurich'],
  ['origin', 'Zurich'],
  ['destination', 'Lisbon'],
  ['from', 'Zurich'],
  ['to', 'Lisbon'],
  ['country', 'CH'],
  ['state', 'CA'],
  ['region', 'Europe'],
  ['street', '1 Main Street'],
  ['address', '1 Main Street, Zurich'],
  ['zip', '8001'],
  ['postcode', '8001'],
  ['language', 'en'],
  ['lang', 'en'],
  ['locale', 'en-GB'],
  ['currency', 'EUR'],
  ['timezone', 'Europe/Zurich'],
  ['tz', 'Europe/Zurich'],
  ['date', '2026-01-31'],
  ['day', '2026-01-31'],
  ['start', '2026-01-31'],
  ['end', '2026-02-07'],
  ['since', '2026-01-01'],
  ['until', '2026-12-31'],
  ['time', '12:00'],
  ['datetime', '2026-01-31T12:00:00Z'],
  ['timestamp', '2026-01-31T12:00:00Z'],
  ['at', '2026-01-31T12:00:00Z'],
  ['query', 'example'],
  ['search', 'example'],
  ['keyword', 'example'],
  ['term', 'example'],
  ['q', 'example'],
  ['sql', 'SELECT 1'],
  ['expression', '1 + 1'],
  ['code', '1 + 1'],
  ['command', 'echo hello'],
  ['path', 'notes.txt'],
  ['file', 'notes.txt'],
  ['filename', 'notes.txt'],
  ['folder', '.'],
  ['directory', '.'],
  ['dir', '.'],
  ['cwd', '.'],
  ['message', 'Hello'],
  ['text', 'Hello'],
  ['content', 'Hello'],
  ['body', 'Hello'],
  ['prompt', 'Hello'],
  ['comment', 'Hello'],
  ['input', 'Hello'],
  ['note', 'A note'],
  ['description', 'An example'],
  ['summary', 'An example'],
  ['title', 'Example'],
  ['subject', 'Example'],
  ['topic', 'trains'],
  ['name', 'Ada'],
  ['username', 'ada'],
  ['user', 'ada'],
  ['owner', 'ada'],
  ['author', 'Ada'],
  ['repo', 'example'],
  ['repository', 'example'],
  ['branch', 'main'],
  ['id', 'abc123'],
  ['key', 'example'],
  ['tag', 'example'],
  ['tags', 'example'],
  ['label', 'example'],
  ['category', 'example'],
  ['color', '#3366cc'],
  ['colour', '#3366cc'],
  ['unit', 'metric'],
  ['units', 'metric'],
  ['mime', 'text/plain'],
  ['json', '{}'],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['limit', 10],
  ['count', 10],
  ['max', 10],
  ['size', 10],
  ['top', 10],
  ['n', 10],
  ['page', 1],
  ['offset', 0],
  ['skip', 0],
  ['index', 0],
  ['start', 0],
  ['min', 0],
  ['year', 2026],
  ['month', 1],
  ['day', 1],
  ['hour', 12],
  ['minute', 30],
  ['port', 8080],
  ['lat', 47.37],
  ['latitude', 47.37],
  ['lon', 8.54],
  ['lng', 8.54],
  ['longitude', 8.54],
  ['price', 9.5],
  ['amount', 9.5],
  ['cost', 9.5],
  ['quantity', 1],
  ['age', 30],
  ['adults', 2],
  ['timeout', 1_000],
  ['ms', 1_000],
  ['seconds', 60],
  ['minutes', 30],
  ['days', 7],
  ['percent', 50],
  ['width', 640],
  ['height', 480],
  ['zoom', 10],
  ['temperature', 20],
  ['a', 1],
  ['b', 2],
]);

/** Texts of the formats of JSON Schema. */
export const FORMATTED: ReadonlyMap<string, string> = new Map([
  ['email', 'ada@example.com'],
  ['idn-email', 'ada@example.com'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['iri', 'https://example.com/'],
  ['uri-reference', '/example'],
  ['iri-reference', '/example'],
  ['uri-template', 'https://example.com/{id}'],
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['time', '12:00:00Z'],
  ['duration', 'P1D'],
  ['hostname', 'example.com'],
  ['idn-hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['json-pointer', '/example'],
  ['relative-json-pointer', '0/example'],
  ['regex', '^example$'],
  ['byte', 'ZXhhbXBsZQ=='],
]);

const MAX_LENGTH = 100;

/** `maxResults`, `max_results` and `max-results` are the words max and results. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

function lookUp<T>(table: ReadonlyMap<string, T>, name: string | undefined): T | undefined {
  if (name === undefined) return undefined;
  for (const word of wordsOf(name).reverse()) {
    const found = table.get(word) ?? table.get(word.replace(/s$/, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A plausible text for a property of this name. */
export function textFor(name: string | undefined): string | undefined {
  return lookUp(TEXTS, name);
}

/** A plausible number for a property of this name. */
export function numberFor(name: string | undefined): number | undefined {
  return lookUp(NUMBERS, name);
}
