import { CODE } from '../../protocol/errors.ts';
import type { Era } from '../../protocol/revision.ts';

const STATUS: ReadonlyMap<number, number> = new Map<number, number>([
  [CODE.parseError, 400],
  [CODE.invalidRequest, 400],
  [CODE.headerMismatch, 400],
  [CODE.missingCapability, 400],
  [CODE.unsupportedVersion, 400],
  [CODE.methodNotFound, 404],
]);

/**
 * The status of an error with which a method answers, as long as nothing of the answer has been sent. Errors that say what is wrong with a
 * call, not with the request, are answers like any other: 200. So are all errors of the legacy era.
 */
export function statusOf(code: number, era: Era): number {
  return era === 'modern' ? (STATUS.get(code) ?? 200) : 200;
}
