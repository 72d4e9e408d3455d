import { isRequestId, type RequestId } from '../protocol/jsonrpc.ts';
import { memberTexts } from './repeated-members.ts';

/**
 * The id of the request that a text answers, although the text cannot be read as a message because it is invalid JSON, or larger or deeper
 * than allowed. Undefined if it is not certain that it was meant as an answer.
 */
export function answeredId(text: string): RequestId | undefined {
  const members = memberTexts(text);
  if (members?.get('jsonrpc') !== '"2.0"' || members.has('method')) return undefined;
  if (!members.has('result') && !members.has('error')) return undefined;
  try {
    const id: unknown = JSON.parse(members.get('id') ?? '');
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
