import type { FormQuestion } from 'tenon/client';
import { formProblem } from 'tenon/forms';
import type { Decision, Item } from './item.ts';
import { requestProblem, resultProblem } from './sample-check.ts';

/** Why a decision does not fit its item, or undefined. Missing fields with a default are filled in later. */
export function answerProblem(item: Item, { allow, cancel, content, request, result }: Decision): string | undefined {
  if (item.kind === 'sample' && allow && request !== undefined) return requestProblem({ ...request });
  if (item.kind === 'sampled' && allow && result !== undefined) return resultProblem({ ...result });
  if (item.kind !== 'question' || item.form === undefined || !allow || cancel === true) return undefined;
  // The SDK took these defaults from the form.
  return formProblem(item.form as Pick<FormQuestion, 'schema' | 'defaults'>, content && { ...content });
}
