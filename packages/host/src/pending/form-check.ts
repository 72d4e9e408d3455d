import type { FormQuestion } from 'tenon/client';
import { formIssues, type ValidationIssue } from 'tenon/forms';
import { DecisionError } from './decision-error.ts';
import type { Decision, Item } from './item.ts';
import { requestProblem, resultProblem } from './sample-check.ts';

function issuesAt(member: 'request' | 'result', problem: string | undefined): ValidationIssue[] {
  return problem === undefined ? [] : [{ path: [member], message: problem }];
}

function issuesOf(item: Item, { allow, cancel, content, request, result }: Decision): ValidationIssue[] {
  if (item.kind === 'sample' && allow && request !== undefined)
    return issuesAt('request', requestProblem({ ...request }));
  if (item.kind === 'sampled' && allow && result !== undefined) return issuesAt('result', resultProblem({ ...result }));
  if (item.kind !== 'question' || item.form === undefined || !allow || cancel === true) return [];
  // The SDK took these defaults from the form.
  const form = item.form as Pick<FormQuestion, 'schema' | 'defaults'>;
  const issues = formIssues(form, content && { ...content });
  return issues.map(({ path, message }) => ({ path: ['content', ...path], message }));
}

/** Throws a `DecisionError` if a decision does not fit its item. Missing fields with a default are filled in later. */
export function checkDecision(item: Item, decision: Decision): void {
  const issues = issuesOf(item, decision);
  if (issues.length > 0) throw new DecisionError(issues);
}
