/** The parameter that `Mcp-Name` mirrors, by method. */
const NAMES: ReadonlyMap<unknown, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Encodes a value for a header. */
function inHeader(value: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?')
    ? value
    : `=?base64?${btoa(Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

/**
 * The mirrored headers of a request of 2026-07-28: a server rejects a request without them. Empty if the text is not a request.
 */
export function mirrorsOf(text: string): Readonly<Record<string, string>> {
  let message: { readonly id?: unknown; readonly method?: unknown; readonly params?: Record<string, unknown> } | null;
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    return {};
  }
  const { id, method, params } = message ?? {};
  if (id === undefined || typeof method !== 'string' || method === '') return {};
  const name = (params ?? {})[NAMES.get(method) ?? ''];
  const named = { 'mcp-method': inHeader(method) };
  return typeof name === 'string' && name !== '' ? { ...named, 'mcp-name': inHeader(name) } : named;
}
