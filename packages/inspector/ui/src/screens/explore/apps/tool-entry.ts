import { isObject } from '@tenon/values/is-object';

/** A JSON object of a server; an empty object for any other text. */
export function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
