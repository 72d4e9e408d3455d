// The arguments of tools that work with git repositories on a web service.
import { isWellFormed } from '@tenon/values/utf8';
import { z } from 'zod';

/** A branch, tag or commit. */
export const ref = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (text) => isWellFormed(text) && !/(?:^|\/)\.{0,2}(?:\/|$)|[\0-\x20\x7f~^:?*[\\]/.test(text),
    'is not the name of a branch',
  );

/** A path in a repository; empty for its root. Slashes around it are removed. */
export const path = z
  .string()
  .max(4_096)
  .overwrite((text) => text.replace(/^\/+|\/+$/g, ''))
  .refine((text) => !/(?:^|\/)\.{1,2}(?:\/|$)|\/\/|\0/.test(text), 'must not contain ".", ".." or an empty part')
  .refine(isWellFormed, 'has half a character');

export const content = z.string().max(10_000_000);
export const message = z.string().min(1).max(65_536).describe('Commit message');
export const page = z.int().min(1).max(10_000);
