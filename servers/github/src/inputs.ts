// The arguments that several tools have.
import { z } from 'zod';
import { page as anyPage } from '../../shared/repositories/inputs.ts';

/** A part of a path. `.` and `..` would make it the path of another endpoint. */
function isName(text: string): boolean {
  return /^[\w.-]+$/.test(text) && !/^\.{1,2}$/.test(text);
}

const name = z.string().min(1).max(100).refine(isName, 'must have letters, digits, ".", "-" and "_" only');
const owner = name.describe('Repository owner (username or organization)');
export const repo = name.describe('Repository name');
export const REPOSITORY = { owner, repo };

export const title = z.string().min(1).max(1_024);
export const body = z.string().max(262_144);
export const number = z.int().min(1);
export const page = anyPage.describe('Page number of the results (default: 1)');
export const per_page = z.int().min(1).max(100).describe('Results per page (default: 30, max: 100)');
export const names = z.array(z.string().min(1).max(255)).max(100);
export const direction = z.enum(['asc', 'desc']).describe('The direction of the sort');
