import { ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Revision } from '../../protocol/revision.ts';
import { encodeInputRequest } from '../../wire/input-request.ts';
import { AskLedger } from '../ask/ask-ledger.ts';
import type { Asker } from '../ask/asker.ts';
import { OnceAction } from '../ask/once-outcome.ts';
import { MAX_ATTEMPTS, type Question, type ValidateAnswer, withReason } from '../ask/question.ts';
import { keyOf, own, type TaskAnswer, type TaskRecord } from './task-record.ts';

/** The stored task, as the asker of its run sees it. */
export interface AskedTask {
  readonly revision: Revision;
  read(): Promise<TaskRecord>;
  /** Changes the task. Rejects if this run may no longer change it. */
  change(change: (record: TaskRecord) => TaskRecord | undefined): Promise<TaskRecord>;
  /** Waits until the task has changed so that the condition holds. Rejects when the run has to stop. */
  waitUntil(condition: () => Promise<boolean>): Promise<void>;
}

/**
 * For tasks: the handler waits, in both eras. Questions, answers and results of `once` are part of the stored task, so that a run in another
 * process continues where this one ended, and any process can take the client's answers.
 */
export async function createTaskAsker(task: AskedTask): Promise<Asker> {
  const first = await task.read();
  const ledger = new AskLedger(first.asked);

  const put = async (key: string, { name, method, params }: Question): Promise<TaskAnswer> => {
    const encoded = encodeInputRequest(method, params, task.revision);
    if ('unsupported' in encoded) throw new ToolError(`'${name}' cannot be asked: ${encoded.unsupported}`);
    let answer: TaskAnswer | undefined;
    await task.change((record) => {
      answer = own(record.answers, key);
      if (answer !== undefined || own(record.questions, key) !== undefined) return undefined;
      const questions = { ...record.questions, [key]: { method, params: encoded.params } };
      return { ...record, questions, asked: ledger.asked };
    });
    const isAnswered = async (): Promise<boolean> => (answer = own((await task.read()).answers, key)) !== undefined;
    if (answer === undefined) await task.waitUntil(isAnswered);
    return answer!;
  };

  const answer = async <T>(question: Question, validate: ValidateAnswer<T>): Promise<T> => {
    const { name } = question;
    let reason = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const again = attempt === 1 ? question : withReason(question, reason);
      const validated = await validate(resultOf(name, await put(keyOf(name, attempt), again)));
      if ('value' in validated) return validated.value;
      reason = validated.retryReason;
    }
    throw new ToolError(`No usable answer to '${name}' after ${MAX_ATTEMPTS} attempts: ${reason}`);
  };

  const once = async (name: string, action: () => unknown): Promise<unknown> => {
    const act = new OnceAction(name, action);
    const known = own((await task.read()).done, name);
    if (known !== undefined) return act.resultOf(known);
    const outcome = await act.run();
    await task.change((record) => ({ ...record, done: { ...record.done, [name]: outcome } }));
    return act.resultOf(outcome);
  };

  return {
    answer: (question, validate) => ledger.question(question, () => answer(question, validate)),
    once: (name, action) => ledger.once(name, () => once(name, action)),
  };
}

function resultOf(name: string, answer: TaskAnswer): JsonObject {
  if ('result' in answer) return answer.result;
  const { code, message, data } = answer.error;
  const cause = new ProtocolError(code, message, data);
  throw new ToolError(`The client did not answer '${name}': ${message}`, { cause });
}
