import { isObject } from '@tenon/values/is-object';

/** The JSON object that a server wrote; an empty one if the text is anything else. */
export function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
