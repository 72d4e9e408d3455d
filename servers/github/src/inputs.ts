// The arguments that several tools have, and the hints of tools.
import { z } from 'zod';

/** A part of a path. `.` and `..` would make it the path of another endpoint. */
function isName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && !/^\.{1,2}$/.test(text);
}

const name = z.string().min(1).max(100).refine(isName, 'must have letters, digits, ".", "-" and "_" only');
const owner = name.describe('Repository owner (username or organization)');
export const repo = name.describe('Repository name');
export const REPOSITORY = { owner, repo };

/** A branch, tag or commit. */
export const ref = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !/(?:^|\/)\.{0,2}(?:\/|$)|[\0-\x20\x7f~^:?*[\\]/.test(text), 'is not the name of a branch');

export const path = z
  .string()
  .max(4_096)
  .overwrite((text) => text.replace(/^\/+|\/+$/g, ''))
  .refine((text) => !/(?:^|\/)\.{1,2}(?:\/|$)|\/\/|\0/.test(text), 'must not contain ".", ".." or an empty part');

export const title = z.string().min(1).max(1_024);
export const body = z.string().max(262_144);
export const number = z.int().min(1);
export const page = z.int().min(1).max(10_000).describe('Page number of the results (default: 1)');
export const per_page = z.int().min(1).max(100).describe('Results per page (default: 30, max: 100)');
export const names = z.array(z.string().min(1).max(255)).max(100);
export const direction = z.enum(['asc', 'desc']).describe('The direction of the sort');

export const READS = { readOnly: true, openWorld: true } as const;
export const ADDS = { readOnly: false, destructive: false, idempotent: false, openWorld: true } as const;
export const CHANGES = { readOnly: false, destructive: true, idempotent: true, openWorld: true } as const;
