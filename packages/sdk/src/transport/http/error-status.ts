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
 * The HTTP status for an error of a method, if nothing has been sent yet. Errors that concern the call and not the request have status 200,
 * like results. So do all errors of the legacy era.
 */
export function statusOf(code: number, era: Era): number {
  return era === 'modern' ? (STATUS.get(code) ?? 200) : 200;
}
