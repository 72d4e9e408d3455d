/** What a server wrote, parsed: an object; an empty one if it is none. */
export function parsed(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}
