import { APICallError, RetryError } from 'ai';
import { clip } from './clip.ts';

/** Describes an error of the model in a sentence or two, for a person. */
export function modelErrorText(error: unknown): string {
  if (RetryError.isInstance(error)) {
    const times = error.errors.length;
    return `${modelErrorText(error.lastError)} It was tried ${times} ${times === 1 ? 'time' : 'times'}.`;
  }
  if (APICallError.isInstance(error)) return apiErrorText(error);
  if (error instanceof Error) return sentence(`The model failed: ${error.message || error.name}`);
  return sentence(`The model failed: ${typeof error === 'string' ? error : messageIn(error)}`);
}

function apiErrorText(error: APICallError): string {
  if (error.statusCode === undefined) return sentence(`The model cannot be reached: ${error.message}`);
  const message = sentence(`The model answered with HTTP ${error.statusCode}: ${error.message}`);
  const hint = HINTS.get(error.statusCode);
  return hint ? `${message} ${hint}` : message;
}

const HINTS = new Map([
  [401, 'Check the API key.'],
  [403, 'Check the permissions of the API key.'],
  [404, 'Check the name of the model and the address of its provider.'],
  [413, 'The conversation is too long for it.'],
  [429, 'Wait a little, or check the limits of the account.'],
]);

function messageIn(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return JSON.stringify(error) ?? String(error);
}

/** The message of a provider can be a whole web page. */
function sentence(text: string): string {
  const short = clip(text.replace(/\s+/g, ' ').trim(), 1_000);
  return /[.!?\]]$/.test(short) ? short : `${short}.`;
}
